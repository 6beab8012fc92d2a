"""Finds the few interesting places in a log at the speed of a plain text search.

Between two step lines a log may print hundreds of kilobytes of model text. One byte-wise pass marks the
newlines and the pairs `p:` (of `step:`) and `fr` (of `Training from scratch` and `Resuming from`); only where
a pair is found is anything looked at more closely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from data_loaders.schema import BoolArray

BLOCK = 1 << 17
_STEP_AHEAD = re.compile(rb"step:[0-9]")
_LAUNCH_WORDS = b"ing from "


class Found(NamedTuple):
    steps: list[tuple[int, int]]
    """Position of each possible step token, and the newlines before it."""
    launches: list[int]
    """Positions of words that announce a start of the program."""
    newlines: int


class _Marks:
    """One flag per byte of a block, found again through `bytearray.find`."""

    def __init__(self) -> None:
        self._flags = bytearray(BLOCK + 1)
        self.array: BoolArray = np.frombuffer(self._flags, np.bool_)

    def positions(self, stop: int) -> Iterator[int]:
        at = self._flags.find(1, 0, stop)
        while at >= 0:
            yield at
            at = self._flags.find(1, at + 1, stop)


class Searcher:
    """Owns the marks, so that searching allocates nothing."""

    def __init__(self) -> None:
        self._newlines, self._pairs, self._second = _Marks(), _Marks(), _Marks()

    def search(self, data: bytes, start: int, end: int) -> Found:
        """Search `data[start:end]`, whole lines."""
        steps: list[tuple[int, int]] = []
        launches: list[int] = []
        newlines = 0
        for low in range(start, end, BLOCK):
            size = min(BLOCK, end - low)
            reach = min(size + 1, end - low)  # a pair may begin with the last byte of the block
            block = np.frombuffer(data, np.uint8, reach, low)
            line_ends = np.equal(block, 10, out=self._newlines.array[:reach])
            counted = 0
            for pair in self._find(block, b"p:"):
                at = low + pair - 3
                if at >= start and _STEP_AHEAD.match(data, at) and (at == start or data[at - 1] not in b"_/"):
                    newlines += int(np.count_nonzero(line_ends[counted:pair]))
                    counted = pair
                    steps.append((at, newlines))
            newlines += int(np.count_nonzero(line_ends[counted:size]))
            for pair in self._find(block, b"fr"):
                at = low + pair - 4
                if at >= start and data.startswith(_LAUNCH_WORDS, at):
                    launches.append(at)
        return Found(steps, launches, newlines)

    def _find(self, block: np.ndarray[tuple[int], np.dtype[np.uint8]], pair: bytes) -> Iterator[int]:
        """Positions in the block at which two bytes stand together."""
        size = len(block) - 1
        first = np.equal(block, pair[0], out=self._pairs.array[: size + 1])[:size]
        second = np.equal(block, pair[1], out=self._second.array[: size + 1])[1:]
        np.logical_and(first, second, out=first)
        return self._pairs.positions(size)
