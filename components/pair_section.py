"""Two runs of a track compared step by step: the choice of the pair, and a place per quantity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards
from components.attributes import act, show
from components.charts import chart_id, charts
from components.text import both, labelled, titled, words
from components.view import RunInfo, RunRow


def pair_section(rows: Sequence[RunRow]) -> list[Any]:
    """Nothing on a page with fewer than two runs that have steps."""
    runs = [row.info for row in rows if row.last is not None]
    if len(runs) < 2:
        return []
    labels = Counter(info.label for info in runs)
    options = [(info.label if labels[info.label] == 1 and info.label else info.id, info) for info in runs]
    choice = html.Span(
        [
            _select("pair-one", options, "pair.one"),
            html.Span("−", className="mut"),
            _select("pair-other", options, "pair.other"),
            html.Button(
                "⇄", type="button", className="btn-t", **act("pair-swap"), **labelled("pair.swap"),
                **titled("pair.swap"),
            ),
        ],
        className="pair-choice", role="group", **labelled("pair.choice"),
    )  # fmt: skip
    places = [
        cards.place(
            chart_id(chart),
            "comparison",
            chart.named,
            words(f"unit.{chart.unit}"),
            html.P(" ", className="ch-c pair-said", **titled(chart.caption)),
        )
        for chart in charts("pair")
    ]
    live: dict[str, Any] = {"aria-live": "polite"} | show("pair-order")
    return [
        cards.section_head(both("pair.title"), [both("pair.meta")], [choice]),
        html.P(" ", className="pair-order", **live),
        html.Div(places, className="g3 pairs"),
    ]


def _select(action: str, options: Sequence[tuple[str, RunInfo]], key: str) -> html.Select:
    entries = [html.Option(_name(info), value=value) for value, info in options]
    return html.Select(entries, className="sel", **act(action), **labelled(key))


def _name(info: RunInfo) -> str:
    return f"{info.mark} {info.name}" if info.label else info.mark
