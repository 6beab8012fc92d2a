"""Parts of pages that are no tables: headings, findings, places for charts, sources, empty states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dash import dcc, html

from components import numbers
from components.attributes import act
from components.charts import chart_id
from components.figures import Chart
from components.style import mark
from components.text import (
    EN,
    TEXT,
    ZH,
    Bilingual,
    Sentence,
    both,
    joined,
    labelled,
    said,
    sentence,
    span,
    titled,
    words,
)
from components.view import ExperimentView, Finding, RunInfo, SourceFile
from data_loaders.derive.episodes import Episode
from data_loaders.schema import Note

SHOWN_EPISODES = 3
"""Episodes named beside a run; the others are counted."""
SHOWN_SPANS = 4


def facts(parts: Iterable[Sentence]) -> html.Span:
    """Short facts with a dot between them, none broken across lines."""
    row: list[Any] = []
    for nth, part in enumerate(parts):
        row += [" · "] if nth else []
        row.append(sentence(part, "mi"))
    return html.Span(row, className="meta")


def page_title(
    title: Bilingual, beside: Iterable[Sentence], right: Any = None, detail: Bilingual | None = None
) -> html.Div:
    """First line of a page. `detail` follows the heading in the same size."""
    heading: list[Any] = [span(title), *([" — ", span(detail)] if detail else [])]
    return html.Div(
        [html.H1(heading), facts(beside), *([html.Span(right, className="r")] if right else [])],
        className="rl-title",
    )


def section_head(
    title: Any, meta: Sequence[Any] = (), right: Sequence[Any] = (), badges: Sequence[Any] = ()
) -> html.Div:
    """Line, heading, grey remark, remarks that unfold, action at the right."""
    return html.Div(
        [
            html.H2(title),
            *([html.Span(list(meta), className="meta")] if meta else []),
            *badges,
            *([html.Span(list(right), className="r")] if right else []),
        ],
        className="rl-sec",
    )


def headline(finding: Finding) -> list[Any]:
    """Clauses that break only between each other, then the body in plain sentences."""
    clauses: list[Any] = [sentence(clause) for clause in finding.clauses]
    body = html.P(span(joined([said(part) for part in finding.body], "", " "))) if finding.body else None
    return [html.H2(clauses, className="rl-headline"), *([body] if body else [])]


def chart_place(
    chart: Chart,
    info: RunInfo | None = None,
    title: Bilingual | None = None,
    captioned: bool = True,
    tools: Sequence[Any] = (),
) -> html.Figure:
    """The place of a chart; the page's scripts draw it when it comes into view."""
    about = chart.caption
    unit = words(f"unit.{chart.unit}")
    made = _caption if chart.along_steps else caption
    return place(
        chart_id(chart, info), chart.group, title or chart.named, unit, made(about) if captioned else None,
        stats=chart.group == "comparison" and chart.along_steps, tip=about, more=tools,
        wide=chart.wide,
    )  # fmt: skip


def place(
    id_: str,
    size: str,
    title: Bilingual,
    unit: Bilingual,
    caption: html.P | None,
    *,
    stats: bool = False,
    tip: str = "",
    tools: bool = True,
    more: Sequence[Any] = (),
    wide: bool = False,
) -> html.Figure:
    """Title, unit, remarks, tools and `more` of them, caption and plot."""
    buttons: list[Any] = [_tool("stats", None, "tool.stats")] if stats else []
    buttons += [_tool("fullscreen", id_, "tool.fullscreen"), _csv(id_)] if tools else []
    buttons += more
    head = [
        html.H3(span(title), **(titled(tip) if tip and caption is None else {})),
        html.Span(span(unit), className="u"),
        html.Span(className="badges"),
        html.Span(buttons, className="tools"),
    ]
    attributes: dict[str, Any] = {"data-chart": id_, "data-size": size}
    return html.Figure(
        [
            html.Div(head, className="ch-h"),
            *([caption] if caption else []),
            html.Div(className="plot"),
        ],
        className="ch two" if wide else "ch",
        **attributes,
    )


def caption(key: str) -> html.P:
    """A caption that does not speak of the x axis, whole in its tooltip."""
    return html.P(both(key), className="ch-c", **titled(key))


def _caption(key: str) -> html.P:
    x = [html.Span(both(f"x.of.{kind}"), className=f"of-{kind}") for kind in ("step", "tokens", "hours")]
    return html.P([*x, " · ", *_by_units(key)], className="ch-c", **titled(key))


def _by_units(key: str) -> list[Any]:
    """The caption; one of values per token has another, `<key>.logged`, for values as logged."""
    logged = f"{key}.logged"
    if logged not in TEXT:
        return [both(key)]
    return [html.Span(both(key), className="of-token"), html.Span(both(logged), className="of-logged")]


