"""Kinds of values in board.toml: how each is written, and how it is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from data_loaders.catalog import Bilingual


class Kind(NamedTuple):
    """A kind of value: how it is written, and how it is read (raises ValueError)."""

    expected: str
    read: Callable[[Any], Any]
    choices: tuple[str, ...] = ()


def _require(right: bool) -> None:
    if not right:
        raise ValueError


def _text(value: Any) -> str:
    _require(isinstance(value, str) and not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", value))
    return str(value)


def _short(value: Any) -> str:
    text = _text(value).strip()
    _require(0 < len(text) <= 16 and text.isprintable() and not set(text) & set(",#"))
    return text


def _bilingual(value: Any) -> Bilingual:
    if isinstance(value, str):
        return _text(value), _text(value)
    _require(isinstance(value, dict) and bool(value) and set(value) <= {"zh", "en"})
    texts = {language: _text(text) for language, text in value.items()}
    only = next(iter(texts.values()))
    return texts.get("zh", only), texts.get("en", only)


def _words(value: Any) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    _require(isinstance(words, list) and all(isinstance(w, str) and 0 < len(w.strip()) <= 100 for w in words))
    return tuple(_text(word) for word in words)


def _command(value: Any) -> tuple[str, ...]:
    _require(isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value))
    _require(bool(value[0]) and not any("\0" in word for word in value))
    return tuple(value)


def _integer(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        _require(type(value) is int and low <= value <= high)
        return int(value)

    return read


def _flag(value: Any) -> bool:
    _require(isinstance(value, bool))
    return bool(value)


def _pair(value: Any, types: tuple[type, ...]) -> tuple[Any, Any]:
    _require(isinstance(value, list) and len(value) == 2 and all(type(v) in types for v in value))
    _require(all(math.isfinite(v) and abs(v) <= 1e9 for v in value))
    return value[0], value[1]


def _window(value: Any) -> tuple[int, int]:
    first, last = _pair(value, (int,))
    _require(0 <= first <= last)
    return first, last


def _scale(value: Any) -> tuple[float, float]:
    low, high = _pair(value, (int, float))
    _require(low < high)
    return float(low), float(high)


def _items(value: Any) -> dict[str, int]:
    _require(isinstance(value, dict))
    count = _integer(1, 10**9)
    return {_text(source): count(items) for source, items in value.items()}


def one_of(allowed: tuple[str, ...]) -> Kind:
    """One name of a list, in any case."""

    def read(value: Any) -> str:
        _require(isinstance(value, str) and value.lower() in allowed)
        return str(value).lower()

    return Kind(" | ".join(f'"{name}"' for name in allowed), read, allowed)


def some_of(allowed: tuple[str, ...]) -> Kind:
    """Several names of a list, in any case."""

    def read(value: Any) -> tuple[str, ...]:
        known = {name.lower(): name for name in allowed}
        words = _words(value)
        _require(all(word.lower() in known for word in words))
        return tuple(known[word.lower()] for word in words)

    return Kind("names such as " + json.dumps(list(allowed[:2])), read, allowed)


TEXT = Kind('"…"', _text)
BILINGUAL = Kind('"…" or {zh = "…", en = "…"}', _bilingual)
COUNT = Kind("a whole number such as 16384", _integer(1, 10**9))
WORDS = Kind('["7b", "qwen3-8b"]', _words)
COMMAND = Kind('["/usr/local/bin/tell-us", "rl"]', _command)
SLOT = Kind("1, 2, 3, 4 or 5", _integer(1, 5))

LABEL = Kind('a short label such as "E3"', _short)
FLAG = Kind("true or false", _flag)
WINDOW = Kind("[first, last] such as [1, 129]", _window)
SCALE = Kind("[lowest, highest] such as [-1, 1]", _scale)
ITEMS = Kind("{aime_2024 = 30, math_500 = 500}", _items)
