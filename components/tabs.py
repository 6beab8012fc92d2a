"""The tabs, in order: overview, algorithms, then one per track."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dash import html

from components import ids
from components.attributes import act
from components.text import both, span, words
from components.view import Bilingual, TabView
from data_loaders.catalog import TRACKS

OVERVIEW, ALGORITHMS = "overview", "algorithms"

FIRST_TABS: tuple[TabView, ...] = (
    TabView(OVERVIEW, words("tab.overview")),
    TabView(ALGORITHMS, words("tab.algorithms")),
)

TABS: tuple[TabView, ...] = (*FIRST_TABS, *(TabView(track.id, track.title) for track in TRACKS))
"""Without a board.toml, which may add tracks."""


def tabs(tracks: Iterable[tuple[str, Bilingual]], live: Mapping[str, int]) -> tuple[TabView, ...]:
    """The tabs of a board: those every board has, then its tracks with the number of running runs."""
    return (*FIRST_TABS, *(TabView(id_, title, live.get(id_, 0)) for id_, title in tracks))


def tab_links(shown: Iterable[TabView], active: str) -> list[html.A]:
    """Children of the tab list. They are links, so a tab can be opened in a window of its own."""
    return [_link(tab, tab.id == active) for tab in shown]


def _link(tab: TabView, on: bool) -> html.A:
    attributes: dict[str, Any] = {"aria-selected": str(on).lower(), "aria-controls": ids.PAGE}
    live = [html.Span(both("tabs.live", n=tab.live), className="n")] if tab.live else []
    return html.A(
        [span(tab.title), *live], href=f"?tab={tab.id}", className="on" if on else "", role="tab",
        id=ids.tab(tab.id), **act("tab", tab.id), **attributes,
    )  # fmt: skip
