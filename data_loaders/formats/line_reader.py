"""A reader of formats whose lines are read one at a time: bytes to lines, lines to a format's parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

from data_loaders.formats import life_cycle
from data_loaders.formats.findings import Findings, Place
from data_loaders.formats.head import first_clock, last_clock
from data_loaders.formats.step_line import RAY_PREFIX, plain, writer_of
from data_loaders.schema import Batch, Json, LogFacts, LogReader

MAX_LINE = 32 << 20
"""A longer line is read in parts of this size."""
TRAIL = 8000
"""Bytes at the end of a log in which a traceback is looked for."""


class Parser(Protocol):
    """Reads one physical line after another. What it remembers between two lines is its state."""

    def line(self, raw: bytes, place: Place, found: Findings) -> None: ...

    def finish(self, found: Findings) -> None:
        """The log ends, perhaps for now only."""

    def state(self) -> Json: ...


class Format(NamedTuple):
    name: str
    parser: Callable[[Json | None], Parser]
    console: bool = False
    """Lines are what a program printed, and may end in its traceback."""
    from_source: bool = False
    """Written from the source code of the program; no real log of it was seen."""


def reader_of(form: Format) -> Callable[[Json | None], LogReader]:
    """What `Loader.reader` of a format is."""
    return partial(LineReader, form)


class LineReader:
    """Implements `schema.LogReader`."""

    def __init__(self, form: Format, state: Json | None = None) -> None:
        state = state or {}
        self._form = form
        self._offset: int = state.get("offset", 0)
        self._line: int = state.get("line", 1)
        self._trail = state.get("trail", "").encode("latin-1")
        self._clock: list[float] = state.get("clock", [])
        self._found = Findings.from_json(state["found"]) if state else Findings()
        self._parser = form.parser(state.get("parser"))
        self._rest = b""

    def feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        whole = self._offset
        for line in lines:
            self._take(line)
            self._offset += 1
            self._line += 1
        while len(self._rest) >= MAX_LINE:
            self._take(self._rest[:MAX_LINE])
            self._rest = self._rest[MAX_LINE:]
        if self._form.console and self._offset > whole:
            passed = b"\n".join(lines)
            self._trail = (self._trail + passed[-TRAIL:] + b"\n")[-TRAIL:]
            self._time(passed)

    def _take(self, line: bytes) -> None:
        for start in range(0, max(len(line), 1), MAX_LINE):
            part = line[start : start + MAX_LINE]
            self._parser.line(part, Place(self._offset, len(part), self._line), self._found)
            self._offset += len(part)

    def _time(self, data: bytes) -> None:
        if not self._clock and (first := first_clock(data)) is not None:
            self._clock = [first, first]
        if self._clock and (last := last_clock(data)):
            self._clock = [self._clock[0], last[1]]

    def drain(self) -> Batch:
        return self._found.drain()

    def tail(self) -> Batch:
        return self._finished()._found.drain()

    def facts(self) -> LogFacts:
        ahead = self._finished()
        found, size = ahead._found, self._offset + len(self._rest)
        lines = self._line - 1 + bool(self._rest)
        if self._form.console:
            _read_end(found, ahead._trail + self._rest, lines)
        told = found.facts(self._form.name, size, lines, ahead._clock)
        return replace(told, remarks=("report.from_source",) * self._form.from_source + told.remarks)

    def _finished(self) -> LineReader:
        """A reader that was told that no more will come."""
        ahead = LineReader(self._form, self.state())
        if self._rest:
            ahead._take(self._rest)
        ahead._parser.finish(ahead._found)
        return ahead

    def state(self) -> Json:
        return {
            "offset": self._offset,
            "line": self._line,
            "trail": self._trail.decode("latin-1"),
            "clock": list(self._clock),
            "found": self._found.to_json(),
            "parser": self._parser.state(),
        }


def _read_end(found: Findings, trail: bytes, line: int) -> None:
    """How a program died, where its last lines show it."""
    if found.end:
        return
    if life_cycle.dies_of_traceback(trail):
        found.finish("crashed", line, life_cycle.last_error(trail, 0, len(trail)))
    elif re.search(rb"(?:^|\n)KeyboardInterrupt\s*\Z", trail):
        found.finish("stopped", line, "KeyboardInterrupt")


class Piece(NamedTuple):
    """A part of a physical line that one program wrote at once, colours and Ray prefixes removed."""

    text: str
    writer: str
    """As its Ray prefix says; empty without prefix."""
    place: Place


def pieces(raw: bytes, place: Place) -> Iterator[Piece]:
    """Split a physical line at carriage returns and at inner Ray prefixes."""
    start = 0
    for part in raw.split(b"\r"):
        cuts = [start]
        if b"pid=" in part:
            cuts += [start + found.start() for found in RAY_PREFIX.finditer(part) if found.start()]
        writer = ""
        for low, high in zip(cuts, [*cuts[1:], start + len(part)], strict=True):
            stretch = raw[low:high]
            writer = writer_of(stretch) or writer
            text = plain(stretch)
            if text:
                yield Piece(text, writer, Place(place.offset + low, high - low, place.line))
        start += len(part) + 1


def spanning(first: Place, last: Place) -> Place:
    """From the start of one place to the end of another."""
    return first._replace(length=last.offset + last.length - first.offset)
