"""The active tab: its page, and one store with all its figures.

Both follow the store `content`, which the page's scripts set: so a page is asked for when something on it is
new, and not again before the answer was shown. A page that shows an earlier state gets what differs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

import orjson
from dash import Dash, Input, Output, State
from dash.exceptions import PreventUpdate
from flask import Response, request

from callbacks.loading import YOUNG
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
CHOICES = {"smooth": "auto", "x": "step", "units": "token", "seg": "last"}
"""Names in links of what changes figures, and what holds without them."""


def register(app: Dash, reader: BoardReader) -> None:
    """Wire page and figures to what is to be shown, and to what of the selection changes figures."""
    shown, changes, payloads = SharedAnswers(), SharedAnswers(), SharedAnswers()

    def page_of(board: Board, content: Json) -> Any:
        return shown.get(page_name(board, content), lambda: nodes(layout(board, content)))

    def figures_of(board: Board, content: Json, chosen: Json, unfolded: Iterable[str] = ()) -> Json:
        tab, ep, full = pages.known_tab(board, content["tab"]), content["ep"], tuple(sorted(unfolded))

        def make() -> Json:
            if ep:
                return episode_figures(board, tab, ep, chosen, FIRST)
            return figures.payload(board, tab, chosen, full, FIRST)

        asked = figures.selection(chosen, FIRST)
        return dict(payloads.get((tab, ep, page_key(board, tab), asked, full), make))

    @app.callback(
        Output(ids.PAGE_ANSWER, "data"),
        Input(ids.CONTENT, "data"),
        State(ids.SELECTION, "data"),
        State(ids.UNFOLDED, "data"),
    )
    def page(content: Json | None, selection: Json | None = None, unfolded: list[str] | None = None) -> Json:
        if content is None:
            raise PreventUpdate
        board = reader.board(content["version"])
        name, since = page_name(board, content), content.get("since")
        if since:  # a new step is in the charts before it is in the tables
            figures_of(board, content, selection or {}, unfolded or ())

        def whole() -> Any:
            return page_of(board, content)

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
        made = figures_of(reader.board(content["version"]), content, selection or {}, unfolded or ())
        return {**made, "of": content}

    making = threading.Lock()

    def prepare(asked: str) -> None:
        with making, suppress(Exception):  # the page asks by itself, and is told what is wrong
            content, selection = linked(asked)
            board = reader.look(age=YOUNG)
            if board.runs:
                figures_of(board, content, selection)
                page_of(board, content)

    @app.server.after_request
    def opened(response: Response) -> Response:
        """While the scripts of a page are on their way, make what they will ask for."""
        start = request.method == "GET" and request.path == app.config.routes_pathname_prefix
        if start and response.status_code == HTTPStatus.OK and not making.locked():
            query = request.query_string.decode("ascii", "replace")
            threading.Thread(target=prepare, args=(query,), daemon=True).start()
        return response


def linked(query: str) -> tuple[Json, Json]:
    """What a page opened by a link asks for first, and by what selection: as far as links can say."""
    named = {name: values[-1] for name, values in parse_qs(query).items()}
    pinned = [name for name in named.get("pin", "").split(",") if name]
    chosen = {name: named.get(name, usual) for name, usual in CHOICES.items()}
    content = {"tab": named.get("tab", OVERVIEW), "ep": named.get("ep"), "pins": pinned, "steps": None}
    return content, chosen | {"pin": pinned}


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
