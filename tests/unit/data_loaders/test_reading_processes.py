"""Logs read by several processes at once: the same board, and no process left however the reading ends."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from data_loaders import reading_processes
from data_loaders.board import BoardReader, Progress, Source
from data_loaders.cache import cached
from data_loaders.held_logs import Found, HeldLogs
from data_loaders.reading_processes import nowhere, reading_along

STEPS = 400


@pytest.fixture(autouse=True)
def two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine has, and however little there is to read."""
    monkeypatch.setattr(reading_processes, "WORTH_IT", 1)
    monkeypatch.setattr(reading_processes, "_cores", lambda: 2)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "logs"
    paths = [folder / f"run{number}" / "train.log" for number in range(6)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True)
        path.write_text(
            "".join(f"step:{step} - actor/pg_loss:{number}.{step}\n" for step in range(1, STEPS + 1))
        )
    return paths


def until(done: object, seconds: float = 20.0) -> None:
    """Wait for something another process does."""
    end = time.monotonic() + seconds
    while not done():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


def test_another_process_takes_logs_into_the_cache(logs: list[Path], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with reading_along(logs, 1, cache) as elsewhere:
        until(lambda: all(elsewhere(path) == path.stat().st_size for path in logs))
        until(lambda: all(cached(path, cache) is not None for path in logs))
    assert psutil.Process().children() == []


def test_a_board_is_the_same_however_many_read(logs: list[Path], tmp_path: Path) -> None:
    seen: list[Progress] = []
    total = sum(path.stat().st_size for path in logs)
    board = BoardReader(Source((logs[0].parent.parent,)), tmp_path / "cache").read(seen.append)
    assert {run.id: run.view.run.last for run in board.runs} == {f"run{number}": STEPS for number in range(6)}
    for number in range(6):
        run = next(run for run in board.runs if run.id == f"run{number}")
        series = run.view.series("actor/pg_loss")
        assert series is not None
        assert series.value.tolist() == [float(f"{number}.{step}") for step in range(1, STEPS + 1)]
    assert all(0 <= at.done <= at.total == total for at in seen)
    assert psutil.Process().children() == []


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_what_is_to_be_done_afterwards_is_shared(
    processes: int, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_processes, "_cores", lambda: processes)
    done = tmp_path / "done"
    done.mkdir()

    def afterwards(number: int, others: int) -> Iterator[None]:
        for path in logs[number::others]:
            (done / path.parent.name).touch(exist_ok=False)
            yield

    with reading_along(logs, 1, tmp_path / "cache", afterwards):
        until(lambda: len(list(done.iterdir())) == len(logs))
    assert psutil.Process().children() == []


def test_runs_are_examined_alike_however_many_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, rng = tmp_path / "logs", np.random.default_rng(5)
    for number in range(5):
        norm = 0.2 + 0.02 * rng.random(STEPS)
        norm[100 + number] = 9.0
        for part, (first, last) in enumerate([(1, 250), (251, STEPS)]):
            path = root / f"run{number}" / f"train_2026070{part + 1}_080000.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                "".join(
                    f"step:{step} - actor/grad_norm:{norm[step - 1]} - timing_s/step:{60 + step % 7}\n"
                    for step in range(first, last + 1)
                )
            )
    found = []
    for least in (1 << 60, 1):
        monkeypatch.setattr(reading_processes, "WORTH_IT", least)
        cache = tmp_path / f"cache{least}"
        board = BoardReader(Source((root,)), cache).read()
        found.append([(run.id, run.episodes, run.rules, run.pace, run.detected) for run in board.runs])
        assert len(list((cache / "episodes").iterdir())) == len(list((cache / "rules").iterdir())) == 5
    assert found[0] == found[1]
    for number, (name, episodes, *_) in enumerate(found[1]):
        assert name == f"run{number}"
        assert [(one.start, one.end) for one in episodes] == [(101 + number, 101 + number)]


def test_others_leave_what_they_find_in_the_cache_folder(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process waits for the first log until the others have examined all that they could read."""
    cache, here = tmp_path / "cache", os.getpid()
    bring = HeldLogs.bring

    def examined() -> bool:
        return len(list((cache / "episodes").glob("*.json"))) == len(logs)

    def slow(held: HeldLogs, found: Found, **how: Any) -> None:
        if os.getpid() == here:
            until(examined)
        bring(held, found, **how)

    monkeypatch.setattr(HeldLogs, "bring", slow)
    board = BoardReader(Source((logs[0].parent.parent,)), cache).read()
    assert len(board.runs) == len(logs)


def test_bytes_read_elsewhere_count_as_progress(logs: list[Path], tmp_path: Path) -> None:
    with reading_along(logs, 1, tmp_path / "cache") as elsewhere:
        until(lambda: elsewhere(logs[-1]) > 0)
        assert elsewhere(tmp_path / "not-one-of-them.log") == 0


def test_a_reading_that_stops_leaves_no_process(logs: list[Path], tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(_at: Progress) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        BoardReader(Source((logs[0].parent.parent,)), tmp_path / "cache").read(stop)
    assert psutil.Process().children() == []


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readings that never come to an end by themselves."""

    def endless(path: Path, _cache: Path, progress: object) -> None:
        while True:
            progress(1, path.stat().st_size)  # type: ignore[operator]
            time.sleep(0.005)

    monkeypatch.setattr(reading_processes, "refresh", endless)


@pytest.mark.usefixtures("slow")
def test_readers_end_when_who_started_them_is_killed(logs: list[Path], tmp_path: Path) -> None:
    told, tell = os.pipe()
    job = os.fork()
    if not job:
        try:
            with reading_along(logs, 1, tmp_path / "cache") as elsewhere:
                until(lambda: elsewhere(logs[-1]) > 0)
                os.write(tell, b"%d" % psutil.Process().children()[0].pid)
                signal.pause()
        finally:
            os._exit(1)
    reader = psutil.Process(int(os.read(told, 20)))
    os.kill(job, signal.SIGKILL)
    os.waitpid(job, 0)
    until(lambda: not reader.is_running() or reader.status() == psutil.STATUS_ZOMBIE)
    os.close(told)
    os.close(tell)


@pytest.mark.usefixtures("slow")
def test_endless_readers_end_with_the_block(logs: list[Path], tmp_path: Path) -> None:
    with reading_along(logs, 1, tmp_path / "cache") as elsewhere:
        until(lambda: elsewhere(logs[-1]) > 0)
    assert psutil.Process().children() == []


@pytest.mark.parametrize("why", ["little to read", "one core", "one log", "several threads"])
def test_one_process_reads_alone(
    why: str, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "one core":
        monkeypatch.setattr(reading_processes, "_cores", lambda: 1)
    if why == "several threads":
        monkeypatch.setattr(threading, "active_count", lambda: 2)
    paths = logs[:1] if why == "one log" else logs
    with reading_along(paths, 0 if why == "little to read" else 1, tmp_path / "cache") as elsewhere:
        assert elsewhere is nowhere
        assert psutil.Process().children() == []