def _csv(id_: str) -> html.A:
    """Values of the chart as a file; the page's scripts say of which runs and steps."""
    return html.A(href="csv", **act("csv", id_), **labelled("tool.csv"), **titled("tool.csv"))


def _tool(action: str, value: str | None, key: str) -> html.Button:
    return html.Button(type="button", **act(action, value), **labelled(key), **titled(key))


def run_heading(info: RunInfo) -> list[Any]:
    """Mark, id and name as a heading's content."""
    return [mark(info), info.title, html.Span(info.name, className="nm")]


def episode_links(info: RunInfo, episodes: Sequence[Episode], key: str = "experiment.inspect") -> list[Any]:
    """Links to the gravest episodes in which several metrics moved, by step; the rest as a count."""
    grave = sorted((e for e in episodes if e.severity >= 2), key=lambda e: (-e.severity, -e.start))
    links: list[Any] = []
    for episode in sorted(grave[:SHOWN_EPISODES], key=lambda e: e.start):
        text = both(key, steps=numbers.steps(episode.start, episode.end))
        links += [episode_link(info, episode, text), " "]
    rest = len(episodes) - min(len(grave), SHOWN_EPISODES)
    if rest:
        links.append(html.Span(both("experiment.more_episodes", n=rest), className="ep-note"))
    return links


def episode_link(info: RunInfo, episode: Episode, text: Any) -> html.A:
    """A link that opens an episode; one with a single metric is quieter."""
    id_ = f"{info.id}:{episode.start}"
    name = "ep-tag" if episode.severity >= 2 else "ep-note"
    return html.A(text, href="#", className=name, **act("episode", id_))


def note_and_sources(view: ExperimentView, first: Sequence[Any] = ()) -> html.Div:
    """What is to be said of a run at the left, where its numbers come from at the right."""
    left: list[Any] = [*first, *(html.P(sentence(part)) for part in view.paragraphs)]
    if view.markdown:
        left.append(markdown(view.markdown))
    return html.Div([html.Div(left), html.Div(_sources(view), className="src")], className="exp-note")


def _sources(view: ExperimentView) -> list[Any]:
    return [*(html.Div(source_file(file)) for file in view.sources), detail_links(view)]


def detail_links(view: ExperimentView) -> html.Div:
    """What opens the drawer with the details of a run."""
    metrics = [("metrics", both("experiment.metrics", n=view.metric_count))] if view.metric_count else []
    config = [("config", both("experiment.config")), ("differences", both("experiment.diff"))]
    panes = [*([] if _unknown(view) else config), *metrics, ("reading", both("experiment.reading"))]
    links: list[Any] = [] if view.config_from is None else [sentence(view.config_from), " · "]
    for what, text in panes:
        links += [_detail(what, view.info, text), " · "]
    return html.Div([*links, _detail("raw", view.info, both("experiment.raw"))])


def _unknown(view: ExperimentView) -> bool:
    """Whether the log tells nothing of what the run trains with."""
    return isinstance(view.config_from, Note) and view.config_from.key == "config_from.none"


def source_file(file: SourceFile) -> list[Any]:
    """Name, steps held, remarks."""
    spans = ", ".join(numbers.steps(*covered) for covered in file.coverage[:SHOWN_SPANS])
    spans += "…" if len(file.coverage) > SHOWN_SPANS else ""
    row: list[Any] = [html.Span(file.name, className="mono"), *([f" · {spans}"] if spans else [])]
    for note in file.notes:
        row += [" · ", sentence(note)]
    return row


def _detail(what: str, info: RunInfo, text: Any) -> html.Button:
    return html.Button(text, type="button", className="lnk", **act("detail", f"{what}:{info.key}"))


def markdown(text: Bilingual) -> html.Div:
    """Notes of board.toml. HTML in them stays text."""
    zh, en = text
    if zh == en:
        return html.Div(dcc.Markdown(zh), className="md")
    return html.Div(
        [html.Div(dcc.Markdown(zh), lang=ZH), html.Div(dcc.Markdown(en), lang=EN)], className="md"
    )


def empty(title: Sentence, why: Sentence | None = None, beside: Sequence[Any] = ()) -> html.Div:
    """What is missing, why, and what will make it appear."""
    text = [html.B(sentence(title)), " ", *([sentence(why)] if why else []), *beside]
    return html.Div(html.P(text), className="empty")


def bare_place(chart: Chart, info: RunInfo, title: Any) -> html.Figure:
    """The place of a small chart: its name, and remarks below it; no tools, no caption."""
    attributes: dict[str, Any] = {"data-chart": chart_id(chart, info), "data-size": chart.group}
    head = [html.Span(title, className="t12"), html.Span(className="badges")]
    return html.Figure(
        [html.Div(head, className="ch-h"), html.Div(className="plot")], className="ch", **attributes
    )
