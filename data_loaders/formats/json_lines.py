"""Lines that are JSON objects, one record each: what verl's file logger and LLaMA-Factory write."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from data_loaders.formats.findings import Findings, Place, as_key, as_step
from data_loaders.schema import Json

_DECODER = json.JSONDecoder()
MOST_DEEP = 20
"""Objects inside objects that are followed."""
MOST_RECORDS = 1000
"""Records on one line that are read."""


class Records(NamedTuple):
    """Where a record keeps what."""

    begins: str
    """What every record begins with, as a regular expression; tells one from the rest of another."""
    step: str
    inside: str = ""
    """Key of the object that holds the metrics; empty where the record holds them itself."""
    planned: str = ""
    """Key of the number of steps planned."""
    null: bool = False
    """null stands for nan or inf, which JSON does not have."""


class JsonLines:
    """Implements `line_reader.Parser`; remembers nothing."""

    def __init__(self, form: Records, _state: Json | None = None) -> None:
        self._form = form
        self._begins = re.compile(form.begins)

    def state(self) -> Json:
        return {}

    def finish(self, found: Findings) -> None:
        """Nothing is kept back."""

    def line(self, raw: bytes, place: Place, found: Findings) -> None:
        """Two writers at once may leave several records, or parts of one, on a line."""
        text = raw.decode("utf-8", "replace").strip()
        starts = [match.start() for match in self._begins.finditer(text)][:MOST_RECORDS]
        if not starts:
            if text:
                found.reject(place.line, text, "rejected.no_record")
            return
        if starts[0] and text[: starts[0]].strip("\0 \t"):
            found.reject(place.line, text[: starts[0]], "rejected.no_record")
        end = 0
        for start in starts:
            if start < end:
                continue  # a text inside a record
            try:
                record, end = _DECODER.raw_decode(text, start)
            except (ValueError, RecursionError):
                found.cut.append(place.line)
                continue
            if isinstance(record, dict):
                self._record(record, text[start:end], place, found)

    def _record(self, record: Json, text: str, place: Place, found: Findings) -> None:
        form = self._form
        step = as_step(record.get(form.step))
        values = record.get(form.inside) if form.inside else record
        if step is None or not isinstance(values, Mapping):
            found.reject(place.line, text, "rejected.no_step")
            return
        planned = as_step(record.get(form.planned)) if form.planned else None
        found.planned = planned or found.planned
        cells, words = numbers_of(values, null=form.null)
        for key in (form.step, form.planned):
            cells.pop(key, None)
        if words:
            found.remark("report.words")
        found.add(step, cells, place)


def numbers_of(
    values: Mapping[str, Any], *, null: bool = False, deep: int = MOST_DEEP
) -> tuple[dict[str, float], int]:
    """The numbers of a JSON object, inner objects as `outer/inner`, and how many other values it has."""
    cells: dict[str, float] = {}
    words = 0
    for key, value in values.items():
        if isinstance(value, Mapping) and deep:
            inner, more = numbers_of(value, null=null, deep=deep - 1)
            cells |= {as_key(f"{key}/{name}"): number for name, number in inner.items()}
            words += more
        elif value is None:
            if null:
                cells[as_key(key)] = math.nan
        elif isinstance(value, (int, float)):
            cells[as_key(key)] = _float(value)
        else:
            words += 1
    return cells, words


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
