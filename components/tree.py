"""Components as plain data that the page's scripts build elements from; how one page becomes another.

Dash's renderer visits every component it holds at each change of the page, so whatever has many rows is not
given to it. Text stays text on the way: scripts put it into text nodes and attributes. Only Markdown, which
is sanitised here, becomes markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dash.development.base_component import Component

from components.markdown import markdown
from data_loaders.schema import Json

NAMES = {"className": "class", "htmlFor": "for"}
NOT_HTML = frozenset(("children", "key", "n_clicks", "n_clicks_timestamp", "disable_n_clicks", "style"))


def tree(node: Any) -> Any:
    """Tag, attributes and content of an element; text of text; a flat list of a list.

    An element may also have `style` (properties) and, instead of content, `html`.
    """
    if isinstance(node, Component):
        told = node.to_plotly_json()
        if told["type"] == "Markdown":
            return {"tag": "div", "with": {}, "in": [], "html": markdown(str(node.children or ""))}
        if told["namespace"] != "dash_html_components":
            raise TypeError(f"{told['type']} is no element of HTML")
        inner = list(_flat(getattr(node, "children", None)))
        style = {"style": told["props"]["style"]} if told["props"].get("style") else {}
        return {"tag": told["type"].lower(), "with": _attributes(told["props"]), "in": inner, **style}
    return list(_flat(node)) if isinstance(node, list | tuple) else str(node)


def edits(before: Any, after: Any, at: tuple[int, ...] = ()) -> Iterator[Json]:
    """What turns one tree into another, given as flat lists of nodes: at a path, a node is put or altered."""
    if before == after:
        return
    if not _alike(before, after):
        yield {"at": at, "put": after}
        return
    if isinstance(before, dict):
        if (before["with"], before.get("style")) != (after["with"], after.get("style")):
            yield {"at": at, "with": after["with"], "style": after.get("style")}
        before, after = before["in"], after["in"]
    for nth, (old, new) in enumerate(zip(before, after, strict=True)):
        yield from edits(old, new, (*at, nth))


def _alike(one: Any, other: Any) -> bool:
    """Whether two nodes differ in attributes and inside only, and hold as many nodes."""
    if isinstance(one, dict) and isinstance(other, dict):
        same = one["tag"] == other["tag"] and "html" not in one and "html" not in other
        return same and len(one["in"]) == len(other["in"])
    return isinstance(one, list) and isinstance(other, list) and len(one) == len(other)


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


def nodes(layout: Any) -> Sequence[Any]:
    """A layout as a flat list of nodes."""
    return list(_flat(layout))
