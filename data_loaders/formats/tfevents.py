"""TensorBoard's event files: the scalars of every `Summary`, as TensorFlow records of protocol buffers.

Source: TensorFlow's record framing (length, masked CRC-32C of the length, data, CRC of the data) and the
messages Event, Summary and TensorProto. Events of one step that follow each other are one row; the line of a
row is the number of its first record.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from data_loaders.formats.findings import HIGHEST_STEP, Findings, Place, as_key
from data_loaders.schema import Batch, Json, LogFacts

NAME = "tensorboard"
FRAME = 12
"""Bytes before the data of a record."""
CLOSING = 4
LONGEST = 256 << 20
"""A record said to be longer is a damaged one."""


_FLOAT = struct.Struct("<f")


def _crc_table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


@lru_cache(maxsize=4096)  # of lengths, which repeat
def masked_crc(data: bytes) -> int:
    """CRC-32C as TensorFlow writes it: rotated and offset."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


class EventReader:
    """Implements `schema.LogReader`."""

    def __init__(self, state: Json | None = None) -> None:
        state = state or {}
        self._offset: int = state.get("offset", 0)  # of the first record not settled
        self._record: int = state.get("record", 1)  # its number
        self._damaged: bool = state.get("damaged", False)
        self._found = Findings.from_json(state["found"]) if state else Findings()
        self._rest = b""
        self._size = self._offset

    def feed(self, data: bytes) -> None:
        self._size += len(data)
        self._rest = b"" if self._damaged else self._rest + data
        self._records(whole=False)

    def _records(self, *, whole: bool) -> None:
        """Take records into rows; the last row stays open until a record of another step, unless `whole`."""
        data, base = self._rest, self._offset
        at, number = 0, self._record
        settled = at, number
        row: _Open | None = None
        while not self._damaged and (length := self._length(data, at)) is not None:
            end = at + FRAME + length + CLOSING
            if end > len(data):
                break
            event = read_event(data[at + FRAME : end - CLOSING])
            if event.wall_time is not None:
                self._found.tick(event.wall_time)
            if row is not None and event.step != row.step and event.cells:
                self._close(row, base)
                settled, row = (at, number), None
            if event.cells:
                row = row or _Open(event.step, at, number, {})
                row.cells.update(event.cells)
                row = row._replace(end=end)
            at, number = end, number + 1
            settled = (at, number) if row is None else settled
        if row is not None and (whole or self._damaged):
            self._close(row, base)
            settled = at, number
        self._rest, self._offset, self._record = data[settled[0] :], base + settled[0], settled[1]

    def _close(self, row: _Open, base: int) -> None:
        self._found.add(row.step, row.cells, Place(base + row.start, row.end - row.start, row.record))

    def _length(self, data: bytes, at: int) -> int | None:
        """Length of the record's data; None when it has not been written yet, or is damaged."""
        if len(data) - at < FRAME:
            return None
        length, crc = struct.unpack_from("<QI", data, at)
        if length > LONGEST or masked_crc(data[at : at + 8]) != crc:
            self._damaged = True
            self._found.remark("report.events_damaged")
            return None
        return int(length)

    def drain(self) -> Batch:
        return self._found.drain()

    def _finished(self) -> EventReader:
        ahead = EventReader(self.state())
        ahead._size = self._offset + len(self._rest)
        ahead._rest = self._rest
        ahead._records(whole=True)
        return ahead

    def tail(self) -> Batch:
        return self._finished()._found.drain()

    def facts(self) -> LogFacts:
        ahead = self._finished()
        return ahead._found.facts(NAME, self._size, ahead._record - 1)

    def state(self) -> Json:
        return {
            "offset": self._offset,
            "record": self._record,
            "damaged": self._damaged,
            "found": self._found.to_json(),
        }


class _Open(NamedTuple):
    """A row whose last event was not seen yet. Places are bytes in the data at hand."""

    step: int
    start: int
    record: int
    cells: dict[str, float]
    end: int = 0


