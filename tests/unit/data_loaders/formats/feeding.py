"""Reads bytes with the loader of any format, in one go or in chunks with saved states in between."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import asdict

import numpy as np
import orjson

from data_loaders.columns import join_batches
from data_loaders.formats import Loader, find_loader
from data_loaders.schema import LogReader, StepLines
from tests.unit.data_loaders.formats.reading import Result

SAMPLE = 256 * 1024


def claimed(data: bytes, name: str) -> Loader:
    loader = find_loader(data[:SAMPLE], data[-SAMPLE:], name)
    assert loader is not None, "no loader claims it"
    return loader


def read(text: str | bytes, name: str) -> Result:
    """Everything a file of this name says."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_with(claimed(data, name), data)


def read_with(loader: Loader, data: bytes) -> Result:
    reader = loader.reader(None)
    reader.feed(data)
    return _result(reader, [])


def read_in_chunks(loader: Loader, data: bytes, cuts: Iterable[int], saves: Callable[[], bool]) -> Result:
    """Fed up to each of the cuts; where `saves` says so, a new reader goes on from the state."""
    reader = loader.reader(None)
    batches, at = [], 0
    for cut in [*cuts, len(data)]:
        reader.feed(data[at:cut])
        at = cut
        if saves():
            batches.append(reader.drain())
            state = orjson.loads(orjson.dumps(reader.state()))
            reader = loader.reader(state)
            reader.feed(data[state["offset"] : cut])
    return _result(reader, batches)


def assert_any_chunking(loader: Loader, data: bytes, seed: int = 3, rounds: int = 12) -> None:
    """However its bytes arrive, and wherever reading pauses, a file gives the same result."""
    whole, chance = read_with(loader, data), random.Random(seed)
    for _ in range(rounds):
        cuts = sorted(chance.choices(range(len(data) + 1), k=chance.randrange(9)))
        found = read_in_chunks(loader, data, cuts, lambda: chance.random() < 0.6)
        for name in StepLines.__slots__:
            assert getattr(found.lines, name).tolist() == getattr(whole.lines, name).tolist(), name
        assert found.columns.keys() == whole.columns.keys()
        for key, column in whole.columns.items():
            assert found.columns[key].rows.tolist() == column.rows.tolist(), key
            np.testing.assert_array_equal(found.columns[key].values, column.values, err_msg=key)
        assert asdict(found.facts) == asdict(whole.facts)


def _result(reader: LogReader, batches: list) -> Result:  # type: ignore[type-arg]
    lines, columns = join_batches([*batches, reader.drain(), reader.tail()])
    return Result(lines, columns, reader.facts())
