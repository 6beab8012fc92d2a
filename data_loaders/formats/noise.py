"""Finds the few interesting places in a log at the speed of a plain text search.

Between two step lines a log may print hundreds of kilobytes of model text. One byte-wise pass marks the
newlines, the `p:` of `step:`, and the `g f` of `Training from scratch` and `Resuming from`; only where
these are found is anything looked at more closely.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from data_loaders.formats.step_line import STEP_TOKEN

Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]
BLOCK = 1 << 17
REACH = 2
"""Bytes behind a block that a pair may reach into."""
_LAUNCH_WORDS = (b"Training from scratch", b"Resuming from ")
_BEFORE_PAIR = 7
"""Bytes of both before their `g f`."""


class Found(NamedTuple):
    steps: list[tuple[int, int, int]]
    """Per line with a possible step token: its position, the end of the line, and the newlines before it."""
    launches: list[int]
    """Positions of words that announce a start of the program."""
    newlines: int


class Searcher:
    """Owns the marks, so that searching allocates nothing."""

    def __init__(self) -> None:
        self._flags = bytearray(BLOCK)  # a byte is 1 where something was found, so that `find` finds it again
        self._marks = np.frombuffer(self._flags, np.bool_)
        self._then = np.empty(BLOCK, np.bool_)
        self._newlines = np.empty(BLOCK, np.bool_)

    def search(self, data: bytes, start: int, end: int) -> Found:
        """Search `data[start:end]`, whole lines."""
        steps: list[tuple[int, int, int]] = []
        launches: list[int] = []
        newlines = 0
        done = start
        for low in range(start, end, BLOCK):
            size = min(BLOCK, end - low)
            block = np.frombuffer(data, np.uint8, min(size + REACH, end - low), low)
            line_ends = np.equal(block[:size], 10, out=self._newlines[:size])
            counted = 0
            width = self._mark(block, b"p", b":", size)
            pair = self._flags.find(1, max(done - low, 0), width)
            while pair >= 0:
                at, then = low + pair - 3, pair + 1
                if at >= start and STEP_TOKEN.match(data, at) and (at == start or data[at - 1] not in b"_/"):
                    newlines += int(np.count_nonzero(line_ends[counted:pair]))
                    counted = pair
                    done = data.find(b"\n", at, end)
                    done = end if done < 0 else done
                    then = done - low
                    steps.append((at, done, newlines))
                pair = self._flags.find(1, then, width)
            newlines += int(np.count_nonzero(line_ends[counted:]))
            launches += self._launches(data, start, low, self._mark(block, b"g", b" f", size))
        return Found(steps, launches, newlines)

    def _launches(self, data: bytes, start: int, low: int, width: int) -> Iterator[int]:
        pair = self._flags.find(1, 0, width)
        while pair >= 0:
            at = low + pair - _BEFORE_PAIR
            if at >= start and data.startswith(_LAUNCH_WORDS, at):
                yield at
            pair = self._flags.find(1, pair + 1, width)

    def _mark(self, block: Bytes, first: bytes, then: bytes, size: int) -> int:
        """Flag positions below `size` of one byte and the last of the bytes behind it. How many were read."""
        width = max(min(size, len(block) - len(then)), 0)
        marks = np.equal(block[:width], first[0], out=self._marks[:width])
        follows = np.equal(block[len(then) : len(then) + width], then[-1], out=self._then[:width])
        np.logical_and(marks, follows, out=marks)
        return width
