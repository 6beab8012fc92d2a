"""Console lines that carry a printed dict behind a head such as `step 3: `, wrapped or interleaved or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from data_loaders.formats.findings import HIGHEST_STEP, Findings, Place, as_key
from data_loaders.formats.line_reader import Piece, pieces, spanning
from data_loaders.formats.literal import Printed, read_dict
from data_loaders.schema import Json

MOST_LINES = 400
"""Lines after which an open dict is given up."""
MOST_TEXT = 1 << 18


class Head(NamedTuple):
    """A line that carries metrics: `pattern` ends just before the brace; its group `step` is the step."""

    pattern: re.Pattern[str]
    step_key: str = ""
    """Key of the step where the pattern has no such group."""
    inside: str = ""
    """Outer key of the dict that holds the metrics."""
    prefix: str = ""
    """Put before every key."""


class End(NamedTuple):
    pattern: re.Pattern[str]
    how: Literal["finished", "stopped", "crashed"]


class Messages(NamedTuple):
    """What a program prints."""

    heads: Sequence[Head]
    ends: Sequence[End] = ()
    logger: re.Pattern[str] = re.compile(r"(?!)")
    """What its logger puts before a line; a wrapped message may repeat it on every line."""


@dataclass(slots=True)
class Open:
    """A dict whose end was not read yet."""

    head: int
    step: int | None
    text: str
    first: Place
    last: Place
    lines: int = 0


class DictLines:
    """Implements `line_reader.Parser`."""

    def __init__(self, form: Messages, state: Json | None = None) -> None:
        self._form = form
        self._open: dict[str, Open] = {}  # by writer
        for writer, head, step, text, first, last, lines in (state or {}).get("open", ()):
            self._open[writer] = Open(head, step, text, Place(*first), Place(*last), lines)

    def state(self) -> Json:
        return {
            "open": [
                [writer, o.head, o.step, o.text, list(o.first), list(o.last), o.lines]
                for writer, o in self._open.items()
            ]
        }

    def line(self, raw: bytes, place: Place, found: Findings) -> None:
        if not (self._open or self._form.ends or b"{" in raw):
            return
        for piece in pieces(raw, place):
            if self._open or "{" in piece.text:
                self._piece(piece, found)
            for end in self._form.ends:
                if end.pattern.search(piece.text):
                    found.finish(end.how, place.line, piece.text)

    def finish(self, found: Findings) -> None:
        for writer in list(self._open):
            self._give_up(writer, found)

    def _piece(self, piece: Piece, found: Findings) -> None:
        """Several messages may stand on one line when two programs write at once."""
        starts = self._starts(piece.text)
        if not starts:
            self._continue(piece, found)
            return
        self._give_up(piece.writer, found)
        bounds = [start for start, *_ in starts[1:]] + [len(piece.text)]
        end = 0
        for (start, brace, head, step), bound in zip(starts, bounds, strict=True):
            if start < end:
                continue  # inside a dict already read
            opened = Open(head, step, piece.text[brace:bound], piece.place, piece.place)
            printed = read_dict(piece.text, brace)
            if printed.end is not None:
                end = printed.end
                self._emit(opened, printed, found, cut=False)
            elif printed.broken or bound != len(piece.text):
                self._emit(opened, read_dict(opened.text), found, cut=True)
            else:
                self._open[piece.writer] = opened

    def _starts(self, text: str) -> list[tuple[int, int, int, int | None]]:
        """Where messages begin: start of the head, brace, number of the head, step."""
        starts = []
        for number, head in enumerate(self._form.heads):
            for match in head.pattern.finditer(text):
                step = match.groupdict().get("step")
                starts.append((match.start(), match.end(), number, int(step) if step else None))
        return sorted(starts, key=lambda start: start[:2])

    def _continue(self, piece: Piece, found: Findings) -> None:
        """Take a line as the next part of a dict, unless another program wrote it."""
        opened = self._open.get(piece.writer)
        if opened is None:
            return
        opened.lines += 1
        for text in (piece.text, self._form.logger.sub("", piece.text, count=1)):
            joined = opened.text + text
            printed = read_dict(joined)
            if printed.end is None and printed.broken:
                continue
            opened.text, opened.last = joined, piece.place
            if printed.end is not None:
                del self._open[piece.writer]
                self._emit(opened, printed, found, cut=False)
            break
        if opened.lines > MOST_LINES or len(opened.text) > MOST_TEXT:
            self._give_up(piece.writer, found)

    def _give_up(self, writer: str, found: Findings) -> None:
        opened = self._open.pop(writer, None)
        if opened is not None:
            self._emit(opened, read_dict(opened.text), found, cut=True)

    def _emit(self, opened: Open, printed: Printed, found: Findings, *, cut: bool) -> None:
        head, numbers = self._form.heads[opened.head], dict(printed.numbers)
        step = opened.step
        if head.step_key:
            given = numbers.get(head.step_key)
            step = int(given) if given is not None and given == given and 0 <= given < HIGHEST_STEP else None
            if head.inside:
                numbers = {
                    key.removeprefix(head.inside): value
                    for key, value in numbers.items()
                    if key.startswith(head.inside)
                }
        if step is None or not 0 <= step < HIGHEST_STEP:
            found.reject(opened.first.line, opened.text, "rejected.no_step")
            return
        if cut:
            found.cut.append(opened.first.line)
        cells = {as_key(head.prefix + key): value for key, value in numbers.items()}
        found.add(step, cells, spanning(opened.first, opened.last))
