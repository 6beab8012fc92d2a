"""CSV of what is on screen: experiments × step range × metrics, streamed.

One `Query` serves the page's link and the command line, so both give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import quote

import numpy as np

from .derive.canonical import curve
from .derive.smooth import SMOOTHERS, smooth
from .metrics import find_metric
from .schema import Curve, FloatArray, IntArray, RunData, SegmentPolicy

BOM = "\ufeff"
HEAD = ("experiment", "track", "algorithm", "segment", "step", "metric", "value")
_FORMULA = re.compile(r"^[=+\-@\t\r＝＋－＠]")  # full-width forms open a formula in some spreadsheets too
_NEEDS_QUOTES = re.compile(r'[",\r\n]')


class QueryError(ValueError):
    """A part of a query that cannot be understood, named in the message."""


@dataclass(frozen=True)
class Query:
    """What to export. Empty tuples mean all; `steps` is inclusive."""

    experiments: tuple[str, ...] = ()
    """Labels (`E3`) or run ids."""
    tracks: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    """Canonical or logged names; the metric column repeats the name asked for."""
    steps: tuple[int, int] | None = None
    wide: bool = False
    smoothing: str = ""
    superseded: bool = False


def parse_steps(text: str) -> tuple[int, int] | None:
    """`133-140` or `133` as an inclusive range; empty text is None. Raises `QueryError` on anything else."""
    if not text:
        return None
    found = re.fullmatch(r"(\d{1,12})(?:-(\d{1,12}))?", text.strip())
    if not found:
        raise QueryError(f"steps must look like 133-140, not {text!r}")
    first, last = int(found[1]), int(found[2] or found[1])
    return (min(first, last), max(first, last))


def parse_query(parts: dict[str, str]) -> Query:
    """Query of a link: `exp track metrics steps wide smooth superseded`; other keys are ignored."""
    smoothing = parts.get("smooth", "")
    kinds = [smoother.kind for smoother in SMOOTHERS]
    if smoothing and smoothing not in kinds:
        raise QueryError(f"smooth must be one of {', '.join(kinds)}, not {smoothing!r}")
    return Query(
        experiments=_words(parts.get("exp", "")),
        tracks=_words(parts.get("track", "")),
        metrics=_words(parts.get("metrics", "")),
        steps=parse_steps(parts.get("steps", "")),
        wide=parts.get("wide", "") not in ("", "0"),
        smoothing=smoothing,
        superseded=parts.get("superseded", "") not in ("", "0"),
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in (part.strip() for part in text.split(",")) if word)


def file_name(query: Query) -> str:
    """Name that tells the filter, ASCII only: `rl-board_E3_133-140_grad_norm.csv`."""
    parts = [
        "rl-board",
        "+".join(query.experiments[:4]) or "+".join(query.tracks[:4]) or "all",
        "-".join(map(str, query.steps)) if query.steps else "",
        "+".join(query.metrics) if 0 < len(query.metrics) <= 3 else "",
        query.smoothing,
        "wide" if query.wide else "",
        "superseded" if query.superseded else "",
    ]
    name = "_".join(re.sub(r"[^A-Za-z0-9+.-]+", "_", part) for part in parts if part)
    return quote(name[:120], safe="+") + ".csv"


def chosen(runs: Iterable[RunData], query: Query) -> list[RunData]:
    """Runs the query names, by label or id, in board order."""
    wanted = set(query.experiments)
    return [
        data
        for data in runs
        if (not wanted or data.run.id in wanted or data.run.label in wanted)
        and (not query.tracks or data.run.track in query.tracks)
    ]


def csv_chunks(runs: Iterable[RunData], query: Query) -> Iterator[str]:
    """The file as text pieces: one per run and metric (long) or per run (wide), never the whole."""
    selected = chosen(runs, query)
    if query.wide:
        names = query.metrics or tuple(sorted(set(chain.from_iterable(d.run.keys for d in selected))))
        yield BOM + ",".join((*HEAD[:5], *_wide_head(names, query))) + "\r\n"
        for data in selected:
            yield from _wide(data, names, query)
        return
    yield BOM + ",".join((*HEAD, *(["smoothed"] if query.smoothing else []))) + "\r\n"
    for data in selected:
        for name in query.metrics or data.run.keys:
            yield from _long(data, name, query)


def number(value: float) -> str:
    """Shortest text that reads back to the same float; NaN and infinities literally."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def cell(text: str) -> str:
    """A text cell, defused against spreadsheet formulas and quoted where CSV asks for it."""
    safe = "'" + text if _FORMULA.match(text) else text
    return '"' + safe.replace('"', '""') + '"' if _NEEDS_QUOTES.search(safe) else safe


