"""Immutable files of columns: npz archives of plain arrays, of which single columns are read.

Arrays of a key are named by the key's number, so no key ever becomes a file name. Rows are left out where a
key stands on every step line of the part.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from data_loaders.columns import LINE_FIELDS
from data_loaders.schema import Batch, Column, StepLines

SIGNATURE = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s22xHH")
"""Of a zip member: signature, then the lengths of name and extra field, after which its bytes follow."""


class DamagedError(Exception):
    """A file of the cache is missing, cut, altered, or cannot be read."""


class Part(NamedTuple):
    """A file of columns. `names` is a checksum of what its arrays are called."""

    file: str
    bytes: int
    names: int
    first_row: int
    rows: int


def packed(file: str, batch: Batch, keys: Sequence[str]) -> tuple[Part, bytes]:
    """A batch as the content of a file. `keys` holds all of its keys, and the place of each is its number."""
    arrays: dict[str, Any] = {name: getattr(batch.lines, name) for name in LINE_FIELDS}
    numbers = {key: number for number, key in enumerate(keys)}
    rows = batch.lines.step.size
    every = np.arange(batch.first_row, batch.first_row + rows)
    for key, column in batch.columns.items():
        arrays[f"values{numbers[key]}"] = column.values
        if not np.array_equal(column.rows, every):
            arrays[f"rows{numbers[key]}"] = column.rows
    # Packed in memory: an archive that fails half-way on a full disk fails again when it is closed.
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    data = content.getvalue()
    return Part(file, len(data), _names_checksum(arrays), batch.first_row, rows), data


class PartReader:
    """Reads arrays of one part. Raises DamagedError for whatever is not as it was written."""

    def __init__(self, folder: Path, part: Part) -> None:
        self.part = part
        self._path = folder / part.file
        self._members: Mapping[str, zipfile.ZipInfo] = {}

    def lines(self) -> StepLines:
        """Step lines of the part."""
        return StepLines(*(self._array(name) for name in LINE_FIELDS))

    def column(self, number: int) -> Column | None:
        """Cells of the key with a number; None when the part has none."""
        self._index()
        if f"values{number}" not in self._members:
            return None
        values = self._array(f"values{number}")
        if f"rows{number}" in self._members:
            return Column(self._array(f"rows{number}"), values)
        return Column(np.arange(self.part.first_row, self.part.first_row + self.part.rows), values)

    def batch(self, keys: Sequence[str]) -> Batch:
        """Everything in the part."""
        found = {key: self.column(number) for number, key in enumerate(keys)}
        columns = {key: column for key, column in found.items() if column is not None}
        return Batch(self.part.first_row, self.lines(), columns)

    def _index(self) -> None:
        # The archive's directory costs much more to read than a column, so it is read once.
        if self._members:
            return
        try:
            with zipfile.ZipFile(self._path) as archive:
                members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        except (OSError, ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, struct.error) as why:
            raise DamagedError(str(self._path)) from why
        if _names_checksum(members) != self.part.names:
            raise DamagedError(str(self._path))
        self._members = members

    def _array(self, name: str) -> npt.NDArray[Any]:
        self._index()
        info = self._members[name]
        try:
            with self._path.open("rb") as file:
                file.seek(info.header_offset)
                signature, *lengths = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
                file.seek(sum(lengths), 1)
                data = file.read(info.file_size)
        except (OSError, ValueError, struct.error) as why:
            raise DamagedError(str(self._path)) from why
        if signature != SIGNATURE or zlib.crc32(data) != info.CRC:
            raise DamagedError(str(self._path))
        return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)


def _names_checksum(names: Iterable[str]) -> int:
    return zlib.crc32("\n".join(sorted(names)).encode())
