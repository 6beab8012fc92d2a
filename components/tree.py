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
    """Tag, attributes and content of an element; text of text; a flat list of a list."""
    if isinstance(node, Component):
        told = node.to_plotly_json()
        if told["namespace"] != "dash_html_components":
            raise TypeError(f"{told['type']} is no element of HTML")
        inner = list(_flat(getattr(node, "children", None)))
        return {"tag": told["type"].lower(), "with": _attributes(told["props"]), "in": inner}
    return list(_flat(node)) if isinstance(node, list | tuple) else str(node)


def _flat(node: Any) -> Iterator[Any]:
    if isinstance(node, list | tuple):
        for part in node:
            yield from _flat(part)
    elif node is not None:
        yield tree(node)


def _attributes(props: Json) -> dict[str, str]:
    return dict(_told(props))


def _told(props: Json) -> Iterator[tuple[str, str]]:
    for name, value in props.items():
        if name in NOT_HTML or value is None or value is False or (value == "" and name == "className"):
            continue
        plain = name.startswith(("data-", "aria-"))
        yield (name if plain else NAMES.get(name, name.lower())), "" if value is True else str(value)
