"""The bytes of a log while it is read: what they were so far, and whether a file still begins with them."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from data_loaders.gzip_log import MAGIC, GzipLog
from data_loaders.read import damage_of
from data_loaders.schema import Batch, LogReader

SAMPLE = 4096
"""Bytes compared at the start of a log, and before the place that was read up to."""
CHUNK = 4 << 20
BLOCK = 1 << 16
SEPARATORS = (b" ", b",", b"\t", b"\n")
"""No number goes on behind one."""


class Stamp(NamedTuple):
    """What one `stat` says of a log. While it stays equal, nothing was written."""

    device: int
    inode: int
    size: int
    modified: int


class Mark(NamedTuple):
    """What was read of a log: number of bytes, their CRC-32, the first and the last few of them."""

    size: int = 0
    checksum: int = 0
    head: bytes = b""
    block: bytes = b""

    def after(self, data: bytes) -> Mark:
        """The mark when `data` has been read too."""
        return Mark(
            self.size + len(data),
            zlib.crc32(data, self.checksum),
            self.head + data[: SAMPLE - len(self.head)],
            (self.block + data[-SAMPLE:])[-SAMPLE:],
        )


@dataclass(slots=True)
class OpenLog:
    """An open log: the file, and its decompressed bytes (the file itself when it is not compressed)."""

    file: BinaryIO
    stream: BinaryIO
    stamp: Stamp
    failed: str = ""

    @property
    def compressed(self) -> bool:
        return self.stream is not self.file

    @property
    def damage(self) -> str:
        """Message key that says why reading ended before the end of the file; empty when it did not."""
        return self.failed or damage_of(self.stream)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end, or where the file cannot be read further."""
        try:
            return self.stream.read(size)
        except OSError:
            self.failed = "damage.unreadable"
            return b""


def stamp_of(stat: os.stat_result) -> Stamp:
    return Stamp(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)


@contextmanager
def opened(path: Path) -> Iterator[OpenLog]:
    """Open a plain or gzip log. Raises OSError."""
    with path.open("rb") as file:
        stamp = stamp_of(os.fstat(file.fileno()))
        compressed = file.read(len(MAGIC)) == MAGIC
        file.seek(0)
        if compressed:
            with io.BufferedReader(GzipLog(file)) as stream:
                yield OpenLog(file, cast(BinaryIO, stream), stamp)
        else:
            yield OpenLog(file, file, stamp)


def sample_hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def mark_at(file: BinaryIO, size: int, checksum: int) -> Mark:
    """The mark of having read `size` bytes of a plain file whose checksum was noted then."""
    file.seek(0)
    head = file.read(min(size, SAMPLE))
    file.seek(max(size - SAMPLE, 0))
    return Mark(size, checksum, head, file.read(min(size, SAMPLE)))


def last_word(file: BinaryIO, size: int) -> int:
    """Where the word begins that the first `size` bytes end in; `size` when it is longer than any number."""
    low = max(size - BLOCK, 0)
    file.seek(low)
    data = file.read(size - low)
    found = max(data.rfind(separator) for separator in SEPARATORS)
    return low + found + 1 if found >= 0 else size


def has_checksum(file: BinaryIO, size: int, checksum: int) -> bool:
    """Whether the first bytes of a plain file are still what they were."""
    file.seek(0)
    found, left = 0, size
    while left and (data := file.read(min(CHUNK, left))):
        found, left = zlib.crc32(data, found), left - len(data)
    return not left and found == checksum


def read_on(reader: LogReader, log: OpenLog, mark: Mark, end: int | None) -> Iterator[tuple[Mark, Batch]]:
    """Feed a reader from a mark to byte `end`, or to the end; gives what each chunk completed."""
    while end is None or mark.size < end:
        data = log.read(CHUNK if end is None else min(CHUNK, end - mark.size))
        if not data:
            return
        reader.feed(data)
        mark = mark.after(data)
        yield mark, reader.drain()
