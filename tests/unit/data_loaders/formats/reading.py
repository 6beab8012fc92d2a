"""Reads text with the console reader, in one go or in chunks with saved states in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
import orjson

from data_loaders.columns import join_batches
from data_loaders.formats.verl_console import VerlConsoleReader
from data_loaders.schema import Column, Json, LogFacts, LogReader, StepLines


class Result(NamedTuple):
    lines: StepLines
    columns: dict[str, Column]
    facts: LogFacts

    def cells(self, key: str) -> list[tuple[int, float]]:
        """(step, value) of a key in file order."""
        column = self.columns[key]
        return list(zip(self.lines.step[column.rows].tolist(), column.values.tolist(), strict=True))

    @property
    def steps(self) -> list[int]:
        return self.lines.step.tolist()


Make = Callable[[Json | None], LogReader]
"""A reader of a format: a fresh one, or one that goes on from a state."""


def read(text: str | bytes) -> Result:
    """Everything a log says, its provisional end included."""
    return read_with(VerlConsoleReader, text if isinstance(text, bytes) else text.encode())


def read_in_chunks(data: bytes, cuts: Iterable[int], saves: Callable[[], bool]) -> Result:
    """The same, fed up to each of the cuts; where `saves` says so, a new reader goes on from the state."""
    return chunks_with(VerlConsoleReader, data, cuts, saves)


def read_with(make: Make, data: bytes) -> Result:
    return chunks_with(make, data, (), lambda: False)


def chunks_with(make: Make, data: bytes, cuts: Iterable[int], saves: Callable[[], bool]) -> Result:
    reader = make(None)
    batches, at = [], 0
    for cut in [*cuts, len(data)]:
        reader.feed(data[at:cut])
        at = cut
        if saves():
            batches.append(reader.drain())
            state = orjson.loads(orjson.dumps(reader.state()))
            reader = make(state)
            reader.feed(data[state["offset"] : cut])
    lines, columns = join_batches([*batches, reader.drain(), reader.tail()])
    return Result(lines, columns, reader.facts())


def assert_same(found: Result, expected: Result) -> None:
    for name in StepLines.__slots__:
        assert getattr(found.lines, name).tolist() == getattr(expected.lines, name).tolist(), name
    assert found.columns.keys() == expected.columns.keys()
    for key, column in expected.columns.items():
        assert found.columns[key].rows.tolist() == column.rows.tolist(), key
        np.testing.assert_array_equal(found.columns[key].values, column.values, err_msg=key)
    assert asdict(found.facts) == asdict(expected.facts)
