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
from components.tree import nodes
from data_loaders.board import BoardReader
from data_loaders.schema import Json


def register(app: Dash, reader: BoardReader) -> None:
    """Wire everything around the page."""

    @app.callback(Output(ids.AROUND_ANSWER, "data"), Input(ids.AROUND, "data"))
    def around(asked: Json | None) -> Json:
        if asked is None:
            raise PreventUpdate
        board = reader.board(asked["version"])
        shown = known_tab(board, asked["tab"])
        view = shell_view(board, shown)
        return {
            ids.TABS: nodes(tab_links(view.tabs, shown)),
            ids.CHIPS: nodes(layout.chips(chips(board, shown))),
            ids.BANNERS: nodes(layout.banners(view.banners)),
        }

    @app.callback(
        Output(ids.REPORT_ANSWER, "data"), Input(ids.REPORT_OPEN, "data"), prevent_initial_call=True
    )
    def reading_report(version: str | None) -> Json:
        if not version:
            raise PreventUpdate
        return {ids.REPORT_BODY: nodes(report(shell_view(reader.board(version), "").reports))}

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
