"""Logs read once: what was read is kept on disk, and of a log that grew only the new bytes are read.

A log is known by its resolved path, by device and inode, and by hashes of its first bytes and of the last
ones that were read. When all agree it can only have grown; anything else is read from the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar

from data_loaders.cache.column_memory import ColumnMemory
from data_loaders.cache.locks import PAUSE, LockLostError, file_lock
from data_loaders.cache.log_update import (
    PATIENCE,
    UNFINISHED,
    Find,
    Progress,
    is_current,
    parser_fingerprint,
    read_whole,
    update,
    version,
)
from data_loaders.cache.part_files import DamagedError
from data_loaders.cache.store import (
    FullError,
    Record,
    UnwritableError,
    entry_folder,
    evict,
    mark_used,
    prepare,
    read_record,
    remove_entry,
    writing,
)
from data_loaders.cache.stored_log import StoredLog
from data_loaders.columns import LogData
from data_loaders.formats import find_loader
from data_loaders.log_bytes import stamp_of
from data_loaders.schema import Column, Note, StepLines

LIMIT = 4 << 30
"""Bytes that all entries of a cache folder may take together."""

Found = TypeVar("Found")


class ChangedError(Exception):
    """The log is no longer what a view of it shows, and the view's columns are gone: refresh."""


class _StoppedError(Exception):
    """What the caller's progress function raised."""


class CachedLog:
    """A log at one moment (a `columns.LogData`), its columns read singly from the cache.

    `version` changes with the bytes of the log, `cells_version` only when cells were added or altered.
    `notices` say what went wrong with the cache: `cache.damaged`, `cache.full`, `cache.unwritable`.
    """

    def __init__(
        self,
        source: LogData,
        versions: tuple[str, str],
        notices: tuple[Note, ...],
        memory: ColumnMemory | None,
        find: Find,
    ) -> None:
        self.whole = not isinstance(source, StoredLog) or source.record.stamp.modified != UNFINISHED
        """Whether it was read to its end; else a last word without an end waits, or it grew meanwhile."""
        self.path = source.path
        self.facts = source.facts
        self.keys = source.keys
        self.version, self.cells_version = versions
        self.notices = notices
        self._source = source
        self._memory = memory
        self._find = find
        self._lines: StepLines | None = None

    def lines(self) -> StepLines:
        """Step lines in file order. Raises ChangedError."""
        if self._lines is None:
            self._lines = self._sound(lambda source: source.lines())
        return self._lines

    def column(self, key: str) -> Column:
        """Cells of a logged key. Raises KeyError when the log has none, ChangedError."""
        if key not in self.keys:
            raise KeyError(key)
        if self._memory is None:
            return self._sound(lambda source: source.column(key))
        return self._memory.get(
            (str(self.path), key),
            self.cells_version,
            lambda: self._sound(lambda source: source.column(key)),
        )

    def _sound(self, read: Callable[[LogData], Found]) -> Found:
        """Read from the cache, or from the log again when the cache is damaged."""
        source = self._source
        try:
            return read(source)
        except DamagedError as why:
            if not isinstance(source, StoredLog):
                raise
            if source.is_damaged(Path(str(why)).name):
                self.notices = (Note("cache.damaged"),)
                remove_entry(source.folder)
        record = source.record
        try:
            log, mark = read_whole(self.path, self._find, end=record.size)
        except OSError as why:
            raise ChangedError(str(self.path)) from why
        if (mark.size, mark.checksum) != (record.size, record.checksum):
            raise ChangedError(str(self.path))
        self._source = log
        return read(log)


def cached(path: Path, cache_dir: Path, memory: ColumnMemory | None = None) -> CachedLog | None:
    """The log as it is now, when the cache has all of it; reads nothing of the log. Raises OSError."""
    path = path.resolve(strict=True)
    record = _current(path, entry_folder(cache_dir, path))
    return _stored(record, cache_dir, memory, find_loader) if record else None


