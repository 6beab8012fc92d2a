"""One store of figures for a tab."""

from __future__ import annotations

from components.charts import algorithm_figures, figures, overview_figures
from components.present.algorithms import algorithms_view
from components.present.overview import overview_view
from components.present.runs import chart_runs, of_track, window_of
from components.tabs import ALGORITHMS, OVERVIEW
from components.view import Selection
from data_loaders.board import Board
from data_loaders.derive.smooth import SMOOTHERS
from data_loaders.schema import Json


def selection(raw: Json) -> Selection:
    """The part of the browser's state that changes figures; a bad value falls back to the default."""
    smooth, units, policy, x = (raw.get(name) for name in ("smooth", "units", "seg", "x"))
    return Selection(
        smooth=smooth if smooth in {s.kind for s in SMOOTHERS} else "auto",
        units="logged" if units == "logged" else "token",
        policy=policy if policy in ("first", "all") else "last",
        x=x if x in ("tokens", "hours") else "step",
    )


def payload(board: Board, tab: str, raw: Json) -> Json:
    """Figures of a tab, as the drawing path takes them."""
    chosen = selection(raw)
    if tab == OVERVIEW:
        view = overview_view(board)
        ends = view.slope_tracks or (("", ""), ("", ""))
        return overview_figures(
            tab, chart_runs(board, board.runs), view.slopes, ends, chosen, version=board.version
        )
    if tab == ALGORITHMS:
        rows = algorithms_view(board).rows
        runs = chart_runs(
            board, [run for run in board.runs if run.detected.algorithm in {r.info.algorithm for r in rows}]
        )
        return algorithm_figures(tab, runs, [r.info for r in rows], chosen, version=board.version)
    runs = chart_runs(board, of_track(board, tab))
    return figures(tab, runs, chosen, window=window_of(board, tab), version=board.version)
