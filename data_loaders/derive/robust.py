"""A running baseline and noise scale that spikes do not move: two-pass Hampel identifier.

Sources: Hampel 1974; Davies & Gather 1993; Pearson 2002. Windows count logged points, in step order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from data_loaders.schema import BoolArray, FloatArray

K_OFF = 2.5
"""Score from which a point is left out of the second pass, and at which an excursion ends."""
NARROWEST, WIDEST = 21, 101
"""Limits of the window; it must stay wider than twice the longest excursion."""
SIGMA = 1.4826
"""Standard deviation of a normal over its median absolute deviation."""
GLOBAL_SHARE = 0.6
"""The local scale may not fall below this share of that of the whole series."""
FINEST_PRINT = 6
"""Values with more decimals than this are taken as printed in full."""
AT_ONCE = 1024
"""Windows sorted at once: as many as the cache of a core holds."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to the scale on which they are judged: log(value + offset), or the value itself."""

    log: bool
    offset: float

    def forward(self, value: FloatArray) -> FloatArray:
        return np.log(value + self.offset) if self.log else value

    def back(self, z: FloatArray) -> FloatArray:
        return np.exp(z) - self.offset if self.log else z


@dataclass(frozen=True, slots=True)
class Reference:
    """Finite values (n,), and on their scale: the same as `z`, its baseline and its noise."""

    value: FloatArray
    scale: Scale
    z: FloatArray
    baseline: FloatArray
    sigma: FloatArray

    @property
    def score(self) -> FloatArray:
        return (self.z - self.baseline) / self.sigma


def reference(value: FloatArray, log: bool, floor: Callable[[FloatArray], FloatArray]) -> Reference:
    """Baseline and noise of finite `value` (n,), n ≥ 1; `floor` gives the least noise at a baseline."""
    scale = Scale(log, _offset(value) if log else 0.0)
    z = scale.forward(value)
    half_print = _print_step(value) / 2

    def smallest(baseline: FloatArray) -> FloatArray:
        natural = scale.back(baseline)
        printed = half_print / (natural + scale.offset) if log else half_print
        return np.maximum(np.maximum(floor(natural), printed), np.finfo(np.float64).tiny)

    baseline, sigma = _pass(z, np.zeros(z.shape, dtype=np.bool_), smallest)
    outside = np.abs(z - baseline) >= K_OFF * sigma
    baseline, sigma = _pass(z, outside, smallest)
    return Reference(value, scale, z, baseline, sigma)


def window(n: int) -> int:
    """Odd width, in points, of the baseline's window for a series of n points."""
    return int(np.clip(round(n / 5) // 2 * 2 + 1, NARROWEST, WIDEST))


def _pass(
    z: FloatArray, masked: BoolArray, floor: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    kept = np.where(masked, np.nan, z)
    baseline = _running_median(kept, fallback=z)
    residual = np.abs(kept - baseline)
    overall = float(np.nanmedian(residual)) if not masked.all() else 0.0
    local = _running_median(residual, fallback=np.full(z.shape, overall))
    return baseline, np.maximum(SIGMA * np.maximum(local, GLOBAL_SHARE * overall), floor(baseline))


def _running_median(z: FloatArray, fallback: FloatArray) -> FloatArray:
    """Centred running median that skips NaN; interpolated where too few points are known."""
    n = z.size
    if n < NARROWEST or np.isnan(z).all():
        known = fallback if np.isnan(z).all() else z
        return np.full(n, np.nanmedian(known))
    width = window(n)
    medians = rolling_median(z, width, max(5, width // 4), centred=True)
    known = np.isfinite(medians)
    if known.all():
        return np.asarray(medians, dtype=np.float64)
    if not known.any():
        return np.full(n, np.nanmedian(z))
    rows = np.arange(n)
    bridged: FloatArray = np.interp(rows, rows[known], medians[known])
    return bridged


def _offset(value: FloatArray) -> float:
    """What to add before the logarithm: nothing to positive values, else a quarter of the usual size."""
    low = float(value.min())
    if low > 0:
        return 0.0
    sizes = np.abs(value)
    usual = float(np.median(sizes)) or float(np.median(sizes[sizes > 0])) if sizes.any() else 1.0
    return usual / 4 - low


def _print_step(value: FloatArray) -> float:
    """Step of the decimal grid that all values lie on; 0 when they are printed in full."""
    for decimals in range(FINEST_PRINT):
        if np.allclose(value, np.round(value, decimals), rtol=1e-12, atol=1e-12):
            return float(10.0**-decimals)
    return 0.0


def rolling_median(z: FloatArray, width: int, least: int, centred: bool = False) -> FloatArray:
    """Median of the finite cells of the last `width` (or those around a cell), NaN below `least` of them.

    Windows are sorted by rank, for short integers sort several times as fast as floats.
    """
    n = z.size
    known = np.isfinite(z)
    order = np.argsort(np.where(known, z, np.inf))
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n)
    rank[~known] = n
    later = width // 2 if centred else 0
    edges = (width - 1 - later, later)
    windows = sliding_window_view(np.pad(rank, edges, constant_values=n), width)
    seen = np.concatenate([[0], np.cumsum(np.pad(known, edges))])
    count = seen[width:] - seen[:-width]
    low, high = np.empty(n, np.int64), np.empty(n, np.int64)
    room = np.empty((min(n, AT_ONCE), width), np.int32)
    for start in range(0, n, AT_ONCE):
        part = slice(start, min(start + AT_ONCE, n))
        ranks, rows = room[: part.stop - start], np.arange(part.stop - start)
        ranks[:] = windows[part]
        ranks.sort(axis=1)
        low[part], high[part] = ranks[rows, (count[part] - 1) // 2], ranks[rows, count[part] // 2]
    ready = np.flatnonzero(count >= max(least, 1))
    medians = np.full(n, np.nan)
    medians[ready] = (z[order[low[ready]]] + z[order[high[ready]]]) / 2
    return medians
