"""Which runs of one chart mean different things by the same name.

verl aggregates entropy, KL and gradients with the loss, puts penalties into rewards, drops groups and changed
what it logs between versions. Each `Aspect` says what one such setting makes of one run's values; where the
runs of a chart differ in it, the chart says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from data_loaders.derive.algorithm import read_setup
from data_loaders.derive.missing import verl_before
from data_loaders.derive.reward import reward_range
from data_loaders.derive.settings import aggregation, config_of, filtered, overlong
from data_loaders.derive.validation import Validation
from data_loaders.schema import Curve, Note, RunData

AS_PER_TOKEN = "derived.token_level"
COARSE = frozenset({"note.rounded", "note.precision"})


class Shown(NamedTuple):
    """What a chart shows of one run."""

    data: RunData
    metric: str
    curve: Curve | None = None
    validation: Validation | None = None


class Aspect(NamedTuple):
    """Message keys: `differs.<id>` (what differs), `differs.<id>.why` (what follows from it)."""

    id: str
    metrics: frozenset[str]
    """Canonical metrics whose meaning it changes; empty: those of every metric."""
    told: Callable[[Shown], Note | None]
    """What holds for a run; None where its log does not say."""


class Difference(NamedTuple):
    """An aspect in which runs differ."""

    aspect: Aspect
    values: Mapping[str, Note]
    """By run; runs whose logs do not say are left out."""


def differences(shown: Mapping[str, Shown]) -> tuple[Difference, ...]:
    """The aspects in which the runs of one chart differ, in the order of `ASPECTS`."""
    found = []
    for aspect in ASPECTS:
        concerned = {key: one for key, one in shown.items() if _concerns(aspect, one)}
        known = {key: note for key, one in concerned.items() if (note := aspect.told(one)) is not None}
        notes = list(known.values())
        if any(note != notes[0] for note in notes[1:]):
            found.append(Difference(aspect, known))
    return tuple(found)


def _concerns(aspect: Aspect, shown: Shown) -> bool:
    return not aspect.metrics or shown.metric in aspect.metrics


def _aggregation(shown: Shown) -> Note | None:
    """How values were averaged; a series turned back into means per token is one, whatever was logged."""
    how = aggregation(shown.data.run)
    if how is None:
        return None
    if (
        shown.curve is not None
        and shown.curve.derived is not None
        and shown.curve.derived.key == AS_PER_TOKEN
    ):
        return Note("differs.mode", {"mode": "token-mean"})
    if how.mode != "seq-mean-token-sum-norm" or how.horizon is None:
        return Note("differs.mode", {"mode": how.mode})
    return Note("differs.mode_by", {"mode": how.mode, "horizon": how.horizon})


def _kl(shown: Shown) -> Note | None:
    config = config_of(shown.data.run)
    if not config:
        return None
    setup = read_setup(config)
    for key, term in (("differs.kl_loss", setup.kl_loss), ("differs.kl_reward", setup.kl_reward)):
        if term is not None:
            return Note(key, {"kind": term[0], "coef": term[1]})
    return Note("differs.kl_none")


def _shaping(shown: Shown) -> Note | None:
    config = config_of(shown.data.run)
    if shaping := overlong(config):
        return Note("differs.shaped", {"penalty": shaping.penalty})
    if shown.curve is not None and any(note.key.startswith("note.lower_bound") for note in shown.curve.notes):
        return Note("differs.shaped", {"penalty": 1.0})
    return Note("differs.unshaped") if config else None


def _scale(shown: Shown) -> Note | None:
    scale = reward_range(shown.data)
    if isinstance(scale, Note):
        return None
    return Note("differs.scale_of", {"wrong": scale.wrong, "right": scale.right})


def _filtering(shown: Shown) -> Note | None:
    """Whether groups were dropped: by what was logged, not by what was configured."""
    return Note("differs.filtered" if filtered(shown.data.run.keys) else "differs.unfiltered")


def _clip(shown: Shown) -> Note | None:
    config = config_of(shown.data.run)
    if not config:
        return None
    setup = read_setup(config)
    values = {"low": setup.clip_low, "high": setup.clip_high, "loss": setup.loss_mode}
    return Note("differs.clip_of", values)


def _version(shown: Shown) -> Note | None:
    if "response_length/mean" not in shown.data.run.keys:
        return None
    before = verl_before(shown.data.run)
    return Note("differs.before", {"version": before}) if before else Note("differs.newest")


def _decimals(shown: Shown) -> Note | None:
    coarse = shown.curve is not None and any(note.key in COARSE for note in shown.curve.notes)
    return Note("differs.rounded" if coarse else "differs.exact")


def _samples(shown: Shown) -> Note | None:
    found = shown.validation
    return None if found is None else Note("differs.measure", {"set": found.dataset, "of": found.statistic})


REWARDS = frozenset({
    "pass_rate", "score_mean", "score_max", "score_min", "reward_mean", "reward_max", "reward_min",
    "returns_mean", "returns_max", "returns_min",
})  # fmt: skip
LOSSES = frozenset({"loss", "pg_loss", "grad_norm"})

ASPECTS: tuple[Aspect, ...] = (
    Aspect("aggregation", LOSSES | {"entropy", "kl_loss"}, _aggregation),
    Aspect("kl", LOSSES - {"pg_loss"} | {"entropy", "kl_loss", "hours", "step_time"}, _kl),
    Aspect("shaping", REWARDS, _shaping),
    Aspect("scale", REWARDS, _scale),
    Aspect(
        "filtering",
        REWARDS | {"response_length", "entropy", "throughput", "hours", "step_time", "advantages_max"},
        _filtering,
    ),
    Aspect("clip", frozenset({"clip_share"}), _clip),
    Aspect("version", LOSSES | {"ppo_kl", "hours", "step_time", "mfu"}, _version),
    Aspect("samples", frozenset({"validation"}), _samples),
    Aspect("decimals", frozenset(), _decimals),
)
"""What the field compares although it cannot be compared as it stands.

Source: verl's `core_algos` and `ray_trainer` by version, issues 3986 (entropy) and 3741 (sum-norm).
"""
