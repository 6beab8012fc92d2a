"""Tables of runs: the status of a track, all runs by track, files without steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dash import html

from components import numbers
from components.attributes import HIDDEN, act
from components.cards import episode_link, facts, source_file
from components.figures_slope import form_of
from components.sparkline import shared_range, sparkline
from components.style import run_name
from components.text import Sentence, both, inside, joined, said, sentence, span, titled, words
from components.view import Count, Pair, RunRow, ScaleRow, SourceFile, Span, TrackGroup
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
    by: Callable[[RunRow], float | None] | None = None
    """What rows are sorted by; None: the column does not sort."""


def status_table(rows: Sequence[RunRow], window: Span | None, validation: str) -> html.Table:
    """The runs of a track: progress, pass rate, validation, hours, episodes."""
    rate = both("table.pass_rate", steps=numbers.steps(*window)) if window else both("table.pass_rate_ma")
    columns = (
        Column(both("table.progress"), lambda row, _: progress(row), num=False),
        Column(rate, lambda row, low: _spark(row.pass_rate, row, low), False),
        Column(both("table.last10"), lambda row, _: _mean(row.last10, row.lower_bound), wide=False),
        Column(_validation_head(rows, validation), lambda row, _: _validated(row, rows), wide=False),
        Column(both("table.hours"), lambda row, _: _hours(row.hours)),
        Column(both("table.episodes"), lambda row, _: episodes_cell(row), num=False, wide=False),
    )
    shared = shared_range([row.pass_rate for row in rows])
    head = html.Tr([_head(both("table.run"), False), *(_head(c.head, c.num, c.wide) for c in columns)])
    return html.Table(
        [html.Thead(head), html.Tbody([_row(row, columns, shared) for row in rows])], className="rt"
    )


def run_table(groups: Sequence[TrackGroup], steps: Span | None = None) -> html.Table:
    """Every run of the board by track; rows are sorted and filtered by the page's scripts."""
    bodies = []
    for group in groups:
        shared = shared_range([row.pass_rate for row in group.rows])
        title: list[Any] = [html.B(span(group.title)), facts(group.facts)]
        rows = [html.Tr(html.Td(title, colSpan=len(ALL_RUNS) + 1), className="grp")]
        rows += [_row(row, ALL_RUNS, shared, nth) for nth, row in enumerate(group.rows)]
        bodies.append(html.Tbody(rows))
    heads = [_sorting(nth, c) if c.by else _head(c.head, c.num, c.wide) for nth, c in enumerate(ALL_RUNS)]
    head = html.Tr([_head(both("table.run"), False), *heads])
    attributes: dict[str, Any] = {"data-steps": f"{steps[0]}-{steps[1]}" if steps else ""}
    return html.Table([html.Thead(head), *bodies], className="rt runs", **attributes)


def _sorting(nth: int, column: Column) -> html.Th:
    attributes: dict[str, Any] = {"aria-sort": "none"}
    button = html.Button(column.head, type="button", **act("sort", str(nth)), **titled("table.sort"))
    return html.Th(button, className=_class(column.num, column.wide), scope="col", **attributes)


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
    shown = ordered if len(ordered) <= SHOWN_EPISODES else ordered[:1]
    links: list[Any] = []
    for episode in sorted(shown, key=lambda e: e.start):
        links += [episode_link(row.info, episode, numbers.steps(episode.start, episode.end)), " "]
    rest = len(ordered) - len(shown)
    if rest:
        links.append(html.Span(f"+{rest}", className="mut", **titled("table.more", n=rest)))
    return links


def state(row: RunRow) -> html.Span:
    """The state as a word, with the dot of a running one; the reason in its tooltip."""
    name = {"live": "acc live", "late": "warn", "stalled": "warn", "crashed": "bad"}.get(row.state, "")
    dot: list[Any] = [html.I(**HIDDEN)] if row.state == "live" else []
    return html.Span([*dot, both(f"state.{row.state}")], className=name, **_why(row.why))


# ---- rows and heads ----