@dataclass(frozen=True)
class _Cells:
    step: IntArray
    value: FloatArray
    segment: IntArray
    smoothed: FloatArray | None


def _cells(data: RunData, name: str, query: Query) -> _Cells | None:
    """Cells of one metric in range; smoothing runs over the whole series before the range is cut."""
    policy: SegmentPolicy = "all" if query.superseded else "last"
    metric = find_metric(name)
    if metric is not None and metric.name == name:
        found = curve(data, name, policy=policy)
        if not isinstance(found, Curve):
            return None
        step, value, segment = found.step, found.value, _segments(found)
    else:
        series = data.series(name, policy)
        if series is None:
            return None
        step, value, segment = series.step, series.value, series.segment
    smoothed = smooth(query.smoothing, step, value) if query.smoothing else None
    keep = slice(None)
    if query.steps:
        inside = (step >= query.steps[0]) & (step <= query.steps[1])
        return _Cells(
            step[inside], value[inside], segment[inside], None if smoothed is None else smoothed[inside]
        )
    return _Cells(step[keep], value[keep], segment[keep], smoothed)


def _segments(found: Curve) -> IntArray:
    """Segment of each cell; 0 where a curve does not carry it."""
    return np.zeros(len(found.step), np.int64) if found.segment is None else found.segment


def _identity(data: RunData) -> str:
    run = data.run
    return ",".join(cell(text) for text in (run.id, run.track, run.algorithm))


def _long(data: RunData, name: str, query: Query) -> Iterator[str]:
    cells = _cells(data, name, query)
    if cells is None or not len(cells.step):
        return
    before, metric = _identity(data), cell(name)
    columns: list[Sequence[float]] = [(cells.segment + 1).tolist(), cells.step.tolist(), cells.value.tolist()]
    if cells.smoothed is not None:
        columns.append(cells.smoothed.tolist())
    yield "".join(
        f"{before},{row[0]},{row[1]},{metric},{','.join(map(number, row[2:]))}\r\n"
        for row in zip(*columns, strict=True)
    )


def _wide_head(names: Sequence[str], query: Query) -> list[str]:
    if not query.smoothing:
        return [cell(name) for name in names]
    return [cell(text) for name in names for text in (name, f"{name} ({query.smoothing})")]


def _wide(data: RunData, names: Sequence[str], query: Query) -> Iterator[str]:
    """One row per segment and step; a cell that was not logged stays empty."""
    columns: list[dict[tuple[int, int], float]] = []
    for name in names:
        cells = _cells(data, name, query)
        keys = [] if cells is None else list(zip(cells.segment.tolist(), cells.step.tolist(), strict=True))
        columns.append({} if cells is None else dict(zip(keys, cells.value.tolist(), strict=True)))
        if query.smoothing:
            smoothed = None if cells is None else cells.smoothed
            columns.append({} if smoothed is None else dict(zip(keys, smoothed.tolist(), strict=True)))
    if query.superseded:
        rows = sorted(set(chain.from_iterable(columns)), key=lambda key: (key[1], key[0]))
        merged = columns
    else:  # cells of one step may come from two segments: one row per step, the latest segment named
        latest: dict[int, int] = {}
        for segment, step in chain.from_iterable(columns):
            latest[step] = max(segment, latest.get(step, segment))
        rows = [(latest[step], step) for step in sorted(latest)]
        merged = [{(latest[step], step): v for (_, step), v in column.items()} for column in columns]
    before = _identity(data)
    for segment, step in rows:
        values = (column.get((segment, step)) for column in merged)
        yield f"{before},{segment + 1},{step},{','.join('' if v is None else number(v) for v in values)}\r\n"
