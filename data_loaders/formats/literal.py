"""Numbers of a dict that a program printed as Python or as JSON, also where its end is missing."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_DEEP = 20
"""Dicts inside dicts that are followed."""
LONGEST_KEY = 300

_GAP = re.compile(r"[\s,]*")
_KEY = re.compile(r"""(?:'((?:[^'\\\s]|\\.){1,300})'|"((?:[^"\\\s]|\\.){1,300})")\s*:\s*""")
_KEY_BEGUN = re.compile(r"""(?:'(?:[^'\\\s]|\\.)*(?:'\s*)?|"(?:[^"\\\s]|\\.)*(?:"\s*)?)\Z""")
_DECIMAL = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_WORD = r"[-+]?(?:nan|NaN|inf|Infinity)|True|False|true|false"
_NUMBER = re.compile(
    rf"(?:({_DECIMAL}|{_WORD})|[A-Za-z_][\w.]{{0,40}}\(\s*({_DECIMAL}|{_WORD})\s*(?:,[^(){{}}\n]{{0,80}})?\))"
    r"(?=\s*[,}])"
)
_NOTHING = re.compile(r"(None|null)(?=\s*[,}])")
_STRING = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_NUMBER_TEXT = re.compile(rf"(?:{_DECIMAL}|{_WORD})\Z")
_VALUE_BEGUN = re.compile(r"(?:[-+\w.]*(?:\([^(){}\n]{0,120}\)?)?\s*|'(?:[^'\\]|\\.)*|\"(?:[^\"\\]|\\.)*)\Z")
_OPEN = {"[": "]", "(": ")"}
_WORDS = {"True": 1.0, "true": 1.0, "False": 0.0, "false": 0.0}


class Printed(NamedTuple):
    """What was read of a printed dict."""

    numbers: dict[str, float]
    """By key; of a dict inside, `outer/inner`. Without a last number whose end is missing."""
    nothing: tuple[str, ...] = ()
    """Keys with None or null."""
    words: int = 0
    """Items that are neither."""
    end: int | None = None
    """Place behind the closing brace; None when there is none."""
    broken: bool = False
    """It cannot go on: what follows is no part of a dict."""


def to_number(text: str) -> float | None:
    """A number written as Python or JSON writes it; None for any other text."""
    if text in _WORDS:
        return _WORDS[text]
    return float(text) if _NUMBER_TEXT.match(text) else None


def read_dict(text: str, start: int = 0) -> Printed:
    """Read the dict that opens at `start`. Raises nothing, whatever the text."""
    numbers: dict[str, float] = {}
    nothing: list[str] = []
    path: list[str] = []
    words = 0
    at = start + 1

    def so_far(end: int | None = None, *, broken: bool = False) -> Printed:
        return Printed(numbers, tuple(nothing), words, end, broken)

    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        if at >= len(text):
            return so_far()
        if text[at] == "}":
            at += 1
            if not path:
                return so_far(at)
            path.pop()
            continue
        found = _KEY.match(text, at)
        if found is None:
            return so_far(broken=not _KEY_BEGUN.match(text, at))
        name, at = found[1] or found[2], found.end()
        if text.startswith("{", at) and len(path) < MOST_DEEP:
            path.append(name)
            at += 1
            continue
        value = _value(text, at)
        if value is None:
            return so_far(broken=not (_VALUE_BEGUN.match(text, at) or text[at : at + 1] in _OPEN))
        key = "/".join([*path, name])
        if value.number is not None:
            numbers[key] = value.number
        elif value.nothing:
            nothing.append(key)
        else:
            words += 1
        at = value.end


class _Value(NamedTuple):
    number: float | None
    nothing: bool
    end: int


def _value(text: str, at: int) -> _Value | None:
    """The value that begins at `at`; None when its end is missing, or when it is none."""
    if found := _NUMBER.match(text, at):
        return _Value(_number(found[1] or found[2]), False, found.end())
    if empty := _NOTHING.match(text, at):
        return _Value(None, True, empty.end())
    end = _skip(text, at)
    if end is None:
        return None
    quoted = _STRING.fullmatch(text, at, end)
    return _Value(to_number((quoted[1] or quoted[2] or "").strip()) if quoted else None, False, end)


def _number(text: str) -> float:
    return _WORDS[text] if text in _WORDS else float(text)


def _skip(text: str, at: int) -> int | None:
    """End of a string or list that begins at `at`; None when it is neither, or has no end."""
    whole = _STRING.match(text, at)
    if whole:
        return whole.end()
    lacking: list[str] = []
    while at < len(text):
        char = text[at]
        if char in "'\"":
            inner = _STRING.match(text, at)
            if inner is None:
                return None
            at = inner.end()
            continue
        if char in _OPEN:
            lacking.append(_OPEN[char])
        elif char in "])":
            if not lacking or lacking.pop() != char:
                return None
            if not lacking:
                return at + 1
        elif not lacking:
            return None
        at += 1
    return None
