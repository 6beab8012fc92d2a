"""The page of a tab, laid out from the records of its board."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from components.algorithms_page import algorithms_page
from components.figures_metric import metric_chart
from components.overview_page import overview_page
from components.present.algorithms import algorithms_view
from components.present.overview import overview_view
from components.present.runs import tracks
from components.present.track import track_view
from components.tabs import ALGORITHMS, OVERVIEW
from components.track_page import track_page
from data_loaders.board import Board


def page(board: Board, tab: str, pins: Iterable[str] = ()) -> Any:
    """Layout of a tab, with charts of the metrics in `pins`; an unknown tab shows the overview."""
    if tab == ALGORITHMS:
        return algorithms_page(algorithms_view(board))
    track = next((track for track in tracks(board) if track.id == tab), None)
    if track is not None:
        return track_page(track_view(board, track), pinned_charts=[metric_chart(name) for name in pins])
    return overview_page(overview_view(board))


def known_tab(board: Board, tab: str | None) -> str:
    """The tab to show for what a link asks."""
    names = {OVERVIEW, ALGORITHMS, *(track.id for track in tracks(board))}
    return tab if tab in names else OVERVIEW
