"""The columns of one log, wherever they are kept: joining batches, and access to single columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from data_loaders.schema import Batch, Column, LogFacts, StepLines

LINE_FIELDS = ("step", "offset", "length", "line", "launch")


class LogData(Protocol):
    """One log whose columns are read singly, from memory or from disk."""

    @property
    def path(self) -> Path: ...

    @property
    def facts(self) -> LogFacts: ...

    @property
    def keys(self) -> tuple[str, ...]:
        """Every logged key, sorted."""

    def lines(self) -> StepLines: ...

    def column(self, key: str) -> Column:
        """Cells of a logged key. KeyError when the log has no such key."""


@dataclass(frozen=True, slots=True)
class MemoryLog:
    """A log whose columns are all in memory."""

    path: Path
    facts: LogFacts
    step_lines: StepLines
    columns: Mapping[str, Column]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(sorted(self.columns))

    def lines(self) -> StepLines:
        return self.step_lines

    def column(self, key: str) -> Column:
        return self.columns[key]


def join_lines(parts: Iterable[StepLines]) -> StepLines:
    """Step lines one after another; empty arrays for no part."""
    parts = tuple(parts)

    def joined(name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        arrays = [getattr(part, name) for part in parts]
        return np.concatenate(arrays) if arrays else np.empty(0, np.int64)

    return StepLines(*(joined(name) for name in LINE_FIELDS))


def join_columns(parts: Iterable[Column]) -> Column:
    """Cells in order of rows; of the cells of one row those of the later part come last."""
    parts = tuple(parts)
    if not parts:
        return Column(np.empty(0, np.int64), np.empty(0, np.float64))
    rows = np.concatenate([part.rows for part in parts])
    values = np.concatenate([part.values for part in parts])
    if np.all(rows[1:] >= rows[:-1]):
        return Column(rows, values)
    # A tail may hold last items of lines whose other items were complete long before.
    order = np.argsort(rows, kind="stable")
    return Column(rows[order], values[order])


def join_batches(batches: Iterable[Batch]) -> tuple[StepLines, dict[str, Column]]:
    """Everything that consecutive batches hold, keys in order of appearance."""
    batches = tuple(batches)
    cells: dict[str, list[Column]] = {}
    for batch in batches:
        for key, column in batch.columns.items():
            cells.setdefault(key, []).append(column)
    return join_lines(b.lines for b in batches), {key: join_columns(parts) for key, parts in cells.items()}