def _row(row: RunRow, columns: Sequence[Column], shared: Range, nth: int | None = None) -> html.Tr:
    """`nth` is the place of a row that can be sorted."""
    name = html.Td(run_name(row.info))
    if row.last is None:
        told: list[Any] = [state(row), *([" · ", span(inside(said(row.why)))] if row.why else [])]
        cells = [html.Td(told, colSpan=len(columns), className="w-m")]
    else:
        cells = [
            html.Td(c.cell(row, shared), className=_class(c.num, c.wide), **_key(c, row)) for c in columns
        ]
    place: dict[str, Any] = {} if nth is None else {"data-nth": str(nth), "data-state": row.state}
    return html.Tr([name, *cells], **act("run", row.info.id), **place)


def _key(column: Column, row: RunRow) -> dict[str, Any]:
    """What the cell is sorted by; a cell without value goes last either way."""
    value = column.by(row) if column.by and row.last is not None else None
    return {} if value is None or math.isnan(value) else {"data-by": repr(float(value))}


def _head(content: Any, num: bool, wide: bool = False) -> html.Th:
    return html.Th(content, className=_class(num, wide), scope="col")


def _class(num: bool, wide: bool) -> str:
    return " ".join(name for name, on in (("num", num), ("no-m", wide)) if on)


def _validation_head(rows: Sequence[RunRow], title: str) -> Any:
    """The set and, where all runs were last measured at one step, that step."""
    steps = {row.validation.step for row in rows if row.validation}
    at = [both("table.at", step=steps.pop())] if len(steps) == 1 else []
    interval = [both("table.interval")] if any(row.validation for row in rows) else []
    return [title or both("table.validation_name"), html.Span([*at, *interval], className="no-m")]


# ---- cells ----


def progress(row: RunRow) -> list[Any]:
    """How far a run is: bar, steps, state."""
    done = row.last or 0
    text = f"{done}/{row.planned}" if row.planned else str(done)
    return [*bar(row), text, " ", state(row)]


def bar(row: RunRow) -> list[html.Span]:
    """The part of its planned steps that a run has done."""
    return [_bar((row.last or 0) / row.planned, row.state in RUNNING)] if row.planned else []


def _bar(part: float, running: bool) -> html.Span:
    fill = html.I(style={"right": f"{100 * (1 - min(part, 1)):.1f}%"})
    return html.Span(fill, className="pg run" if running else "pg", **HIDDEN)


def _steps(row: RunRow) -> list[Any]:
    done = row.last or 0
    return [*bar(row), f"{done}/{row.planned}" if row.planned else str(done)]


def _spark(values: Sequence[float], row: RunRow, shared: Range = (None, None)) -> Any:
    return (
        sparkline(values, row.info, *shared, row.part) if values else html.Span(numbers.NONE, className="mut")
    )


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
    return _validated(row)


def _validated(row: RunRow, rows: Iterable[RunRow] = ()) -> Any:
    """Right items with their interval; where these are not known, the share alone."""
    if row.validation is not None or row.accuracy is None:
        return _count(row.validation, rows)
    value, step = row.accuracy
    share = html.Span(
        both("table.share", value=numbers.percent(value)), className="ink", **titled("table.no_items")
    )
    return [share, html.Span(f" @{step}", className="mut")]


def _validation(which: str) -> html.Span:
    """A head in two lines: the name of what is measured takes no room beside the words."""
    return html.Span([both("table.validation_name"), html.Br(), both(f"table.validation_{which}")])


def _by_room(wide: Any, narrow: Any) -> list[Any]:
    """A head that speaks of the interval only where its cells have room for one."""
    return [html.Span(wide, className="no-m"), html.Span(narrow, className="only-m")]


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


STATE_ORDER = ("crashed", "stalled", "late", "starting", "live", "stopped", "ended")


def _part(count: Count | None) -> float | None:
    return None if count is None else count.k / count.n


def _share(row: RunRow) -> float | None:
    return row.accuracy[0] if row.validation is None and row.accuracy else _part(row.validation)


