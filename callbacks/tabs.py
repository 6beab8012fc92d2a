"""The active tab: its page, and one store with all its figures."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update
from dash.exceptions import PreventUpdate

from components import ids
from components.figures_metric import metric_chart
from components.pinned import pinned
from components.present import figures, pages
from components.present.episode import episode_figures, episode_page
from data_loaders.board import BoardReader
from data_loaders.schema import Json


def register(app: Dash, reader: BoardReader) -> None:
    """Wire page and figures to tab, manifest, open episode and what of the selection changes figures."""

    @app.callback(
        Output(ids.PAGE, "children"),
        Input(ids.TAB, "data"),
        Input(ids.MANIFEST, "data"),
        Input(ids.EPISODE, "data"),
        State(ids.SELECTION, "data"),
    )
    def page(tab: str | None, manifest: Json | None, ep: str | None, selection: Json | None) -> Any:
        if manifest is None:
            raise PreventUpdate
        board = reader.board()
        if ep:
            return episode_page(board, pages.known_tab(board, tab), ep)
        return pages.page(board, pages.known_tab(board, tab), figures.pins(selection or {}))

    @app.callback(Output(ids.PINNED, "children"), Input(ids.SELECTION, "data"), prevent_initial_call=True)
    def pinned_section(selection: Json | None) -> Any:
        return pinned([metric_chart(name) for name in figures.pins(selection or {})])

    @app.callback(
        Output(ids.FIGURES, "data"),
        Input(ids.TAB, "data"),
        Input(ids.MANIFEST, "data"),
        Input(ids.EPISODE, "data"),
        Input(ids.SELECTION, "data"),
    )
    def tab_figures(tab: str | None, manifest: Json | None, ep: str | None, selection: Json | None) -> Any:
        if manifest is None:
            raise PreventUpdate
        board = reader.board()
        if ep:
            return episode_figures(board, pages.known_tab(board, tab), ep, selection or {}) or no_update
        return figures.payload(board, pages.known_tab(board, tab), selection or {})
