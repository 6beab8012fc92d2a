"""The configuration a run was started with, from what its logs print of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from data_loaders.schema import LogFacts

ConfigSource = Literal["config", "hydra", "overrides", "none"]
"""Printed by the log; composed by hydra in a folder beside it; words of a command line; nothing."""

STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
KEY = re.compile(rf"[ \t{{]*({STRING})\s*:\s?")
CONTINUATION = re.compile(rf"(?:{STRING}|[-+]?\d[\d.eE+-]*|None|True|False|[\[\](){{}},\s])+")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?(?:inf|nan)", re.IGNORECASE)
CLOSER = {"[": "]", "(": ")", "{": "}"}


class Absent(Enum):
    """Stands for a key a configuration does not have, which differs from null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


def get(config: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """Value at a dotted path; `default` when a part of the path is absent, None when the value is null."""
    value: Any = config
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return default
        value = value[part]
    return value


class HydraConfig(NamedTuple):
    """What hydra composed, and the file that holds it."""

    config: dict[str, Any]
    path: Path


class Resolved(NamedTuple):
    """The configuration of a run, and where it stands."""

    config: dict[str, Any]
    source: ConfigSource
    log: int | None = None
    """Index of the log that says it; None where no log does."""


def resolved(facts: Sequence[LogFacts], hydra: Mapping[str, Any] | None = None) -> Resolved:
    """Configuration in force: of the newest log that prints one, else `hydra`'s, else a log's command line.

    Keys that a broken dump lost are filled from the command line of the same log. What a log's command line
    says stands before what a folder beside it says.
    """
    newest_first = list(enumerate(facts))[::-1]
    for at, log in newest_first:
        if config := parse_config(log.config_text):
            return Resolved(_filled(config, parse_overrides(log.overrides)), "config", at)
    words = ((at, parse_overrides(log.overrides)) for at, log in newest_first)
    said = next((Resolved(found, "overrides", at) for at, found in words if found), Resolved({}, "none"))
    return Resolved(_filled(said.config, hydra), "hydra") if hydra else said


def parse_config(text: str) -> dict[str, Any]:
    """Nested dict from a pretty-printed dict literal. Lines of other writers inside it are skipped."""
    text = text[max(text.find("{"), 0) :]
    try:
        whole = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _parse_lines(text.split("\n"))
    return whole if isinstance(whole, dict) else {}


def parse_overrides(words: Iterable[str]) -> dict[str, Any]:
    """Nested dict from Hydra words such as `+reward.reward_kwargs.max_resp_len=8192`; later words win."""
    config: dict[str, Any] = {}
    for word in words:
        path, equals, text = _unquoted(word.strip()).partition("=")
        parts = path.lstrip("+").split(".")
        if not equals or path.startswith("~") or not all(parts):
            continue
        inner = config
        for part in parts[:-1]:
            child = inner.get(part)
            if not isinstance(child, dict):
                child = inner[part] = {}
            inner = child
        inner[parts[-1]] = _override_value(text)
    return config


def flatten(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted path → value; lists and empty dicts are values."""
    flat: dict[str, Any] = {}
    for key, value in config.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            flat |= flatten(value, f"{path}.")
        else:
            flat[path] = value
    return flat


def difference(configs: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Dotted path → one value per configuration, for the paths that are not equal in all; sorted by path."""
    flat = [flatten(config) for config in configs]
    rows = {path: tuple(config.get(path, ABSENT) for config in flat) for path in sorted(set().union(*flat))}
    return {path: row for path, row in rows.items() if any(_differs(row[0], value) for value in row[1:])}


def value_text(value: Any) -> str:
    """A value as the log's dump writes it; text bare, unless it would read as something else."""
    if not isinstance(value, str):
        return repr(value)
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value if value.strip() == value != "" else repr(value)
    return repr(value)


def _differs(one: Any, other: Any) -> bool:
    # True == 1 and 1 == 1.0 in Python; the first is a difference to a reader, the second is not.
    return bool(one != other) or isinstance(one, bool) != isinstance(other, bool)


def _filled(config: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(config)
    for key, value in more.items():
        if key not in filled:
            filled[key] = value
        elif isinstance(filled[key], dict) and isinstance(value, Mapping):
            filled[key] = _filled(filled[key], value)
    return filled


# -- A broken dump, line by line -----------------------------------------------------------------------
#
# pprint starts all keys of one dict in the same column, so the column of a key tells whose it is even when
# lines are missing or a line of another writer stands between.


def _parse_lines(lines: Sequence[str]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    owners: list[tuple[int, dict[str, Any]]] = []
    target: tuple[dict[str, Any], str] | None = None
    value = ""
    for line in lines:
        found = KEY.match(line)
        if found is None:
            if target and _is_open(value) and CONTINUATION.fullmatch(line):
                value += " " + line.strip()
            continue
        if not owners:
            owners.append((found.start(1), root))
        level = next((at for at, (column, _) in enumerate(owners) if column == found.start(1)), None)
        if level is None:
            continue
        if target:
            target[0][target[1]] = _literal(value)
        del owners[level + 1 :]
        inner, key, rest = _descend(line, found, owners)
        target, value = (inner, key), rest
    if target:
        target[0][target[1]] = _literal(value)
    return root


def _descend(
    line: str, found: re.Match[str], owners: list[tuple[int, dict[str, Any]]]
) -> tuple[dict[str, Any], str, str]:
    """Dict, key and value text of the last key of a line; dicts it opens are appended to `owners`."""
    while True:
        inner, key, rest = owners[-1][1], ast.literal_eval(found[1]), line[found.end() :]
        opened = KEY.match(line, found.end()) if rest.startswith("{") and _is_open(rest) else None
        if opened is None:
            return inner, str(key), rest
        child = inner.get(key)
        if not isinstance(child, dict):
            child = inner[str(key)] = {}
        owners.append((opened.start(1), child))
        found = opened


def _scan(text: str) -> tuple[int, list[str]]:
    """End of the first value in a text, and the closing brackets it still lacks there."""
    lacking: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char in "'\"":
            string = re.compile(STRING).match(text, at)
            if string is None:
                return at, lacking
            at = string.end()
            continue
        if char in CLOSER:
            lacking.append(CLOSER[char])
        elif lacking and char == lacking[-1]:
            lacking.pop()
        elif not lacking and char in ",]})":
            return at, lacking
        at += 1
    return at, lacking


def _is_open(text: str) -> bool:
    """Whether a value may go on in the next line: a bracket is open, or no comma follows a string."""
    end, lacking = _scan(text)
    return bool(lacking) or (end == len(text) and text.rstrip().endswith(("'", '"')))


def _literal(text: str) -> Any:
    """The value a text starts with; brackets left open are closed, other text is kept as text."""
    end, lacking = _scan(text)
    value = text[:end].strip()
    try:
        return ast.literal_eval(value.rstrip(",") + "".join(reversed(lacking)))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return float(value) if NUMBER.fullmatch(value) else value


# -- Hydra values --------------------------------------------------------------------------------------


def _override_value(text: str) -> Any:
    text = text.strip()
    if text[:1] + text[-1:] == "[]":
        return [_override_value(item) for item in _items(text[1:-1])]
    if text[:1] + text[-1:] == "{}":
        pairs = (item.partition(":") for item in _items(text[1:-1]))
        return {_unquoted(key.strip()): _override_value(value) for key, _, value in pairs}
    if (bare := _unquoted(text)) != text:
        return bare
    words = {"null": None, "none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    if NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    return text


def _items(text: str) -> Iterator[str]:
    """Parts of a text between commas outside brackets and quotes."""
    while text.strip():
        end, _ = _scan(text)
        yield text[:end].strip()
        text = text[end + 1 :]


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
