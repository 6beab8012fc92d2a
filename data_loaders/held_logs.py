"""The logs of a board between two looks: kept while unchanged, read on when they grew.

What is wrong with the cache is said here too: `cache.damaged` for a while after damage was mended,
`cache.full` and `cache.unwritable` as long as they hold.
"""

from __future__ import annotations

import math
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from data_loaders.cache import CachedLog, cached, last_read, pending, refresh
from data_loaders.cache.column_memory import ColumnMemory
from data_loaders.cache.log_update import PATIENCE
from data_loaders.log_bytes import Stamp, stamp_of
from data_loaders.reading_processes import Elsewhere, nowhere
from data_loaders.schema import Note
from data_loaders.summary import summary_path

COLUMN_MEMORY = 64 << 20
"""Bytes of columns kept in memory."""
TOLD_S = 60.0
"""Seconds for which it is said that the cache was damaged and is whole again."""
LITTLE_ROOM = 1 << 20
"""Free bytes below which the disk of the cache counts as full."""
UNWRITTEN = ("cache.full", "cache.unwritable")
"""Notices of a log that is in memory only, as the cache took nothing."""


class Failure(NamedTuple):
    """A log that could not be read, and why."""

    path: Path
    why: str


class Progress(NamedTuple):
    """Bytes read of the bytes to read, and the log in hand."""

    done: int
    total: int
    file: str


Report = Callable[[Progress], None]
Stamps = tuple[Stamp, Stamp | None]
NEVER: Stamps = (Stamp(0, 0, 0, -1), None)
"""What `stat` says of no log."""


class Held(NamedTuple):
    """A log, and what `stat` said of it and of the summary beside it before it was read."""

    log: CachedLog
    stamps: Stamps
    due: float = math.inf
    """Epoch seconds from which a last word without an end is read although nothing was added."""

    @property
    def unwritten(self) -> bool:
        return any(note.key in UNWRITTEN for note in self.log.notices)


class _BusyError(Exception):
    """Another process reads the log just now."""


@dataclass
class Found:
    """What came of bringing the logs up to date."""

    logs: dict[Path, Held] = field(default_factory=dict)
    """As they are now, or as they were last where they may or can not be read."""
    waiting: dict[Path, tuple[Stamps, int]] = field(default_factory=dict)
    """Logs with something new in them, and how many bytes of it."""
    failures: list[Failure] = field(default_factory=list)


