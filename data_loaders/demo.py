"""Demo data: verl-format logs that reproduce the published figures, and a board.toml beside them.

Everything is written from fixed tables and a fixed seed, so two folders hold the same bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from data_loaders.demo_board import BOARD
from data_loaders.demo_logs import file_name, log_text, started, step_lines, step_seconds
from data_loaders.demo_metrics import Columns, columns
from data_loaders.demo_runs import RUNS, DemoRun, Log

LIVE = "e5_reinforcepp_4b"
"""The run that is still training."""


def write_demo(folder: Path) -> None:
    """Write the demo into a folder: `archive/<experiment>/logs/train_<time>.log` and `board.toml`.

    Modification times are those of the story: the newest belongs to the live run.
    """
    clock = demo_clock()
    for run in RUNS:
        table = columns(run) if run.pass_rate else {}
        for log in run.logs:
            path = log_path(folder, run, log)
            path.parent.mkdir(parents=True, exist_ok=True)
            text, written = log_text(run, log, table)
            if log.end == "running":
                written = clock if log.last else clock - timedelta(minutes=2)
            path.write_text(text, encoding="utf-8", newline="")
            _set_time(path, written)
    board = folder / "board.toml"
    board.write_text(BOARD, encoding="utf-8", newline="")
    _set_time(board, started(RUNS[0].logs[0]))


def log_path(folder: Path, run: DemoRun, log: Log) -> Path:
    """Where a log of the demo stands."""
    return folder / "archive" / run.id / "logs" / file_name(log)


def demo_clock() -> datetime:
    """The moment at which the demo is looked at: the last write of the live run."""
    run = live_run()
    return log_text(run, run.logs[-1], _live_columns())[1]


def live_run() -> DemoRun:
    """The run that is still training."""
    return next(run for run in RUNS if run.id == LIVE)


@cache
def _live_columns() -> Columns:
    return columns(live_run())


def next_lines(step: int, clock: datetime) -> bytes:
    """What the live run writes when it ends a step (22 to 150) at a time of the demo's clock."""
    run = live_run()
    return "".join(step_lines(run, run.logs[-1], _live_columns(), step, clock)).encode()


def follow_demo(
    folder: Path, seconds: float, steps: range | None = None, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Append the following steps of the live run to its log, one every `seconds`; the demo's clock goes on.

    `steps` are those after the last one written, up to the planned number, unless given.
    """
    run = live_run()
    path = log_path(folder, run, run.logs[-1])
    clock = datetime.fromtimestamp(path.stat().st_mtime, tz=started(run.logs[-1]).tzinfo)
    for step in steps or range(run.logs[-1].last + 1, run.steps + 1):
        sleep(seconds)
        clock += timedelta(seconds=step_seconds(_live_columns(), step))
        with path.open("ab") as file:
            file.write(next_lines(step, clock))
        _set_time(path, clock)


def _set_time(path: Path, moment: datetime) -> None:
    os.utime(path, (moment.timestamp(), moment.timestamp()))
