"""The tests that health rules are made of: points of one or several metrics and a threshold → a hit or None.

Points are steps (n,) ascending and values (n,). NaN never fires anything but `not_finite`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from data_loaders.derive.trends import FEW, trend
from data_loaders.schema import BoolArray, FloatArray, IntArray


class Points(NamedTuple):
    step: IntArray
    value: FloatArray


class Hit(NamedTuple):
    """A rule that fired."""

    step: int
    """At which it fired first."""
    value: float
    """There, or over the whole run for tests of trends."""
    limit: float
    """What the value was compared with, in its own unit."""
    held: int
    """Points at which it held."""
    last_good: int | None = None
    """Last step before the first at which it held."""


Test = Callable[[Sequence[Points], float], Hit | None]
Limit = Callable[[FloatArray, float], FloatArray]
"""Values (n,) and threshold → limit at each point (n,), NaN where there is none yet."""


def above(in_a_row: int = 1, limit: Limit | None = None, or_equal: bool = False) -> Test:
    """Fires once values exceed the limit this many times running."""

    def test(series: Sequence[Points], threshold: float) -> Hit | None:
        limits = _limits(limit, series[0], threshold)
        over = series[0].value >= limits if or_equal else series[0].value > limits
        return _hit(series[0], over, limits, in_a_row)

    return test


def below(in_a_row: int = 1, limit: Limit | None = None) -> Test:
    """Fires once values fall short of the limit this many times running."""

    def test(series: Sequence[Points], threshold: float) -> Hit | None:
        limits = _limits(limit, series[0], threshold)
        return _hit(series[0], series[0].value < limits, limits, in_a_row)

    return test


def beyond(in_a_row: int = 1) -> Test:
    """Fires once |value| exceeds the threshold this many times running."""

    def test(series: Sequence[Points], threshold: float) -> Hit | None:
        size = np.abs(series[0].value)
        return _hit(series[0], size > threshold, _limits(None, series[0], threshold), in_a_row)

    return test


def away_from_one(in_a_row: int = 1) -> Test:
    """Fires once values leave [1 − t, 1 + t], or with t > 1 the range [1/t, t]."""

    def test(series: Sequence[Points], threshold: float) -> Hit | None:
        low, high = (1 / threshold, threshold) if threshold > 1 else (1 - threshold, 1 + threshold)
        value = series[0].value
        limits = np.where(value < 1, low, high)
        return _hit(series[0], (value < low) | (value > high), limits, in_a_row)

    return test


def not_finite(series: Sequence[Points], _threshold: float) -> Hit | None:
    """Fires at the first NaN or infinity of any of the metrics."""
    hits = [hit for one in series if (hit := _hit(one, ~np.isfinite(one.value), one.value, 1)) is not None]
    return min(hits, key=lambda hit: hit.step, default=None)


def all_zero(series: Sequence[Points], threshold: float) -> Hit | None:
    """Fires at a step at which every metric is at most the threshold in size."""
    common = series[0].step
    for one in series[1:]:
        common = np.intersect1d(common, one.step)
    sizes = [np.abs(one.value[np.isin(one.step, common)]) for one in series]
    if not common.size or any(size.size != common.size for size in sizes):
        return None
    largest = np.max(sizes, axis=0)
    return _hit(Points(common, largest), largest <= threshold, np.full(common.size, threshold), 1)


def share_above(in_a_row: int = 1) -> Test:
    """Fires once the first metric's share of the second exceeds the threshold this many times running."""

    def test(series: Sequence[Points], threshold: float) -> Hit | None:
        step, here, there = np.intersect1d(series[0].step, series[1].step, return_indices=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = series[0].value[here] / series[1].value[there]
        return _hit(Points(step, share), share > threshold, np.full(step.size, threshold), in_a_row)

    return test


def rises(series: Sequence[Points], threshold: float) -> Hit | None:
    """Fires when the trend of the whole series rises by at least `threshold` of its start."""
    found = trend(*series[0], FEW)
    if found is None or found.direction != "rising" or found.change < threshold:
        return None
    return Hit(int(series[0].step[-1]), found.change, threshold, int(series[0].step.size))


def move_together(first: str, second: str) -> Test:
    """Fires when the trends of two series have these directions and the first moved by the threshold."""

    def test(series: Sequence[Points], threshold: float) -> Hit | None:
        one, other = trend(*series[0], FEW), trend(*series[1], FEW)
        if one is None or other is None or (one.direction, other.direction) != (first, second):
            return None
        moved = abs(one.change) >= threshold
        return (
            Hit(int(series[0].step[-1]), one.change, threshold, int(series[0].step.size)) if moved else None
        )

    return test


def falls_while_stalled(series: Sequence[Points], threshold: float) -> Hit | None:
    """Fires when the first metric ends below `threshold` of its start and the second rose no more."""
    value = series[0].value[np.isfinite(series[0].value)]
    late = series[1].step >= (series[1].step[0] + series[1].step[-1]) / 2
    rising = trend(series[1].step[late], series[1].value[late], FEW)
    if value.size < 2 * ENDS or rising is None or rising.direction == "rising":
        return None
    start, end = float(value[:ENDS].mean()), float(value[-ENDS:].mean())
    held = int((value < threshold * start).sum())
    return Hit(int(series[0].step[-1]), end, threshold * start, held) if end < threshold * start else None


def ends_below_best(series: Sequence[Points], threshold: float) -> Hit | None:
    """Fires when the last value lies below the best by more than `threshold` of the best."""
    finite = np.isfinite(series[0].value)
    step, value = series[0].step[finite], series[0].value[finite]
    if value.size < 3 or value.max() <= 0:
        return None
    limit = (1 - threshold) * float(value.max())
    best = int(step[value.argmax()])
    late = (step > best) & (value < limit)
    return Hit(best, float(value[-1]), limit, int(late.sum())) if value[-1] < limit else None


def diverge(series: Sequence[Points], threshold: float) -> Hit | None:
    """Fires when one series ends above its start by `threshold` of it while another ends below its start."""
    changes = [
        (float(one.value[-1] / one.value[0] - 1), int(one.step[-1]))
        for one in series
        if one.value.size >= 3 and np.isfinite(one.value[[0, -1]]).all() and one.value[0] > 0
    ]
    if len(changes) < 2 or max(changes)[0] < threshold or min(changes)[0] >= 0:
        return None
    return Hit(min(changes)[1], min(changes)[0], threshold, len(changes))


ENDS = 5


def of_start(points: int = 2) -> Limit:
    """Threshold × mean of the first points."""

    def limit(value: FloatArray, threshold: float) -> FloatArray:
        known = value[np.isfinite(value)][:points]
        start = float(known.mean()) if known.size == points else np.nan
        return np.full(value.shape, threshold * start if start > 0 else np.nan)

    return limit


def of_mean_before(points: int) -> Limit:
    """Threshold × mean of the points before."""
    return _of_before(points, points, np.nanmean, 0.0)


def of_median_before(points: int, least: int, floor: float) -> Limit:
    """Threshold × median of the points before, of at least `least`; a median below `floor` counts as it."""
    return _of_before(points, least, np.nanmedian, floor)


def _of_before(points: int, least: int, middle: Callable[..., FloatArray], floor: float) -> Limit:
    def limit(value: FloatArray, threshold: float) -> FloatArray:
        known = np.concatenate([np.full(points, np.nan), np.where(np.isfinite(value), value, np.nan)])
        before = sliding_window_view(known, points)[: value.size]
        ready = np.isfinite(before).sum(axis=1) >= least
        out = np.full(value.shape, np.nan)
        out[ready] = threshold * np.maximum(middle(before[ready], axis=1), floor)
        return out

    return limit


def _limits(limit: Limit | None, points: Points, threshold: float) -> FloatArray:
    return np.full(points.value.shape, threshold) if limit is None else limit(points.value, threshold)


def _hit(points: Points, holds: BoolArray, limits: FloatArray, in_a_row: int) -> Hit | None:
    """The first of `in_a_row` neighbouring points that hold; the limit and value are those at that point."""
    runs = np.convolve(holds.astype(np.int64), np.ones(in_a_row, np.int64))[: holds.size]
    fired = np.flatnonzero(runs >= in_a_row)
    if not fired.size:
        return None
    at = int(fired[0])
    first = at - in_a_row + 1
    good = int(points.step[first - 1]) if first else None
    return Hit(int(points.step[at]), float(points.value[at]), float(limits[at]), int(fired.size), good)
