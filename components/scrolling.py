"""The place of a table that may be wider than its page: it scrolls inside itself, by keys too."""

from __future__ import annotations

from typing import Any

from dash import html

from components.text import labelled


def scrolling(table: Any, label: str, more: str = "") -> html.Div:
    """A table under the message key of its name; its first column stays in view while the rest scrolls."""
    name = f"wide {more}".strip()
    return html.Div(table, className=name, tabIndex=0, role="region", **labelled(label))
