"""The last stretch of a log, kept so that a place already passed can be looked at once more."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple


class Lines(NamedTuple):
    """Whole lines: `data[start:end]`, which stands at byte `offset` of the log on line `line`."""

    offset: int
    line: int
    data: bytes
    start: int
    end: int

    @property
    def after(self) -> int:
        """Offset of the byte behind."""
        return self.offset + self.end - self.start

    def part(self, start: int, end: int) -> bytes:
        """Their bytes from one offset of the log to another."""
        shift = self.start - self.offset
        return self.data[max(start + shift, self.start) : min(end + shift, self.end)]


class Kept:
    """Consecutive `Lines`, oldest first. Nothing is copied until it is asked for."""

    def __init__(self) -> None:
        self._lines: deque[Lines] = deque()

    def append(self, lines: Lines) -> None:
        self._lines.append(lines)

    def start(self) -> int:
        """Offset of the oldest byte kept; 0 when nothing is."""
        return self._lines[0].offset if self._lines else 0

    def end(self) -> int:
        """Offset behind the newest byte kept; 0 when nothing is."""
        return self._lines[-1].after if self._lines else 0

    def ending_by(self, offset: int) -> int:
        """Where the last lines end that end at or before an offset; 0 when none do."""
        return max((lines.after for lines in self._lines if lines.after <= offset), default=0)

    def drop_until(self, offset: int) -> None:
        """Forget lines that end at or before an offset."""
        while self._lines and self._lines[0].after <= offset:
            self._lines.popleft()

    def text(self, start: int, end: int) -> bytes:
        """Bytes from one offset of the log to another, as far as they are kept."""
        parts = [
            lines.part(start, end) for lines in self._lines if lines.offset < end and start < lines.after
        ]
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def line_start(self, offset: int) -> int:
        """Offset at which the line of a byte begins, as far as it is kept."""
        for lines in self._lines:
            if lines.offset <= offset < lines.after:
                at = lines.data.rfind(b"\n", lines.start, lines.start + offset - lines.offset) + 1
                return lines.offset + max(at - lines.start, 0)
        return offset

    def line_at(self, offset: int) -> int | None:
        """Physical line of a byte; None when it is not kept."""
        for lines in self._lines:
            if lines.offset <= offset < lines.after:
                return lines.line + lines.data.count(b"\n", lines.start, lines.start + offset - lines.offset)
        return None