class HeldLogs:
    """Keeps the logs of one board. One thread at a time."""

    def __init__(self, cache_dir: Path) -> None:
        self.cache_dir = cache_dir
        self._memory = ColumnMemory(COLUMN_MEMORY)
        self._logs: dict[Path, Held] = {}
        self._told: dict[str, tuple[float, Note]] = {}

    def sort(self, paths: Iterable[Path]) -> Found:
        """Which logs are as they were, and which have to be looked into. One `stat` each."""
        found = Found()
        now = time.time()
        again = any(held.unwritten for held in self._logs.values()) and self.trouble() is None
        for path in paths:
            held = self._logs.get(path)
            try:
                stamps = _stamps(path)
                same = held is not None and held.stamps == stamps and now < held.due
                if held is not None and same and not (again and held.unwritten):
                    found.logs[path] = held
                else:
                    found.waiting[path] = stamps, pending(path, self.cache_dir)
            except OSError as error:
                found.failures.append(Failure(path, error.strerror or str(error)))
                if held is not None:
                    found.logs[path] = held
        self._logs = {path: held for path, held in self._logs.items() if path in found.waiting} | found.logs
        return found

    def bring(
        self,
        found: Found,
        *,
        read: bool,
        wait: bool,
        report: Report | None = None,
        elsewhere: Elsewhere = nowhere,
    ) -> None:
        """Look into the waiting logs: what is in the cache is taken, the rest is read if `read`.

        Without `wait` a log that another process reads is left as it was. What stays waiting has to be read.
        """
        waiting = list(found.waiting.items())
        total, before = sum(size for _, (_, size) in waiting), 0
        for place, (path, (stamps, size)) in enumerate(waiting):
            later = [other for other, _ in waiting[place + 1 :]]
            progress = _counter(report, before, total, path, later, elsewhere) if wait else _impatient
            try:
                log = self._log(path, read, progress)
            except _BusyError:  # its reader hands it over: there is nothing to ask for
                del found.waiting[path]
                log = None
            except OSError as error:
                found.failures.append(Failure(path, error.strerror or str(error)))
                del found.waiting[path]
                log = None
            if log is not None:
                self._logs[path] = Held(log, stamps, _due(log, stamps))
                found.waiting.pop(path)
                self.tell(log.notices, time.time())
            elif path not in self._logs and (old := last_read(path, self.cache_dir, self._memory)):
                self._logs[path] = Held(old, NEVER)  # another process, or the one before, has shown it
            if path in self._logs:
                found.logs[path] = self._logs[path]
            before += size

    def tell(self, notes: Iterable[Note], since: float) -> None:
        """Say that the cache was damaged, from epoch seconds `since` for a while."""
        for note in notes:
            if note.key not in UNWRITTEN and since > self._told.get(note.key, (0.0, note))[0]:
                self._told[note.key] = since, note

    def notices(self, found: Found) -> tuple[Note, ...]:
        """What is wrong with the cache, or was lately."""
        now = time.time()
        self._told = {key: told for key, told in self._told.items() if now - told[0] < TOLD_S}
        notes = [n for held in found.logs.values() for n in held.log.notices if n.key in UNWRITTEN]
        trouble = self.trouble() if found.waiting else None
        notes += [trouble] if trouble else []
        notes += [note for _, note in self._told.values()]
        return tuple({note.key: note for note in notes}.values())

    def trouble(self) -> Note | None:
        """Why the cache would take nothing now."""
        try:
            self.cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            if shutil.disk_usage(self.cache_dir).free < LITTLE_ROOM:
                return Note("cache.full", {"why": "no space left on device"})
            probe = self.cache_dir / "probe"
            probe.touch()
        except OSError as error:
            return Note("cache.unwritable", {"why": error.strerror or str(error)})
        return None

    def forget(self, paths: Iterable[Path]) -> None:
        """Logs whose columns are gone with what they were read from: the next look reads them again."""
        for path in paths:
            self._logs.pop(path, None)

    def _log(self, path: Path, read: bool, progress: Callable[[int, int], None] | None) -> CachedLog | None:
        log = cached(path, self.cache_dir, self._memory)
        if log is not None or not read:
            return log
        return refresh(path, self.cache_dir, progress, memory=self._memory)


def content(logs: Sequence[CachedLog]) -> str:
    """Changes with the cells of logs, and with what they say besides that is more than their length."""
    told = [replace(log.facts, bytes=0, physical_lines=0, clock_end=None) for log in logs]
    facts = zlib.crc32(repr(told).encode("utf-8", "surrogatepass"))
    return f"{';'.join(log.cells_version for log in logs)}-{facts:08x}"


def _due(log: CachedLog, stamps: Stamps) -> float:
    return math.inf if log.whole else stamps[0].modified / 1e9 + PATIENCE


def _stamps(path: Path) -> Stamps:
    """Raises OSError when the log is gone."""
    stamp, summary = stamp_of(path.stat()), summary_path(path)
    with suppress(OSError):
        return stamp, stamp_of(summary.stat()) if summary else None
    return stamp, None


def _counter(
    report: Report | None,
    before: int,
    total: int,
    path: Path,
    later: Sequence[Path],
    elsewhere: Elsewhere,
) -> Callable[[int, int], None] | None:
    """Progress of one log as part of the whole reading, of which `later` is read by other processes."""
    if report is None:
        return None

    def count(done: int, _size: int) -> None:
        ahead = sum(map(elsewhere, later))
        report(Progress(before + max(done, elsewhere(path)) + ahead, total, path.name))

    return count


def _impatient(done: int, _size: int) -> None:
    """Gives up while nothing was read: then another process holds the lock of the log."""
    if not done:
        raise _BusyError
