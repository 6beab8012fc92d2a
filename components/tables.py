"""Tables of runs: the status of a track, all runs by track, files without steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dash import html

from components import numbers
from components.attributes import HIDDEN, act
from components.cards import episode_link, facts, source_file
from components.sparkline import shared_range, sparkline
from components.style import run_name
from components.text import Sentence, both, sentence, span, titled
from components.view import Count, Pair, RunRow, SourceFile, Span, TrackGroup
from data_loaders.derive.statistics import Mean

RUNNING = ("starting", "live", "late", "stalled")
"""States in which the progress bar is drawn as moving."""
PEAK_RATIO = 3.0
"""A peak is set bold from this many times the median on."""
SHOWN_EPISODES = 2

Range = tuple[float | None, float | None]


class Column(NamedTuple):
    """A column: its head, its cell, and whether it holds numbers."""

    head: Any
    cell: Callable[[RunRow, Range], Any]
    num: bool = True
    wide: bool = True
    """Whether phones leave it out."""


def status_table(rows: Sequence[RunRow], window: Span | None, validation: str) -> html.Table:
    """The runs of a track: progress, pass rate, validation, hours, episodes."""
    steps = numbers.steps(*window) if window else ""
    columns = (
        Column(both("table.progress"), lambda row, _: _progress(row), num=False),
        Column(both("table.pass_rate", steps=steps), lambda row, low: _spark(row.pass_rate, row, low), False),
        Column(both("table.last10"), lambda row, _: _mean(row.last10, row.lower_bound), wide=False),
        Column(_validation_head(rows, validation), lambda row, _: _count(row.validation, rows), wide=False),
        Column(both("table.hours"), lambda row, _: _hours(row.hours)),
        Column(both("table.episodes"), lambda row, _: episodes_cell(row), num=False, wide=False),
    )
    shared = shared_range([row.pass_rate for row in rows])
    head = html.Tr([_head(both("table.run"), False), *(_head(c.head, c.num, c.wide) for c in columns)])
    return html.Table(
        [html.Thead(head), html.Tbody([_row(row, columns, shared) for row in rows])], className="rt"
    )


def run_table(groups: Sequence[TrackGroup]) -> html.Table:
    """Every run of the board, grouped by track."""
    body: list[Any] = []
    for group in groups:
        shared = shared_range([row.pass_rate for row in group.rows])
        title: list[Any] = [html.B(span(group.title)), facts(group.facts)]
        body.append(html.Tr(html.Td(title, colSpan=len(ALL_RUNS) + 1), className="grp"))
        body += [_row(row, ALL_RUNS, shared) for row in group.rows]
    head = html.Tr([_head(both("table.run"), False), *(_head(c.head, c.num, c.wide) for c in ALL_RUNS)])
    return html.Table([html.Thead(head), html.Tbody(body)], className="rt runs")


def stepless_table(files: Sequence[SourceFile]) -> html.Table:
    """Files that gave no step, each with its reason."""
    head = html.Tr([_head(both("table.file"), False), _head(both("table.reason"), False)])
    rows = [
        html.Tr([
            html.Td(source_file(SourceFile(file.name, file.coverage)), className="wrap"),
            html.Td([part for note in file.notes for part in (sentence(note), " ")], className="wrap"),
        ])
        for file in files
    ]  # fmt: skip
    return html.Table([html.Thead(head), html.Tbody(rows)], className="rt")


def episodes_cell(row: RunRow) -> Any:
    """Steps of the gravest episodes as links, the rest counted."""
    if not row.episodes:
        return html.Span(numbers.NONE, className="mut")
    ordered = sorted(row.episodes, key=lambda e: (-e.severity, e.start))
    links: list[Any] = []
    for episode in ordered[:SHOWN_EPISODES]:
        links += [episode_link(row.info, episode, numbers.steps(episode.start, episode.end)), " "]
    rest = len(ordered) - SHOWN_EPISODES
    return [*links, *([html.Span(both("table.more", n=rest), className="mut")] if rest > 0 else [])]


def state(row: RunRow) -> html.Span:
    """The state as a word, with the dot of a running one; the reason in its tooltip."""
    name = {"live": "acc live", "late": "warn", "stalled": "warn", "crashed": "bad"}.get(row.state, "")
    dot: list[Any] = [html.I(**HIDDEN)] if row.state == "live" else []
    return html.Span([*dot, both(f"state.{row.state}")], className=name, **_why(row.why))


# ---- rows and heads ----


def _row(row: RunRow, columns: Sequence[Column], shared: Range) -> html.Tr:
    name = html.Td(run_name(row.info))
    if row.last is None:
        told: list[Any] = [state(row), *([" · ", sentence(row.why)] if row.why else [])]
        cells = [html.Td(told, colSpan=len(columns), className="w-m")]
    else:
        cells = [html.Td(c.cell(row, shared), className=_class(c.num, c.wide)) for c in columns]
    return html.Tr([name, *cells], **act("run", row.info.id))


def _head(content: Any, num: bool, wide: bool = False) -> html.Th:
    return html.Th(content, className=_class(num, wide), scope="col")


def _class(num: bool, wide: bool) -> str:
    return " ".join(name for name, on in (("num", num), ("no-m", wide)) if on)


def _validation_head(rows: Iterable[RunRow], title: str) -> Any:
    """The set and, where all runs were last measured at one step, that step."""
    steps = {row.validation.step for row in rows if row.validation}
    at = [both("table.at", step=steps.pop())] if len(steps) == 1 else []
    return [title or both("table.validation_name"), html.Span([*at, " [95% CI]"], className="no-m")]


# ---- cells ----


def _progress(row: RunRow) -> list[Any]:
    done, running = row.last or 0, row.state in RUNNING
    text = f"{done}/{row.planned}" if row.planned else str(done)
    bar = [_bar(done / row.planned, running)] if row.planned else []
    return [*bar, text, " ", state(row)]


def _bar(part: float, running: bool) -> html.Span:
    fill = html.I(style={"right": f"{100 * (1 - min(part, 1)):.1f}%"})
    return html.Span(fill, className="pg run" if running else "pg", **HIDDEN)


def _steps(row: RunRow) -> list[Any]:
    done, running = row.last or 0, row.state in RUNNING
    if not row.planned:
        return [str(done)]
    return [_bar(done / row.planned, running), f"{done}/{row.planned}"]


def _spark(values: Sequence[float], row: RunRow, shared: Range = (None, None)) -> Any:
    return sparkline(values, row.info, *shared) if values else html.Span(numbers.NONE, className="mut")


def _mean(mean: Mean | None, bound: bool) -> Any:
    if mean is None:
        return html.Span(numbers.NONE, className="mut")
    value = numbers.percent(mean.value)
    half = numbers.half_width(100 * mean.half)
    sign = [html.Span("≥ ", **titled("bound.title"))] if bound else []
    return [*sign, html.Span(value, className="ink"), html.Span(f" {half}" if half else "", className="mut")]


def _short_mean(mean: Mean | None, bound: bool = False) -> Any:
    if mean is None:
        return html.Span(numbers.NONE, className="mut")
    return [*([html.Span("≥ ", **titled("bound.title"))] if bound else []), numbers.percent(mean.value)]


def _count(count: Count | None, rows: Iterable[RunRow] = ()) -> Any:
    """k/n with its interval; the step only where the head cannot name it."""
    if count is None:
        return html.Span(numbers.NONE, className="mut")
    steps = {row.validation.step for row in rows if row.validation}
    at = [html.Span(f" @{count.step}", className="mut")] if len(steps) > 1 else []
    interval = html.Span(f" {numbers.wilson_percent(count.k, count.n)}", className="mut no-m")
    return [html.Span(f"{count.k}/{count.n}", className="ink"), interval, *at]


def _last_validation(row: RunRow) -> Any:
    if row.validation is None and row.next_validation is not None:
        return html.Span(both("table.next_validation", step=row.next_validation), className="mut")
    return _count(row.validation)


def _best(count: Count | None) -> Any:
    if count is None:
        return html.Span(numbers.NONE, className="mut")
    return html.Span(f"{count.k}/{count.n}", **titled("table.best_of"))


def _hours(hours: float | None) -> str:
    return numbers.NONE if hours is None else f"{numbers.number(hours, 1)} h"


def _pair(pair: Pair | None, form: Callable[[float], str]) -> Any:
    if pair is None:
        return html.Span(numbers.NONE, className="mut")
    return f"{form(pair.start)} → {form(pair.end)}"


def _peak(row: RunRow) -> Any:
    peak, median = row.grad_peak, row.grad_median
    high = peak is not None and median is not None and math.isfinite(peak) and peak >= PEAK_RATIO * median
    return html.Span(numbers.number(peak), className="b" if high else "")


def _why(why: Sentence | None) -> dict[str, Any]:
    return {} if why is None else titled("plain.sentence", text=why)


ALL_RUNS: tuple[Column, ...] = (
    Column(both("table.status"), lambda row, _: state(row), num=False),
    Column(both("table.steps"), lambda row, _: _steps(row)),
    Column(both("table.hours"), lambda row, _: numbers.number(row.hours, 1)),
    Column(both("table.pass_rate_ma"), lambda row, shared: _spark(row.pass_rate, row, shared), num=False),
    Column(both("table.first5"), lambda row, _: _short_mean(row.first5, row.lower_bound)),
    Column(both("table.last10_short"), lambda row, _: _short_mean(row.last10, row.lower_bound), wide=False),
    Column(both("table.validation_best"), lambda row, _: _best(row.best)),
    Column(both("table.validation_last"), lambda row, _: _last_validation(row), wide=False),
    Column(both("table.length"), lambda row, _: _spark(row.length, row), num=False),
    Column(both("table.start_end"), lambda row, _: _pair(row.length_pair, numbers.thousands)),
    Column(both("table.entropy"), lambda row, _: _spark(row.entropy, row), num=False),
    Column(both("table.start_end"), lambda row, _: _pair(row.entropy_pair, numbers.number)),
    Column(both("table.grad_median"), lambda row, _: numbers.number(row.grad_median)),
    Column(both("table.grad_peak"), lambda row, _: _peak(row)),
    Column(both("table.episodes"), lambda row, _: episodes_cell(row), num=False, wide=False),
)
"""Columns of the table of all runs, after the run's name."""
