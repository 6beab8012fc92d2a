"""Charts along steps: a line per run, faint raw values behind a smoothed one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from components.figures import (
    Absence,
    Chart,
    Line,
    Remark,
    badge,
    badges,
    csv_names,
    empty,
    kind_of_smoothing,
    last_of_step,
    layout,
    lines,
    meta,
    remarks,
    smoothing_window,
    trace,
)
from components.figures_meaning import meaning_badges
from components.figures_sampled import extent, told
from components.text import joined, words
from components.view import ChartRun, Selection
from data_loaders.derive.comparability import Shown
from data_loaders.derive.smooth import smooth
from data_loaders.schema import BoolArray, Curve, Json


def line_chart(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    """Raw and, where smoothing is in force, smoothed lines of all runs."""
    drawn, missing = lines(chart, runs, selection)
    if not drawn:
        return empty(chart.named, missing)
    kind = kind_of_smoothing(chart, selection)
    single = len(runs) == 1
    notes = [*_meaning(drawn, single), *badges(_remarks(drawn, missing, single), single), *chart.trust(drawn)]
    if kind != "raw":
        smoother = badge("tag", words(f"smooth.{kind}.badge"), words(f"smooth.{kind}.long"))
        notes.insert(0, smoother | {"smooth": True})
    shared = replace(selection, lines=len(drawn) * (1 if kind == "raw" else 2))
    data = [made for line in drawn for made in _traces(line, chart, shared, kind)]
    sampled = extent(data, selection)
    notes += [badge("tag", *text) for text in told(sampled)]
    told_apart = {"sampled": sampled, "csv": list(csv_names(chart, selection))}
    return {
        "data": data,
        "layout": layout(chart, runs),
        "meta": meta(chart, runs, "steps", notes) | told_apart,
    }


COMPARED = ("note.loss_scale",)
"""Remarks on one run that a chart of several makes when they differ."""


def _remarks(drawn: Sequence[Line], missing: Sequence[Absence], single: bool) -> Iterator[Remark]:
    return (remark for remark in remarks(drawn, missing) if single or remark[1].key not in COMPARED)


def _meaning(drawn: Sequence[Line], single: bool) -> list[Json]:
    shown = [] if single else [(line.run, Shown(line.run.data, line.metric, line.curve)) for line in drawn]
    return meaning_badges(shown)


def _traces(line: Line, chart: Chart, selection: Selection, kind: str) -> list[Json]:
    replaced = line.curve.superseded
    current = last_of_step(line.step) if replaced is None else ~replaced
    kept = _cut(line, current)
    made = [trace(chart, kept, "raw", kept.y, selection)]
    if kind != "raw":
        smoothed = smooth(kind, kept.step, kept.y)
        made.append(trace(chart, kept, "ma", smoothed, selection, smoothing_window(kind)))
    for one, smoother in zip(made, ("", kind), strict=False):
        one["meta"] |= _how(line.curve, smoother)
    if not current.all():
        old = _cut(line, ~current)
        dots = {"mode": "markers", "marker": {"size": 3}}
        made.append(trace(chart, old, "old", old.y, selection) | dots)
    return made


def _how(drawn: Curve, smoother: str) -> Json:
    """How values come from logged ones, as the hover says it, and whether they are lower bounds."""
    parts = [words(f"{drawn.derived.key}.hover")] if drawn.derived else []
    parts += [words(f"smooth.{smoother}.badge")] if smoother else []
    told: Json = {"how": list(joined(parts, " · ", " · "))} if parts else {}
    return told | ({"least": True} if _is_bound(drawn) else {})


def _is_bound(drawn: Curve) -> bool:
    """Whether the values are lower bounds: of a reward with a penalty, given back in part or not."""
    keys = [*((drawn.derived.key,) if drawn.derived else ()), *(note.key for note in drawn.notes)]
    return any(key.startswith(("derived.pass_rate_bound", "note.lower_bound")) for key in keys)


def _cut(line: Line, rows: BoolArray) -> Line:
    if rows.all():
        return line
    return Line(line.run, line.metric, line.step[rows], line.x[rows], line.y[rows], line.curve)
