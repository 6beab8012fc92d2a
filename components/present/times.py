"""States and clocks: what a run is doing, seen at the time the data speaks of."""

from __future__ import annotations

import time
from datetime import datetime

from components.numbers import duration, number
from components.text import joined, words
from components.view import Bilingual
from data_loaders.board import Board, BoardRun
from data_loaders.derive.status import Status, status

RUNNING = ("live", "late", "starting")
HOUR = 3600.0


def now_of(board: Board) -> float:
    """The time to judge silence by, epoch seconds. Demo data stands still at its newest log."""
    return board.modified if board.source.demo else time.time()


def state_of(run: BoardRun, now: float) -> Status:
    """State, progress and expectations of a run."""
    return status(run.view.run, run.pace, now, run.modified)


def clock_text(board: Board) -> str:
    """Local time of the newest data, `14:32:08`; empty before there is any."""
    return datetime.fromtimestamp(board.modified).strftime("%H:%M:%S") if board.modified else ""


def progress(state: Status) -> Bilingual:
    """How far a run is, how long it took, and what comes next; of a silent one nothing is foretold."""
    planned = "progress.steps" if state.planned else "progress.done"
    parts = [words(planned, done=state.done, planned=state.planned)]
    if state.elapsed_s:
        spent = "progress.spent" if state.state == "late" else "progress.elapsed"
        parts.append(words(spent, time=duration(state.elapsed_s / HOUR)))
    if state.state == "late":
        return joined(parts, "；", "; ")
    if state.remaining_s:
        low, high = (number(seconds / HOUR, 0 if seconds > 10 * HOUR else 1) for seconds in state.remaining_s)
        parts.append(words("progress.remaining", range=low if low == high else f"{low}–{high}"))
    if state.next_validation_in is not None:
        soon = state.next_validation_s
        ahead = "progress.validation_at" if soon else "progress.validation"
        minutes = number(sum(soon) / 2 / 60, 0) if soon else ""
        parts.append(words(ahead, steps=state.next_validation_in, minutes=minutes))
    return joined(parts, "；", "; ")
