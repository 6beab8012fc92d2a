"""Reads verl console logs of every version, from bytes alone and a chunk at a time.

Step lines are found by a fast search and read at once. What stands between them is looked at only where it
may matter: before the first one, where the log speaks of a new start, around lines that lost their end, and
behind the last one.
"""

from __future__ import annotations

from array import array

import numpy as np

from data_loaders.formats import head, life_cycle
from data_loaders.formats.cut_lines import CutRow, Cuts, Suspect
from data_loaders.formats.dense import CellTable
from data_loaders.formats.gap import Kept, Lines
from data_loaders.formats.noise import Searcher, tells
from data_loaders.formats.step_line import (
    ANSI,
    RAY_PREFIX,
    STEP_TOKEN,
    WANDB_LIMIT,
    Item,
    item_of,
    items_of,
    pieces,
    read_piece,
)
from data_loaders.schema import Batch, IntArray, Json, LogFacts, Rejected, StepLines

NAME = "verl_console"
LOOK_BACK = 1 << 20
"""Bytes that are kept to be looked at once more; longer stretches are looked at as they pass."""
CLOCK_REACH = 1 << 16
"""Bytes at the end of a log in which its last time stamp is looked for."""
MAX_LINE = 32 << 20
"""A longer line is read in parts of this size."""
MAX_PREFIX = 300
MAX_REJECTED = 200
MAX_TEXT = 300
_RL = ("actor/", "critic/", "response_length/", "rollout", "val-", "val/test_score/", "test_score/")
_SFT = ("train/loss", "val/loss")


