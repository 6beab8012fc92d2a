"""Components as plain data that the page's scripts build elements from.

Dash's renderer visits every component it holds at each change of the page, so thousands of rows are not given
to it. Text stays text on the way: scripts put it into text nodes and attributes, never into markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dash.development.base_component import Component

from data_loaders.schema import Json

NAMES = {"className": "class", "htmlFor": "for"}
NOT_HTML = frozenset(("children", "key", "n_clicks", "n_clicks_timestamp", "disable_n_clicks"))


def tree(node: Any) -> Any:
    """Tag, attributes and content of an element; text of text; a list of a list."""
    if isinstance(node, Component):
        told = node.to_plotly_json()
        if told["namespace"] != "dash_html_components":
            raise TypeError(f"{told['type']} is no element of HTML")
        return {"tag": told["type"].lower(), "with": _attributes(told["props"]), "in": _inner(node)}
    return [tree(part) for part in node] if isinstance(node, list | tuple) else str(node)


def _inner(node: Component) -> list[Any]:
    children = getattr(node, "children", None)
    parts = children if isinstance(children, list | tuple) else [] if children is None else [children]
    return [tree(part) for part in parts if part is not None]


def _attributes(props: Json) -> dict[str, str]:
    return dict(_told(props))


def _told(props: Json) -> Iterator[tuple[str, str]]:
    for name, value in props.items():
        if name in NOT_HTML or value is None or value is False or (value == "" and name == "className"):
            continue
        plain = name.startswith(("data-", "aria-"))
        yield (name if plain else NAMES.get(name, name.lower())), "" if value is True else str(value)
