"""What the cache keeps of one log: column parts, and one small record (JSON) that names them.

The record is replaced at once and last, so whatever happens in between, the record found is whole and true.
Parts that it no longer names stay for a while, for readers that still hold the record before.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from data_loaders.cache.locks import file_lock
from data_loaders.cache.part_files import DamagedError, Part, PartReader, packed
from data_loaders.columns import LINE_FIELDS, join_batches
from data_loaders.log_bytes import Stamp
from data_loaders.schema import Batch, Column, Json, Launch, LogFacts, Recovered, Rejected, StepLines

RECORD = "record.json"
LAYOUT = 1
"""Raised when what is written here changes its meaning."""
RETIRED_SECONDS = 600.0
MERGE_RATIO = 4
"""A part is merged with the one before unless that is so many times longer: few parts, cheap appends."""


class UnwritableError(Exception):
    """The cache folder takes nothing: no permission, gone, or a failing disk."""


class FullError(UnwritableError):
    """The disk of the cache folder, or the quota on it, is full."""


class BusyError(Exception):
    """Somebody is writing an entry."""


class Retired(NamedTuple):
    """A part no longer named, and since when (epoch seconds)."""

    file: str
    since: float


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known of a log, columns apart."""

    path: str
    stamp: Stamp
    head: str
    """Hash of the first bytes; `block`: of the last ones read."""
    block: str
    size: int
    """Bytes read, decompressed."""
    checksum: int
    """CRC-32 of all bytes read."""
    format: str
    """Name of the loader; empty when none recognised the log."""
    parser: str
    """Fingerprint of the code that read it."""
    facts: LogFacts
    state: Json
    """Where reading goes on."""
    tail: Batch
    recovered: tuple[Recovered, ...]
    """From the summary file beside the log, whose stamp was `summary`."""
    summary: Stamp | None
    generation: str
    """New with each reading from the start."""
    changes: int = 0
    """Counts the updates of this generation that brought or altered cells."""
    keys: tuple[str, ...] = ()
    """Keys of the parts, by number."""
    rows: int = 0
    """Step lines in the parts."""
    parts: tuple[Part, ...] = ()
    retired: tuple[Retired, ...] = ()


@contextmanager
def writing() -> Iterator[None]:
    """Around whatever writes to the cache, and nothing else: turns OSError into UnwritableError."""
    try:
        yield
    except OSError as why:
        full = why.errno in (errno.ENOSPC, errno.EDQUOT)
        raise (FullError if full else UnwritableError)(str(why)) from why


def entry_folder(cache_dir: Path, path: Path) -> Path:
    """Folder of a resolved path's entry."""
    return cache_dir / "logs" / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def prepare(folder: Path) -> Path:
    """Make the folder of an entry, for the owner alone, and give the path of its lock. Raises OSError."""
    cache_dir = folder.parent.parent
    locks = cache_dir / "locks"
    for private in (cache_dir, folder.parent, folder, locks):
        private.mkdir(mode=0o700, parents=True, exist_ok=True)
    if cache_dir.stat().st_mode & 0o077:
        cache_dir.chmod(0o700)
    return locks / f"{folder.name}.lock"


def read_record(folder: Path, parser: str) -> Record | None:
    """The record of an entry; None when there is none, or other code wrote it. Raises DamagedError."""
    try:
        digest, _, body = (folder / RECORD).read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    except OSError as why:
        raise DamagedError(str(folder / RECORD)) from why
    if _digest(body) != digest:
        raise DamagedError(str(folder / RECORD))
    stored = json.loads(body)
    if (stored.pop("layout"), stored["parser"]) != (LAYOUT, parser):
        return None
    record = _record(stored)
    for part in record.parts:
        _check_size(folder / part.file, part.bytes)
    return record


def write_record(folder: Path, record: Record) -> None:
    """Make a record the valid one, then remove what nobody reads any more. Raises OSError."""
    stored = {each.name: getattr(record, each.name) for each in fields(record)}
    stored |= {
        "layout": LAYOUT,
        "facts": asdict(record.facts),
        "recovered": [asdict(cell) for cell in record.recovered],
        "tail": _tail_json(record.tail),
    }
    body = json.dumps(stored).encode()
    _write(folder / RECORD, _digest(body) + b"\n" + body)
    named = {RECORD, *(part.file for part in record.parts), *(old.file for old in record.retired)}
    for left in set(os.listdir(folder)) - named:
        (folder / left).unlink(missing_ok=True)


