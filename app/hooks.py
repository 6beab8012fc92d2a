"""Runs the operator's command for every event, when both the operator and the file allow it.

The command comes from `[hooks]` in board.toml. It runs only with `--allow-hooks`, and only when the file is
the user's own and nobody else may write to it. Arguments are a list, there is no shell, and the event is JSON
on the command's standard input.

Of all processes that serve a board, on whatever host, one watches; another takes over when it is gone.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import orjson

from callbacks.loading import read_all
from data_loaders import reading_state
from data_loaders.board import Board, BoardReader
from data_loaders.cache.locks import HeldLock, LockLostError, file_lock
from data_loaders.news import News, ToldOnce, news

EVERY = 5.0
"""Seconds between two looks; pages or not."""
TIMEOUT = 20.0
"""Seconds a command may take: shorter than a lock may go without a sign of life."""
Pause = Callable[[float], object]


class _StoppedError(Exception):
    """Whoever started the watch ends it."""


def refusal(config: Path | None) -> str:
    """Why commands of this board.toml are not run; empty when they are."""
    if config is None:
        return "no board.toml was read"
    try:
        found = config.stat()
    except OSError as error:
        return f"{config}: {error.strerror}"
    if found.st_uid != os.getuid():
        return f"{config} belongs to another user"
    if stat.S_IMODE(found.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{config} may be written by others: chmod go-w {config}"
    return ""


def keep_watch(reader: BoardReader, command: Sequence[str], pause: Pause) -> None:
    """Watch whenever no other process does, until `pause` says to stop by returning true."""

    def wait() -> None:
        if pause(EVERY):
            raise _StoppedError

    path, said = reader.cache_dir / f"watch-{reader.source.name}.lock", ""
    with suppress(_StoppedError):
        while True:
            try:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with suppress(LockLostError), file_lock(path, wait) as lock:
                    watch(reader, command, lock, wait)
            except OSError as error:
                if str(error) != said:
                    print(f"hooks: events cannot be noted, so none is told: {error}", file=sys.stderr)
                said = str(error)
            wait()


def watch(reader: BoardReader, command: Sequence[str], lock: HeldLock, wait: Callable[[], None]) -> None:
    """Look for events and run the command for each, until `wait` raises. Raises LockLostError, OSError."""
    told = ToldOnce(reader.cache_dir / f"told-{reader.source.name}")

    def alive(_: object) -> None:
        with suppress(LockLostError, OSError):  # a reading goes on whoever watches
            lock.beat()

    def act(item: News) -> None:
        run(command, item)
        lock.beat()

    while True:
        board = reader.look(age=EVERY / 2)
        if board.unread and may_read(reader):
            read_all(reader.anew(), alive)
        lock.beat()
        tell(board, told, act)
        wait()


def may_read(reader: BoardReader) -> bool:
    """Whether large logs are read without a page: not while a reading goes on or after one was stopped."""
    reading = reading_state.read(reader.note)
    return reading is None or reading.state == "done"


def tell(board: Board, told: ToldOnce, act: Callable[[News], None]) -> None:
    """Act on what was not told yet. What a board holds when it is first read is not news: only noted.

    Raises OSError when it cannot be noted; then it is not told either.
    """
    settled = told.settled
    for item in news(board):
        if told.take(item) and settled:
            act(item)
    if not settled and not board.unread:
        told.settle()


def run(command: Sequence[str], item: News) -> None:
    """Run the command once; what goes wrong is printed."""
    try:
        subprocess.run(
            list(command),
            input=orjson.dumps(item.as_json()),
            timeout=TIMEOUT,
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        print(f"hooks: {command[0]} for {item.name}: {error}", file=sys.stderr)


def start(reader: BoardReader) -> str:
    """Watch in a thread of its own. Returns why not; empty when it does."""
    config = reader.source.config
    if not config.command:
        return "board.toml names no command in [hooks]"
    if why := refusal(config.path):
        return why
    stop = threading.Event()
    threading.Thread(target=keep_watch, args=(reader, config.command, stop.wait), daemon=True).start()
    return ""
