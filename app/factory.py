"""Builds the web application: the only place that makes Dash, the background manager and the routes."""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from dash import Dash
from dash.background_callback.managers import BaseBackgroundCallbackManager
from flask import Response, request

from callbacks import register_all
from components import ids, layout
from components.present import shell
from components.tabs import OVERVIEW
from data_loaders import reading_state
from data_loaders.board import BoardReader

from .access import Key
from .guard import protect
from .jobs import JobManager
from .settings import Settings

ASSETS = Path(__file__).resolve().parent.parent / "assets"
YEAR = 365 * 24 * 3600

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

STATIC = {
    "plotly.min.js": ("plotly", "package_data/plotly.min.js", "text/javascript"),
    "bootstrap.min.css": ("flask_bootstrap", "static/bootstrap5/css/bootstrap.min.css", "text/css"),
}
"""Files served from installed packages: route name → package, path inside it, type."""


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
    plotly, bootstrap = (f"{prefix}{name}?v={_digest(name)}" for name in STATIC)
    app = Dash(
        "rl-board",
        title="RL Board",
        update_title="",
        assets_folder=str(ASSETS),
        requests_pathname_prefix=base,
        routes_pathname_prefix=base,
        external_stylesheets=[bootstrap],
        external_scripts=[{"src": plotly, "defer": True}],
        background_callback_manager=manager or JobManager(settings.cache_dir / "jobs", reader.note),
        suppress_callback_exceptions=True,
        index_string=_index(settings, plotly),
    )
    app.layout = lambda: _layout(settings, reader)
    _serve_packages(app, prefix)
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


def _content(name: str) -> bytes:
    """A file of an installed package."""
    package, path, _ = STATIC[name]
    return (importlib.resources.files(package) / path).read_bytes()


@cache
def _digest(name: str) -> str:
    """Tells one version of a file from the next: browsers keep them for a year."""
    return hashlib.sha256(_content(name)).hexdigest()[:12]


@cache
def _both(name: str) -> tuple[bytes, bytes]:
    """A file, plain and gzipped."""
    data = _content(name)
    return data, gzip.compress(data, 6)


def _serve_packages(app: Dash, prefix: str) -> None:
    @app.server.get(f"{prefix}<name>")
    def packaged(name: str) -> Response:
        if name not in STATIC:
            return Response(status=404)
        plain, packed = _both(name)
        zipped = "gzip" in request.headers.get("Accept-Encoding", "")
        answer = Response(packed if zipped else plain, mimetype=STATIC[name][2])
        answer.headers["Cache-Control"] = f"public, max-age={YEAR}"
        answer.headers["Vary"] = "Accept-Encoding"
        if zipped:
            answer.headers["Content-Encoding"] = "gzip"
        return answer
