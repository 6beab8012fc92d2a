"""The overview page: what needs attention, what was found, every run, the two scales side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards, ids, numbers
from components.attributes import HIDDEN, act
from components.episode_list import episode_list
from components.scrolling import scrolling
from components.statements import statement_list
from components.style import mark
from components.tables import run_table, scale_table
from components.text import Bilingual, both, joined, labelled, option, said, sentence, span, titled, words
from components.track_page import footer
from components.view import Attention, Finding, OverviewView, Span, TrackGroup

FIND = words("table.find")
MOST = 6
"""Lines of the attention list."""
LOOKS = {
    "live": "acc live",
    "metrics": "ep-tag",
    "metric": "ep-note",
    "config": "warn",
    "late": "warn",
    "stalled": "warn",
    "crashed": "bad",
}


def overview_page(view: OverviewView, version: str = "") -> html.Div:
    """The whole page."""
    report = html.Button(both("foot.report"), type="button", className="lnk", **act("report"))
    parts: list[Any] = [
        cards.page_title(words("overview.title"), view.facts, report),
        html.Div([_attention(view.attention), _findings(view)], className="att"),
    ]
    if view.groups:
        parts.append(html.Section(run_section(view.groups), id=ids.RUNS))
        parts += episode_list(row for group in view.groups for row in group.rows)
    if view.slopes and view.slope_tracks:
        parts.append(_scale(view, view.slope_tracks))
    return html.Div([*parts, footer(version)], className="rl-page")


def run_section(groups: Sequence[TrackGroup], steps: Span | None = None) -> list[Any]:
    """Table of all runs with its search; says which steps its columns speak of, None: the usual ones."""
    spoken = both("overview.table.all")
    if steps:
        spoken = both("overview.table.range", steps=numbers.steps(*steps))
    states = sorted({row.state for group in groups for row in group.rows})
    choices = [option("", "table.any_state"), *(option(name, f"state.{name}") for name in states)]
    find: dict[str, Any] = {"data-run-find": "", "data-hint-zh": FIND[0], "data-hint-en": FIND[1]}
    search = [
        html.Span(className="field", **find),
        html.Select(choices, className="sel", **act("run-state"), **labelled("table.status")),
        html.Span(className="mut", **{"data-run-count": ""}),  # type: ignore[arg-type]
        html.A("CSV", href="csv", className="btn-t", **act("csv", "rows"), **titled("overview.table.csv")),
    ]
    meta = [spoken, " · ", both("overview.table.meta")]
    return [
        cards.section_head(both("overview.table"), meta, [html.Span(search, className="run-find")]),
        scrolling(run_table(groups, steps), "overview.table"),
    ]


def _attention(lines: Sequence[Attention]) -> html.Div:
    head = cards.section_head(both("overview.attention"), [both("overview.attention.meta")])
    rows: list[Any] = [_line(line) for line in lines[:MOST]]
    return html.Div([head, *(rows or [html.P(both("overview.attention.none"), className="mut")])])


def _line(line: Attention) -> html.Div:
    dot: list[Any] = [html.I(**HIDDEN)] if line.kind == "live" else []
    kind = html.Span([*dot, both(f"kind.{line.kind}", n=line.count)], className=LOOKS[line.kind])
    marks = [mark(info) for info in line.runs[:1]]
    names = ", ".join(dict.fromkeys(info.mark for info in line.runs))
    who = html.Span([*marks, html.B(names), span(line.where)], className="rn")
    text = sentence(line.text)
    return html.Div([kind, who, html.Span(text), _action(line)], className="row1")


def _action(line: Attention) -> html.A:
    if line.episode:
        return html.A(both(line.action), href="#", **act("episode", line.episode))
    return html.A(both(line.action), href=f"?tab={line.tab}", **act("tab", line.tab))


def _findings(view: OverviewView) -> html.Div:
    head = cards.section_head(both("overview.findings"), [both("overview.findings.meta")])
    rows = [html.Li(_finding(finding)) for finding in view.findings]
    more = [
        html.Details([
            html.Summary(both("said.more_of", track=title, n=len(told))), *statement_list(told),
        ])
        for title, told in view.statements
    ]  # fmt: skip
    return html.Div([head, html.Ul(rows, className="find"), html.Div(more, className="said-tracks")])


def _finding(finding: Finding) -> list[Any]:
    """Only the first sentence of the body: the rest stands on the page of the track."""
    zh, en = joined([said(clause) for clause in finding.clauses], "", " ")
    body = (part for body in finding.body[:1] for part in (" ", sentence(body)))
    return [span((f"{zh}。", f"{en}."), "ink"), *body]


def _scale(view: OverviewView, ends: tuple[Bilingual, Bilingual]) -> html.Section:
    head = cards.section_head(
        both("overview.scale", left=ends[0], right=ends[1]), [both("overview.scale.meta")]
    )
    places = [
        cards.place(
            ids.chart("slope", slope.name),
            "slope",
            words(f"slope.{slope.name}.title"),
            words(f"slope.{slope.name}.unit"),
            html.P(sentence(slope.finding), className="ch-c"),
            tools=False,
        )
        for slope in view.slopes
    ]
    table = [scrolling(scale_table(view.scale), "table.question", "scales")] if view.scale else []
    return html.Section([head, html.Div(places, className="g4"), *table], className="exp")
