"""TensorBoard event files, written fast: one event per step that holds every metric.

Records of equal length are made side by side in one array, and their checksums (masked CRC-32C) too, so that
nothing is done per value in Python. Layout: TFRecord framing around the protobuf messages Event (1 wall time,
2 step, 3 file version, 5 summary) and Summary.Value (1 tag, 2 simple value).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from data_loaders.schema import FloatArray

Bytes = npt.NDArray[np.uint8]
START = 1_700_000_000.0
"""Wall time of the first step, epoch seconds."""
STEP_SECONDS = 30.0


def event_file(tags: Sequence[str], rows: FloatArray, first: int = 1, header: bool = True) -> bytes:
    """An event file of `rows` (steps, tags), the first of them step `first`; without `header` to append."""
    parts = [_framed(_version())] if header else []
    steps = np.arange(first, first + len(rows))
    for low, high in _equal_length(steps):
        parts.append(_framed(_events(tags, rows[low:high], steps[low:high])))
    return b"".join(parts)


def _version() -> Bytes:
    text = b"brain.Event:2"
    body = b"\x09" + struct.pack("<d", START) + b"\x1a" + _varint(len(text)) + text
    return np.frombuffer(body, np.uint8)[None]


def _equal_length(steps: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Stretches of steps whose numbers take equally many bytes."""
    sizes = np.array([len(_varint(int(step))) for step in steps])
    edges = [0, *(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(steps)]
    return pairwise(edges)


def _events(tags: Sequence[str], rows: FloatArray, steps: npt.NDArray[np.int64]) -> Bytes:
    """Event messages (steps, length): a template with the numbers put in."""
    values, places = bytearray(), []
    for tag in tags:
        name = tag.encode()
        value = b"\x0a" + _varint(len(name)) + name + b"\x15"
        places.append(len(values) + 1 + len(_varint(len(value) + 4)) + len(value))
        values += b"\x0a" + _varint(len(value) + 4) + value + bytes(4)
    head = b"\x09" + bytes(8) + b"\x10" + _varint(int(steps[0])) + b"\x2a" + _varint(len(values))
    made = np.tile(np.frombuffer(head + bytes(values), np.uint8), (len(rows), 1))
    made[:, 1:9] = (START + STEP_SECONDS * steps).astype("<f8").view(np.uint8).reshape(-1, 8)
    numbers = [_varint(int(step)) for step in steps]
    made[:, 10 : 10 + len(numbers[0])] = np.frombuffer(b"".join(numbers), np.uint8).reshape(len(rows), -1)
    floats = np.ascontiguousarray(rows, "<f4").view(np.uint8).reshape(len(rows), len(tags), 4)
    for nth, place in enumerate(places):
        made[:, len(head) + place : len(head) + place + 4] = floats[:, nth]
    return made


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _framed(messages: Bytes) -> bytes:
    """Records of messages (n, length): length, its checksum, the message, its checksum."""
    count, length = messages.shape
    size = np.frombuffer(struct.pack("<Q", length), np.uint8)
    head = np.concatenate([size, _as_bytes(masked_crc(size[None]))[0]])
    framed = [np.tile(head, (count, 1)), messages, _as_bytes(masked_crc(messages))]
    return np.concatenate(framed, axis=1).tobytes()


def _as_bytes(numbers: npt.NDArray[np.uint32]) -> Bytes:
    return numbers.astype("<u4").view(np.uint8).reshape(-1, 4)


def masked_crc(messages: Bytes) -> npt.NDArray[np.uint32]:
    """Checksum of each message (n, length) → (n,): CRC-32C, turned and shifted as TFRecord has it."""
    crc = np.full(len(messages), 0xFFFFFFFF, np.uint32)
    for column in np.ascontiguousarray(messages.T):
        crc = TABLE[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
    crc ^= np.uint32(0xFFFFFFFF)
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)


def _table() -> npt.NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0x82F63B78), table >> 1).astype(np.uint32)
    return table


TABLE = _table()