# -- Messages ------------------------------------------------------------------------------------------


class Event(NamedTuple):
    step: int
    wall_time: float | None
    cells: dict[str, float]


def read_event(data: bytes) -> Event:
    """Step, time and scalars of an Event; what cannot be read is left out."""
    step, wall_time = 0, None
    cells: dict[str, float] = {}
    for number, value in fields(data):
        if number == 1 and isinstance(value, bytes) and len(value) == 8:
            seconds = struct.unpack("<d", value)[0]
            wall_time = seconds if 0 < seconds < 1e11 else None
        elif number == 2 and isinstance(value, int):
            step = value if 0 <= value < HIGHEST_STEP else -1
        elif number == 5 and isinstance(value, bytes):
            for inner, summary in fields(value):
                if inner == 1 and isinstance(summary, bytes):
                    cells |= _scalar(summary)
    return Event(step, wall_time, cells if step >= 0 else {})


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Numbers and values of the fields, up to where it is no message: varints as int, others as bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            if at > len(data):
                return
            yield tag >> 3, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(kind, -1)
        if length < 0 or at + length > len(data):
            return
        yield tag >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Value and end of a varint; an end behind the data when it has none."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if not byte & 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
    return 0, len(data) + 1


def _scalar(data: bytes) -> dict[str, float]:
    """Tag and value of a Summary.Value that is one number."""
    if len(data) > 7 and data[0] == 0x0A and data[1] == len(data) - 7 < 128 and data[-5] == 0x15:
        # The usual one: a short tag, then a float.
        return {
            as_key(data[2:-5].decode("utf-8", "replace")): float(_FLOAT.unpack_from(data, len(data) - 4)[0])
        }
    tag, number = "", None
    for field, value in fields(data):
        if field == 1 and isinstance(value, bytes):
            tag = as_key(value.decode("utf-8", "replace"))
        elif field == 2 and isinstance(value, bytes) and len(value) == 4:
            number = float(struct.unpack("<f", value)[0])
        elif field == 8 and isinstance(value, bytes):
            number = _tensor(value)
    return {tag: number} if tag and number is not None else {}


_TYPES = {
    1: "<f4", 2: "<f8", 3: "<i4", 4: "<u1", 6: "<i1", 9: "<i8", 10: "<u1", 19: "<f2", 22: "<u4", 23: "<u8",
}  # fmt: skip
"""numpy's names of the numeric types of a TensorProto."""
_LISTS = {5: "<f4", 6: "<f8"}
"""Fields that list floats and doubles; 7, 10 and 11 list varints."""


def _tensor(data: bytes) -> float | None:
    """The number in a tensor without dimensions; None for any other tensor."""
    kind = 0
    listed: float | None = None
    content = b""
    for field, value in fields(data):
        if field == 1 and isinstance(value, int):
            kind = value
        elif field == 2 and isinstance(value, bytes) and any(number == 2 for number, _ in fields(value)):
            return None  # it has dimensions
        elif field == 4 and isinstance(value, bytes):
            content = value
        elif field in _LISTS and isinstance(value, bytes):
            listed = _first(value, _LISTS[field])
        elif field in (7, 10, 11):
            number = value if isinstance(value, int) else _varint(value, 0)[0]
            listed = float(number - (1 << 64) if number >> 63 else number)
    if content and kind in _TYPES:
        return _first(content, _TYPES[kind])
    return listed if kind in _TYPES else None


def _first(data: bytes, kind: str) -> float | None:
    size = np.dtype(kind).itemsize
    return float(np.frombuffer(data[:size], kind)[0]) if len(data) >= size else None


def sniff(first: bytes, _last: bytes, _name: str) -> bool:
    """Whether the file begins with a record that is an Event."""
    if len(first) < FRAME:
        return False
    length, crc = struct.unpack_from("<QI", first)
    if length > LONGEST or masked_crc(first[:8]) != crc:
        return False
    event = read_event(first[FRAME : FRAME + length])
    return event.wall_time is not None and math.isfinite(event.wall_time)
