"""Reads whole logs from files: plain or gzip, with the summary file that may stand beside them."""

from __future__ import annotations

import errno
import io
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

from data_loaders import gzip_log, summary
from data_loaders.columns import join_batches
from data_loaders.formats import loader_of
from data_loaders.schema import Batch, Column, LogFacts, StepLines

CHUNK = 1 << 20
DRAIN_EVERY = 64
"""Chunks between two conversions of what was read to columns."""
SAMPLE = 256 * 1024

Progress = Callable[[int, int], None]
"""Called with bytes read of the file, and its size."""


@dataclass(frozen=True, slots=True)
class LoadedLog:
    """A log read at once, its provisional last line included."""

    path: Path
    facts: LogFacts
    lines: StepLines
    columns: dict[str, Column]


def open_log(path: Path) -> BinaryIO:
    """Decompressed bytes of a plain or gzip log. Raises OSError.

    The stream of a broken gzip file ends early; see `damage_of`.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    file = path.open("rb", buffering=0)
    try:
        compressed = file.read(2) == gzip_log.MAGIC
        file.seek(0)
    except OSError:
        file.close()
        raise
    stream = gzip_log.GzipLog(file) if compressed else file
    return cast(BinaryIO, io.BufferedReader(stream, 1 << 16) if compressed else stream)


def damage_of(stream: BinaryIO) -> str:
    """Message key of what was wrong with the compressed file so far; empty for nothing."""
    raw = getattr(stream, "raw", None)
    return raw.damage if isinstance(raw, gzip_log.GzipLog) else ""


def head_tail(path: Path, size: int = SAMPLE) -> tuple[bytes, bytes]:
    """First and last decompressed bytes of a log. Raises OSError.

    Of a gzip file only the start is read, for its end can be had only by reading everything.
    """
    with open_log(path) as stream:
        head = _read(stream, size)
        if isinstance(stream, io.BufferedReader):
            return head, b""
        end = stream.seek(0, io.SEEK_END)
        stream.seek(max(end - size, 0))
        return head, _read(stream, size)


def read_log(path: Path, progress: Progress | None = None) -> LoadedLog:
    """Read a log from start to end. Raises OSError when it cannot be opened.

    A file that fails while it is read gives what was read; `LogFacts.damage` says so. A file that no loader
    claims is read as a console log, for a step line may stand anywhere in it.
    """
    head, tail = head_tail(path)
    loader = loader_of(head, tail, path.name)
    reader = loader.reader(None)
    batches: list[Batch] = []
    damage = ""
    size = path.stat().st_size
    with open_log(path) as stream:
        chunks = _chunks(stream, size, progress)
        try:
            for number, chunk in enumerate(chunks, 1):
                reader.feed(chunk)
                if number % DRAIN_EVERY == 0:
                    batches.append(reader.drain())
        except OSError:
            damage = "damage.unreadable"
        damage = damage or damage_of(stream)
    batches += [reader.drain(), reader.tail()]
    lines, columns = join_batches(batches)
    facts = replace(reader.facts(), damage=damage)
    recovered = summary.recover(summary.read_summary(path), facts, lines, columns)
    return LoadedLog(path, replace(facts, recovered=facts.recovered + recovered), lines, columns)


def _chunks(stream: BinaryIO, size: int, progress: Progress | None) -> Iterator[bytes]:
    done = 0
    while chunk := stream.read(CHUNK):
        yield chunk
        done += len(chunk)
        if progress is not None:
            progress(min(done, size), size)


def _read(stream: BinaryIO, size: int) -> bytes:
    """Up to `size` bytes, fewer only at the end."""
    parts = []
    while size and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