class VerlConsoleReader:
    """Implements `schema.LogReader`. Call `state()` after `drain()`: it holds no rows."""

    def __init__(self, state: Json | None = None) -> None:
        self._life = life_cycle.LifeCycle()
        self._cuts = Cuts()
        self._head: head.Head | None = None
        self._offset = 0  # bytes in whole lines so far
        self._line = 1  # physical line that begins there
        self._scanned = 0  # offset up to which marks were read
        self._gap = 0  # offset behind the last step line
        self._telling = False  # the gap holds words that `noise.Searcher` tells of
        self._rows = 0
        self._rejected: list[Rejected] = []
        self._rejected_count = 0
        self._clock: tuple[int, float] | None = None
        self._kinds: set[str] = set()
        self._initial: dict[str, float] = {}
        self._kept = Kept()
        self._parts: list[bytes] = []  # of the unterminated last line
        self._open = 0  # bytes in them
        self._pending = array("q")  # the fields of `StepLines`, row after row
        self._table = CellTable()
        self._searcher = Searcher()
        self._prefixes: dict[bytes, int] = {b"": 0}
        if state:
            self._restore(state)

    # Bytes to lines

    def feed(self, data: bytes) -> None:
        low, high = 0, data.rfind(b"\n") + 1
        if self._parts and high:
            low = data.find(b"\n") + 1
            first = b"".join([*self._parts, data[:low]])
            self._parts, self._open = [], 0
            self._whole_lines(first, 0, len(first))
        if low < high:
            self._whole_lines(data, low, high)
        if high < len(data):
            self._parts.append(data[high:] if high else data)
            self._open += len(data) - high
            if self._open >= MAX_LINE:
                self._break_line()

    def _break_line(self) -> None:
        rest = b"".join(self._parts)
        while len(rest) >= MAX_LINE:
            self._whole_lines(rest[:MAX_LINE], 0, MAX_LINE)
            rest = rest[MAX_LINE:]
        self._parts, self._open = [rest] if rest else [], len(rest)

    def _whole_lines(self, data: bytes, start: int, end: int) -> None:
        found = self._searcher.search(data, start, end)
        lines = Lines(self._offset, self._line, data, start, end)
        self._kept.append(lines)
        self._offset = lines.after
        words = iter([*found.telling, end])
        word = next(words)
        for at, right, newlines in found.steps:
            while word < at:
                self._telling = True
                word = next(words)
            left = max(data.rfind(b"\n", start, at) + 1, start)
            self._physical_line(lines, left, at, right, self._line + newlines)
            while word < right:
                word = next(words)
        if word < end:
            self._telling = True
        self._line += found.newlines
        self._forget()

    # Lines to rows

    def _physical_line(self, lines: Lines, left: int, at: int, right: int, line: int) -> None:
        offset = lines.offset - lines.start + left
        if self._simple_line(lines.data, left, at, right, offset, line):
            return
        if right - left > MAX_LINE:
            for low in range(left, right, MAX_LINE):
                self._physical_line(lines, low, max(at, low), min(low + MAX_LINE, right), line)
            return
        raw = lines.data[left:right]
        rows = self._rows
        for low, high in pieces(raw):
            whole = low == 0 and high == len(raw.removesuffix(b"\r"))
            self._piece(raw[low:high], offset + low, line, learn=whole)
        if self._rows > rows and tells(raw[self._gap - offset :]):
            self._telling = True

    def _simple_line(self, data: bytes, left: int, at: int, end: int, offset: int, line: int) -> bool:
        """Read a line of a known form: at most a Ray prefix, one step token, the items of a template."""
        prefix = self._prefix_length(data[left:at])
        token = STEP_TOKEN.match(data, at, end)
        if prefix is None or token is None:
            return False
        body = data[token.end() : end].removesuffix(b"\r")
        if b"\r" in body or b"\x1b" in body or (b"=" in body and b"pid=" in body):
            return False
        length = prefix + token.end() - at
        length += len(body) if body.isascii() else len(body.decode("utf-8", "replace"))
        if length >= WANDB_LIMIT - 1 and self._cuts.limit_holds:
            return False
        if not self._table.take(self._rows, line, body):
            return False
        size = token.end() - left + len(body)
        self._accept(int(token[1]), offset, size, line)
        self._initial = {}
        return True

    def _prefix_length(self, prefix: bytes) -> int | None:
        """Characters of a Ray prefix without colours; None for other text before a step token."""
        if prefix in self._prefixes:
            return self._prefixes[prefix]
        if len(prefix) > MAX_PREFIX or not RAY_PREFIX.fullmatch(prefix):
            return None
        if len(self._prefixes) > 1000:
            self._prefixes = {b"": 0}
        self._prefixes[prefix] = len(ANSI.sub(b"", prefix).decode("utf-8", "replace"))
        return self._prefixes[prefix]

    def _piece(
        self, raw: bytes, offset: int, line: int, *, learn: bool = False, open_end: bool = False
    ) -> None:
        """Read any piece. With `open_end` it is the unterminated end of the log."""
        read = read_piece(raw)
        if read is None:
            return
        if read.length > WANDB_LIMIT and self._cuts.limit_holds:
            self._acquit()
        suspect = self._cuts.is_suspect(read.length)
        cut = suspect or (open_end and read.last_unfinished())
        items = read.items
        last = items[-1]
        keeps_last = not cut or (read.closed and last.value is not None)
        if not keeps_last:
            items = items[:-1]
        cells = {item.key: item.value for item in items if item.value is not None}
        if not cells:
            return
        row = self._accept(read.step, offset, len(raw), line)
        if suspect:
            self._cuts.suspects.append(Suspect(row, line, last.text, keeps_last))
        elif cut:
            self._cuts.unfinished.append(line)
        if cut:
            self._cuts.latest = CutRow(line, read.step, list(cells))
            self._cuts.recover(self._initial, "initial_validation")
        self._initial = {}
        self._table.add(row, cells)
        self._reject(line, items)
        self._note_kind(cells)
        if learn and not cut:
            self._table.learn(read)

    def _accept(self, step: int, offset: int, length: int, line: int) -> int:
        """A new row. What stands before it is looked at first, where that may matter."""
        if self._telling or step < self._life.last_step or not self._rows:
            self._scan(offset, offset, max(offset - LOOK_BACK, self._gap))
        self._cuts.latest = None
        self._gap = self._scanned = offset + length
        self._telling = False
        self._pending.extend((step, offset, length, line, self._life.step(step)))
        self._rows += 1
        return self._rows - 1

    def _acquit(self) -> None:
        for suspect in self._cuts.acquit():
            item = item_of(suspect.last)
            if item.value is None:
                self._reject(suspect.line, [item])
            elif not suspect.taken:
                self._table.add(suspect.row, {item.key: item.value})

    def _reject(self, line: int, items: list[Item]) -> None:
        bad = [Rejected(line, item.text[:MAX_TEXT], item.fault()) for item in items if item.value is None]
        if bad:
            self._rejected_count += len(bad)
            self._rejected = sorted([*self._rejected, *bad], key=lambda entry: entry.line)[:MAX_REJECTED]

    def _note_kind(self, cells: dict[str, float]) -> None:
        if "rl" not in self._kinds and any(key.startswith(_RL) for key in cells):
            self._kinds.add("rl")
        if "sft" not in self._kinds and any(key in cells for key in _SFT):
            self._kinds.add("sft")

    def _settle(self) -> None:
        """Read item by item the lines whose numbers were no plain ones."""
        for row, line, body in self._table.difficult():
            items = items_of(body.decode("utf-8", "replace"))
            self._table.add(row, {item.key: item.value for item in items if item.value is not None})
            self._reject(line, items)

    # What stands between step lines

    def _forget(self) -> None:
        """Keep what may be looked at again; read the marks of what goes."""
        going = self._kept.ending_by(self._offset - LOOK_BACK)
        if going > self._scanned:
            if self._telling or (not self._rows and self._scanned < LOOK_BACK):
                self._scan(going, self._offset)
            self._scanned = going
        self._kept.drop_until(going)

    def _scan(self, until: int, kept: int, window: int | None = None) -> None:
        """Read the marks of the lines up to an offset; blocks that begin there may reach on to `kept`.

        Every mark counts at the start of a log and from the offset `window` on, elsewhere those that the
        search tells of.
        """
        start = self._scanned
        data = self._kept.text(start, kept)
        stop = until - start
        high = stop if window is None else max(window - start, 0)
        low = 0 if self._rows else min(max(LOOK_BACK - start, 0), high)
        found = life_cycle.marks_around(data, stop, low, high)
        if self._head is None:
            self._head = head.read_head(data[:LOOK_BACK])
        elif self._head.config or start > self._gap or stop > LOOK_BACK:
            pass  # the config is known, or part of the gap is gone
        elif any(mark.kind == "start" for mark in found):
            self._head = self._head.or_else(head.read_head(data[:stop]))
        for mark in found:
            self._life.mark(mark, self._kept.line_at(start + mark.position) or self._line)
            if mark.kind == "initial":
                self._initial = life_cycle.validation_block(data, mark.position, len(data))
            elif mark.kind == "final" and self._cuts.latest:
                block = life_cycle.validation_block(data, mark.position, len(data))
                self._cuts.recover(block, "final_validation")
            elif mark.kind == "crashed" and not self._head.overrides:
                self._head = self._head._replace(overrides=head.job_overrides(data[mark.position :]))
        self._scanned = until

    # Results

    def drain(self) -> Batch:
        self._settle()
        rows: IntArray = np.array(self._pending, np.int64).reshape(-1, 5)
        self._pending = array("q")
        lines = StepLines(*np.ascontiguousarray(rows.T))
        return Batch(self._rows - len(rows), lines, self._table.columns())

    def tail(self) -> Batch:
        return self._finished().drain()

    def facts(self) -> LogFacts:
        return self._finished()._final_facts()

    def _finished(self) -> VerlConsoleReader:
        """A reader that was fed the same bytes, and was told that no more will come."""
        self._settle()
        ahead = VerlConsoleReader(self.state())
        ahead.feed(self._kept.text(self._scanned, self._offset))
        for part in self._parts:
            ahead.feed(part)
        rest = b"".join(ahead._parts)
        ahead._kept.append(Lines(ahead._offset, ahead._line, rest, 0, len(rest)))
        for low, high in pieces(rest):
            ahead._piece(rest[low:high], ahead._offset + low, ahead._line, open_end=high == len(rest))
        end = ahead._offset + len(rest)
        ahead._scan(end, end, max(end - LOOK_BACK, ahead._gap))
        ahead._note_death(end)
        return ahead

    def _note_death(self, end: int) -> None:
        """A traceback of the program itself, with nothing behind it, ends a run like a named crash does."""
        data = self._kept.text(max(self._gap, end - LOOK_BACK), end)
        if not self._life.end and life_cycle.dies_of_traceback(data):
            self._life.end, self._life.end_line = "crashed", self._line
        if self._life.end == "crashed":
            self._life.end_text = life_cycle.last_error(data, 0, len(data)) or self._life.end_text

    def _final_facts(self) -> LogFacts:
        life, seen = self._life, self._head or head.Head()
        clock = self._last_clock()
        size = self._offset + self._open
        return LogFacts(
            format=NAME if self._rows or life.verl else seen.foreign,
            kind="none" if not self._rows else "sft" if self._kinds == {"sft"} else "rl",
            bytes=size,
            physical_lines=self._line - 1 + bool(self._open),
            step_lines=self._rows,
            cut_lines=self._cuts.lines(),
            rejected=tuple(self._rejected),
            rejected_count=self._rejected_count,
            launches=tuple(life.launches),
            recovered=tuple(cell for _, cell in self._cuts.recovered),
            config_text=seen.config,
            overrides=tuple(seen.overrides),
            planned_steps=life.planned,
            end=life.end,
            end_line=life.end_line,
            end_text=life.end_text[:MAX_TEXT],
            clock_start=seen.clock,
            clock_end=clock[1] if clock else None,
            no_step_reason="" if self._rows else life_cycle.no_step_reason(life, size, seen.foreign),
        )

    def _last_clock(self) -> tuple[int, float] | None:
        """Offset and epoch seconds of the last time stamp near the end of the log."""
        end = self._offset + self._open
        start = max(end - CLOCK_REACH, 0)
        low = max(start, self._kept.start())
        text = self._kept.text(low, self._offset) + b"".join(self._parts)
        text, low = text[-CLOCK_REACH:], low + max(len(text) - CLOCK_REACH, 0)
        found = head.last_clock(text)
        if found:
            return low + found[0], found[1]
        return self._clock if self._clock and self._clock[0] >= start else None

    def state(self) -> Json:
        self._settle()
        line = self._kept.line_at(self._scanned)
        return {
            "offset": self._scanned,
            "line": self._line if line is None else line,
            "gap": self._gap,
            "rows": self._rows,
            "life": self._life.to_json(),
            "cuts": self._cuts.to_json(),
            "head": list(self._head) if self._head else None,
            "rejected": [[entry.line, entry.text, entry.why] for entry in self._rejected],
            "rejected_count": self._rejected_count,
            "clock": self._last_clock(),
            "kinds": sorted(self._kinds),
            "initial": self._initial,
            "telling": self._telling,
        }

    def _restore(self, state: Json) -> None:
        self._offset = self._scanned = state["offset"]
        self._line = state["line"]
        self._gap = state["gap"]
        self._rows = state["rows"]
        self._life = life_cycle.LifeCycle.from_json(state["life"])
        self._cuts = Cuts.from_json(state["cuts"])
        self._head = head.Head(*state["head"]) if state["head"] else None
        self._rejected = [Rejected(*entry) for entry in state["rejected"]]
        self._rejected_count = state["rejected_count"]
        self._clock = tuple(state["clock"]) if state["clock"] else None
        self._kinds = set(state["kinds"])
        self._initial = dict(state["initial"])
        self._telling = state["telling"]
