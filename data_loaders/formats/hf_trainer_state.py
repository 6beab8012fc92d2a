"""Hugging Face's `trainer_state.json`: a JSON document whose `log_history` lists what was logged.

Source: transformers' TrainerState. Entries of training, evaluation and the end have different keys; each
names its step. Non-finite numbers stand there as NaN and Infinity.
"""

from __future__ import annotations

import json
import re

from data_loaders.formats.findings import Findings, Place, as_step
from data_loaders.formats.json_lines import numbers_of
from data_loaders.formats.whole_file import WholeFormat

_HISTORY = re.compile(r'"log_history"\s*:\s*\[')
_PLANNED = re.compile(r'"max_steps"\s*:\s*(\d{1,15})\b')
_NEXT = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def read(data: bytes, found: Findings) -> None:
    """Read entry by entry, so that a document cut short gives what it has."""
    text = data.decode("latin-1")  # a character is a byte, so that places are those in the file
    history = _HISTORY.search(text)
    if history is None:
        return
    at, line, counted = history.end(), 1, 0
    while True:
        gap = _NEXT.match(text, at)
        at = gap.end() if gap else at
        if not text.startswith("{", at):
            break
        line += text.count("\n", counted, at)
        counted = at
        try:
            entry, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        _entry(entry, Place(at, end - at, line), found)
        at = end
    if not text.startswith("]", at):
        found.cut.append(line + text.count("\n", counted, at))
    elif planned := _PLANNED.search(text, at) or _PLANNED.search(text, 0, history.start()):
        found.planned = int(planned[1]) or None


def _entry(entry: dict[str, object], place: Place, found: Findings) -> None:
    utf8 = {_utf8(key): value for key, value in entry.items()}
    step = as_step(utf8.pop("step", None))
    cells, words = numbers_of(utf8)
    if words:
        found.remark("report.words")
    if step is None:
        found.reject(place.line, ", ".join(utf8), "rejected.no_step")
        return
    found.add(step, cells, place)


def _utf8(text: str) -> str:
    """A key as it was written, not byte by byte."""
    try:
        return text.encode("latin-1").decode("utf-8", "replace")
    except UnicodeEncodeError:  # it was written with escapes
        return text


FORMAT = WholeFormat("hf_trainer_state", read)

_SHOWS = re.compile(rb'\A\s*\{.*?"log_history"\s*:\s*\[', re.DOTALL)


def sniff(first: bytes, _last: bytes, _name: str) -> bool:
    """Whether the file begins as such a document."""
    return _SHOWS.match(first) is not None
