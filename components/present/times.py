"""States and clocks: what a run is doing, seen at the time the data speaks of."""

from __future__ import annotations

import time
from datetime import datetime

from data_loaders.board import Board, BoardRun
from data_loaders.derive.status import Status, status

RUNNING = ("live", "late", "starting")


def now_of(board: Board) -> float:
    """The time to judge silence by, epoch seconds. Demo data stands still at its newest log."""
    return board.modified if board.source.demo else time.time()


def state_of(run: BoardRun, now: float) -> Status:
    """State, progress and expectations of a run."""
    return status(run.view.run, run.pace, now, run.modified)


def clock_text(board: Board) -> str:
    """Local time of the newest data, `14:32:08`; empty before there is any."""
    return datetime.fromtimestamp(board.modified).strftime("%H:%M:%S") if board.modified else ""
