"""How far single numbers of a chart can be trusted, as remarks beside its title."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from components.figures import Line, badge
from components.numbers import number
from components.text import Bilingual, joined, words
from data_loaders.derive.algorithm import read_setup
from data_loaders.derive.config import get
from data_loaders.derive.intervals import batch_pass_error, detectable_difference, expected_best
from data_loaders.derive.settings import config_of
from data_loaders.derive.settings import number as numeric
from data_loaders.derive.statistics import COUNT, prompt_correlation, step_error
from data_loaders.derive.validation import Validation
from data_loaders.schema import Json

CORRELATION = 0.5
"""Of two answers to one prompt, where prompts are mostly easy or mostly hard."""


class BatchNoise(NamedTuple):
    """Noise of one batch pass rate, in percentage points."""

    answers: int
    rate: float
    """In percent, mean of the last points."""
    expected: float
    """Standard error at `CORRELATION`."""
    measured: float
    """Standard deviation about the slow mean of the run; NaN when the run is too short."""
    correlation: float
    """Read from the measured one; NaN likewise."""


def batch_noise(line: Line) -> BatchNoise | None:
    """None where the log does not say how many prompts a batch has."""
    config = config_of(line.run.data.run)
    prompts = numeric(get(config, "data.train_batch_size"))
    rate = line.curve.value
    if not prompts or not np.isfinite(rate).any():
        return None
    samples = read_setup(config).group_size
    late = float(rate[np.isfinite(rate)][-COUNT:].mean())
    expected = float(batch_pass_error(late, int(prompts), samples, CORRELATION))
    correlation = prompt_correlation(rate, int(prompts), samples)
    return BatchNoise(int(prompts) * samples, 100 * late, 100 * expected, 100 * step_error(rate), correlation)


def batch_noise_badges(drawn: Sequence[Line]) -> list[Json]:
    """Standard error of one step's pass rate, expected and measured."""
    known = [(line, noise) for line in drawn if (noise := batch_noise(line)) is not None]
    if not known:
        return []
    typical = float(np.median([noise.expected for _, noise in known]))
    told = [_batch_told(line, noise) for line, noise in known]
    text = words("noise.step", points=number(typical, 1))
    return [badge("tag", text, joined([words("noise.step.long"), *told], "\n", "\n"))]


def _batch_told(line: Line, noise: BatchNoise) -> Bilingual:
    key = "noise.step.of" if math.isfinite(noise.measured) else "noise.step.short"
    return words(
        key, run=line.run.info.mark, answers=noise.answers, rate=number(noise.rate, 0),
        expected=number(noise.expected, 1), measured=number(noise.measured, 1),
        rho=number(noise.correlation, 2),
    )  # fmt: skip


def validation_badges(shown: Sequence[Validation]) -> Iterator[Json]:
    """Smallest difference that so many items can show; what the best of several checkpoints is worth."""
    counted = [one for one in shown if one.correct is not None and one.items and one.correct.size]
    for items in sorted({one.items for one in counted if one.items}):
        mine = [one for one in counted if one.items == items]
        rate = float(np.mean([one.value[-1] for one in mine]))
        rise = detectable_difference(rate, items)
        values = {"n": items, "rate": number(100 * rate, 0)}
        points = number(100 * rise, 0) if rise is not None else ""
        key = "noise.items" if rise is not None else "noise.items_none"
        draws = sum(int(np.isfinite(one.value).sum()) for one in mine)
        selected = words(
            "noise.selected", draws=draws, n=items, rate=number(100 * rate, 0),
            best=number(100 * expected_best(rate, items, draws), 0),
        )  # fmt: skip
        told = [words(f"{key}.long", points=points, **values), selected]
        yield badge("tag", words(key, points=points, **values), joined(told, "\n", "\n"))
