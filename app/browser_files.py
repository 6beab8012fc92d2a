"""Files that browsers get: plotly.js and Bootstrap out of installed packages, our scripts and styles joined.

One file of each kind instead of fifty: through a tunnel every request costs a round trip. Addresses carry a
digest of the content, so that browsers keep a file for a year and fetch a new one at once.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from flask import Flask, Response, request

ASSETS = Path(__file__).resolve().parent.parent / "assets"
YEAR = 365 * 24 * 3600
PLOTLY, BOOTSTRAP, SCRIPT, STYLE = "plotly.min.js", "bootstrap.min.css", "board.js", "board.css"
TYPES = {".js": "text/javascript", ".css": "text/css"}
TRACE_TYPES = re.compile(r"\.register\(\[(?:[\w$]+\(\),?)+\]\)")
"""The call by which plotly.js sets up every kind of chart it knows when it starts."""


def address(prefix: str, name: str) -> str:
    """Where a file is served below `prefix`; another content has another address."""
    return f"{prefix}{name}?v={_digest(name)}"


@cache
def text(name: str) -> str:
    """Content of one of the four files; KeyError for any other name."""
    return SOURCES[name]()


def lines_only(plotly: str) -> str:
    """plotly.js that sets up nothing but its core, which draws lines and points: all that is drawn here.

    Its start is the longest time in which a page answers nobody, and most of it is spent on maps, globes and
    other charts. A script without the one call that sets these up is returned as it is.
    """
    calls = TRACE_TYPES.findall(plotly)
    return plotly.replace(calls[0], ".register([])") if len(calls) == 1 else plotly


def serve(server: Flask, prefix: str) -> None:
    """Serve the four files below `prefix`, compressed where the browser takes that."""

    @server.get(f"{prefix}<name>")
    def browser_file(name: str) -> Response:
        if name not in SOURCES:
            return Response(status=404)
        plain, packed = _both(name)
        zipped = "gzip" in request.headers.get("Accept-Encoding", "")
        answer = Response(packed if zipped else plain, mimetype=TYPES[Path(name).suffix])
        answer.headers["Cache-Control"] = f"public, max-age={YEAR}"
        answer.headers["Vary"] = "Accept-Encoding"
        if zipped:
            answer.headers["Content-Encoding"] = "gzip"
        return answer


def _joined(pattern: str) -> str:
    """Our files by name, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(ASSETS.glob(pattern)))


def _packaged(package: str, path: str) -> str:
    return (importlib.resources.files(package) / path).read_text(encoding="utf-8")


SOURCES: Mapping[str, Callable[[], str]] = {
    PLOTLY: lambda: lines_only(_packaged("plotly", "package_data/plotly.min.js")),
    BOOTSTRAP: lambda: _packaged("flask_bootstrap", "static/bootstrap5/css/bootstrap.min.css"),
    SCRIPT: lambda: _joined("*.js"),
    STYLE: lambda: _joined("*.css"),
}


@cache
def _digest(name: str) -> str:
    return hashlib.sha256(text(name).encode()).hexdigest()[:12]


@cache
def _both(name: str) -> tuple[bytes, bytes]:
    """A file, plain and gzipped."""
    data = text(name).encode()
    return data, gzip.compress(data, 6)
