"""Short generated statements: a sentence with its numbers, and the view that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components.attributes import act
from components.text import both, labelled, sentence
from components.view_remarks import Statement

SHOWN = 6
"""Statements of a page that are not folded away."""


def statement_list(statements: Sequence[Statement], shown: int = SHOWN) -> list[Any]:
    """The first ones in full, the others in a part that unfolds."""
    if not statements:
        return []
    rest = statements[shown:]
    parts: list[Any] = [_list(statements[:shown])]
    if rest:
        head = html.Summary(both("said.more", n=len(rest)))
        parts.append(html.Details([head, _list(rest)], className="said-more"))
    return [html.Div(parts, className="said")]


def _list(statements: Sequence[Statement]) -> html.Ul:
    return html.Ul([_item(one) for one in statements], className="find")


def _item(one: Statement) -> html.Li:
    attributes: dict[str, Any] = {"data-said": one.id}
    link = html.A(
        both("said.show"), href=one.view.query, **act("view", one.view.chart),
        **labelled("said.show.of", text=one.text),
    )  # fmt: skip
    return html.Li([sentence(one.text), " ", link], **attributes)
