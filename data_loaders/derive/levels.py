"""Where a series moves to another level and stays there.

A running median follows a jump, so jumps need a test of their own: the median of the points after against the
median of the points before. A trend also changes that difference, but everywhere alike; a jump stands out
against the differences one window earlier and one window later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data_loaders.derive.robust import Reference, rolling_median, window
from data_loaders.schema import BoolArray, FloatArray, IntArray

SIDE = 8
"""Fewest points on each side that make a level."""
RATIO = 2.0
"""Smallest ratio of two levels on a log scale."""
STANDS_OUT = 2.0
"""How often the difference must exceed those next to it together."""
HELD = 3
"""Points in a row that tell that a level has been left, or reached."""


@dataclass(frozen=True, slots=True)
class LevelChange:
    """Indices into the points searched; levels on the scale of `Reference.z`."""

    start: int
    """First point off the old level."""
    end: int
    """First point at the new level."""
    before: float
    after: float


def level_changes(ref: Reference, ignored: BoolArray, k_on: float, effect: float) -> list[LevelChange]:
    """Changes of level in `ref`, in order, points marked in `ignored` (n,) left out.

    The levels must differ by `effect` on the scale of z, and by `k_on` standard deviations of single points.
    """
    rows = np.flatnonzero(~ignored)
    z, sigma = ref.z[rows], ref.sigma[rows]
    reach = max(SIDE, window(ref.z.size) // 2)
    if z.size < 2 * SIDE:
        return []
    before, after = _side_medians(z, reach)
    jump = after - before
    ends = np.arange(z.size)
    noise = np.maximum(sigma[np.maximum(ends - reach, 0)], sigma[np.minimum(ends + reach, z.size - 1)])
    size = np.abs(jump)
    passing = (size >= effect) & (size >= k_on * noise) & (size >= STANDS_OUT * _beside(z, jump, reach))
    size = np.where(passing, size, 0.0)
    found = []
    while size.any():
        at = int(size.argmax())
        start, end = _transition(z, at, reach, before[at], after[at])
        found.append(LevelChange(int(rows[start]), int(rows[end]), float(before[at]), float(after[at])))
        size[max(0, at - reach) : at + reach] = 0.0
    return sorted(found, key=lambda change: change.start)


def _side_medians(z: FloatArray, reach: int) -> tuple[FloatArray, FloatArray]:
    """Median of up to `reach` points before each point, and of those from it on; NaN below `SIDE` points."""
    trailing = rolling_median(z, reach, SIDE)
    ending = rolling_median(z[-reach:][::-1], reach, SIDE)[::-1]
    before = np.concatenate([[np.nan], trailing])[: z.size]
    return before, np.concatenate([trailing[reach - 1 : -1], ending])


def _beside(z: FloatArray, jump: FloatArray, reach: int) -> FloatArray:
    """Size of the differences one window earlier and one later, together, (n,).

    Near the ends, where these do not exist, twice the drift between the two halves of the outer window.
    """
    n = z.size
    early, late = np.full(n, np.nan), np.full(n, np.nan)
    early[reach:], late[:-reach] = jump[:-reach], jump[reach:]
    at = np.flatnonzero(np.isfinite(jump) & np.isnan(early))
    early[at] = 2 * _drift(z, np.maximum(at - reach, 0), at)
    at = np.flatnonzero(np.isfinite(jump) & np.isnan(late))
    late[at] = 2 * _drift(z, at, np.minimum(at + reach, n))
    beside: FloatArray = np.abs(early) + np.abs(late)
    return beside


def _drift(z: FloatArray, start: IntArray, stop: IntArray) -> FloatArray:
    """Median of the second half of the points from `start` to `stop` less that of the first half, (k,)."""
    half = (stop - start) // 2
    return _medians(z, stop - half, half) - _medians(z, start, half)


def _medians(z: FloatArray, start: IntArray, size: IntArray) -> FloatArray:
    """Median of the `size` points from `start` on, (k,)."""
    place = np.arange(size.max(initial=1))
    inside = place < size[:, None]
    cells = np.sort(np.where(inside, z[np.minimum(start[:, None] + place, z.size - 1)], np.inf), axis=1)
    rows = np.arange(size.size)
    low, high = cells[rows, (size - 1) // 2], cells[rows, size // 2]
    middle: FloatArray = (low + high) / 2
    return middle


def _transition(z: FloatArray, at: int, reach: int, before: float, after: float) -> tuple[int, int]:
    """First point that has left the old level for good, and first that has come to stay at the new one."""
    first, last = max(0, at - reach), min(z.size, at + reach)
    way = (z[first:last] - before) / (after - before)
    start = _first_held(way > 0.25)
    end = start + _first_held(way[start:] > 0.75)
    return first + start, first + end


def _first_held(holds: BoolArray) -> int:
    """Index of the first of `HELD` true values in a row; of the last value when there is none."""
    runs = np.convolve(holds, np.ones(HELD, dtype=np.int64), "valid") if holds.size >= HELD else np.empty(0)
    full = np.flatnonzero(runs == HELD)
    return int(full[0]) if full.size else holds.size - 1