def append_part(
    folder: Path, parts: Sequence[Part], batch: Batch, keys: Sequence[str]
) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Write a batch that follows `parts`. Gives the parts then, and those merged away.

    Raises OSError, DamagedError.
    """
    kept, rows = list(parts), max(batch.lines.step.size, 1)
    while kept and kept[-1].rows < MERGE_RATIO * rows:
        rows += kept.pop().rows
    merged = tuple(parts[len(kept) :])
    if merged:
        lines, columns = join_batches([*(PartReader(folder, part).batch(keys) for part in merged), batch])
        batch = Batch(merged[0].first_row, lines, columns)
    part, data = packed(f"{secrets.token_hex(8)}.npz", batch, keys)
    _write(folder / part.file, data)
    return (*kept, part), merged


def still_retired(before: Sequence[Retired], more: Sequence[Part]) -> tuple[Retired, ...]:
    """Parts to keep a while longer, with those that are no longer named from now on."""
    now = time.time()
    return (
        *(each for each in before if now - each.since < RETIRED_SECONDS),
        *(Retired(part.file, now) for part in more),
    )


def evict(cache_dir: Path, limit: int, spare: Path) -> None:
    """Remove the entries used longest ago until all take at most `limit` bytes, never the entry `spare`."""
    entries = []
    for folder in (cache_dir / "logs").iterdir():
        with suppress(OSError):
            used = (folder / RECORD).stat().st_mtime if (folder / RECORD).exists() else 0.0
            entries.append((used, sum(file.stat().st_size for file in folder.iterdir()), folder))
    total = sum(size for _, size, _ in entries)
    for _, size, folder in sorted(entries):
        if total <= limit:
            return
        if folder != spare and remove_entry(folder):
            total -= size


def remove_entry(folder: Path) -> bool:
    """Forget a log; False when somebody is writing its entry just now."""

    def give_up() -> None:
        raise BusyError

    with suppress(BusyError, OSError), file_lock(prepare(folder), give_up):
        (folder / RECORD).unlink(missing_ok=True)
        shutil.rmtree(folder)
        return True
    return False


def mark_used(folder: Path) -> None:
    """Keep an entry that is read now and then from being the first to go."""
    with suppress(OSError):
        if time.time() - (folder / RECORD).stat().st_mtime > 3600:
            os.utime(folder / RECORD)


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).hexdigest().encode()


def _check_size(path: Path, size: int) -> None:
    try:
        found = path.stat().st_size
    except OSError as why:
        raise DamagedError(str(path)) from why
    if found != size:
        raise DamagedError(str(path))


def _tail_json(tail: Batch) -> Json:
    return {
        "first_row": tail.first_row,
        "lines": [getattr(tail.lines, name).tolist() for name in LINE_FIELDS],
        "columns": {key: [c.rows.tolist(), c.values.tolist()] for key, c in tail.columns.items()},
    }


def _tail(stored: Json) -> Batch:
    columns = {
        key: Column(np.array(rows, np.int64), np.array(values, np.float64))
        for key, (rows, values) in stored["columns"].items()
    }
    lines = StepLines(*(np.array(values, np.int64) for values in stored["lines"]))
    return Batch(stored["first_row"], lines, columns)


def _facts(stored: Json) -> LogFacts:
    records: dict[str, Any] = {"rejected": Rejected, "launches": Launch, "recovered": Recovered}
    for name, record in records.items():
        stored[name] = tuple(record(**each) for each in stored[name])
    for name in ("cut_lines", "blocks", "overrides", "remarks"):
        stored[name] = tuple(stored[name])
    return LogFacts(**stored)


def _record(stored: Json) -> Record:
    stored["stamp"] = Stamp(*stored["stamp"])
    stored["summary"] = Stamp(*stored["summary"]) if stored["summary"] else None
    stored["recovered"] = tuple(Recovered(**cell) for cell in stored["recovered"])
    stored["facts"] = _facts(stored["facts"])
    stored["tail"] = _tail(stored["tail"])
    stored["keys"] = tuple(stored["keys"])
    stored["parts"] = tuple(Part(*part) for part in stored["parts"])
    stored["retired"] = tuple(Retired(*old) for old in stored["retired"])
    return Record(**stored)
