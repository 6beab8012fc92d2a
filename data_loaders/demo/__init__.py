"""Demo data: verl-format logs that reproduce the published figures, and a board.toml beside them.

Everything is written from fixed tables and a fixed seed, so two folders hold the same bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from data_loaders.demo.board import BOARD
from data_loaders.demo.logs import file_name, last_write, log_text, started, step_lines, step_seconds
from data_loaders.demo.metrics import Columns, columns
from data_loaders.demo.runs import RUNS, DemoRun, Log

LIVE = "e5_reinforcepp_4b"
"""The run that is still training."""


def write_demo(folder: Path) -> None:
    """Write the demo into a folder: `archive/<experiment>/logs/train_<time>.log` and `board.toml`.

    Modification times are those of the story: the newest belongs to the live run.
    """
    now = last_write(live_run().logs[-1], _live_columns())
    for run in RUNS:
        table = columns(run) if run.pass_rate else {}
        for log in run.logs:
            path = log_path(folder, run, log)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(log_text(run, log, table), encoding="utf-8", newline="")
            starting = log.running and not log.last
            _set_time(path, now - timedelta(minutes=2) if starting else last_write(log, table))
    board = folder / "board.toml"
    board.write_text(BOARD, encoding="utf-8", newline="")
    _set_time(board, started(RUNS[0].logs[0]))


def follow_demo(
    folder: Path, seconds: float = 5.0, steps: int | None = None, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Append steps of the live run to its log in a written demo, one every `seconds`.

    `steps` more are written, or all up to the planned number. The demo's clock goes on by each step's time.
    """
    run = live_run()
    log = run.logs[-1]
    path = log_path(folder, run, log)
    clock = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
    last = run.steps if steps is None else log.last + steps
    for step in range(log.last + 1, last + 1):
        sleep(seconds)
        clock += timedelta(seconds=step_seconds(_live_columns(), step))
        with path.open("ab") as file:
            file.write(next_lines(step, clock))
        _set_time(path, clock)


def next_lines(step: int, clock: datetime) -> bytes:
    """What the live run writes when it ends a step, at a time of the demo's clock."""
    run = live_run()
    return "".join(step_lines(run, run.logs[-1], _live_columns(), step, clock)).encode()


def live_run() -> DemoRun:
    """The run that is still training."""
    return next(run for run in RUNS if run.id == LIVE)


def log_path(folder: Path, run: DemoRun, log: Log) -> Path:
    """Where a log of the demo stands."""
    return folder / "archive" / run.id / "logs" / file_name(log)


@cache
def _live_columns() -> Columns:
    return columns(live_run())


def _set_time(path: Path, moment: datetime) -> None:
    os.utime(path, (moment.timestamp(), moment.timestamp()))