def _mean_of(mean: Mean | None) -> float | None:
    return None if mean is None else mean.value


def _end(pair: Pair | None) -> float | None:
    return None if pair is None else pair.end


ALL_RUNS: tuple[Column, ...] = (
    Column(
        both("table.status"), lambda row, _: state(row), num=False,
        by=lambda row: STATE_ORDER.index(row.state) if row.state in STATE_ORDER else None,
    ),
    Column(both("table.steps"), lambda row, _: _steps(row), by=lambda row: row.last),
    Column(both("table.hours"), lambda row, _: numbers.number(row.hours, 1), by=lambda row: row.hours),
    Column(both("table.pass_rate_ma"), lambda row, shared: _spark(row.pass_rate, row, shared), num=False),
    Column(
        both("table.first5"), lambda row, _: _short_mean(row.first5, row.lower_bound),
        by=lambda row: _mean_of(row.first5),
    ),
    Column(
        both("table.last10_short"), lambda row, _: _short_mean(row.last10, row.lower_bound), wide=False,
        by=lambda row: _mean_of(row.last10),
    ),
    Column(_validation("best"), lambda row, _: _best(row.best), by=lambda row: _part(row.best)),
    Column(
        _by_room(_validation("last"), both("table.validation_name")), lambda row, _: _last_validation(row),
        wide=False, by=_share,
    ),
    Column(both("table.length"), lambda row, _: _spark(row.length, row), num=False),
    Column(
        both("table.start_end"), lambda row, _: _pair(row.length_pair, numbers.thousands),
        by=lambda row: _end(row.length_pair),
    ),
    Column(both("table.entropy"), lambda row, _: _spark(row.entropy, row), num=False),
    Column(
        both("table.start_end"), lambda row, _: _pair(row.entropy_pair, numbers.number),
        by=lambda row: _end(row.entropy_pair),
    ),
    Column(
        both("table.grad_median"), lambda row, _: numbers.number(row.grad_median),
        by=lambda row: row.grad_median,
    ),
    Column(both("table.grad_peak"), lambda row, _: _peak(row), by=lambda row: row.grad_peak),
    Column(
        both("table.episodes"), lambda row, _: episodes_cell(row), num=False, wide=False,
        by=lambda row: max((e.severity for e in row.episodes), default=0),
    ),
)  # fmt: skip
"""Columns of the table of all runs, after the run's name."""


def scale_table(rows: Sequence[ScaleRow]) -> html.Table:
    """The same quantity on every track, a column per algorithm, and the order they stand in."""
    labels = sorted({label for row in rows for label in row.values})
    heads = [_head(both("table.question"), False), _head(both("table.track"), False)]
    heads += [_head(label, True) for label in labels]
    heads += [_head(both("table.order"), False)]
    body: list[html.Tr] = []
    before = ""
    for row in rows:
        unit = html.Span(both("table.unit", unit=words(f"slope.{row.name}.unit")), className="mut")
        title: list[Any] = [span(words(f"slope.{row.name}.title")), unit] if row.name != before else []
        cells = [html.Td(title), html.Td(span(row.track))]
        cells += [html.Td(_value(row, label), className="num") for label in labels]
        body.append(html.Tr([*cells, html.Td(_order(row), className="ink")]))
        before = row.name
    return html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="rt scale")


def _order(row: ScaleRow) -> list[Any]:
    """The order, and who has no place in it."""
    if not row.unranked:
        return [row.order]
    left_out = joined([(label, label) for label in sorted(row.unranked)], "、", ", ")
    return [row.order, html.Span(both("table.unranked", runs=left_out), className="mut")]


def _value(row: ScaleRow, label: str) -> Any:
    """A value; one without a place in the order stands in parentheses."""
    value = row.values.get(label)
    if value is None:
        return html.Span(numbers.NONE, className="mut")
    text = form_of(row.form, row.values.values())(value)
    if label in row.unranked:
        return html.Span(f"({text})", className="mut", **titled("slope.unranked.long"))
    return text
