"""The runs of a board as pages and charts take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from components.style import looks, run_info
from components.view import ChartRun, RunInfo, Span, short
from data_loaders.annotations import Annotation
from data_loaders.board import Board, BoardRun
from data_loaders.board_config import TrackConfig
from data_loaders.catalog import OTHER
from data_loaders.derive.canonical import curve
from data_loaders.schema import Curve, FloatArray, IntArray


class Points(NamedTuple):
    """Steps and values (n,) of a canonical series; empty where there is none."""

    step: IntArray
    value: FloatArray
    notes: tuple[str, ...] = ()
    """Message keys of the remarks that belong to it."""


def infos(board: Board) -> dict[str, RunInfo]:
    """How each run is named and drawn, by id."""
    runs = [run.view.run for run in board.runs]
    found = looks(runs)
    labels = Counter((run.track, run.label) for run in runs if run.label)
    twins = {run.id: short(run.id) for run in runs if labels[run.track, run.label] > 1}
    return {run.id: replace(run_info(run, found[run.id]), twin=twins.get(run.id, "")) for run in runs}


def of_track(board: Board, track: str) -> list[BoardRun]:
    """Runs of a track, in board order."""
    return [run for run in board.runs if run.view.run.track == track]


def tracks(board: Board) -> list[TrackConfig]:
    """Tracks that get a page: all but `other`, which needs runs, or files not placed or not read yet."""
    filled = {run.view.run.track for run in board.runs}
    needed = OTHER in filled or board.failures or board.unread
    return [track for track in board.source.config.tracks if track.id != OTHER or needed]


def chart_runs(board: Board, runs: Sequence[BoardRun]) -> list[ChartRun]:
    """Runs with name, look and episodes."""
    named = infos(board)
    return [
        ChartRun(named[run.id], run.view, run.episodes, annotations_of(board, run.id)) for run in runs
    ]


def annotations_of(board: Board, run_id: str) -> tuple[Annotation, ...]:
    """Notes of people on a run."""
    return tuple(note for note in board.annotations.notes if note.run == run_id)


def window_of(board: Board, track: str) -> Span | None:
    """Aligned comparison window of a track."""
    return next((t.window for t in board.source.config.tracks if t.id == track), None)


def points(run: BoardRun, metric: str) -> Points:
    """A canonical series; empty where the run has none."""
    found = curve(run.view, metric)
    if not isinstance(found, Curve):
        return Points(np.empty(0, np.int64), np.empty(0))
    notes = [note.key for note in found.notes] + ([found.derived.key] if found.derived else [])
    return Points(found.step, found.value, tuple(notes))
