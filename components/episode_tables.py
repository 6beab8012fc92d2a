"""Tables of the episode panel: metrics that moved, steps × metrics, other runs, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import numbers
from components.attributes import HIDDEN, act
from components.episode_view import Cell, EpisodeView, Followed, MovedMetric, OtherRun, StepRow, StepTable
from components.figures import Chart
from components.quantities import change_of, quoted, times
from components.scrolling import scrolling
from components.sparkline import sparkline
from components.style import run_name
from components.text import (
    TEXT,
    Bilingual,
    both,
    inside,
    joined,
    labelled,
    said,
    sentence,
    span,
    titled,
    words,
)
from components.view import RunInfo
from data_loaders.schema import Note

ARROWS = {"up": "↑", "down": "↓"}
MOVED_HEADS = ("baseline", "peak", "change", "steps", "back", "curve")


def sub_head(key: str, meta: Any = None, right: Any = None) -> html.H3:
    """Small heading inside the panel, a grey remark behind it, an action at the right."""
    parts: list[Any] = [html.B(both(key))]
    parts += [html.Span(meta)] if meta is not None else []
    parts += [html.Span(right, className="r")] if right is not None else []
    return html.H3(parts, className="sub")


def moved_table(view: EpisodeView) -> list[Any]:
    """A row per excursion: baseline, peak, change, steps, curve."""
    median = words("rule.window", n=view.window) if view.window else words("rule.whole")
    heads = [_head("moved.metric"), *(_head(f"moved.{name}") for name in MOVED_HEADS)]
    computed = _computed(view.table)
    rows = [_moved(moved, view.info, computed.get(moved.chart.metric)) for moved in view.moved]
    quiet = " mild" if view.severity < 2 else ""
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className=f"st mv{quiet}")
    return [sub_head("moved.head", both("moved.meta", median=median)), scrolling(table, "moved.head")]


def _moved(moved: MovedMetric, info: RunInfo, how: Note | None) -> html.Tr:
    chart, event = moved.chart, moved.event
    direction = html.Span(ARROWS[event.direction], **labelled(f"moved.{event.direction}"), role="img")
    unit = _unit(words(f"unit.{chart.unit}"), how)
    name: list[Any] = [
        html.I(className="dot", **HIDDEN), both(chart.title), " ",
        html.Span(span(unit), className="u"), " ", direction, " ",
        html.Span(moved.key, className="mono key", title=moved.key),
    ]  # fmt: skip
    back = numbers.NONE if event.recovered_at is None else str(event.recovered_at)
    left, right = (f"{100 * share:.1f}%" for share in (moved.band[0], 1 - moved.band[1]))
    curve = html.Span(
        [html.I(className="bd", style={"left": left, "right": right}), sparkline(moved.curve, info)],
        className="sp-b", **HIDDEN,
    )  # fmt: skip
    cells: Sequence[Any] = (
        quoted(chart, event.baseline), quoted(chart, event.value), html.B(change_of(chart, event)),
        numbers.steps(event.start, event.end), back, curve,
    )  # fmt: skip
    return html.Tr([html.Th(name, scope="row"), *(html.Td(cell) for cell in cells)])


def step_table(view: EpisodeView) -> list[Any]:
    """Every step with the value of each metric; those outside the baseline are filled."""
    table = view.table
    csv = html.A(both("table.csv"), href=view.csv)
    moved = {one.chart.metric for one in view.moved}
    computed = {metric: how for metric, how in _computed(table).items() if metric in moved}
    heads = [_head("table.step"), *(_column_head(c, computed.get(c.metric)) for c in table.charts)]
    body = _rows(table)
    made = html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="st")
    under = [html.P(both("table.absent", metrics=_absent(table)), className="mut")] if table.absent else []
    under += [html.P(both("table.derived", values=_derived(table)), className="mut")] if table.derived else []
    return [sub_head("table.head", both("table.meta"), csv), scrolling(made, "table.head"), *under]


def _rows(table: StepTable) -> list[html.Tr]:
    gaps = {last + 1: numbers.steps(first, last) for first, last in table.hidden}
    body: list[html.Tr] = []
    for row in table.rows:
        if row.step in gaps:
            text = both("table.hidden", steps=gaps[row.step])
            body.append(html.Tr(html.Td(text, colSpan=len(table.charts) + 1), className="gap"))
        body.append(_step(row, table.charts))
    return body


def _step(row: StepRow, charts: Sequence[Chart]) -> html.Tr:
    cells = [_cell(cell, chart) for cell, chart in zip(row.cells, charts, strict=True)]
    attributes: dict[str, Any] = {**act("step", str(row.step)), "data-step": str(row.step)}
    return html.Tr(
        [html.Th(str(row.step), scope="row"), *cells], className="in" if row.inside else "", **attributes
    )


def _cell(cell: Cell, chart: Chart) -> html.Td:
    text = quoted(chart, cell.value)
    if not cell.outside:
        return html.Td(text)
    ratio = [html.Span(times(cell.ratio), className="x")] if cell.ratio is not None else []
    return html.Td([text, *ratio], className="p" if cell.peak else "m")


def _computed(table: StepTable) -> dict[str, Note]:
    return {chart.metric: how for chart, how in table.derived}


def _unit(unit: Bilingual, how: Note | None) -> Bilingual:
    """A unit, with the short form of how its values are made from logged ones: `nat, per token`."""
    short = f"{how.key}.hover" if how else ""
    parts = [pair for pair in (unit, words(short) if short in TEXT else ("", "")) if any(pair)]
    return joined(parts, "，", ", ") if parts else ("", "")


def _column_head(chart: Chart, how: Note | None) -> html.Th:
    short, unit = f"short.{chart.metric}", f"unit.short.{chart.unit}"
    title = words(short if short in TEXT else chart.title)
    scale = _unit(words(unit if unit in TEXT else f"unit.{chart.unit}"), how)
    below = [html.Br(), span(scale)] if any(scale) else []
    return html.Th([span(title), *below], scope="col", **titled(chart.title))


def _absent(table: StepTable) -> tuple[str, str]:
    told = [words("empty.of_run", run=words(chart.title), why=why) for chart, why in table.absent]
    return joined(told, "；", "; ")


def _derived(table: StepTable) -> tuple[str, str]:
    """How columns are made from what the raw log holds."""
    told = [
        joined([inside(words(chart.title)), inside(said(how))], "，", ", ") for chart, how in table.derived
    ]
    return joined(told, "；", "; ")


def others_table(others: Sequence[OtherRun]) -> list[Any]:
    """What the other runs of the track did at the same steps."""
    rows = [
        html.Tr(
            [
                html.Th(run_name(other.info), scope="row"),
                html.Td(_told(other)),
            ],
            className=other.state,
        )
        for other in others
    ]
    return [sub_head("others.head"), html.Table(html.Tbody(rows), className="st txt")]


def _told(other: OtherRun) -> list[Any]:
    """Whether the prompts are the same matters where there is something to compare."""
    data = [" ", html.Span(sentence(other.data), className="x")] if other.state != "none" else []
    return [sentence(other.text), *data]


def before_and_after(view: EpisodeView) -> list[Any]:
    """Levels and validations on each side."""
    heads = [_head("moved.metric"), _head("followed.before"), _head("followed.after")]
    rows = [
        html.Tr([html.Th(_named(one), scope="row"), html.Td(one.before), html.Td(one.after)])
        for one in view.followed
    ]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="st")
    return [sub_head("followed.head", both("followed.meta")), table]


def _named(one: Followed) -> list[Any]:
    unit = [" ", html.Span(span(one.unit), className="u")] if any(one.unit) else []
    return [sentence(one.name), *unit]


def _head(key: str) -> html.Th:
    return html.Th(both(key), scope="col")
