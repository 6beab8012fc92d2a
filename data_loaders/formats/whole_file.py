"""A reader of formats that are understood only as a whole, such as one JSON document.

Nothing of such a file is ever settled: all of it stands in the tail, and it is read anew when it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from data_loaders.formats.findings import Findings
from data_loaders.schema import Batch, Json, LogFacts, LogReader

MOST_BYTES = 256 << 20
"""More of a file is not read, and said so."""


class WholeFormat(NamedTuple):
    name: str
    read: Callable[[bytes, Findings], None]
    """Reads all there is of a file. Raises nothing, whatever the bytes."""


def whole_reader(form: WholeFormat) -> Callable[[Json | None], LogReader]:
    """What `Loader.reader` of a format is."""
    return partial(WholeReader, form)


class WholeReader:
    """Implements `schema.LogReader`."""

    def __init__(self, form: WholeFormat, state: Json | None = None) -> None:
        del state  # it holds nothing
        self._form = form
        self._parts: list[bytes] = []
        self._size = 0
        self._lines = 0
        self._last = b"\n"
        self._read: Findings | None = None

    def feed(self, data: bytes) -> None:
        if not data:
            return
        if self._size < MOST_BYTES:
            self._parts.append(data[: MOST_BYTES - self._size])
        self._size += len(data)
        self._lines += data.count(b"\n")
        self._last = data[-1:]
        self._read = None

    def drain(self) -> Batch:
        return Findings().drain()

    def tail(self) -> Batch:
        rows = self._found().rows
        return Findings(rows=rows, count=len(rows)).drain()

    def facts(self) -> LogFacts:
        return self._found().facts(self._form.name, self._size, self._lines + (self._last != b"\n"))

    def state(self) -> Json:
        return {"offset": 0}

    def _found(self) -> Findings:
        if self._read is None:
            self._read = Findings()
            self._form.read(b"".join(self._parts), self._read)
            if self._size > MOST_BYTES:
                self._read.remark("report.too_long")
        return self._read
