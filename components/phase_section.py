"""One quantity of a track page against another: the choice of the axes, and the place of the chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards
from components.attributes import act
from components.figures_phase import PHASE
from components.text import both, labelled, titled, words
from components.view import RunRow


def phase_section(rows: Sequence[RunRow]) -> list[Any]:
    """Nothing on a page without steps."""
    if all(row.last is None for row in rows):
        return []
    choice = html.Span(
        [
            _select("phase-x", "phase.x"),
            html.Button(
                "⇄", type="button", className="btn-t", **act("phase-swap"), **labelled("phase.swap"),
                **titled("phase.swap"),
            ),
            _select("phase-y", "phase.y"),
        ],
        className="pair-choice", role="group", **labelled("phase.choice"),
    )  # fmt: skip
    place = cards.place(
        PHASE, "comparison", words("phase.chart"), ("", ""), cards.caption("phase.caption"), wide=True
    )
    return [
        cards.section_head(both("phase.title"), [both("phase.meta")], [choice]),
        html.Div([place], className="g3 phase"),
    ]


def _select(action: str, key: str) -> html.Select:
    """Filled by the page's scripts with the charts there are."""
    return html.Select([], className="sel", **act(action), **labelled(key))
