"""Finds the few interesting places in a log at the speed of a plain text search.

Between two step lines a log may print hundreds of kilobytes of model text. A few byte-wise passes mark the
newlines, the `p:` of `step:` (by the difference of its bytes, which few other pairs in text have), and the
`g f` of `Training from scratch` and `Resuming from`; only what stands there is looked at more closely.
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
_DIGITS = frozenset(b"%d" % digit for digit in range(10))
STARTS = (b"Training from scratch", b"Resuming from ")
_P_COLON = ord("p") - ord(":")
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
        self._falls = bytearray(BLOCK)  # from each byte to the next, modulo 256
        self._differences = np.frombuffer(self._falls, np.uint8)
        self._newlines = np.empty(BLOCK, np.bool_)

    def search(self, data: bytes, start: int, end: int) -> Found:
        """Search `data[start:end]`, whole lines."""
        steps: list[tuple[int, int, int]] = []
        starts: list[int] = []
        newlines = 0
        done = start
        find, is_step = self._falls.find, STEP_TOKEN.match
        for low in range(start, end, BLOCK):
            size = min(BLOCK, end - low)
            block = np.frombuffer(data, np.uint8, min(size + REACH, end - low), low)
            line_ends = np.equal(block[:size], 10, out=self._newlines[:size])
            counted = 0
            width = min(size, len(block) - 1)
            np.subtract(block[:width], block[1 : width + 1], out=self._differences[:width])
            found = find(_P_COLON, max(done - low, 0), width)
            while found >= 0:
                at, then = low + found - 3, found + 1
                # Most are other words, and two bytes tell it sooner than the pattern does.
                if (
                    at >= start
                    and data[at + 5 : at + 6] in _DIGITS
                    and (at == start or data[at - 1] not in b"_/")
                    and is_step(data, at)
                ):
                    newlines += int(np.count_nonzero(line_ends[counted:found]))
                    counted = found
                    done = data.find(b"\n", at, end)
                    done = end if done < 0 else done
                    then = done - low
                    steps.append((at, done, newlines))
                found = find(_P_COLON, then, width)
            newlines += int(np.count_nonzero(line_ends[counted:]))
            starts += self._starts(data, start, low, self._mark_starts(block, size))
        return Found(steps, starts, newlines)

    def _starts(self, data: bytes, start: int, low: int, width: int) -> Iterator[int]:
        found = self._flags.find(1, 0, width)
        while found >= 0:
            at = low + found - _BEFORE_G
            if at >= start and data.startswith(STARTS, at):
                yield at
            found = self._flags.find(1, found + 1, width)

    def _mark_starts(self, block: Bytes, size: int) -> int:
        """Flag the places in the first `size` bytes of `g`, any byte, `f`. How many bytes were read."""
        width = max(min(size, len(block) - 2), 0)
        marks = np.equal(block[:width], ord("g"), out=self._marks[:width])
        other = np.equal(block[2 : width + 2], ord("f"), out=self._other[:width])
        np.logical_and(marks, other, out=marks)
        return width
