"""Header, chips, banners and reading report follow the manifest and the tab."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output
from dash.exceptions import PreventUpdate

from components import ids, layout
from components.present.pages import known_tab
from components.present.shell import chips, shell_view
from components.report import report
from components.tabs import tab_links
from data_loaders.board import BoardReader
from data_loaders.schema import Json


def register(app: Dash, reader: BoardReader) -> None:
    """Wire everything around the page."""

    @app.callback(
        Output(ids.TABS, "children"),
        Output(ids.CHIPS, "children"),
        Output(ids.BANNERS, "children"),
        Input(ids.TAB, "data"),
        Input(ids.MANIFEST, "data"),
    )
    def around(tab: str | None, manifest: Json | None) -> tuple[Any, Any, Any]:
        if manifest is None:
            raise PreventUpdate
        board = reader.board()
        shown = known_tab(board, tab)
        view = shell_view(board, shown)
        return tab_links(view.tabs, shown), layout.chips(chips(board, shown)), layout.banners(view.banners)

    @app.callback(Output(ids.REPORT_BODY, "children"), Input(ids.MANIFEST, "data"))
    def reading_report(manifest: Json | None) -> Any:
        if manifest is None:
            raise PreventUpdate
        return report(shell_view(reader.board(), "").reports)

    @app.callback(
        Output(ids.LOADING, "hidden"),
        Output(ids.LOADING_TEXT, "children"),
        Output(ids.PROGRESS, "value"),
        Output(ids.CANCEL, "hidden"),
        Output(ids.RETRY, "hidden"),
        Input(ids.READING, "data"),
    )
    def loading(reading: Json | None) -> Any:
        return layout.loading(reading)
