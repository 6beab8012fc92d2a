"""Builds the web application: the only place that makes Dash, the background manager and the routes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dash import Dash
from dash.background_callback.managers import BaseBackgroundCallbackManager

from callbacks import register_all
from components import ids, layout
from components.present import shell
from components.tabs import OVERVIEW
from data_loaders import reading_state
from data_loaders.board import BoardReader

from . import browser_files
from .access import Key
from .guard import protect
from .jobs import JobManager
from .settings import Settings

PAGE = """<!DOCTYPE html>
<html lang="{lang}" data-lang="{choice}" data-bs-theme="light">
<head>
{%metas%}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{%title%}</title>
<link rel="preload" as="script" href="{plotly}">
{%favicon%}
{%css%}
</head>
<body>
{%app_entry%}
<footer>{%config%}{%scripts%}{%renderer%}</footer>
</body>
</html>"""


def create_app(
    settings: Settings,
    reader: BoardReader,
    manager: BaseBackgroundCallbackManager | None = None,
    key: Key | None = None,
) -> Dash:
    """The application, ready for a WSGI server (`app.server`). Reads nothing yet.

    `manager` runs the background readings; processes of this machine do when there is none. `key` is what
    browsers are asked for.
    """
    base = settings.base_path
    prefix = f"{base}static-files/"
    plotly, script, bootstrap, style = (
        browser_files.address(prefix, name)
        for name in (browser_files.PLOTLY, browser_files.SCRIPT, browser_files.BOOTSTRAP, browser_files.STYLE)
    )
    app = Dash(
        "rl-board",
        title="RL Board",
        update_title="",
        assets_folder=str(browser_files.ASSETS),
        include_assets_files=False,
        requests_pathname_prefix=base,
        routes_pathname_prefix=base,
        external_stylesheets=[bootstrap, style],
        external_scripts=[{"src": script}, {"src": plotly, "async": True}],
        background_callback_manager=manager or JobManager(settings.cache_dir / "jobs", reader.note),
        suppress_callback_exceptions=True,
        index_string=_index(settings, plotly),
    )
    app.layout = lambda: _layout(settings, reader)
    browser_files.serve(app.server, prefix)
    register_all(app, reader)
    protect(app, settings, key)
    return app


def _index(settings: Settings, plotly: str) -> str:
    lang = "en" if settings.lang == "en" else "zh-CN"
    return PAGE.replace("{lang}", lang).replace("{choice}", settings.lang).replace("{plotly}", plotly)


def _layout(settings: Settings, reader: BoardReader) -> Any:
    """A fresh page: its own token, and the board as far as it is known without reading."""
    board = reader.look()
    return layout.shell(
        replace(shell.shell_view(board, OVERVIEW, settings.lang), reports=()),
        stores={
            ids.PAGE_TOKEN: reading_state.request(),
            ids.MANIFEST: shell.manifest(board),
        },
        interval_ms=int(settings.interval * 1000),
    )
