"""Notes that people attach to a step or a range of steps of a run, in one file that only grows.

Each line of the file is one JSON object: a note, or `{"id", "gone": true}` which takes a note back. A line is
appended whole under a lock of the file, so any number of processes may write; a line that a crash cut short
is ended first, and is counted as unread.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

LONGEST = 2000
"""Characters of a note."""
MOST_STEP = 10**9
MOST_NOTES = 5000
MOST_BYTES = 32 << 20
"""Of the file; more is refused and not read."""
FILE = "board.notes"


class RefusedError(ValueError):
    """Why a note is not taken: a message key `notes.refused.…`."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note on the steps `start` to `end` (both included) of the run with the id `run`."""

    id: str
    run: str
    start: int
    end: int
    text: str
    written: str
    """UTC, as in `2026-03-01T08:30:00Z`."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """The notes of a board in the order they were written."""

    path: Path | None = None
    """Where they are kept; None where no place is known."""
    writable: bool = False
    notes: tuple[Annotation, ...] = ()
    unread: int = 0
    """Lines of the file that are no note."""
    error: str = ""
    """Why the file cannot be read."""


def read_annotations(path: Path, writable: bool = True) -> Annotations:
    """Notes of a file; a file that is not there holds none. Never raises for what it holds."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return Annotations(path, error="notes.refused.full")
        data = path.read_bytes()
    except FileNotFoundError:
        return Annotations(path, writable)
    except OSError as error:
        return Annotations(path, error=error.strerror or type(error).__name__)
    found: dict[str, Annotation] = {}
    unread = 0
    for line in filter(None, map(bytes.strip, data.split(b"\n"))):
        record = _record(line)
        if record is None:
            unread += 1
        elif isinstance(record, Annotation):
            found[record.id] = record
        else:
            found.pop(record, None)
    return Annotations(path, writable, tuple(found.values())[-MOST_NOTES:], unread)


def annotate(path: Path, run: str, start: int, end: int, text: str) -> Annotation:
    """Append a note. Raises RefusedError for what is no note, OSError when the file cannot be written."""
    text = text.replace("\0", "").strip()
    if not text:
        raise RefusedError("notes.refused.empty")
    if len(text) > LONGEST:
        raise RefusedError("notes.refused.long")
    if not 0 <= start <= end <= MOST_STEP:
        raise RefusedError("notes.refused.steps")
    written = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    note = Annotation(secrets.token_hex(8), run, start, end, text, written)
    _append(path, {name: getattr(note, name) for name in Annotation.__slots__})
    return note


def withdraw(path: Path, note: str) -> None:
    """Take the note with this id back; its line stays in the file. Raises OSError."""
    _append(path, {"id": note, "gone": True})


def _record(line: bytes) -> Annotation | str | None:
    """A note, the id of one taken back, or None for anything else."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        return None
    return record["id"] if record.get("gone") is True else _annotation(record)


def _annotation(record: Mapping[str, Any]) -> Annotation | None:
    start, end = record.get("start"), record.get("end")
    texts = [record.get(name) for name in ("id", "run", "text", "written")]
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= MOST_STEP:
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    id_, run, text, written = map(str, texts)
    return Annotation(id_, run, start, end, text[:LONGEST], written) if id_ and text else None


def _append(path: Path, record: Mapping[str, Any]) -> None:
    line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    # Who may write to the folder of logs could else have us write to any file of ours.
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        if size + len(line) > MOST_BYTES:
            raise RefusedError("notes.refused.full")
        if size and os.pread(handle, 1, size - 1) != b"\n":
            line = b"\n" + line
        _whole(handle, line, size)
        os.fsync(handle)
    finally:
        os.close(handle)


def _whole(handle: int, line: bytes, size: int) -> None:
    """Write a line whole or not at all: a full disk leaves the file as it was."""
    try:
        written = os.write(handle, line)
    except OSError:
        os.ftruncate(handle, size)
        raise
    if written < len(line):
        os.ftruncate(handle, size)
        raise OSError(28, os.strerror(28), None)
