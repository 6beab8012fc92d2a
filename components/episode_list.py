"""The episodes of several runs in one table that can be searched: what moved most, and if it came back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from dash import html

from components import numbers
from components.cards import episode_link
from components.figures import Chart
from components.figures_episode import all_charts
from components.quantities import change_of
from components.scrolling import scrolling
from components.style import run_name
from components.text import both, span, words
from components.view import RunInfo, RunRow
from data_loaders.derive.episodes import Episode
from data_loaders.derive.health import Event

HEADS = ("run", "steps", "metric", "change", "moved", "recovered")
FIND = words("episodes.find")
MOST = 300
"""Rows of the table; a sweep of long runs has thousands of episodes, and every row costs."""


def episode_list(rows: Iterable[RunRow]) -> list[Any]:
    """A folded table, the gravest first; nothing when no run has an episode."""
    found = [(row.info, episode) for row in rows for episode in row.episodes]
    if not found:
        return []
    found.sort(key=lambda entry: -entry[1].severity)
    head = html.Summary([html.B(both("episodes.title")), " ", html.Span(str(len(found)), className="n")])
    find: dict[str, Any] = {"data-find": "words", "data-hint-zh": FIND[0], "data-hint-en": FIND[1]}
    count: dict[str, Any] = {"data-find-count": ""}
    search = html.P([html.Span(className="field", **find), " ", html.Span(className="mut", **count)])
    heads = html.Tr([html.Th(both(f"episodes.{name}"), scope="col") for name in HEADS])
    charts = {chart.metric: chart for chart in all_charts()}
    body = html.Tbody([_row(info, episode, charts) for info, episode in found[:MOST]])
    table = html.Table([html.Thead(heads), body], className="rt episodes")
    inside: dict[str, Any] = {"data-find-in": ""}
    rest = len(found) - MOST
    more = [html.P(both("episodes.rest", n=rest), className="mut")] if rest > 0 else []
    return [
        html.Details([head, search, scrolling(table, "episodes.title"), *more], className="full", **inside)
    ]


def _row(info: RunInfo, episode: Episode, charts: Mapping[str, Chart]) -> html.Tr:
    strongest = max(episode.events, key=_strength, default=None)
    back = "episodes.back" if episode.recovered else "episodes.not_back"
    cells = (
        run_name(info),
        episode_link(info, episode, numbers.steps(episode.start, episode.end)),
        both(f"metric.{strongest.metric}") if strongest else numbers.NONE,
        _change(strongest, charts) if strongest else numbers.NONE,
        both("kind.metrics" if episode.severity > 1 else "kind.metric", n=episode.severity),
        html.Span(span(words(back)), className="" if episode.recovered else "warn"),
    )
    attributes: dict[str, Any] = {"data-row": f"{info.id}:{episode.start}"}
    return html.Tr([html.Td(cell) for cell in cells], **attributes)


def _strength(event: Event) -> float:
    """How far it went, in robust standard deviations; a value that is no number goes before all."""
    return max(map(abs, event.scores), default=math.inf)


def _change(event: Event, charts: Mapping[str, Chart]) -> str:
    return change_of(charts[event.metric], event) if event.metric in charts else numbers.number(event.ratio)
