"""CSV of what is on screen: experiments × step range × metrics, streamed.

One `Query` serves the page's link and the command line, so both give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from typing import TypeVar
from urllib.parse import quote, unquote

import numpy as np

from .derive.canonical import Units, curve
from .derive.smooth import SMOOTHERS, smooth
from .metrics import METRICS, find_metric, in_tokens
from .schema import Curve, FloatArray, IntArray, RunData, SegmentPolicy

BOM = "\ufeff"
HEAD = ("experiment", "track", "algorithm", "segment", "step", "metric", "value")
_FORMULA = re.compile(r"^[=+\-@\t\r\n＝＋－＠]")  # full-width forms open a formula in some spreadsheets too
POLICIES: tuple[SegmentPolicy, ...] = ("last", "first", "all")
UNITS: tuple[Units, ...] = ("token", "logged")
_Word = TypeVar("_Word", bound=str)
BLOCK = 200
"""Rows of a wide file that are text at once."""
MOST_NAMES = 2000
"""Experiments, tracks or metrics of one question."""
SEGMENT_BITS = 20
"""Starts of one run that can be told apart."""
SHOWN_NEAR = 5
"""Names that are offered for one that is not there."""
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
    """Canonical or logged names; the metric column repeats the name asked for.

    `entropy_per_token` and `kl_loss_per_token` are per token whatever `units` says.
    """
    steps: tuple[int, int] | None = None
    wide: bool = False
    smoothing: str = ""
    policy: SegmentPolicy = "last"
    """Which cells of a step that was trained again: the last, the first, or all with their segments."""
    units: Units = "token"
    episode: str = ""
    """`<run id>:<first step>` or `<run id>:<first>-<last>`; gives the run, and the steps where none are."""


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
    """Query of a link: `exp track metrics steps wide smooth superseded seg units ep`; others are ignored."""
    smoothing = parts.get("smooth", "")
    kinds = [smoother.kind for smoother in SMOOTHERS]
    if smoothing and smoothing not in kinds:
        raise QueryError(f"smooth must be one of {', '.join(kinds)}, not {smoothing!r}")
    return Query(
        experiments=_words(parts, "exp"),
        tracks=_words(parts, "track"),
        metrics=_words(parts, "metrics"),
        steps=parse_steps(parts.get("steps", "")),
        wide=parts.get("wide", "") not in ("", "0"),
        smoothing=smoothing,
        policy="all" if parts.get("superseded", "") not in ("", "0") else _one_of(parts, "seg", POLICIES),
        units=_one_of(parts, "units", UNITS),
        episode=parts.get("ep", ""),
    )


def _one_of(parts: dict[str, str], key: str, known: tuple[_Word, ...]) -> _Word:
    """The value of a key, the first one known when it is absent."""
    found = next((word for word in known if word == parts.get(key, known[0])), None)
    if found is None:
        raise QueryError(f"{key} must be one of {', '.join(known)}, not {parts[key]!r}")
    return found


def resolved(query: Query, episodes: Iterable[tuple[str, int, int]]) -> Query:
    """The query with its episode as run and steps; `episodes` are (run id, first step, last step).

    Raises `QueryError` when the episode is not among them.
    """
    if not query.episode:
        return query
    found = re.fullmatch(r"(.+):(\d{1,12})(-\d{1,12})?", query.episode, re.DOTALL)
    spans = {(run, first): (first, last) for run, first, last in episodes}
    span = None
    if found:
        key = (found[1], int(found[2]))
        span = parse_steps(found[2] + found[3]) if found[3] else spans.get(key)
    if found is None or span is None:
        raise QueryError(f"no episode {query.episode!r}: an id looks like e3_drgrpo_2b:133")
    return replace(query, episode="", experiments=(found[1],), steps=query.steps or span)


def _words(parts: dict[str, str], key: str) -> tuple[str, ...]:
    """Names between commas; a comma or per cent sign inside a name is written %2C or %25."""
    named = parts.get(key, "").split(",", MOST_NAMES)
    if len(named) > MOST_NAMES:
        raise QueryError(f"{key} names more than {MOST_NAMES} things")
    words = (re.sub("%(2C|25)", _unescaped, part.strip(), flags=re.IGNORECASE) for part in named)
    return tuple(word for word in words if word)


def _unescaped(found: re.Match[str]) -> str:
    return unquote(found[0])


def file_name(query: Query) -> str:
    """Name that tells the filter, ASCII only: `rl-board_E3_133-140_grad_norm.csv`."""
    parts = [
        "rl-board",
        "+".join(query.experiments[:4]) or "+".join(query.tracks[:4]) or "all",
        "-".join(map(str, query.steps)) if query.steps else "",
        "+".join(query.metrics) if 0 < len(query.metrics) <= 3 else "",
        query.smoothing,
        "wide" if query.wide else "",
        {"last": "", "first": "first", "all": "superseded"}[query.policy],
        query.units if query.units == "logged" else "",
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


def check_names(runs: Sequence[RunData], query: Query, tracks: Iterable[str] = ()) -> None:
    """Raise `QueryError` for the first name that no run and no track has, with those nearest to it.

    A metric that is known and that no run logged is no error: its rows are just not there.
    """
    known: tuple[tuple[str, tuple[str, ...], Iterable[str]], ...] = (
        ("experiment", query.experiments, chain.from_iterable((d.run.id, d.run.label) for d in runs)),
        ("track", query.tracks, chain(tracks, (d.run.track for d in runs))),
        ("metric", query.metrics, chain((m.name for m in METRICS), *(d.run.keys for d in runs))),
    )
    for kind, asked, names in known:
        there = sorted({name for name in names if name})
        for name in asked:
            if name not in there and not (kind == "metric" and find_metric(in_tokens(name) or name)):
                near = get_close_matches(name, there, SHOWN_NEAR, 0.5) or there[:SHOWN_NEAR]
                told = f"; nearest: {', '.join(near)}" if near else ""
                raise QueryError(f"no {kind} {name!r}{told}")


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
class Cells:
    step: IntArray
    value: FloatArray
    segment: IntArray
    smoothed: FloatArray | None


def cells_of(data: RunData, name: str, query: Query) -> Cells | None:
    """Cells of one metric in range; smoothing runs over the whole series before the range is cut."""
    base = in_tokens(name) or name
    metric = find_metric(base)
    if metric is not None and metric.name == base:
        units = query.units if base == name else "token"
        found = curve(data, base, units=units, policy=query.policy)
        cells = (found.step, found.value, _segments(found)) if isinstance(found, Curve) else None
    else:
        cells = None
    if cells is None:
        series = data.series(name, query.policy)
        if series is None:
            return None
        cells = series.step, series.value, series.segment
    step, value, segment = cells
    smoothed = smooth(query.smoothing, step, value) if query.smoothing else None
    if query.steps:
        inside = (step >= query.steps[0]) & (step <= query.steps[1])
        return Cells(
            step[inside], value[inside], segment[inside], None if smoothed is None else smoothed[inside]
        )
    return Cells(step, value, segment, smoothed)


def _segments(found: Curve) -> IntArray:
    """Segment of each cell; 0 where a curve does not carry it."""
    return np.zeros(len(found.step), np.int64) if found.segment is None else found.segment


def _identity(data: RunData) -> str:
    run = data.run
    return ",".join(cell(text) for text in (run.id, run.track, run.algorithm))


def _long(data: RunData, name: str, query: Query) -> Iterator[str]:
    cells = cells_of(data, name, query)
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
    """One row per step, per segment too where superseded rows are asked for; what was not logged stays empty.

    A column is two arrays: the places of its cells, ordered by step and then by segment, and their values.
    """
    columns: list[tuple[IntArray, FloatArray]] = []
    smoothings = 2 if query.smoothing else 1
    for name in names:
        cells = cells_of(data, name, query)
        if cells is None:
            columns += [(np.zeros(0, np.int64), np.zeros(0))] * smoothings
            continue
        places = (cells.step << SEGMENT_BITS) + cells.segment
        order = np.argsort(places, kind="stable")
        columns.append((places[order], cells.value[order]))
        if cells.smoothed is not None:
            columns.append((places[order], cells.smoothed[order]))
    rows = np.unique(np.concatenate([np.zeros(0, np.int64), *(places for places, _ in columns)]))
    if query.policy != "all":  # cells of one step may come from two segments: the latest is named
        step = rows >> SEGMENT_BITS
        rows = rows[np.append(step[1:] != step[:-1], True)[: rows.size]]
    before = _identity(data)
    for start in range(0, rows.size, BLOCK):
        yield from _wide_rows(before, rows[start : start + BLOCK], columns, query)


def _wide_rows(
    before: str, rows: IntArray, columns: Sequence[tuple[IntArray, FloatArray]], query: Query
) -> Iterator[str]:
    """Text of some rows in order."""
    keys = rows if query.policy == "all" else rows >> SEGMENT_BITS
    texts: list[list[str]] = []
    for places, values in columns:
        known = places if query.policy == "all" else places >> SEGMENT_BITS
        low, high = np.searchsorted(known, keys[0]), np.searchsorted(known, keys[-1], side="right")
        column = [""] * keys.size
        at = np.searchsorted(keys, known[low:high])
        for row, value in zip(at.tolist(), values[low:high].tolist(), strict=True):
            column[row] = number(value)
        texts.append(column)
    segments, steps = (rows & ((1 << SEGMENT_BITS) - 1)) + 1, rows >> SEGMENT_BITS
    yield "".join(
        f"{before},{segment},{step},{','.join(cells)}\r\n"
        for segment, step, *cells in zip(segments.tolist(), steps.tolist(), *texts, strict=True)
    )
