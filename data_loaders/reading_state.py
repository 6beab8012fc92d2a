"""What a background reading is doing, left on disk so that every page and process can say it.

One small JSON file per source. A reading whose process is gone is reported as died.
"""

from __future__ import annotations

import os
import socket
import tempfile
import time
from pathlib import Path
from typing import Literal, NamedTuple

import orjson

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
    started: float = 0.0
    updated: float = 0.0
    host: str = ""
    pid: int = 0


def start(path: Path) -> Reading:
    """Announce a reading by this process."""
    now = time.time()
    reading = Reading("reading", started=now, updated=now, host=socket.gethostname(), pid=os.getpid())
    write(path, reading)
    return reading


def write(path: Path, reading: Reading) -> None:
    """Replace the note at once, so that no reader sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(orjson.dumps(reading._asdict()))
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def read(path: Path) -> Reading | None:
    """The latest reading; None when there was none. A `reading` whose process is gone becomes `died`."""
    try:
        reading = Reading(**orjson.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return reading if reading.state != "reading" or _lives(reading) else reading._replace(state="died")


def _lives(reading: Reading) -> bool:
    if reading.host != socket.gethostname():
        return time.time() - reading.updated < SILENT
    try:
        stat = Path(f"/proc/{reading.pid}/stat").read_text()
    except OSError:
        return _signalled(reading.pid)
    return stat.rsplit(")", 1)[-1].split()[0] != "Z"


def _signalled(pid: int) -> bool:
    """Whether a process exists, where there is no /proc to ask."""
    if Path("/proc").is_dir():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
