"""What stands before the first step line: resolved config, command line, first time stamp."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from data_loaders.formats.foreign import recognise
from data_loaders.formats.step_line import plain, writer_of

MAX_CONFIG = 256 * 1024
MAX_WORDS = 1000
MAX_WORD = 4000
FAR = 400
"""Lines of the writer in a row, none of them like dict text, that end a config whose end was lost."""

_CLOCK = re.compile(rb"(20\d\d)-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?(?!\d)")
_CONFIG = re.compile(rb"\{'[A-Za-z_]\w*': ?(?:\{|$)", re.MULTILINE)
_STRING = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_DICT_LINE = re.compile(r"""^(?:\{['"]|\s+['"\[{(\]})]|\s+[-\w.]+[,\]}])""")
_COMMAND = re.compile(rb"^(?:[+$] )?[^\n]*-m (?:verl|recipe)\.[^\n]*=[^\n]*", re.MULTILINE)
_JOB_OVERRIDES = re.compile(rb"Error executing job with overrides: (\[[^\n]*\])")
_WORD = re.compile(r"^[+~]{0,2}[A-Za-z_][\w.@/]*=")


class Head(NamedTuple):
    config: str = ""
    overrides: Sequence[str] = ()
    clock: float | None = None
    foreign: str = ""
    """Name of another format that the text shows."""

    def or_else(self, other: Head) -> Head:
        """What this head does not say is taken from another one."""
        return self._replace(config=self.config or other.config, overrides=self.overrides or other.overrides)


def read_head(data: bytes) -> Head:
    """Read the bytes before the first step line, or the first few megabytes of a log without one."""
    return Head(config_text(data), overrides(data), first_clock(data), recognise(data))


def config_text(data: bytes) -> str:
    """The last config dump, prefixes removed, lines of its own process that fell into it still inside."""
    dumps = [m.start() for m in _CONFIG.finditer(data) if _begins_line(data, m.start())]
    # pprint sorts keys, so the dump of a nested part never opens like the whole one does at the line's start
    return "\n".join(_dump(data, dumps[-1])) if dumps else ""


def _begins_line(data: bytes, position: int) -> bool:
    left = max(data.rfind(b"\n", 0, position), data.rfind(b"\r", max(0, position - 4000), position)) + 1
    return plain(data[left:position]) == ""


def _dump(data: bytes, position: int) -> Iterator[str]:
    left = data.rfind(b"\n", 0, position) + 1
    writer = writer_of(data[left:position])
    depth = size = strange = 0
    for raw in data[left : left + 2 * MAX_CONFIG].split(b"\n"):
        if writer_of(raw) != writer:
            continue
        for piece in raw.rstrip(b"\r").split(b"\r"):
            text = plain(piece).rstrip()
            size += len(text) + 1
            if size > MAX_CONFIG:
                return
            yield text
            if not _DICT_LINE.match(text):
                strange += 1
                if strange > FAR:
                    return
                continue
            strange = 0
            bare = _STRING.sub("", text)
            depth += bare.count("{") - bare.count("}")
            if depth <= 0 and bare.endswith("}"):
                return


def overrides(data: bytes) -> tuple[str, ...]:
    """`key=value` words of the last command line that starts verl, else of hydra's error line."""
    command = next(iter(_COMMAND.findall(data)[-1:]), b"")
    words: list[str] = []
    if command:
        text = plain(command)
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        module = next((at for at, word in enumerate(words) if word == "-m"), 0)
        words = words[module:]
    else:
        words = job_overrides(data)
    return tuple(word for word in words if _WORD.match(word) and len(word) <= MAX_WORD)[:MAX_WORDS]


def job_overrides(data: bytes) -> list[str]:
    """Words of `Error executing job with overrides: [...]`; none when the line is missing or broken."""
    found = _JOB_OVERRIDES.search(data)
    if found is None:
        return []
    try:
        return [str(word) for word in ast.literal_eval(found[1].decode("utf-8", "replace"))]
    except (ValueError, SyntaxError):
        return []


def first_clock(data: bytes) -> float | None:
    """Epoch seconds of the first time stamp with a date, read as UTC."""
    return next(_clocks(_CLOCK.finditer(data)), None)


def last_clock(data: bytes) -> tuple[int, float] | None:
    """Position and epoch seconds of the last time stamp."""
    for found in reversed(list(_CLOCK.finditer(data))):
        for seconds in _clocks(iter((found,))):
            return found.start(), seconds
    return None


def _clocks(stamps: Iterator[re.Match[bytes]]) -> Iterator[float]:
    for stamp in stamps:
        if stamp.string[max(stamp.start() - 1, 0) : stamp.start()].isdigit():
            continue
        *date, fraction = stamp.groups()
        micro = int((fraction or b"0").ljust(6, b"0"))
        try:
            yield datetime(*map(int, date), micro, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
        except ValueError:  # 2026-13-41
            continue
