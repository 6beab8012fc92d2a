"""One store of figures for a tab."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from components.charts import algorithm_figures, figures, overview_figures
from components.figures_metric import metric_chart
from components.present.algorithms import algorithms_view
from components.present.findings import compared
from components.present.overview import overview_view
from components.present.rows import row
from components.present.runs import chart_runs, infos, of_track, window_of
from components.present.times import now_of
from components.tabs import ALGORITHMS, OVERVIEW
from components.view import Selection, Span
from data_loaders.board import Board
from data_loaders.catalog import OTHER
from data_loaders.derive.smooth import SMOOTHERS
from data_loaders.schema import Json

MOST_PINS = 64
"""More names than fit a link."""
LARGEST_STEP = 2**53
LONGEST_NAME = 1000
"""Characters; a longer one fits no link."""


class Part(NamedTuple):
    """Which of the figures an answer holds, and which of their points; as in `Selection`."""

    span: Span | None = None
    only: frozenset[str] | None = None
    room: int | None = None
    whole: bool = False


EVERYTHING = Part()


def selection(raw: Json, part: Part = EVERYTHING) -> Selection:
    """The part of the browser's state that changes figures; a bad value falls back to the default."""
    smooth, units, policy, x = (raw.get(name) for name in ("smooth", "units", "seg", "x"))
    return Selection(
        smooth=smooth if smooth in {s.kind for s in SMOOTHERS} else "auto",
        units="logged" if units == "logged" else "token",
        policy=policy if policy in ("first", "all") else "last",
        x=x if x in ("tokens", "hours") else "step",
        pins=pins(raw),
        span=part.span,
        only=part.only,
        room=part.room,
        whole=part.whole,
    )


def pins(raw: Json) -> tuple[str, ...]:
    """Metrics put on the page, each once and in their order; what cannot be a name is left out."""
    asked = raw.get("pin")
    names = dict.fromkeys(name for name in asked if _is_name(name)) if isinstance(asked, list) else {}
    return tuple(names)[:MOST_PINS]


def span(steps: object) -> Span | None:
    """A step range as the browser sends it; None for anything that is none."""
    if not isinstance(steps, list) or len(steps) != 2:
        return None
    if not all(isinstance(step, int) and abs(step) < LARGEST_STEP for step in steps):
        return None
    return min(steps), max(steps)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_NAME


def payload(
    board: Board, tab: str, raw: Json, full: Collection[str] | None = None, part: Part = EVERYTHING
) -> Json:
    """Figures of a tab, as the drawing path takes them.

    `full` holds the keys of the runs whose full version is unfolded; None: of every run.
    """
    chosen = selection(raw, part)
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
    pinned = [metric_chart(name) for name in chosen.pins]
    window = window_of(board, tab)
    pair = _compared(board, tab, window) if part.only is None and tab != OTHER else None
    return figures(
        tab, runs, chosen, pinned=pinned, full=full, window=window, pair=pair, version=board.version
    )


def _compared(board: Board, tab: str, window: Span | None) -> tuple[str, str] | None:
    """Keys of the two runs that the headline of a page compares."""
    members, known, now = of_track(board, tab), infos(board), now_of(board)
    rows = [row(run, known[run.id], now, window) for run in members]
    found = compared(members, rows)
    return (found[0].key, found[1].key) if found else None
