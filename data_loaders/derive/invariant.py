"""What runs of one model must agree in at their first step, before any of them has learnt.

At step 1 the policy is the same everywhere, so entropy, response length and pass rate differ by sampling
alone. A larger difference means another aggregation, reward, filter, prompt set or temperature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from data_loaders.derive.algorithm import read_setup
from data_loaders.derive.canonical import Units, curve
from data_loaders.derive.config import get
from data_loaders.derive.intervals import batch_pass_error
from data_loaders.derive.settings import config_of, filtered, number, overlong
from data_loaders.schema import Curve, Missing, RunData

STEP = 1
RELATIVE = 0.05
ABSOLUTE = 0.02
"""Nats per token: where the entropy is small, 5 % of it is less than sampling noise."""
ERRORS = 2.0
"""Unpaired standard errors that two pass rates of one policy may be apart."""


class Agreement(NamedTuple):
    """One quantity at the first step. Values are in the canonical unit of `metric`."""

    metric: str
    values: Mapping[str, float]
    """By run id."""
    middle: float
    """Median of the values."""
    allowed: float
    """Largest distance from the middle that sampling explains."""
    apart: tuple[str, ...]
    """Runs further away than that."""
    left_out: tuple[str, ...]
    """Runs whose value cannot be compared: their reward is shaped, or groups were dropped."""


class Quantity(NamedTuple):
    metric: str
    allowed: Callable[[float, RunData], float]
    """From the middle and any of the runs."""
    comparable: Callable[[RunData, Curve | Missing], bool]


def first_step(runs: Mapping[str, RunData], units: Units = "token") -> tuple[Agreement, ...]:
    """How far the runs agree, one entry per quantity that at least two of them logged at step 1."""
    return tuple(found for one in QUANTITIES if (found := _agreement(one, runs, units)) is not None)


def same_start(runs: Mapping[str, RunData]) -> tuple[Mapping[str, RunData], ...]:
    """Runs that start from one model, in groups of at least two; without a config they count as one model."""
    groups: dict[str, dict[str, RunData]] = {}
    for key, data in runs.items():
        if data.run.first is not None and data.run.first <= STEP:
            path = get(config_of(data.run), "actor_rollout_ref.model.path")
            groups.setdefault(str(path or ""), {})[key] = data
    return tuple(group for group in groups.values() if len(group) > 1)


def _agreement(one: Quantity, runs: Mapping[str, RunData], units: Units) -> Agreement | None:
    values: dict[str, float] = {}
    left_out: list[str] = []
    for key, data in runs.items():
        found = curve(data, one.metric, units=units)
        if not one.comparable(data, found):
            left_out.append(key)
        elif isinstance(found, Curve) and (at := found.value[found.step == STEP]).size:
            values[key] = float(at[0])
    if len(values) < 2:
        return None
    middle = median(values.values())
    allowed = one.allowed(middle, next(iter(runs.values())))
    apart = tuple(key for key, value in values.items() if abs(value - middle) > allowed)
    return Agreement(one.metric, values, middle, allowed, apart, tuple(left_out))


def _noise_of_two(rate: float, data: RunData) -> float:
    prompts = number(get(config_of(data.run), "data.train_batch_size"))
    samples = read_setup(config_of(data.run)).group_size
    error = float(batch_pass_error(rate, int(prompts or 32), samples if prompts else 8))
    return ERRORS * error * 2**0.5


def _always(_data: RunData, _found: Curve | Missing) -> bool:
    return True


def _unshaped(data: RunData, found: Curve | Missing) -> bool:
    shaped = isinstance(found, Curve) and any(note.key.startswith("note.lower_bound") for note in found.notes)
    return not shaped and overlong(config_of(data.run)) is None and not filtered(data.run.keys)


QUANTITIES: Sequence[Quantity] = (
    Quantity("entropy", lambda middle, _: max(RELATIVE * abs(middle), ABSOLUTE), _always),
    Quantity("response_length", lambda middle, _: RELATIVE * middle, _always),
    Quantity("pass_rate", _noise_of_two, _unshaped),
)
