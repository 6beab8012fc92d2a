"""The section of the metrics a reader put on a track page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards
from components.attributes import act
from components.figures import Chart
from components.text import both, labelled, titled


def pinned(charts: Sequence[Chart]) -> list[Any]:
    """A chart of all runs per metric, each with a button that takes it away; nothing without metrics."""
    if not charts:
        return []
    places = [cards.chart_place(chart, tools=[_unpin(chart)]) for chart in charts]
    return [
        cards.section_head(both("pin.head"), [both("pin.meta", n=len(charts))]),
        html.Div(places, className="g3 pinned"),
    ]


def _unpin(chart: Chart) -> html.Button:
    name = chart.named
    return html.Button(
        type="button", className="unpin", **act("pin", chart.metric),
        **labelled("pin.remove", metric=name), **titled("pin.remove", metric=name),
    )  # fmt: skip
