"""Finds the few interesting places in a log at the speed of a plain text search.

Between two step lines a log may print hundreds of kilobytes of model text. A few byte-wise passes mark the
newlines, the `p:` of `step:`, the `s:` of `validation metrics:` and the `g f` of `Training from scratch`;
only where these are found is anything looked at more closely.
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
CLOSINGS = (b"idation metrics:", b" with overrides:")
_BEFORE_S = 14
"""Bytes of both before their `s:`."""


class Found(NamedTuple):
    steps: list[tuple[int, int, int]]
    """Per line with a possible step token: its position, the end of the line, and the newlines before it."""
    telling: list[int]
    """Positions of words that announce a start of the program, a validation block, or a crash."""
    newlines: int


def tells(text: bytes) -> bool:
    """Some of these words stand in a short text."""
    return any(word in text for word in STARTS + CLOSINGS)


class Searcher:
    """Owns the marks, so that searching allocates nothing."""

    def __init__(self) -> None:
        self._flags = bytearray(BLOCK)  # a byte is 1 where something was found, so that `find` finds it again
        self._marks = np.frombuffer(self._flags, np.bool_)
        self._other = np.empty(BLOCK, np.bool_)
        self._newlines = np.empty(BLOCK, np.bool_)

    def search(self, data: bytes, start: int, end: int) -> Found:
        """Search `data[start:end]`, whole lines. Not every word behind a step token on its line is told."""
        steps: list[tuple[int, int, int]] = []
        telling: list[int] = []
        newlines = 0
        done = start
        for low in range(start, end, BLOCK):
            size = min(BLOCK, end - low)
            block = np.frombuffer(data, np.uint8, min(size + REACH, end - low), low)
            line_ends = np.equal(block[:size], 10, out=self._newlines[:size])
            counted = 0
            width = self._mark_colons(block, size)
            found = self._flags.find(1, max(done - low, 0), width)
            while found >= 0:
                at, then = low + found - 3, found + 1
                if at >= start and STEP_TOKEN.match(data, at) and (at == start or data[at - 1] not in b"_/"):
                    newlines += int(np.count_nonzero(line_ends[counted:found]))
                    counted = found
                    done = data.find(b"\n", at, end)
                    done = end if done < 0 else done
                    then = done - low
                    steps.append((at, done, newlines))
                elif data.startswith(CLOSINGS, max(low + found - _BEFORE_S, start)):
                    telling.append(low + found)
                found = self._flags.find(1, then, width)
            newlines += int(np.count_nonzero(line_ends[counted:]))
            telling += self._starts(data, start, low, self._mark_starts(block, size))
        return Found(steps, sorted(telling), newlines)

    def _starts(self, data: bytes, start: int, low: int, width: int) -> Iterator[int]:
        found = self._flags.find(1, 0, width)
        while found >= 0:
            at = low + found - _BEFORE_G
            if at >= start and data.startswith(STARTS, at):
                yield at
            found = self._flags.find(1, found + 1, width)

    def _mark_colons(self, block: Bytes, size: int) -> int:
        """Flag every `p:` and `s:` that begins in the first `size` bytes. How many bytes were looked at."""
        width = max(min(size, len(block) - 1), 0)
        marks = np.equal(block[:width], ord("p"), out=self._marks[:width])
        other = self._other[:width]
        np.logical_or(marks, np.equal(block[:width], ord("s"), out=other), out=marks)
        np.logical_and(marks, np.equal(block[1 : 1 + width], ord(":"), out=other), out=marks)
        return width

    def _mark_starts(self, block: Bytes, size: int) -> int:
        """The same for every `g` that an `f` follows after one byte."""
        width = max(min(size, len(block) - 2), 0)
        marks = np.equal(block[:width], ord("g"), out=self._marks[:width])
        np.logical_and(marks, np.equal(block[2 : 2 + width], ord("f"), out=self._other[:width]), out=marks)
        return width