def last_read(path: Path, cache_dir: Path, memory: ColumnMemory | None = None) -> CachedLog | None:
    """The log as it was when it was read last, by whichever process; None when there is no such reading."""
    with suppress(DamagedError):
        record = read_record(entry_folder(cache_dir, path.resolve()), parser_fingerprint())
        return _stored(record, cache_dir, memory, find_loader) if record else None
    return None


def pending(path: Path, cache_dir: Path) -> int:
    """Bytes that `refresh` would have to read, as far as one `stat` tells. Raises OSError."""
    path = path.resolve(strict=True)
    stamp = stamp_of(path.stat())
    with suppress(DamagedError):
        record = read_record(entry_folder(cache_dir, path), parser_fingerprint())
        if record and record.stamp == stamp:
            return 0
        # Of a compressed log the file is not as long as what was read.
        if record and record.stamp[:2] == stamp[:2] and record.size == record.stamp.size < stamp.size:
            return stamp.size - record.size
    return stamp.size


def refresh(
    path: Path,
    cache_dir: Path,
    progress: Progress | None = None,
    *,
    memory: ColumnMemory | None = None,
    find: Find = find_loader,
    limit: int = LIMIT,
    patience: float = PATIENCE,
) -> CachedLog:
    """The log as it is now, reading what is new in it.

    A last word without an end waits until there is more, or nothing was written for `patience` seconds.

    `progress` gets the bytes read and the bytes to read, also while another process reads the log; what it
    raises stops the reading and harms nothing. Raises OSError when the log cannot be read. When the cache
    cannot be written, the log comes from memory, with a notice.
    """
    path = path.resolve(strict=True)
    folder = entry_folder(cache_dir, path)
    record = _current(path, folder)
    if record:
        mark_used(folder)
        return _stored(record, cache_dir, memory, find)
    try:
        record, damaged = _updated(path, folder, progress, find, patience)
    except UnwritableError as why:
        log, mark = read_whole(path, find, progress=progress, patience=patience)
        note = Note("cache.full" if isinstance(why, FullError) else "cache.unwritable", {"why": str(why)})
        found = version(mark, log.facts)
        return CachedLog(log, (found, found), (note,), None, find)
    with suppress(OSError):
        evict(cache_dir, limit, spare=folder)
    return _stored(record, cache_dir, memory, find, (Note("cache.damaged"),) if damaged else ())


def _current(path: Path, folder: Path) -> Record | None:
    with suppress(DamagedError):
        record = read_record(folder, parser_fingerprint())
        if record and is_current(record, path):
            return record
    return None


def _updated(
    path: Path, folder: Path, progress: Progress | None, find: Find, patience: float
) -> tuple[Record, bool]:
    """The record of the whole log, and whether the entry was damaged. One process reads at a time."""

    def pause() -> None:
        if progress:
            try:
                progress(0, path.stat().st_size)
            except OSError as why:  # not one of the cache's
                raise _StoppedError from why
        time.sleep(PAUSE)

    while True:
        with suppress(LockLostError), ExitStack() as stack:
            try:
                with writing():
                    lock = stack.enter_context(file_lock(prepare(folder), pause))
            except _StoppedError as stopped:
                raise stopped.__cause__ or stopped from None
            try:
                record = read_record(folder, parser_fingerprint())
                if record and is_current(record, path):
                    return record, False
                return update(path, folder, record, lock, progress, find, patience), False
            except DamagedError:
                return update(path, folder, None, lock, progress, find, patience), True


def _stored(
    record: Record,
    cache_dir: Path,
    memory: ColumnMemory | None,
    find: Find,
    notices: tuple[Note, ...] = (),
) -> CachedLog:
    source = StoredLog(entry_folder(cache_dir, Path(record.path)), record)
    cells = f"{record.generation}.{record.changes}"
    return CachedLog(source, (version(record, source.facts), cells), notices, memory, find)
