"""The active tab: its page, and one store with all its figures."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output
from dash.exceptions import PreventUpdate

from components import ids
from components.present import figures, pages
from data_loaders.board import BoardReader
from data_loaders.schema import Json


def register(app: Dash, reader: BoardReader) -> None:
    """Wire page and figures to tab, manifest and what of the selection changes figures."""

    @app.callback(Output(ids.PAGE, "children"), Input(ids.TAB, "data"), Input(ids.MANIFEST, "data"))
    def page(tab: str, manifest: Json | None) -> Any:
        if manifest is None:
            raise PreventUpdate
        return pages.page(reader.board(), tab)

    @app.callback(
        Output(ids.FIGURES, "data"),
        Input(ids.TAB, "data"),
        Input(ids.MANIFEST, "data"),
        Input(ids.SELECTION, "data"),
    )
    def tab_figures(tab: str, manifest: Json | None, selection: Json | None) -> Any:
        if manifest is None:
            raise PreventUpdate
        return figures.payload(reader.board(), tab, selection or {})
