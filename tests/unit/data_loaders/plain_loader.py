"""A log format for tests of the cache, as simple as can show every trait of a `LogReader`.

A line `3 loss=0.5 kl=nan` is a step line, `fresh` and `resume 2` are launches, anything else is noise.
A value with a question mark behind is decided only when a line `sure` comes; until then the tail has it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from data_loaders.columns import LINE_FIELDS
from data_loaders.schema import Batch, Column, Json, Launch, LogFacts, StepLines

ITEM = re.compile(r"([^=]+)=(-?(?:\d+(?:\.\d*)?(?:e\d+)?|nan|inf)\??)")
Cell = tuple[int, str, float]


class PlainReader:
    """Implements `schema.LogReader`; what it knows besides undrained rows is its state."""

    def __init__(self, state: Json | None) -> None:
        known = state or {"offset": 0, "lines": 0, "rows": 0, "open": [], "launches": []}
        self.known: Json = {**known, "open": list(known["open"]), "launches": list(known["launches"])}
        self.first = self.known["rows"]
        self.rest = b""
        self.rows: list[tuple[int, ...]] = []
        self.cells: list[Cell] = []

    def feed(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.take(line)
            self.known["offset"] += len(line) + 1
            self.known["lines"] += 1

    def take(self, line: bytes) -> None:
        words = line.decode("utf-8", "replace").split()
        match words:
            case ["sure"]:
                self.cells += [tuple(cell) for cell in self.known["open"]]
                self.known["open"] = []
            case ["fresh"]:
                self.known["launches"].append([self.known["lines"] + 1, "fresh", None])
            case ["resume", step]:
                self.known["launches"].append([self.known["lines"] + 1, "resume", int(step)])
            case [step, *items] if step.isdigit():
                self.take_step(int(step), items, len(line))

    def take_step(self, step: int, items: list[str], length: int) -> None:
        known = self.known
        self.rows.append((step, known["offset"], length, known["lines"] + 1, len(known["launches"]) - 1))
        for key, value in (found.groups() for found in map(ITEM.fullmatch, items) if found):
            cell = known["rows"], key, float(value.rstrip("?"))
            (known["open"] if value.endswith("?") else self.cells).append(cell)
        known["rows"] += 1

    def drain(self) -> Batch:
        batch = as_batch(self.first, self.rows, self.cells)
        self.first, self.rows, self.cells = self.known["rows"], [], []
        return batch

    def ahead(self) -> PlainReader:
        """A reader that has taken the unterminated last line for a line."""
        reader = PlainReader(self.known)
        if self.rest:
            reader.feed(self.rest + b"\n")
        return reader

    def tail(self) -> Batch:
        reader = self.ahead()
        return as_batch(reader.first, reader.rows, reader.cells + [tuple(c) for c in reader.known["open"]])

    def facts(self) -> LogFacts:
        known = self.ahead().known
        return LogFacts(
            format="plain",
            kind="rl",
            bytes=self.known["offset"] + len(self.rest),
            physical_lines=known["lines"],
            step_lines=known["rows"],
            launches=tuple(Launch(*launch) for launch in known["launches"]),
        )

    def state(self) -> Json:
        return self.known


class PlainLoader(NamedTuple):
    """As `formats.Loader`, for logs that begin with `plain`."""

    name: str = "plain"
    reader: type[PlainReader] = PlainReader
    lines: bool = True


def find_plain(head: bytes, tail: bytes, name: str) -> PlainLoader | None:
    return PlainLoader() if head.startswith(b"plain") else None


def as_batch(first: int, rows: list[tuple[int, ...]], cells: list[Cell]) -> Batch:
    fields = [np.array([row[at] for row in rows], np.int64) for at in range(len(LINE_FIELDS))]
    columns: dict[str, tuple[list[int], list[float]]] = {}
    for row, key, value in cells:
        column = columns.setdefault(key, ([], []))
        column[0].append(row)
        column[1].append(value)
    arrays = {key: Column(np.array(r, np.int64), np.array(v, float)) for key, (r, v) in columns.items()}
    return Batch(first, StepLines(*fields), arrays)
