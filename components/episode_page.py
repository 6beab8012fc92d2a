"""The page of an episode: charts at the left, the panel that explains them at the right."""

from __future__ import annotations

from typing import Any

from dash import html

from components import cards, numbers
from components.attributes import act, show
from components.episode_tables import before_and_after, moved_table, others_table, step_table
from components.episode_texts import raw_log, sampled
from components.episode_view import EpisodeView
from components.figures import Chart
from components.figures_episode import chart_id
from components.style import mark
from components.text import both, joined, labelled, listing, said, sentence, span, titled, words
from components.view import Sentence

GRAVE = 2
"""Metrics from which an episode is shown in amber; a single one is a note."""


def episode_page(view: EpisodeView) -> html.Div:
    """The page of one episode, or of one range of steps."""
    heading = html.H2(both("episode.charts"), className="rl-sr")
    charts = html.Section([heading, html.Div(_charts(view), className="g2")])
    body = html.Div([charts, _panel(view)], className="epi")
    return html.Div([_title(view), body], className="rl-page epi-page")


def unknown_episode(ep: str, tab: str) -> html.Div:
    """The page of a link that names no episode."""
    del tab
    back = html.A(both("episode.close"), href="#", **act("episode", ""))
    return html.Div(
        cards.empty(words("episode.unknown"), words("episode.unknown.why", ep=ep), [" ", back]),
        className="rl-page epi-page",
    )


def _title(view: EpisodeView) -> html.Div:
    others = [other.info.mark for other in view.others if other.state != "none"]
    thin = [both("episode.others_thin", runs=listing(others))] if others else []
    model: list[Any] = [view.model] if view.model else []
    facts = [*model, view.info.name, html.Span(**show("range")), *thin]
    meta: list[Any] = []
    for fact in facts:
        meta += [*([" · "] if meta else []), html.Span(fact, className="mi")]
    back = html.A(both("episode.back", page=view.track_title), href="#", **act("episode", ""))
    return html.Div(
        [
            html.H1(both("episode.title", run=view.info.mark, steps=numbers.steps(*view.span))),
            html.Span(meta, className="meta"),
            html.Span(back, className="r"),
        ],
        className="rl-title",
    )


def _charts(view: EpisodeView) -> list[html.Figure]:
    return [_chart(chart, view.captions.get(chart.name)) for chart in view.charts]


def _chart(chart: Chart, seen: Sentence | None) -> html.Figure:
    if seen is None:
        caption = cards.caption(f"{chart.title}.caption")
    else:
        zh, en = said(seen)
        tip: dict[str, Any] = {"data-title-zh": zh, "data-title-en": en}
        caption = html.P(sentence(seen), className="ch-c", **tip)
    return cards.place(
        chart_id(chart), "episode", words(chart.title), words(f"unit.{chart.unit}"), caption, stats=True
    )


def _panel(view: EpisodeView) -> html.Aside:
    steps = numbers.steps(*view.span)
    name = "episode.label" if view.detected else "episode.range_label"
    text = joined([said(part) for part in view.sentences], "", " ")
    parts: list[Any] = [_head(view, steps), _facts(view), html.P(span(text))]
    parts += moved_table(view) if view.moved else []
    parts += step_table(view)
    parts += raw_log(view) if view.raw else []
    parts += others_table(view.others) if view.others else []
    parts += before_and_after(view) if view.followed else []
    parts += sampled(view) if view.samples else []
    return html.Aside(parts, className="epi-p", **labelled(name, run=view.info.mark, steps=steps))


def _head(view: EpisodeView, steps: str) -> html.Div:
    close = html.Button(both("episode.close"), type="button", className="btn-t", **act("episode", ""))
    return html.Div(
        [
            html.H2([mark(view.info), view.info.mark, " · ", steps]),
            html.Span(_stepper(view) if view.count else None, className="r"),
            close,
        ],
        className="epi-h",
    )


def _stepper(view: EpisodeView) -> html.Span:
    """Through the episodes of this run; a range of the user's own has no number among them."""
    at = both("episode.nth", i=view.index, n=view.count) if view.index else both("episode.chosen")
    return html.Span(
        [
            _step_to("‹", view.previous, "episode.previous"),
            html.Span(at),
            _step_to("›", view.next, "episode.next"),
        ],
        className="epnav" if view.severity >= GRAVE else "epnav mild",
        role="group",
    )


def _step_to(sign: str, id_: str, key: str) -> html.Button:
    attributes = {**act("episode", id_), **labelled(key), **titled(key)}
    return html.Button(sign, type="button", disabled=not id_, **attributes)


def _facts(view: EpisodeView) -> html.P:
    count = len({moved.chart.metric for moved in view.moved})
    key = "moved.many" if count > 1 else "moved.one" if count else "moved.none"
    name = "ep-tag" if count >= GRAVE else "ep-note" if count else "mut"
    told: list[Any] = [html.Span(both(key, n=count), className=name)]
    for label, value in view.facts:
        told.append(html.Span([sentence(label), " ", html.B(sentence(value))]))
    return html.P(told, className="kv")
