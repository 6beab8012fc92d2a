"""Runs as a notebook wants them: read as the board reads them, their values as tidy tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from data_loaders.board import BoardReader, BoardRun, Source
from data_loaders.board_config import BoardConfig, read_config
from data_loaders.cache.place import default_cache_dir
from data_loaders.derive.canonical import curve
from data_loaders.export import HEAD, Query, cells_of
from data_loaders.metrics import METRICS
from data_loaders.schema import Curve

BOARD = "board.toml"


@dataclass(frozen=True)
class Runs:
    """Runs in the order of the board. The tables have the columns of the CSV: one row per value."""

    runs: tuple[BoardRun, ...]

    def __iter__(self) -> Iterator[BoardRun]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, name: str) -> BoardRun:
        """A run by its id, else the first under a label. Raises KeyError."""
        named = [run for run in self.runs if run.id == name] or [
            run for run in self.runs if run.view.run.label == name
        ]
        if not named:
            raise KeyError(f"no run {name!r}; there are {', '.join(run.id for run in self.runs) or 'none'}")
        return named[0]

    @cached_property
    def raw(self) -> pd.DataFrame:
        """Every logged value under its own name."""
        return self._table({run.id: run.view.run.keys for run in self.runs})

    @cached_property
    def canonical(self) -> pd.DataFrame:
        """Every canonical metric that a run gives, in the metric's unit; derived ones too."""
        return self._table({run.id: _canonical(run) for run in self.runs})

    def _table(self, names: Mapping[str, Sequence[str]]) -> pd.DataFrame:
        parts = [_part(run, name) for run in self.runs for name in names[run.id]]
        found = [part for part in parts if part is not None]
        return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=list(HEAD))


def load(
    *roots: str | os.PathLike[str],
    config: str | os.PathLike[str] | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
) -> Runs:
    """Read every run under some folders or files.

    `config` is a board.toml; without one, that of the first root that has one. What was read is kept in
    `cache_dir`, which is the board's own unless another is named. Raises FileNotFoundError for a root that
    is not there.
    """
    paths = tuple(Path(root).expanduser() for root in roots)
    for path in paths:
        path.stat()
    file = Path(config) if config else next((p / BOARD for p in paths if (p / BOARD).is_file()), None)
    board_config, problems = read_config(file) if file else (BoardConfig(), ())
    source = Source(paths, board_config, problems)
    cache = Path(cache_dir) if cache_dir else default_cache_dir()
    return Runs(BoardReader(source, cache).read().runs)


def _canonical(run: BoardRun) -> tuple[str, ...]:
    return tuple(metric.name for metric in METRICS if isinstance(curve(run.view, metric.name), Curve))


def _part(run: BoardRun, name: str) -> pd.DataFrame | None:
    """Rows of one metric of one run; None when it has none."""
    cells = cells_of(run.view, name, Query())
    if cells is None or not cells.step.size:
        return None
    told = run.view.run
    columns = (told.id, told.track, told.algorithm, cells.segment + 1, cells.step, name, cells.value)
    return pd.DataFrame(dict(zip(HEAD, columns, strict=True)), index=np.arange(cells.step.size))
