"""Fewer points than were logged, so that a line of many steps keeps its shape: extremes of every bucket.

A bucket is `size` consecutive step numbers that starts at a multiple of `size`, so a new step changes the
last bucket alone; only when a line outgrows its budget do all buckets become longer. Of each bucket are kept
the lowest and the highest finite value, the first and the last cell that is not finite, and the cells beside
these; of the line the first and the last cell, and cells at steps that are asked for. Extremes stand at other
steps in every line, so cells at multiples of `common` are kept too: at these the lines of several runs can be
averaged without a preference for their extremes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from data_loaders.schema import BoolArray, FloatArray, IntArray

WHOLE = 800
"""Cells up to which a line is kept as it is: two per pixel of a usual chart."""
FEWEST, CHART = 320, 8_000
"""And of one among many lines: a chart has so many cells, and a line never fewer than a pixel apart."""
BUCKETS = WHOLE // 2


class Sample(NamedTuple):
    """Rows kept of a line, ascending (m,). `size` is the steps of a bucket, 1 where every row is kept."""

    rows: IntArray
    size: int


def sample(
    step: IntArray,
    value: FloatArray,
    span: tuple[int, int] | None = None,
    marks: Collection[int] = (),
    lines: int = 1,
) -> Sample:
    """Rows of `value` (n,) at ascending `step` (n,) that a chart of so many lines needs.

    `span` are the steps that are looked at: first and last row among them are kept, and of the rest only one
    row on either side, where the line leaves the chart.
    """
    first, last = (0, step.size) if span is None else _rows_of(step, span)
    whole = whole_of(lines)
    if last - first <= whole:
        return Sample(np.arange(max(first - 1, 0), min(last + 1, step.size)), 1)
    size = bucket_size(int(step[first]), int(step[last - 1]), whole // 2)
    inside = first + _kept(step[first:last], value[first:last], size)
    asked = np.flatnonzero(np.isin(step, list(marks))) if marks else np.empty(0, np.int64)
    asked = asked[(asked >= first) & (asked < last)]
    shared = first + np.flatnonzero(step[first:last] % common(size) == 0)
    rows = np.unique(np.concatenate([[max(first - 1, 0)], inside, asked, shared, [min(last, step.size - 1)]]))
    return Sample(rows.astype(np.int64), size)


def whole_of(lines: int) -> int:
    """Cells up to which each of so many lines is kept as it is."""
    return min(max(CHART // max(lines, 1), FEWEST), WHOLE)


def bucket_size(first: int, last: int, most: int = BUCKETS) -> int:
    """Smallest size whose buckets from `first` to `last` are at most `most`."""
    return next(size for size in _sizes() if last // size - first // size < most)


def common(size: int) -> int:
    """Steps between cells that all lines with buckets of `size` or shorter keep: a power of two, ≥ 2 buckets.

    `rl-45-grouped.js` computes the same.
    """
    return int(1 << (2 * size - 1).bit_length())


def bucket_sums(step: IntArray, value: FloatArray, size: int) -> tuple[IntArray, FloatArray]:
    """First step (m,) and sum (m,) of every bucket that has a cell."""
    if not step.size:
        return step, value
    starts = _starts(step, size)
    return step[starts], np.add.reduceat(value, starts)


def _sizes() -> Iterator[int]:
    """1, 2, 3, 4, 6, 8, 12, …"""
    return chain((1,), (size for power in range(1, 62) for size in (2**power, 3 * 2 ** (power - 1))))


def _rows_of(step: IntArray, span: tuple[int, int]) -> tuple[int, int]:
    low, high = np.searchsorted(step, [span[0], span[1] + 1])
    return int(low), int(high)


def _starts(step: IntArray, size: int) -> IntArray:
    """Row at which each bucket begins."""
    bucket = step // size
    return np.concatenate([[0], np.flatnonzero(bucket[1:] != bucket[:-1]) + 1])


def _kept(step: IntArray, value: FloatArray, size: int) -> IntArray:
    starts = _starts(step, size)
    place = np.repeat(np.arange(starts.size), np.diff(np.append(starts, step.size)))
    finite = np.isfinite(value)
    low = np.minimum.reduceat(np.where(finite, value, np.inf), starts)
    high = np.maximum.reduceat(np.where(finite, value, -np.inf), starts)
    odd = np.flatnonzero(~finite)
    ends = odd[_first_of_each(place[odd]) | _first_of_each(place[odd][::-1])[::-1]]
    rows: list[IntArray] = [
        np.array([0, step.size - 1]),
        _earliest(finite & (value == low[place]), place),
        _earliest(finite & (value == high[place]), place),
        ends,
        np.maximum(ends - 1, 0),
        np.minimum(ends + 1, step.size - 1),
    ]
    return np.unique(np.concatenate(rows)).astype(np.int64)


def _earliest(found: BoolArray, place: IntArray) -> IntArray:
    """The first row of each bucket that is among `found`."""
    rows = np.flatnonzero(found)
    return rows[_first_of_each(place[rows])]


def _first_of_each(place: IntArray) -> BoolArray:
    """Where a value differs from the one before."""
    return np.concatenate([[True], place[1:] != place[:-1]]) if place.size else np.empty(0, np.bool_)
