"""One writer per file, across processes and hosts, by a lock file made with O_EXCL (works on NFS).

The owner touches the file now and then. A lock is stale when its owner is a dead process of this host, or
when its file was seen unchanged for `STALE_AFTER` seconds, by the one who waits: so clocks need not agree.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

STALE_AFTER = 30.0
BEAT_EVERY = 5.0
PAUSE = 0.05


class LockLostError(Exception):
    """Another process took the lock over, because this one gave no sign of life for too long."""


class Owner(NamedTuple):
    """Who holds a lock. `born` tells a process from a later one with the same number."""

    token: str
    host: str
    pid: int
    born: str


@dataclass(slots=True)
class HeldLock:
    """A lock in hand."""

    path: Path
    owner: Owner
    beaten: float

    def beat(self) -> None:
        """Show that the owner lives; call it every few seconds. Raises LockLostError."""
        if time.monotonic() - self.beaten >= BEAT_EVERY:
            self.check()
            os.utime(self.path)
            self.beaten = time.monotonic()

    def check(self) -> None:
        """Raises LockLostError when the lock is no longer this owner's."""
        seen = _look(self.path)
        if seen is None or seen.token != self.owner.token:
            raise LockLostError(str(self.path))


class _Seen(NamedTuple):
    """A lock file as it stood. `token` is empty while its owner has not signed yet."""

    token: str
    owner: Owner | None
    touched: int


def _pause() -> None:
    time.sleep(PAUSE)


@contextmanager
def file_lock(
    path: Path,
    pause: Callable[[], None] = _pause,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[HeldLock]:
    """Hold `path` as lock; its folder must exist.

    `pause` is called between two attempts and may raise to give up waiting. Raises OSError when the lock file
    cannot be written.
    """
    owner = Owner(secrets.token_hex(8), _host(), os.getpid(), _born(os.getpid()))
    _acquire(path, owner, pause, clock)
    try:
        yield HeldLock(path, owner, time.monotonic())
    finally:
        seen = _look(path)
        if seen and seen.token == owner.token:
            with suppress(FileNotFoundError):
                path.unlink()


def _acquire(path: Path, owner: Owner, pause: Callable[[], None], clock: Callable[[], float]) -> None:
    last: _Seen | None = None
    since = clock()
    while not _create(path, owner):
        seen = _look(path)
        if seen is None:
            continue
        if seen != last:
            last, since = seen, clock()
        if _dead(seen.owner) or clock() - since >= STALE_AFTER:
            if _take_over(path, seen, owner, pause, clock):
                return
            last = None
        else:
            pause()


def _create(path: Path, owner: Owner) -> bool:
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "w") as file:
            json.dump(owner, file)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return True


def _take_over(
    path: Path, stale: _Seen, owner: Owner, pause: Callable[[], None], clock: Callable[[], float]
) -> bool:
    """Replace a stale lock. Only one at a time may, and whoever comes second finds another owner."""
    with file_lock(path.with_name(f"{path.name}.{stale.token or 'unsigned'}"), pause, clock):
        if _look(path) != stale:
            return False
        signed = path.with_name(f"{path.name}.{owner.token}.new")
        signed.write_text(json.dumps(owner))
        os.replace(signed, path)
        return True


def _look(path: Path) -> _Seen | None:
    """The lock as it is now; opening it makes NFS ask the server again."""
    try:
        with path.open() as file:
            touched = os.fstat(file.fileno()).st_mtime_ns
            text = file.read()
    except FileNotFoundError:
        return None
    try:
        owner = Owner(*json.loads(text))
    except (ValueError, TypeError):
        return _Seen("", None, touched)
    return _Seen(owner.token, owner, touched)


def _dead(owner: Owner | None) -> bool:
    """Whether the owner is known to be gone: a process number means something on its own host only."""
    if owner is None or owner.host != _host():
        return False
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return _born(owner.pid) != owner.born


@cache
def _host() -> str:
    """Names this boot of this host, and the container whose process numbers count."""
    marks = [socket.gethostname()]
    with suppress(OSError):
        marks.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        marks.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(marks)


def _born(pid: int) -> str:
    """Start time of a process; `gone` for one that is dead but not reaped, empty where /proc is missing."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "gone" if fields[0] in "ZX" else fields[19]
