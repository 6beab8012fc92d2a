"""Charts along steps: a line per run, faint raw values behind a smoothed one."""

from __future__ import annotations

from collections.abc import Sequence

from components.figures import (
    Chart,
    Line,
    badge,
    badges,
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
from components.text import words
from components.view import ChartRun, Selection
from data_loaders.derive.smooth import smooth
from data_loaders.schema import BoolArray, Json


def line_chart(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    """Raw and, where smoothing is in force, smoothed lines of all runs."""
    drawn, missing = lines(chart, runs, selection)
    if not drawn:
        return empty(chart.named, missing)
    kind = kind_of_smoothing(chart, selection)
    single = len(runs) == 1
    notes = badges(remarks(drawn, missing), single)
    if kind != "raw" and chart.group != "mini":
        notes.insert(0, badge("tag", words(f"smooth.{kind}.badge"), words(f"smooth.{kind}.long")))
    return {
        "data": [made for line in drawn for made in _traces(line, chart, selection, kind)],
        "layout": layout(chart, runs),
        "meta": meta(chart, runs, "steps", notes),
    }


def _traces(line: Line, chart: Chart, selection: Selection, kind: str) -> list[Json]:
    replaced = line.curve.superseded
    current = last_of_step(line.step) if replaced is None else ~replaced
    kept = _cut(line, current)
    made = [trace(kept, "raw", kept.y, selection, chart.metric)]
    if kind != "raw":
        smoothed = smooth(kind, kept.step, kept.y)
        made.append(trace(kept, "ma", smoothed, selection, chart.metric, smoothing_window(kind)))
    if not current.all():
        old = _cut(line, ~current)
        dots = {"mode": "markers", "marker": {"size": 3}}
        made.append(trace(old, "old", old.y, selection, chart.metric) | dots)
    return made


def _cut(line: Line, rows: BoolArray) -> Line:
    if rows.all():
        return line
    return Line(line.run, line.metric, line.step[rows], line.x[rows], line.y[rows], line.curve)
