"""Whether a series rises, falls or neither: Theil–Sen slope with Kendall's τ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from data_loaders.derive.intervals import LEVEL, normal_quantile
from data_loaders.derive.statistics import autocorrelation
from data_loaders.schema import FloatArray, IntArray

RISING = 0.15
"""Relative change over the series from which it may be called rising."""
FALLING = -0.10
"""And falling: entropy and length fall slowly in a healthy run, so a smaller fall is worth a word."""
ENOUGH = 8
"""Fewest finite points for a trend."""
MOST = 1000
"""Longer series are reduced to this many block medians: the pairs grow with the square."""
FEW = 200
"""Block medians that are enough where many series are judged at once."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Linear trend over a whole series. Slopes are per step; changes are fractions of the fitted start."""

    direction: Literal["rising", "falling", "flat"]
    slope: float
    low: float
    high: float
    change: float
    """slope × span / |fitted start|; NaN when the start is 0."""
    change_low: float
    change_high: float
    tau: float
    """Kendall's τ-b."""
    p: float
    """Two-sided p of no trend, its variance inflated by (1+ρ₁)/(1−ρ₁)."""


def trend(step: IntArray, value: FloatArray, most: int = MOST) -> Trend | None:
    """Trend of the finite points of a series (n,), of at most `most` block medians; None below `ENOUGH`.

    Sources: Sen 1968 for slope and interval, Kendall 1970 for the variance with ties, Hamed & Rao 1998 for
    inflating it when neighbouring residuals are correlated.
    """
    finite = np.isfinite(value)
    x, y = _reduced(step[finite].astype(np.float64), value[finite], most)
    if x.size < ENOUGH:
        return None
    before, after = np.triu_indices(x.size, 1)
    before, after = before[x[after] > x[before]], after[x[after] > x[before]]
    rise = y[after] - y[before]
    slopes = np.sort(rise / (x[after] - x[before]))
    slope = float(np.median(slopes))
    start = float(np.median(y - slope * (x - x[0])))
    rho = max(0.0, float(autocorrelation(y - start - slope * (x - x[0]), 1)[0]))
    spread = math.sqrt(_score_variance(y) * (1 + rho) / (1 - min(rho, 0.99)))
    score = float(np.sign(rise).sum())
    low, high = _sen_interval(slopes, spread)
    scale = float(x[-1] - x[0]) / abs(start) if start else math.nan
    return Trend(
        direction=_direction(slope * scale, low, high),
        slope=slope,
        low=low,
        high=high,
        change=slope * scale,
        change_low=low * scale,
        change_high=high * scale,
        tau=_tau(score, y),
        p=_p_value(score, spread),
    )


def _direction(change: float, low: float, high: float) -> Literal["rising", "falling", "flat"]:
    if change >= RISING and low > 0:
        return "rising"
    if change <= FALLING and high < 0:
        return "falling"
    return "flat"


def _reduced(x: FloatArray, y: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    if x.size <= most:
        return x, y
    edges = np.linspace(0, x.size, most + 1).astype(np.int64)
    size = np.diff(edges)
    rows = edges[:-1, None] + np.arange(size.max())
    inside = np.arange(size.max()) < size[:, None]
    rows = np.minimum(rows, x.size - 1)
    x, y = (np.nanmedian(np.where(inside, line[rows], np.nan), axis=1) for line in (x, y))
    return x, y


def _ties(y: FloatArray) -> FloatArray:
    counts = np.unique(y, return_counts=True)[1].astype(np.float64)
    return counts[counts > 1]


def _score_variance(y: FloatArray) -> float:
    """Variance of Kendall's score under no trend, ties in y counted."""
    n, ties = float(y.size), _ties(y)
    return float(n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18


def _tau(score: float, y: FloatArray) -> float:
    n, ties = float(y.size), _ties(y)
    pairs = n * (n - 1) / 2
    untied = pairs - float((ties * (ties - 1)).sum()) / 2
    return score / math.sqrt(pairs * untied) if untied else 0.0


def _p_value(score: float, spread: float) -> float:
    if spread == 0.0 or score == 0.0:
        return 1.0
    return 2 * NormalDist().cdf(-(abs(score) - 1) / spread)


def _sen_interval(slopes: FloatArray, spread: float) -> tuple[float, float]:
    """Interval of the median slope by ranks; `slopes` ascending."""
    reach = normal_quantile(LEVEL) * spread
    last = slopes.size - 1
    low = max(0, round((slopes.size - reach) / 2) - 1)
    high = min(last, round((slopes.size + reach) / 2))
    return float(slopes[low]), float(slopes[high])
