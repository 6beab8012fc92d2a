"""Means of a range of steps, and their uncertainty, from one noisy autocorrelated series.

A bootstrap or a t interval inside ten neighbouring steps covers far too little, so the noise is learnt from
the whole run: what is left of the series after a slow centred mean, with its correlation from step to step.
All intervals are ±`half`, in the unit of the series. One run is one seed: nothing here speaks of other seeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from data_loaders.derive.intervals import LEVEL, normal_quantile
from data_loaders.schema import FloatArray, IntArray

COUNT = 10
"""Points averaged when a value is quoted for "the end" of a run or window."""
SLOW = 21
"""Width in points of the centred mean that is taken for signal."""
LAGS = 3
"""Correlations at more than this many points apart are taken for zero."""
ENOUGH = 12
"""Fewest finite points from which noise can be learnt."""
POWER = 0.8
"""Chance of telling two values apart that a smallest detectable difference stands for."""


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean over the finite points from `first` to `last` (both included)."""

    value: float
    half: float
    """Half width of the 95 % interval; NaN when the series is too short to tell."""
    first: int
    last: int
    points: int
    effective: float
    """Number of independent points that would give the same interval."""

    @property
    def settled(self) -> bool:
        """Whether the interval excludes 0; for a difference: whether the two can be told apart."""
        return abs(self.value) > self.half

    @property
    def detectable(self) -> float:
        """Smallest true value that an interval of this width excludes 0 for in four cases of five."""
        return self.half * (1 + NormalDist().inv_cdf(POWER) / normal_quantile(LEVEL))


def mean_over(step: IntArray, value: FloatArray, first: int, last: int) -> Mean | None:
    """Mean of the steps first…last; None without a finite point there.

    `step` and `value` are (n,), `step` ascending. Pass the whole run, not the range: its noise is used.
    """
    finite = np.isfinite(value)
    step, value = step[finite], value[finite]
    chosen = value[(step >= first) & (step <= last)]
    if not chosen.size:
        return None
    variance, inflation = _noise(value, chosen.size)
    half = normal_quantile(LEVEL) * math.sqrt(variance / chosen.size * inflation)
    return Mean(float(chosen.mean()), half, first, last, chosen.size, chosen.size / inflation)


def mean_of_last(
    step: IntArray, value: FloatArray, count: int = COUNT, until: int | None = None
) -> Mean | None:
    """`mean_over` of the last `count` finite points, not later than step `until`."""
    span = last_span(step, value, count, until)
    return mean_over(step, value, *span) if span else None


def last_span(
    step: IntArray, value: FloatArray, count: int = COUNT, until: int | None = None
) -> tuple[int, int] | None:
    """First and last step of the last `count` finite points, not later than step `until`."""
    known = step[np.isfinite(value)]
    known = known if until is None else known[known <= until]
    return (int(known[-count:][0]), int(known[-1])) if known.size else None


def step_differences(
    step: IntArray, value: FloatArray, other_step: IntArray, other_value: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Steps at which both series are finite, and value − other there.

    Runs that draw the same prompts at the same step share that part of their noise; the differences do not
    hold it. Each series must hold a step at most once.
    """
    mine, yours = np.isfinite(value), np.isfinite(other_value)
    common, here, there = np.intersect1d(
        step[mine], other_step[yours], assume_unique=True, return_indices=True
    )
    return common, value[mine][here] - other_value[yours][there]


def paired_difference(
    step: IntArray,
    value: FloatArray,
    other_step: IntArray,
    other_value: FloatArray,
    span: tuple[int, int] | None = None,
) -> Mean | None:
    """Mean per-step difference value − other over `span`, or over the last `COUNT` common steps."""
    common, difference = step_differences(step, value, other_step, other_value)
    if span is None:
        return mean_of_last(common, difference)
    return mean_over(common, difference, *span)


def unpaired_difference(one: Mean, other: Mean) -> Mean:
    """one − other for means of two runs that share no noise, such as runs of other prompts."""
    half = math.hypot(one.half, other.half)
    return Mean(
        one.value - other.value,
        half,
        max(one.first, other.first),
        min(one.last, other.last),
        min(one.points, other.points),
        min(one.effective, other.effective),
    )


def step_error(value: FloatArray) -> float:
    """Standard deviation of one point about the slow mean of its series (n,); NaN when it is too short."""
    return math.sqrt(_noise(value[np.isfinite(value)], 1)[0])


def prompt_correlation(rate: FloatArray, prompts: int, samples: int) -> float:
    """Correlation ρ of two answers to one prompt, from how far the batch pass rates (n,) scatter.

    The scatter about the slow mean is p(1−p)/(prompts·samples)·[1 + (samples−1)ρ]; NaN when unknown.
    """
    known = rate[np.isfinite(rate)]
    independent = float((known * (1 - known)).mean()) / (prompts * samples) if known.size else 0.0
    if samples < 2 or independent <= 0:
        return math.nan
    return (step_error(known) ** 2 / independent - 1) / (samples - 1)


def autocorrelation(residual: FloatArray, lags: int) -> FloatArray:
    """Correlation of a centred `residual` (n,) with itself 1…lags points on; zeros when it is constant."""
    energy = float(residual @ residual)
    if energy == 0.0:
        return np.zeros(lags)
    return np.array([float(residual[:-lag] @ residual[lag:]) / energy for lag in range(1, lags + 1)])


def _noise(value: FloatArray, count: int) -> tuple[float, float]:
    """Variance of a point about the slow mean, and its inflation by correlation in a mean of `count` points.

    The variance is NaN below `ENOUGH` points.
    """
    n = value.size
    if n < ENOUGH:
        return math.nan, 1.0
    mean, width = _centred_mean(value)
    # A point is part of its own mean, which hides 1/width of its variance.
    residual = (value - mean) / np.sqrt(1 - 1 / width)
    rho = autocorrelation(residual, LAGS) + 1 / SLOW
    rho[rho <= 2 / math.sqrt(n)] = 0.0
    lag = np.arange(1, LAGS + 1)
    inflation = 1 + 2 * float((np.clip(1 - lag / count, 0.0, None) * rho).sum())
    return float((residual**2).mean()), inflation


def _centred_mean(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean of the up to `SLOW` points around each point, and their number; fewer at both ends."""
    n, reach = value.size, SLOW // 2
    low = np.maximum(np.arange(n) - reach, 0)
    high = np.minimum(np.arange(n) + reach + 1, n)
    total = np.concatenate(([0.0], np.cumsum(value - value.mean())))
    width = (high - low).astype(np.float64)
    return (total[high] - total[low]) / width + value.mean(), width
