"""Reading what is new in a log, and taking it into the log's cache entry."""

from __future__ import annotations

import hashlib
import secrets
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

import data_loaders
from data_loaders.cache.locks import HeldLock
from data_loaders.cache.part_files import Part
from data_loaders.cache.store import Record, append_part, still_retired, write_record, writing
from data_loaders.cache.stored_log import StoredLog
from data_loaders.columns import MemoryLog, join_batches
from data_loaders.formats import VERL_CONSOLE
from data_loaders.log_bytes import (
    Mark,
    OpenLog,
    Stamp,
    has_checksum,
    last_word,
    mark_at,
    opened,
    read_on,
    sample_hash,
    stamp_of,
)
from data_loaders.read import head_tail
from data_loaders.schema import Batch, Json, LogFacts, LogReader, Recovered
from data_loaders.summary import read_summary, recover, summary_path

PATIENCE = 600.0
"""Seconds for which a last word without an end waits: a full buffer may leave half a number there."""
UNFINISHED = -1
"""Time of change of a log that was not read to its end: no log ever has it."""
COMMIT_EVERY = 128 << 20
"""Bytes after which a long reading is written down, so that stopping it loses no more than that."""

Progress = Callable[[int, int], None]
"""Gets the bytes read and the bytes to read; may raise to stop."""


class LoaderLike(Protocol):
    """What is needed of `formats.Loader`."""

    @property
    def name(self) -> str: ...
    @property
    def lines(self) -> bool: ...
    @property
    def reader(self) -> Callable[[Json | None], LogReader]: ...


Find = Callable[[bytes, bytes, str], LoaderLike | None]
"""Chooses the loader by the first and last bytes of a log and by its name."""


@cache
def parser_fingerprint() -> str:
    """Changes when the code that reads logs does, so that nothing read by older code is shown."""
    folder = Path(data_loaders.__file__).parent
    sources = [*sorted((folder / "formats").glob("*.py")), folder / "schema.py", folder / "summary.py"]
    return hashlib.blake2b(b"".join(path.read_bytes() for path in sources), digest_size=8).hexdigest()


class _Target(NamedTuple):
    """The entry that a reading goes to, and the log as it was when opened."""

    folder: Path
    log: OpenLog
    lock: HeldLock
    end: int | None
    """Byte up to which to read; None for the end of what is compressed."""


def update(
    path: Path,
    folder: Path,
    record: Record | None,
    lock: HeldLock,
    progress: Progress | None,
    find: Find,
    patience: float = PATIENCE,
) -> Record:
    """Bring an entry up to date, holding its lock.

    Raises OSError when the log cannot be read, UnwritableError, DamagedError, LockLostError.
    """
    loader = _loader(path, find)
    with opened(path) as log:
        target = _Target(folder, log, lock, _end(log, patience if loader.lines else 0.0))
        mark = _continued(log, record)
        if mark is None or record is None or record.format != loader.name:
            mark, record = Mark(), _blank(path, loader, record)
        if target.end is None or target.end > mark.size:
            record = _read(target, record, loader.reader(record.state or None), mark, progress)
        else:
            record = replace(record, stamp=_stamp_of(log, mark))
        return _written(target, _completed(folder, record))


def is_current(record: Record, path: Path) -> bool:
    """Whether neither the log nor the summary beside it was written since. Raises OSError."""
    return record.stamp == stamp_of(path.stat()) and record.summary == _summary_stamp(path)


def read_whole(
    path: Path,
    find: Find,
    end: int | None = None,
    progress: Progress | None = None,
    patience: float = PATIENCE,
) -> tuple[MemoryLog, Mark]:
    """A log up to byte `end`, all in memory. Raises OSError."""
    loader = _loader(path, find)
    reader = loader.reader(None)
    with opened(path) as log:
        mark, batches = Mark(), [reader.drain()]
        upto = _end(log, patience if loader.lines else 0.0) if end is None else end
        log.stream.seek(0)
        for done, batch in read_on(reader, log, mark, upto):
            mark = done
            batches.append(batch)
            if progress:
                progress(log.file.tell(), log.stamp.size)
        lines, columns = join_batches([*batches, reader.tail()])
        facts = replace(reader.facts(), damage=log.damage)
    recovered = recover(read_summary(path), facts, lines, columns)
    facts = replace(facts, recovered=facts.recovered + recovered)
    return MemoryLog(path, facts, lines, columns), mark


def version(read: Mark | Record, facts: LogFacts) -> str:
    """Changes with the bytes read, and with what a summary beside the log added."""
    found = f"{read.size:x}-{read.checksum:08x}"
    return f"{found}-{zlib.crc32(repr(facts.recovered).encode()):08x}" if facts.recovered else found


def _loader(path: Path, find: Find) -> LoaderLike:
    head, tail = head_tail(path)
    return find(head, tail, path.name) or VERL_CONSOLE


def _summary_stamp(path: Path) -> Stamp | None:
    summary = summary_path(path)
    with suppress(OSError):
        return stamp_of(summary.stat()) if summary else None
    return None


