"""Logged columns under their several names, joined into one series, and series put side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from data_loaders.metrics import key_factor
from data_loaders.schema import BoolArray, FloatArray, IntArray, RunData, SegmentPolicy, Series


class Joined(NamedTuple):
    """One series and the keys that gave at least one of its cells."""

    series: Series
    keys: tuple[str, ...]


def joined(data: RunData, keys: Sequence[str], policy: SegmentPolicy = "last") -> Joined | None:
    """Cells of the first key, completed by those of the next keys; None when none was logged.

    Values are in the unit the metric is defined in (`actor/lr(1e-4)` is scaled).
    """
    found = [(key, series) for key in keys if (series := data.series(key, policy)) is not None]
    if len(found) == 1:  # the usual log: nothing to join
        key, series = found[0]
        return Joined(_scaled(series, key_factor(key)), (key,)) if series.step.size else None
    used, parts = [], []
    taken = np.empty(0, np.int64)
    for key, series in found:
        cells = cell_ids(series, policy)
        fresh = ~np.isin(cells, taken)
        if fresh.any():
            used.append(key)
            parts.append(select(_scaled(series, key_factor(key)), fresh))
            taken = np.concatenate([taken, cells[fresh]])
    if not parts:  # never logged, or keys of the file that hold no cell of this run
        return None
    whole = Series(
        np.concatenate([part.step for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.segment for part in parts]),
        np.concatenate([part.superseded for part in parts]),
        np.concatenate([part.recovered for part in parts]),
    )
    return Joined(select(whole, np.lexsort((whole.segment, whole.step))), tuple(used))


def select(series: Series, rows: IntArray | BoolArray) -> Series:
    """The rows that a mask or an index array picks."""
    return Series(
        series.step[rows],
        series.value[rows],
        series.segment[rows],
        series.superseded[rows],
        series.recovered[rows],
    )


def cell_ids(series: Series, policy: SegmentPolicy) -> IntArray:
    """What names a cell: its step, and with policy `all` its segment too."""
    return series.step * 4096 + series.segment if policy == "all" else series.step


def beside(series: Series, other: Series | None, policy: SegmentPolicy) -> FloatArray:
    """Values of `other` at the cells of `series` (n,), NaN where it has none."""
    if other is not None and np.array_equal(cell_ids(series, policy), cell_ids(other, policy)):
        return other.value.copy()
    value = np.full(series.step.size, np.nan)
    if other is not None and other.step.size:
        cells, places = cell_ids(series, policy), cell_ids(other, policy)
        at = np.minimum(np.searchsorted(places, cells), places.size - 1)
        same = places[at] == cells
        value[same] = other.value[at[same]]
    return value


def _scaled(series: Series, factor: float) -> Series:
    if factor == 1.0:
        return series
    # Dividing by 10**4 keeps 0.01 × 1e-4 at the double next to 1e-6; multiplying does not.
    value = series.value / (1 / factor)
    return Series(series.step, value, series.segment, series.superseded, series.recovered)
