"""Reads verl console logs of every version, from bytes alone and a chunk at a time.

Step lines are found by a fast search and read at once. What stands between them is looked at only where it
may matter: before the first one, where the log speaks of a new start, around lines that lost their end, and
behind the last one.
"""

from __future__ import annotations

from array import array

import numpy as np

from data_loaders.formats import life_cycle
from data_loaders.formats.between import Between
from data_loaders.formats.cut_lines import CutRow, Cuts, Suspect
from data_loaders.formats.dense import CellTable
from data_loaders.formats.findings import shortened
from data_loaders.formats.kept import Lines
from data_loaders.formats.noise import STARTS, Searcher
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
MAX_LINE = 32 << 20
"""A longer line is read in parts of this size."""
SEARCHED = 1 << 20
"""Bytes searched before the step lines found in them are read: each work finds its own data in the cache."""
MAX_PREFIX = 300
MAX_REJECTED = 200
_VALIDATION = (b"val", b"test_score/")
_VALIDATION_KEYS = ("val", "test_score/")
_RL = ("actor/", "critic/", "response_length/", "rollout", "val-", "val/test_score/", "test_score/")
_SFT = ("train/loss", "val/loss")


class VerlConsoleReader:
    """Implements `schema.LogReader`. Call `state()` after `drain()`: it holds no rows."""

    def __init__(self, state: Json | None = None) -> None:
        state = state or {}
        self._offset: int = state.get("offset", 0)  # bytes in whole lines so far
        self._line: int = state.get("line", 1)  # physical line that begins there
        self._rows: int = state.get("rows", 0)
        self._rejected = [Rejected(*entry) for entry in state.get("rejected", ())]
        self._rejected_count: int = state.get("rejected_count", 0)
        self._blocks: list[int] = list(state.get("blocks", ()))  # steps of rows that are validation blocks
        self._kinds = set(state.get("kinds", ()))
        self._cuts = Cuts.from_json(state["cuts"]) if state else Cuts()
        self._between = Between(self._cuts, state.get("between"))
        self._parts: list[bytes] = []  # of the unterminated last line
        self._open = 0  # bytes in them
        self._pending = array("q")  # the fields of `StepLines`, row after row
        self._table = CellTable()
        self._searcher = Searcher()
        self._prefixes: dict[bytes, int] = {b"": 0}
        self._alike = b""  # how the last simple line began

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
        lines = Lines(self._offset, self._line, data, start, end)
        self._between.add(lines)
        self._offset = lines.after
        at = start
        while at < end:
            at = self._lines_alike(lines, at)
            stop = data.rfind(b"\n", at, min(at + SEARCHED, end)) + 1 or data.find(b"\n", at, end) + 1 or end
            self._any_lines(lines, at, stop)
            at = stop
        self._between.forget(self._offset)

    def _any_lines(self, lines: Lines, start: int, end: int) -> None:
        """Search some of the lines for step lines and announced starts."""
        data = lines.data
        found = self._searcher.search(data, start, end)
        words = iter([*found.starts, end])
        word = next(words)
        for at, right, newlines in found.steps:
            while word < at:
                self._between.announced = True
                word = next(words)
            left = max(data.rfind(b"\n", start, at) + 1, start)
            self._physical_line(lines, left, at, right, self._line + newlines)
            while word < right:
                word = next(words)
        if word < end:
            self._between.announced = True
        self._line += found.newlines

    def _lines_alike(self, lines: Lines, at: int) -> int:
        """Read step lines that follow each other and begin alike, with no need to search. Where they end."""
        data, end = lines.data, lines.end
        step = len(self._alike) - len(b"step:")
        while self._alike and data.startswith(self._alike, at):
            right = data.find(b"\n", at, end)
            right = end if right < 0 else right
            offset = lines.offset + at - lines.start
            if not self._simple_line(data, at, at + step, right, offset, self._line):
                break
            self._line += right < end
            at = min(right + 1, end)
        return at

    # Lines to rows

    def _physical_line(self, lines: Lines, left: int, at: int, right: int, line: int) -> None:
        offset = lines.offset - lines.start + left
        if self._simple_line(lines.data, left, at, right, offset, line):
            self._alike = lines.data[left:at] + b"step:"
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
        if self._rows > rows and any(word in raw[self._between.scanned - offset :] for word in STARTS):
            self._between.announced = True

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
        step = int(token[1])
        self._reach(step, offset, look=body.startswith(_VALIDATION))
        if not self._table.take(self._rows, line, body):
            return False
        self._accept(step, offset, token.end() - left + len(body), line)
        self._between.initial = None
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
        validation = items[0].key.startswith(_VALIDATION_KEYS)
        self._reach(read.step, offset, look=cut or validation)
        row = self._accept(read.step, offset, len(raw), line)
        if suspect:
            self._cuts.suspects.append(Suspect(row, line, last.text, keeps_last))
        elif cut:
            self._cuts.unfinished.append(line)
        if cut:
            self._cuts.latest = CutRow(line, read.step, list(cells))
            if self._between.initial:
                self._cuts.recover(self._between.initial.values, "initial_validation")
        self._between.initial = None
        self._table.add(row, cells)
        self._reject(line, items)
        self._note_kind(cells)
        if learn and not cut:
            self._table.learn(read)

    def _reach(self, step: int, offset: int, *, look: bool) -> None:
        """A step line begins. `look`: what stands before it matters."""
        self._between.reach(step, offset, look=look)
        self._take_lone_blocks()

    def _take_lone_blocks(self) -> None:
        """Validation blocks that no step line repeats are rows too."""
        for block in self._between.lone():
            row = self._add_row(block.step, block.offset, block.length, block.line, block.launch)
            self._table.add(row, block.values)
            self._blocks.append(block.step)
            self._note_kind(block.values)

    def _accept(self, step: int, offset: int, length: int, line: int) -> int:
        """The row of a step line."""
        return self._add_row(step, offset, length, line, self._between.step(step, offset + length))

    def _add_row(self, step: int, offset: int, length: int, line: int, launch: int) -> int:
        self._pending.extend((step, offset, length, line, launch))
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
        bad = [Rejected(line, shortened(item.text), item.fault()) for item in items if item.value is None]
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
        ahead = VerlConsoleReader(self.state())
        for part in [self._between.kept(), *self._parts]:
            ahead.feed(part)
        rest = b"".join(ahead._parts)
        ahead._between.add(Lines(ahead._offset, ahead._line, rest, 0, len(rest)))
        for low, high in pieces(rest):
            ahead._piece(rest[low:high], ahead._offset + low, ahead._line, open_end=high == len(rest))
        ahead._between.finish(ahead._offset + len(rest), ahead._line)
        ahead._take_lone_blocks()
        return ahead

    def _final_facts(self) -> LogFacts:
        life, seen = self._between.life, self._between.head
        size = self._offset + self._open
        clock = self._between.last_clock(size)
        return LogFacts(
            format=NAME if self._rows or life.verl else seen.foreign,
            kind="none" if not self._rows else "sft" if self._kinds == {"sft"} else "rl",
            bytes=size,
            physical_lines=self._line - 1 + bool(self._open),
            step_lines=self._rows - len(self._blocks),
            blocks=tuple(self._blocks),
            cut_lines=self._cuts.lines(),
            rejected=tuple(self._rejected),
            rejected_count=self._rejected_count,
            launches=tuple(life.launches),
            recovered=tuple(self._cuts.recovered),
            config_text=seen.config,
            overrides=tuple(seen.overrides),
            planned_steps=life.planned,
            end=life.end,
            end_line=life.end_line,
            end_text=shortened(life.end_text),
            clock_start=seen.clock,
            clock_end=clock[1] if clock else None,
            no_step_reason="" if self._rows else life_cycle.no_step_reason(life, size, seen.foreign),
        )

    def state(self) -> Json:
        self._settle()
        line = self._between.line_scanned()
        return {
            "offset": self._between.scanned,
            "line": self._line if line is None else line,
            "rows": self._rows,
            "rejected": [[entry.line, entry.text, entry.why] for entry in self._rejected],
            "rejected_count": self._rejected_count,
            "blocks": self._blocks,
            "kinds": sorted(self._kinds),
            "cuts": self._cuts.to_json(),
            "between": self._between.to_json(self._offset),
        }
