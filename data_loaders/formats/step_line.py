"""One verl step line: where it lies in a physical line, what its items are, and whether it lost its end."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
RAY_PREFIX = re.compile(
    rb"(?:\x1b\[[0-9;?]{0,16}m){0,4}"
    rb"\(([^()\r\n]{0,200}\bpid=\d{0,18}[^()\r\n]{0,80}|raylet)\)"
    rb"(?:\x1b\[[0-9;?]{0,16}m){0,4}[ \t]?"
)
STEP_TOKEN = re.compile(rb"step:(\d{1,18}) - ")
_STEP_TEXT = re.compile(r"(?<![\w/])step:([0-9]{1,18}) - ")
_TRAILING_ANSI = re.compile(rb"(?:\x1b\[[0-9;?]*[A-Za-z])+\Z")

_DECIMAL = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_WORD = r"(?:[-+]?(?i:nan|inf(?:inity)?)|True|False)(?![A-Za-z0-9_])"
_VALUE = re.compile(rf"({_DECIMAL}|{_WORD})|np\.\w+\(({_DECIMAL}|{_WORD})\)", re.ASCII)
_UNFINISHED = re.compile(r"[eE][-+]?\Z")
_WORDS = {"True": 1.0, "False": 0.0}

WANDB_LIMIT = 4096
"""wandb's capture cuts a line after this many characters, then drops a space at the end."""


def value_of(text: str) -> float | None:
    """Number at the start of an item's value; text behind it is ignored. None when there is none.

    Decimal numbers, `np.type(number)`, nan and inf in any case, True and False. An unclosed `np.type(` is
    no number: its digits may have lost their end.
    """
    found = _VALUE.match(text)
    if found is None:
        return None
    number = found[1] or found[2]
    return _WORDS[number] if number in _WORDS else float(number)


class Item(NamedTuple):
    key: str
    value: float | None
    text: str

    def fault(self) -> str:
        """Message key that says why the item has no value."""
        return "rejected.no_number" if ":" in self.text else "rejected.no_colon"


def item_of(text: str) -> Item:
    """`key:value`, split at the last colon, for keys may hold colons. None stands for no number."""
    key, colon, value = text.rpartition(":")
    return Item(key, value_of(value.lstrip(" ")) if colon and key else None, text)


def items_of(text: str) -> list[Item]:
    """Items of a step line, given what follows its step token."""
    return [item_of(part) for part in text.split(" - ")]


class StepLine(NamedTuple):
    """A piece read as a step line, before any item is given up as cut."""

    step: int
    items: list[Item]
    length: int
    """Decoded characters of the piece, Ray prefix included."""
    closed: bool
    """The last item is whole even if the line lost its end."""

    def last_unfinished(self) -> bool:
        """True when the last item of an unterminated line does not parse, or may still grow an exponent."""
        last = self.items[-1]
        return last.value is None or _UNFINISHED.search(last.text) is not None


def read_piece(raw: bytes) -> StepLine | None:
    """Read one piece; None when it is text. The first item decides: `key:number` without white space."""
    text = ANSI.sub(b"", raw).decode("utf-8", "replace")
    token = _STEP_TEXT.search(text)
    if token is None:
        return None
    items = items_of(text[token.end() :])
    first_key, colon, first_value = items[0].text.rpartition(":")
    if not colon or not first_key or any(map(str.isspace, first_key)) or value_of(first_value) is None:
        return None
    last = items[-1].text
    closed = len(text) == WANDB_LIMIT - 1 or text.endswith(" -") or (":np." in last and last.endswith(")"))
    return StepLine(int(token[1]), items, len(text), closed)


def stands_alone(raw: bytes, position: int, start: int = 0) -> bool:
    """True when the character before `position` is neither a word character nor `/`; ANSI codes are none."""
    before = raw[max(start, position - 40) : position]
    tail = _TRAILING_ANSI.search(before)
    if tail is not None:
        before = before[: tail.start()]
    if not before:
        return True
    last = before[-4:].decode("utf-8", "replace")[-1]
    return not (last.isalnum() or last in "_/")


def pieces(line: bytes) -> Iterator[tuple[int, int]]:
    """Byte ranges of the pieces of a physical line that hold a `step:N - ` of their own.

    A line is split at carriage returns, at an inner Ray prefix, and before its second step token.
    """
    start = 0
    for part in line.split(b"\r"):
        end = start + len(part)
        if b"step:" in part:
            yield from _split_part(line, start, end)
        start = end + 1


def _split_part(line: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    steps = [m.start() for m in STEP_TOKEN.finditer(line, start, end) if stands_alone(line, m.start(), start)]
    if not steps:
        return
    inner = [m.start() for m in RAY_PREFIX.finditer(line, start, end) if m.start() > start]
    cuts = sorted({start, end, *inner, *_later_steps(steps, inner)})
    for left, right in pairwise(cuts):
        if bisect_left(steps, left) < bisect_left(steps, right):
            yield left, right


def _later_steps(steps: list[int], inner: list[int]) -> Iterator[int]:
    """Step tokens that are not the first of their prefix-delimited stretch."""
    for earlier, later in pairwise(steps):
        if bisect_left(inner, earlier) == bisect_left(inner, later):
            yield later


def writer_of(raw: bytes) -> str:
    """Who wrote the piece according to its Ray prefix, such as `TaskRunner pid=12`; empty without prefix."""
    found = RAY_PREFIX.match(raw)
    return found[1].decode("utf-8", "replace") if found else ""


def plain(raw: bytes) -> str:
    """Text of a line without Ray prefixes and ANSI codes."""
    start = 0
    while found := RAY_PREFIX.match(raw, start):
        start = found.end()
    return ANSI.sub(b"", raw[start:]).decode("utf-8", "replace")
