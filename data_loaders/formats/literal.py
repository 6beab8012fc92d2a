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
    while True:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        if at >= len(text):
            return Printed(numbers, tuple(nothing), words)
        if text[at] == "}":
            at += 1
            if not path:
                return Printed(numbers, tuple(nothing), words, at)
            path.pop()
            continue
        found = _KEY.match(text, at)
        if found is None:
            return Printed(numbers, tuple(nothing), words, None, not _KEY_BEGUN.match(text, at))
        key, at = "/".join([*path, found[1] or found[2]]), found.end()
        if at < len(text) and text[at] == "{" and len(path) < MOST_DEEP:
            path.append(found[1] or found[2])
            at += 1
            continue
        if value := _NUMBER.match(text, at):
            numbers[key] = _number(value[1] or value[2])
            at = value.end()
        elif empty := _NOTHING.match(text, at):
            nothing.append(key)
            at = empty.end()
        else:
            value_end = _skip(text, at)
            if value_end is None:
                begun = _VALUE_BEGUN.match(text, at) or text[at : at + 1] in _OPEN
                return Printed(numbers, tuple(nothing), words, None, not begun)
            quoted = _STRING.fullmatch(text, at, value_end)
            number = to_number((quoted[1] or quoted[2] or "").strip()) if quoted else None
            if number is None:
                words += 1
            else:
                numbers[key] = number
            at = value_end


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
