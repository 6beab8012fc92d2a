"""Wiring between browser state, the board and the pages. Each module has `register(app, …)`."""

from dash import Dash

from data_loaders.board import BoardReader

from . import annotations, closer, detail, export, linking, loading, shell, tabs


def register_all(app: Dash, reader: BoardReader) -> None:
    """Register every callback and route."""
    loading.register(app, reader)
    shell.register(app, reader)
    tabs.register(app, reader)
    closer.register(app, reader)
    detail.register(app, reader)
    annotations.register(app, reader)
    linking.register(app)
    export.register(app, reader)
