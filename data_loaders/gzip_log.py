"""Decompressed bytes of a gzip file that may be truncated or damaged."""

from __future__ import annotations

import io
import zlib
from typing import BinaryIO

MAGIC = b"\x1f\x8b"
_CHUNK = 1 << 16
_MOST = 4 << 20
"""Decompressed bytes made at once."""


class GzipLog(io.RawIOBase):
    """Ends where the file can no longer be read; `damage` says why. Seeking starts over or reads on."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start()

    def _start(self) -> None:
        self._file.seek(0)
        self._inflate = zlib.decompressobj(31)
        self._rest = b""  # read from the file, not yet decompressed
        self._between = False  # a member has ended, another may follow
        self._made = memoryview(b"")
        self._position = 0
        self._ended = False
        self.damage = ""
        """Message key; empty as long as nothing is wrong."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset += self._position
        elif whence != io.SEEK_SET:
            raise OSError("the end of a gzip file is not known")
        if offset < self._position:
            self._start()
        skipped = bytearray(1 << 20)
        while self._position < offset and self.readinto(memoryview(skipped)[: offset - self._position]):
            pass
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._made and not self._ended:
            self._made = memoryview(self._more())
        size = min(len(buffer), len(self._made))
        buffer[:size] = self._made[:size]
        self._made = self._made[size:]
        self._position += size
        return size

    def close(self) -> None:
        self._file.close()
        super().close()

    def _more(self) -> bytes:
        """The next decompressed bytes; empty at the end, and sometimes before it."""
        between = self._between
        data = self._rest or self._file.read(_CHUNK)
        if between:
            data = data.lstrip(b"\0") or data[:1]  # padding behind a member
        if not data:
            self._end("" if between else "damage.gzip_truncated")
            return b""
        if between and data == b"\0":
            self._rest = b""
            return b""
        before = self._inflate.copy()
        try:
            made = self._inflate.decompress(data, _MOST)
        except zlib.error:
            self._end("damage.gzip_corrupt")
            return _salvage(before, data)
        self._between, self._rest = self._inflate.eof, self._inflate.unconsumed_tail
        if self._between:
            self._rest, self._inflate = self._inflate.unused_data, zlib.decompressobj(31)
        return made

    def _end(self, damage: str) -> None:
        self._ended, self.damage = True, damage


def _salvage(inflate: zlib._Decompress, data: bytes) -> bytes:
    """What can be made of the bytes before the damaged one."""
    made = []
    try:
        for at in range(len(data)):
            made.append(inflate.decompress(data[at : at + 1]))
    except zlib.error:
        pass
    return b"".join(made)