def _completed(folder: Path, record: Record) -> Record:
    """A record with what the summary beside the log adds to it."""
    path = Path(record.path)
    stamp = _summary_stamp(path)
    summary = read_summary(path) if stamp and record.facts.cut_lines else {}
    recovered: tuple[Recovered, ...] = ()
    if summary:
        log = StoredLog(folder, record)
        columns = {key: log.column(key) for key in summary if key in log.keys}
        recovered = recover(summary, record.facts, log.lines(), columns)
    changed = recovered != record.recovered
    return replace(record, summary=stamp, recovered=recovered, changes=record.changes + changed)


def _end(log: OpenLog, patience: float) -> int | None:
    """Byte up to which to read: a plain log that grows meanwhile is left for the next time.

    So is a last word without an end, which may be half a number, until nothing came for `patience` seconds.
    """
    if log.compressed:
        return None
    if abs(time.time() - log.stamp.modified / 1e9) >= patience:
        return log.stamp.size
    return last_word(log.file, log.stamp.size)


def _stamp_of(log: OpenLog, mark: Mark) -> Stamp:
    """What `stat` said of a log that was read to its end; of another one, a stamp that it will never have."""
    whole = log.compressed or mark.size == log.stamp.size
    return log.stamp if whole else log.stamp._replace(size=mark.size, modified=UNFINISHED)


def _continued(log: OpenLog, record: Record | None) -> Mark | None:
    """What was read of a log that can only have grown since; None when it must be read from the start."""
    if record is None or log.compressed or record.stamp[:2] != log.stamp[:2] or log.stamp.size < record.size:
        return None
    mark = mark_at(log.file, record.size, record.checksum)
    if (sample_hash(mark.head), sample_hash(mark.block)) != (record.head, record.block):
        return None
    # Written to, and yet no longer than before: the samples do not tell whether it is the same.
    touched = log.stamp.size == record.size and log.stamp != record.stamp
    if touched and not has_checksum(log.file, record.size, record.checksum):
        return None
    return mark


def _read(
    target: _Target, record: Record, reader: LogReader, mark: Mark, progress: Progress | None
) -> Record:
    log = target.log
    start = record.state.get("offset", 0)
    log.stream.seek(start)
    reader.feed(log.read(record.size - start))
    written, batches = mark.size, [reader.drain()]
    for done, batch in read_on(reader, log, mark, target.end):
        mark = done
        batches.append(batch)
        target.lock.beat()
        if progress:
            progress(log.file.tell() - start, log.stamp.size - start)
        if mark.size - written >= COMMIT_EVERY and not log.compressed:
            record = _written(target, _taken(target, record, reader, mark, batches))
            written, batches = mark.size, []
    return _taken(target, record, reader, mark, batches)


def _taken(
    target: _Target, record: Record, reader: LogReader, mark: Mark, batches: Sequence[Batch]
) -> Record:
    """Record of what was read since `record` too, its cells written as a part."""
    lines, columns = join_batches(batches)
    tail, parts = reader.tail(), record.parts
    merged: tuple[Part, ...] = ()
    keys = (*record.keys, *(key for key in columns if key not in set(record.keys)))
    if columns or lines.step.size:
        with writing():
            batch = Batch(record.rows, lines, columns)
            parts, merged = append_part(target.folder, record.parts, batch, keys)
    changed = parts != record.parts or not _same(tail, record.tail)
    return replace(
        record,
        stamp=_stamp_of(target.log, mark),
        head=sample_hash(mark.head),
        block=sample_hash(mark.block),
        size=mark.size,
        checksum=mark.checksum,
        facts=replace(reader.facts(), damage=target.log.damage),
        state=reader.state(),
        tail=tail,
        changes=record.changes + changed,
        keys=keys,
        rows=record.rows + lines.step.size,
        parts=parts,
        retired=still_retired(record.retired, merged),
    )


def _written(target: _Target, record: Record) -> Record:
    target.lock.check()
    with writing():
        write_record(target.folder, record)
    return record


def _blank(path: Path, loader: LoaderLike, before: Record | None) -> Record:
    """The record of a log of which nothing was read; the parts of the record before are retired."""
    reader = loader.reader(None)
    return Record(
        path=str(path),
        stamp=Stamp(0, 0, 0, UNFINISHED),
        head="",
        block="",
        size=0,
        checksum=0,
        format=loader.name,
        parser=parser_fingerprint(),
        facts=reader.facts(),
        state={},
        tail=reader.tail(),
        recovered=(),
        summary=None,
        generation=secrets.token_hex(8),
        retired=still_retired(before.retired, before.parts) if before else (),
    )


def _same(one: Batch, two: Batch) -> bool:
    """Whether two tails hold the same cells; NaN equals NaN."""
    if one.columns.keys() != two.columns.keys() or not np.array_equal(one.lines.step, two.lines.step):
        return False
    return all(
        np.array_equal(cells.rows, two.columns[key].rows)
        and np.array_equal(cells.values, two.columns[key].values, equal_nan=True)
        for key, cells in one.columns.items()
    )
