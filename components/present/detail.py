"""What the drawer of a run is opened for: the run, the runs it is compared with, the steps in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from components.detail_view import RawView, Tail
from components.present.runs import infos
from components.view import RunInfo, Span
from data_loaders.board import Board, BoardRun
from data_loaders.log_tail import last_lines
from data_loaders.raw_log import raw_log
from data_loaders.schema import Json

LAST_STEPS = 3
"""Steps whose lines are shown without a chosen range."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An open drawer."""

    board: Board
    run: BoardRun
    named: Mapping[str, RunInfo]
    compared: tuple[BoardRun, ...]
    """The selected runs of its track, itself always among them."""
    everywhere: tuple[BoardRun, ...]
    """The selected runs of every track, itself among them."""
    steps: Span | None
    """Chosen step range."""

    @property
    def info(self) -> RunInfo:
        return self.named[self.run.id]


def opened(board: Board, run_key: str, selection: Json, steps: Sequence[int] | None) -> Opened | None:
    """The drawer of a run; None when the board no longer has it."""
    named = infos(board)
    run = next((run for run in board.runs if named[run.id].key == run_key), None)
    if run is None:
        return None
    chosen = selection.get("exp")
    selected = tuple(
        other
        for other in board.runs
        if other is run or chosen is None or {other.id, other.view.run.label} & set(chosen)
    )
    compared = tuple(other for other in selected if other.view.run.track == run.view.run.track)
    span = (int(steps[0]), int(steps[1])) if steps and len(steps) == 2 else None
    return Opened(board, run, named, compared, selected, span)


def raw_view(asked: Opened) -> RawView:
    """The lines of the chosen steps of a run's logs, and how each log ends."""
    view, run = asked.run.view, asked.run.view.run
    shown = _steps(asked)
    return RawView(
        chosen=asked.steps,
        steps=len(shown),
        excerpts=raw_log(view, shown),
        tails=tuple(
            Tail(Path(path), last_lines(Path(path), facts.bytes))
            for path, facts in zip(run.logs, run.facts, strict=True)
        ),
    )


def _steps(asked: Opened) -> list[int]:
    logged = np.unique(asked.run.view.step)
    if asked.steps is None:
        return [int(step) for step in logged[-LAST_STEPS:]]
    inside = (logged >= asked.steps[0]) & (logged <= asked.steps[1])
    return [int(step) for step in logged[inside]]
