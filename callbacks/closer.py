"""The route of charts that a page looks at: those it did not get yet, and long ones at the chosen steps."""

from __future__ import annotations

from collections.abc import Iterable

from dash import Dash
from flask import Response, request

from callbacks.shared import SharedAnswers
from callbacks.tabs import page_key
from components.present import figures, pages
from components.present.episode import episode_figures
from data_loaders.board import Board, BoardReader
from data_loaders.schema import Json

MOST_CHARTS = 400
"""More than a screen holds."""


def register(app: Dash, reader: BoardReader) -> None:
    """Serve `<base>charts`: `{charts}` for `{tab, ep, version, selection, unfolded, ids, steps, ahead}`."""
    answers = SharedAnswers()

    @app.server.post(f"{app.config.routes_pathname_prefix}charts")
    def charts() -> Response:
        asked = request.get_json(silent=True)
        if not isinstance(asked, dict):
            return Response(status=400)
        board = reader.board(_text(asked.get("version")))
        tab = pages.known_tab(board, _text(asked.get("tab")))
        name = page_key(board, tab), request.get_data()
        body = answers.encoded(name, lambda: {"charts": looked_at(board, tab, asked)})
        return Response(body, mimetype="application/json", headers={"Cache-Control": "no-store"})


def looked_at(board: Board, tab: str, asked: Json) -> Json:
    """Figures by id; only those that the page has."""
    only = frozenset(_texts(asked.get("ids"))[:MOST_CHARTS])
    whole = asked.get("ahead") is True
    part = figures.Part(None if whole else figures.span(asked.get("steps")), only, whole=whole)
    chosen, ep = asked.get("selection"), _text(asked.get("ep"))
    chosen = chosen if isinstance(chosen, dict) else {}
    if ep:
        made = episode_figures(board, tab, ep, chosen, part)
    else:
        made = figures.payload(board, tab, chosen, _texts(asked.get("unfolded")), part)
    return dict(made["charts"])


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(values: object) -> list[str]:
    return [text for text in map(_text, values) if text] if isinstance(values, Iterable) else []
