"""The active tab: its page, and one store with all its figures.

Both follow the store `content`, which the page's scripts set: so a page is asked for when something on it is
new, and not again before the answer was shown. A page that shows an earlier state gets what differs.
"""

from __future__ import annotations

from typing import Any

import orjson
from dash import Dash, Input, Output
from dash.exceptions import PreventUpdate

from callbacks.shared import SharedAnswers
from components import ids
from components.overview_page import run_section
from components.present import figures, pages
from components.present.episode import episode_figures, episode_page
from components.present.keys import page_keys
from components.present.overview import run_groups
from components.tabs import OVERVIEW
from components.tree import edits, nodes
from data_loaders.board import Board, BoardReader
from data_loaders.schema import Json

FIRST = figures.Part(room=1 << 20)
"""What a tab is answered with at once: charts of all runs come first, and the rest when it is looked at."""


def register(app: Dash, reader: BoardReader) -> None:
    """Wire page and figures to what is to be shown, and to what of the selection changes figures."""
    shown, changes, payloads = SharedAnswers(), SharedAnswers(), SharedAnswers()

    @app.callback(Output(ids.PAGE_ANSWER, "data"), Input(ids.CONTENT, "data"))
    def page(content: Json | None) -> Json:
        if content is None:
            raise PreventUpdate
        board = reader.board(content["version"])
        name, since = page_name(board, content), content.get("since")

        def whole() -> Any:
            return shown.get(name, lambda: nodes(layout(board, content)))

        def differs() -> list[Any] | None:
            before = shown.known(since)
            return None if before is None else list(edits(before, whole()))

        found = changes.get((since, name), differs) if since else None
        if found is None:
            return {"of": content, "is": name, "nodes": whole()}
        return {"of": content, "is": name, "since": since, "edits": found}

    @app.callback(
        Output(ids.FIGURES, "data"),
        Input(ids.CONTENT, "data"),
        Input(ids.SELECTION, "data"),
        Input(ids.UNFOLDED, "data"),
    )
    def tab_figures(content: Json | None, selection: Json | None, unfolded: list[str] | None) -> Json:
        if content is None:
            raise PreventUpdate
        board = reader.board(content["version"])
        tab, ep, chosen = pages.known_tab(board, content["tab"]), content["ep"], selection or {}
        full = tuple(sorted(unfolded or ()))

        def make() -> Json:
            if ep:
                return episode_figures(board, tab, ep, chosen, FIRST)
            return figures.payload(board, tab, chosen, full, FIRST)

        asked = orjson.dumps(chosen, option=orjson.OPT_SORT_KEYS)
        return {**payloads.get((tab, ep, page_key(board, tab), asked, full), make), "of": content}


def layout(board: Board, content: Json) -> Any:
    """The page that `content` names."""
    tab, steps = pages.known_tab(board, content["tab"]), figures.span(content.get("steps"))
    if content["ep"]:
        return episode_page(board, tab, content["ep"])
    page = pages.page(board, tab, figures.pins({"pin": content.get("pins")}))
    if tab == OVERVIEW and steps and board.runs:
        page[ids.RUNS].children = run_section(run_groups(board, steps), steps)
    return page


def page_name(board: Board, content: Json) -> str:
    """Name of a page in one state; what was shown under an equal name was the same."""
    tab = pages.known_tab(board, content["tab"])
    told = (tab, content["ep"], content.get("pins"), content.get("steps"), page_key(board, tab))
    return orjson.dumps(told).decode()


def page_key(board: Board, tab: str) -> str:
    """Key of a tab's data."""
    return page_keys(board).get(tab, board.version)
