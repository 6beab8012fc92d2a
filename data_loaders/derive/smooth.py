"""Smoothing of a logged series along its training steps.

Every smoother takes `step` (n,) ascending and `value` (n,), and returns (n,) in the unit of `value`. It looks
backwards only, so a value once drawn does not change when new steps arrive. Windows count *steps*, not rows:
steps that were not logged take up room in the window. Non-finite cells are skipped. Smooth the whole series,
then cut to the range that is shown: a smoother fed with a cut series would warm up again inside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from data_loaders.schema import BoolArray, FloatArray, IntArray

WINDOW = 5
"""Steps of the trailing mean and median."""
DECAY = 0.9
"""Weight kept per step by the exponential mean."""


class Smoother(NamedTuple):
    """An entry of `SMOOTHERS`."""

    kind: str
    apply: Callable[[IntArray, FloatArray], FloatArray]


def smooth(kind: str, step: IntArray, value: FloatArray) -> FloatArray:
    """Copy of `value` smoothed by the entry of `SMOOTHERS` named `kind`; KeyError when there is none."""
    smoothers = {smoother.kind: smoother.apply for smoother in SMOOTHERS}
    return smoothers[kind](np.asarray(step, dtype=np.int64), np.asarray(value, dtype=np.float64))


def raw(_step: IntArray, value: FloatArray) -> FloatArray:
    """The values as they are, non-finite ones included."""
    return value.copy()


def trailing_mean(step: IntArray, value: FloatArray) -> FloatArray:
    """Mean of the finite values of the last `WINDOW` steps; NaN until that many steps have passed."""
    cells, ready = _trailing_cells(step, value)
    out = np.full(value.shape, np.nan)
    out[ready] = np.nanmean(cells[ready], axis=1)
    return out


def trailing_median(step: IntArray, value: FloatArray) -> FloatArray:
    """Median of the finite values of the last `WINDOW` steps; NaN until that many steps have passed."""
    cells, ready = _trailing_cells(step, value)
    out = np.full(value.shape, np.nan)
    out[ready] = np.nanmedian(cells[ready], axis=1)
    return out


def exponential_mean(step: IntArray, value: FloatArray) -> FloatArray:
    """Mean of all finite values so far, each weighted `DECAY` ** (its age in steps).

    The weights are divided by their sum, so the first values are not pulled towards zero.
    """
    if not step.size:
        return np.empty(0)
    finite = np.isfinite(value)
    cells = np.stack([np.where(finite, value, 0.0), finite.astype(np.float64)])
    total, weight = _decayed(step - step[0], cells)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight > 0.0, total / weight, np.nan)


BLOCK = 64
"""Steps that one product of matrices carries on."""


def _decayed(age: IntArray, cells: FloatArray) -> FloatArray:
    """Sums (k, n) of the cells so far (k, n), each times `DECAY` ** its distance in steps; `age` ascends."""
    rows, at = np.unique(age // BLOCK, return_inverse=True)
    place = at * BLOCK + age % BLOCK
    flat = np.stack([np.bincount(place, line, rows.size * BLOCK) for line in cells])
    grid = flat.reshape(len(cells), rows.size, BLOCK)
    back = np.arange(BLOCK)[:, None] - np.arange(BLOCK)
    weights: FloatArray = np.where(back >= 0, DECAY ** np.maximum(back, 0), 0.0)
    sums = np.asarray(grid @ weights.T, np.float64)
    onward = DECAY ** (np.arange(BLOCK) + 1.0)
    carried = np.zeros(len(cells))
    for row, gap in enumerate(np.diff(rows, prepend=rows[0]).tolist()):
        carried = carried * DECAY ** float(BLOCK * max(gap - 1, 0))
        sums[:, row] += carried[:, None] * onward
        carried = sums[:, row, -1]
    return np.asarray(sums.reshape(len(cells), -1)[:, place])


def _trailing_cells(step: IntArray, value: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Finite values in each row's window, (n, rows of the fullest window), NaN-padded; and the ready rows.

    A row is ready when its window holds a finite value and lies wholly inside a stretch of finite cells
    without a gap wider than the window.
    """
    rows = np.arange(step.size)
    if not step.size:
        return np.empty((0, 1)), np.zeros(0, dtype=np.bool_)
    finite = np.isfinite(value)
    first = np.searchsorted(step, step - (WINDOW - 1), side="left")
    behind = rows[:, None] - np.arange(int((rows - first).max()) + 1)
    inside = (behind >= first[:, None]) & finite[behind]
    cells = np.where(inside, value[behind], np.nan)
    ready = inside.any(axis=1) & (step - _stretch_start(step, finite) >= WINDOW - 1)
    return cells, ready


def _stretch_start(step: IntArray, finite: BoolArray) -> IntArray:
    """First step of each row's stretch; a stretch ends where finite cells lie more than a window apart."""
    start = np.full(step.shape, np.iinfo(np.int64).max // 2, dtype=np.int64)
    known = np.flatnonzero(finite)
    if not known.size:
        return start
    opens = np.concatenate(([True], np.diff(step[known]) > WINDOW))
    openings = step[known][opens]
    reached = np.searchsorted(openings, step, side="right")
    start[reached > 0] = openings[reached[reached > 0] - 1]
    return start


SMOOTHERS: tuple[Smoother, ...] = (
    Smoother("raw", raw),
    Smoother(f"mean{WINDOW}", trailing_mean),
    Smoother(f"ema{DECAY}", exponential_mean),
    Smoother(f"median{WINDOW}", trailing_median),
)
