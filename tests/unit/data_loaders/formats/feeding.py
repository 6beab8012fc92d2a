"""Reads bytes with the loader that claims them, in one go or in chunks with saved states in between."""

from __future__ import annotations

import random

from data_loaders.formats import Loader, find_loader
from tests.unit.data_loaders.formats.reading import Result, assert_same, chunks_with, read_with

SAMPLE = 256 * 1024


def claimed(data: bytes, name: str) -> Loader:
    loader = find_loader(data[:SAMPLE], data[-SAMPLE:], name)
    assert loader is not None, "no loader claims it"
    return loader


def read(text: str | bytes, name: str) -> Result:
    """Everything a file of this name says."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_with(claimed(data, name).reader, data)


def assert_any_chunking(loader: Loader, data: bytes, seed: int = 3, rounds: int = 12) -> None:
    """However its bytes arrive, and wherever reading pauses, a file gives the same result."""
    whole, chance = read_with(loader.reader, data), random.Random(seed)
    for _ in range(rounds):
        cuts = sorted(chance.choices(range(len(data) + 1), k=chance.randrange(9)))
        assert_same(chunks_with(loader.reader, data, cuts, lambda: chance.random() < 0.6), whole)
