"""Lines of a log as they stand in the file: chosen step lines, and the warnings printed before them.

Only logs that a run was assembled from are opened. Every size is bounded, and what is left out is counted.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from data_loaders.derive.secrets import MASK, SECRET_VALUE
from data_loaders.log_bytes import opened
from data_loaders.runs import RawLine, RunView, all_parts, raw_lines
from data_loaders.schema import StepLines

MOST_LINES = 60
"""Step lines given at once."""
LONGEST = 16 << 10
"""Bytes of a line that are read."""
GAP = 128 << 10
"""Bytes before a step line that are searched for warnings; the nearest ones."""
MOST_WARNINGS = 3
"""Warnings given before one step line."""
SAMPLE = 16
"""Bytes of a line that tell whether it is text."""
MOST_NULS = 3
WARNING_LENGTH = 400
"""Characters of a warning."""

WARNING = re.compile(
    rb"\b(?:WARN|WARNING|ERROR|CRITICAL|FATAL)\b|Traceback \(most recent call last\)"
    rb"|\b[A-Za-z]*(?:Error|Exception|Warning)\b"
)
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UNSEEN = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and those that turn the direction of text; a tab is text."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line as text."""

    line: int
    """1-based number in the file."""
    step: int | None
    """None for a warning."""
    text: str
    cut: int = 0
    """Bytes of the line that are not in `text`."""


@dataclass(frozen=True, slots=True)
class RawExcerpt:
    """Lines of one log, in file order."""

    path: Path
    lines: tuple[LogLine, ...] = ()
    more_warnings: int = 0
    """Warnings found between the lines and not given."""
    unsearched: int = 0
    """Bytes between the lines that were not searched for warnings."""
    more_lines: int = 0
    """Step lines left out because there were too many."""
    why: str = ""
    """Message key `raw.*` when lines could not be read, else empty."""


def raw_log(view: RunView, steps: Iterable[int]) -> tuple[RawExcerpt, ...]:
    """The lines of these steps and the warnings before them, one excerpt per log, in start order."""
    places: dict[Path, list[tuple[int, RawLine]]] = {}
    for step in sorted(set(steps)):
        for found in raw_lines(view, step):
            places.setdefault(found.path, []).append((step, found))
    order = {Path(log): at for at, log in enumerate(view.run.logs)}
    logs = sorted(places, key=lambda path: order.get(path, len(order)))
    return tuple(_excerpt(view, path, sorted(places[path], key=lambda p: p[1].offset)) for path in logs)


def shown_text(data: bytes) -> str:
    """Bytes of a line as text: colours and control characters removed, access tokens masked."""
    text = _ANSI.sub("", data.decode("utf-8", "replace"))
    return SECRET_VALUE.sub(MASK, _UNSEEN.sub("", text))


class _Between(NamedTuple):
    """Warnings of the stretch before a step line."""

    lines: list[LogLine]
    more: int
    unsearched: int


def _excerpt(view: RunView, path: Path, places: Sequence[tuple[int, RawLine]]) -> RawExcerpt:
    lines: list[LogLine] = []
    more = unsearched = 0
    kept = places[:MOST_LINES]
    source = next(part.log for part in all_parts(view) if part.log.path == path)
    counted = "report.steps_inferred" in source.facts.remarks
    try:
        with opened(path) as log:
            for (step, place), end in zip(kept, _ends_before(source.lines(), kept), strict=True):
                between = _warnings(log.stream, end, place)
                data = _read(log.stream, place.offset, min(place.length, LONGEST))
                if data[:SAMPLE].count(0) > MOST_NULS:
                    return RawExcerpt(path, tuple(lines), more, unsearched, why="raw.binary")
                told = counted or step in source.facts.blocks
                if not (told or re.search(rb"(?<![0-9])0*%d(?![0-9])" % step, data)):
                    return RawExcerpt(path, tuple(lines), more, unsearched, why="raw.changed")
                text = shown_text(data)
                lines += [*between.lines, LogLine(place.line, step, text, place.length - len(data))]
                more, unsearched = more + between.more, unsearched + between.unsearched
    except (OSError, EOFError, zlib.error):
        return RawExcerpt(path, tuple(lines), more, unsearched, why="raw.unreadable")
    return RawExcerpt(path, tuple(lines), more, unsearched, len(places) - len(kept))


def _ends_before(lines: StepLines, places: Sequence[tuple[int, RawLine]]) -> Iterator[int]:
    """For each step line the byte at which the step line before it ends, 0 for the first of a log."""
    ends = lines.offset + lines.length
    for _, place in places:
        before = ends[: int(np.searchsorted(lines.offset, place.offset))]
        yield int(before[-1]) if before.size else 0


def _warnings(stream: BinaryIO, end: int, place: RawLine) -> _Between:
    """Warnings between the step line that ends at byte `end` and the one at `place`."""
    start = max(end, place.offset - GAP)
    data = _read(stream, start, place.offset - start)
    pieces = data.split(b"\n")
    # The first piece belongs to the step line before, or began before the stretch that is searched.
    whole = [(at, piece) for at, piece in enumerate(pieces) if (at or not start) and WARNING.search(piece)]
    lines = [
        LogLine(place.line - (len(pieces) - 1 - at), None, shown_text(piece)[:WARNING_LENGTH],
                max(0, len(piece) - WARNING_LENGTH))
        for at, piece in whole[-MOST_WARNINGS:]
    ]  # fmt: skip
    return _Between(lines, len(whole) - len(lines), start - end)


def _read(stream: BinaryIO, offset: int, size: int) -> bytes:
    stream.seek(offset)
    return stream.read(size)
