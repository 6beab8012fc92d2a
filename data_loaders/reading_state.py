"""What a background reading is doing, left on disk so that every page and process can say it.

One small JSON file per source. A reading whose process is gone is reported as died. A wish to cancel is a
file of its own beside it, so that neither the reader nor whoever cancels overwrites the other's word.
"""

from __future__ import annotations

import math
import os
import secrets
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

import orjson

from data_loaders.atomic_file import replace_file
from data_loaders.cache.locks import file_lock

State = Literal["reading", "done", "failed", "cancelled", "died"]
SILENT = 30.0
"""Seconds without a sign of life after which a reading on another host counts as died."""
EVERY = 0.2
"""Seconds between two writes of the same reading."""


class Reading(NamedTuple):
    """Bytes read of the bytes to read, and the log in hand."""

    state: State
    done: int = 0
    total: int = 0
    file: str = ""
    error: str = ""
    """Why it failed: text of the system, or a message key `cache.*`."""
    started: float = 0.0
    updated: float = 0.0
    host: str = ""
    pid: int = 0
    born: str = ""
    """Start time of the process as the system counts it; tells it from a later one with the same number."""
    token: str = ""
    """Random; names this reading."""
    notices: tuple[str, ...] = ()
    """Message keys of what was wrong with the cache."""


def request() -> str:
    """A wish for a reading, made now."""
    return f"{time.time():.3f}-{secrets.token_hex(8)}"


def asked_at(wish: str) -> float:
    """Epoch seconds at which a wish for a reading was made; of one without time, later than anything."""
    try:
        return float(wish.partition("-")[0])
    except ValueError:
        return math.inf


def start(path: Path, asked: float = math.inf) -> Reading | None:
    """Announce a reading by this process, which somebody asked for at `asked` (epoch seconds).

    None when one is under way already, or was cancelled after that. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file_lock(path.with_suffix(".lock")):
        before = read(path)
        if before is not None and before.state == "reading":
            return None
        if _cancelled_after(path, asked):
            return None
        now = time.time()
        reading = Reading(
            "reading",
            started=now,
            updated=now,
            host=socket.gethostname(),
            pid=os.getpid(),
            born=_born(os.getpid()),
            token=secrets.token_hex(8),
        )
        _wish(path).unlink(missing_ok=True)
        write(path, reading)
    return reading


def write(path: Path, reading: Reading) -> None:
    """Replace the note. Raises OSError."""
    replace_file(path, orjson.dumps(reading._asdict()))


def read(path: Path) -> Reading | None:
    """The latest reading; None when there was none.

    One that goes on and was asked to stop is `cancelled`, one whose process is gone is `died`.
    """
    try:
        reading = Reading(**orjson.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    reading = reading._replace(notices=tuple(reading.notices))
    if reading.state != "reading":
        return reading
    if is_cancelled(path, reading):
        return reading._replace(state="cancelled", updated=time.time())
    return reading if _lives(reading) else reading._replace(state="died")


def cancel(path: Path) -> None:
    """Ask the reading that goes on to stop, on whatever host it runs. Raises OSError."""
    reading = read(path)
    if reading is not None and reading.state == "reading":
        _wish(path).write_text(reading.token)


def is_cancelled(path: Path, reading: Reading) -> bool:
    """Whether somebody asked this reading to stop."""
    with suppress(OSError):
        return _wish(path).read_text() == reading.token != ""
    return False


def _cancelled_after(path: Path, moment: float) -> bool:
    with suppress(OSError):
        return _wish(path).stat().st_mtime > moment
    return False


def _wish(path: Path) -> Path:
    return path.with_suffix(".cancel")


def _lives(reading: Reading) -> bool:
    if reading.host != socket.gethostname():
        return time.time() - reading.updated < SILENT
    if Path("/proc").is_dir():
        return reading.born != "" and _born(reading.pid) == reading.born
    return _signalled(reading.pid)


def _born(pid: int) -> str:
    """Start time of a process; empty for one that is gone, or dead and not reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _signalled(pid: int) -> bool:
    """Whether a process exists, where there is no /proc to ask."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
