"""Finds the few interesting places in a log at the speed of a plain text search.

Between two step lines a log may print hundreds of kilobytes of model text. A few byte-wise passes mark the
newlines, the `p:` of `step:`, and the `g f` of `Training from scratch` and `Resuming from`; only where these
are found is anything looked at more closely.
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
STARTS = (b"Training from scratch", b"Resuming from ")
_BEFORE_G = 7
"""Bytes of both before their `g f`."""


class Found(NamedTuple):
    steps: list[tuple[int, int, int]]
    """Per line with a possible step token: its position, the end of the line, and the newlines before it."""
    starts: list[int]
    """Positions of words that announce a start of the program."""
    newlines: int


class Searcher:
    """Owns the marks, so that searching allocates nothing."""

    def __init__(self) -> None:
        self._flags = bytearray(BLOCK)  # a byte is 1 where something was found, so that `find` finds it again
        self._marks = np.frombuffer(self._flags, np.bool_)
        self._other = np.empty(BLOCK, np.bool_)
        self._newlines = np.empty(BLOCK, np.bool_)

    def search(self, data: bytes, start: int, end: int) -> Found:
        """Search `data[start:end]`, whole lines."""
        steps: list[tuple[int, int, int]] = []
        starts: list[int] = []
        newlines = 0
        done = start
        find, is_step = self._flags.find, STEP_TOKEN.match
        for low in range(start, end, BLOCK):
            size = min(BLOCK, end - low)
            block = np.frombuffer(data, np.uint8, min(size + REACH, end - low), low)
            line_ends = np.equal(block[:size], 10, out=self._newlines[:size])
            counted = 0
            width = self._mark(block, b"p", b":", 1, size)
            found = find(1, max(done - low, 0), width)
            while found >= 0:
                at, then = low + found - 3, found + 1
                if at >= start and is_step(data, at) and (at == start or data[at - 1] not in b"_/"):
                    newlines += int(np.count_nonzero(line_ends[counted:found]))
                    counted = found
                    done = data.find(b"\n", at, end)
                    done = end if done < 0 else done
                    then = done - low
                    steps.append((at, done, newlines))
                found = find(1, then, width)
            newlines += int(np.count_nonzero(line_ends[counted:]))
            starts += self._starts(data, start, low, self._mark(block, b"g", b"f", 2, size))
        return Found(steps, starts, newlines)

    def _starts(self, data: bytes, start: int, low: int, width: int) -> Iterator[int]:
        found = self._flags.find(1, 0, width)
        while found >= 0:
            at = low + found - _BEFORE_G
            if at >= start and data.startswith(STARTS, at):
                yield at
            found = self._flags.find(1, found + 1, width)

    def _mark(self, block: Bytes, first: bytes, then: bytes, distance: int, size: int) -> int:
        """Flag places in the first `size` bytes where one byte follows another. How many bytes were read."""
        width = max(min(size, len(block) - distance), 0)
        marks = np.equal(block[:width], first[0], out=self._marks[:width])
        other = np.equal(block[distance : distance + width], then[0], out=self._other[:width])
        np.logical_and(marks, other, out=marks)
        return width
