"""Redis, workers and web processes as operators start them, on free loopback ports."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.serving import ROOT, free_port

START_SECONDS = 60.0


class Spoken:
    """A process whose lines are kept, so that a test can wait for one."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.lines: list[str] = []
        self._told = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._told:
                self.lines.append(line.rstrip("\n"))
                self._told.notify_all()

    def wait_for(self, text: str, times: int = 1, seconds: float = START_SECONDS) -> str:
        """The line with a text, when it has been said so many times. Raises AssertionError."""

        def said() -> list[str]:
            return [line for line in self.lines if text in line]

        with self._told:
            if not self._told.wait_for(lambda: len(said()) >= times, seconds):
                raise AssertionError(f"{text!r} was not said {times} times:\n" + "\n".join(self.lines[-40:]))
            return said()[times - 1]

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._thread.join(timeout=5)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def running(command: Sequence[str], folder: Path, ready: str) -> Iterator[Spoken]:
    """A process until the block ends, once it has said `ready`."""
    spoken = Spoken(command, folder)
    try:
        spoken.wait_for(ready)
        yield spoken
    finally:
        spoken.stop()


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Address of an empty Redis that keeps nothing."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with running(command, folder, "Ready to accept connections"):
        yield f"redis://127.0.0.1:{port}/0"


class Deployment(NamedTuple):
    """What every process of a board is told."""

    broker: str
    logs: Path
    cache_dir: Path

    @property
    def words(self) -> list[str]:
        return ["--broker", self.broker, "--logs", str(self.logs), "--cache-dir", str(self.cache_dir)]


def worker(board: Deployment) -> Sequence[str]:
    """Command of a worker with one process."""
    return [sys.executable, "-m", "app", "worker", *board.words, "--processes", "1"]


@contextmanager
def workers(board: Deployment, number: int) -> Iterator[list[Spoken]]:
    """So many workers, started together."""
    with started([worker(board)] * number, board.cache_dir.parent) as each:
        for one in each:
            one.wait_for(" ready.")
        yield each


@contextmanager
def started(commands: Sequence[Sequence[str]], folder: Path) -> Iterator[list[Spoken]]:
    """Processes until the block ends, all started and ended together."""
    processes = [Spoken(command, folder) for command in commands]
    try:
        yield processes
    finally:
        for each in processes:
            each.process.terminate()
        for each in processes:
            each.stop()


class Web(NamedTuple):
    """A running gunicorn."""

    url: str
    spoken: Spoken

    def answered_by(self) -> set[str]:
        """Process ids that answered a request so far."""
        return {line.split()[1] for line in self.spoken.lines if line.startswith("answered-by ")}


def web(board: Deployment, port: int, processes: int = 2) -> Sequence[str]:
    """Command of web processes behind one port."""
    return [
        *(sys.executable, "-m", "gunicorn", "--workers", str(processes), "--bind", f"127.0.0.1:{port}"),
        *("--no-control-socket", "--access-logfile", "-", "--access-logformat", "answered-by %(p)s %(r)s"),
        f"app.wsgi:board({' '.join(board.words)!r})",
    ]


class Running(NamedTuple):
    """A deployment whose processes are up."""

    board: Deployment
    workers: list[Spoken]
    web: Web


@contextmanager
def deployed(board: Deployment) -> Iterator[Running]:
    """Two workers and two web processes."""
    port = free_port()
    commands = [worker(board), worker(board), web(board, port)]
    with started(commands, board.cache_dir.parent) as (one, two, pages):
        for each in (one, two):
            each.wait_for(" ready.")
        pages.wait_for("Listening at")
        yield Running(board, [one, two], Web(f"http://127.0.0.1:{port}", pages))
