from __future__ import annotations

import copy
from typing import Any

import pytest
from dash import dcc, html
from hypothesis import given
from hypothesis import strategies as st

from components.tree import edits, nodes


def applied(before: Any, changes: list[dict[str, Any]]) -> Any:
    """What the page's scripts make of edits."""
    root = {"in": copy.deepcopy(before)}
    for change in changes:
        if not change["at"]:
            root["in"] = change["put"]
            continue
        *path, last = change["at"]
        place = root
        for step in path:
            place = place["in"][step]
        if "put" in change:
            place["in"][last] = change["put"]
        else:
            node = place["in"][last]
            node["with"] = change["with"]
            node.pop("style", None)
            node |= {"style": change["style"]} if change["style"] else {}
    return root["in"]


ELEMENTS = st.recursive(
    st.text(max_size=3),
    lambda inner: st.builds(
        lambda tag, children, name, left: tag(
            children, className=name, **({"style": {"left": left}} if left else {})
        ),
        st.sampled_from([html.Div, html.Span, html.Tr]),
        st.lists(inner, max_size=3),
        st.sampled_from(["", "a", "b"]),
        st.sampled_from(["", "1%", "2%"]),
    ),
    max_leaves=8,
)


@given(st.lists(ELEMENTS, max_size=3), st.lists(ELEMENTS, max_size=3))
def test_edits_turn_any_page_into_any_other(before: list[Any], after: list[Any]) -> None:
    one, other = nodes(before), nodes(after)
    assert applied(one, list(edits(one, other))) == other
    assert not list(edits(one, one))


def test_a_changed_cell_is_one_small_edit() -> None:
    def page(last: int) -> Any:
        rows = [html.Tr([html.Td(f"run {n}"), html.Td(last if n == 3 else 0)]) for n in range(50)]
        return html.Div([html.H1("title"), html.Table(rows), html.Figure(className="ch")])

    (edit,) = edits(nodes(page(20)), nodes(page(21)))
    assert edit == {"at": (0, 1, 3, 1, 0), "put": "21"}


def test_markdown_is_sanitised_markup_and_everything_else_is_text() -> None:
    (place, words) = nodes([dcc.Markdown("**a** <img src=x onerror=alert(1)>"), html.P("<b>x</b>")])
    assert place["html"] == "<p><strong>a</strong> &lt;img src=x onerror=alert(1)&gt;</p>\n"
    assert words["in"] == ["<b>x</b>"]


def test_what_needs_react_is_refused() -> None:
    with pytest.raises(TypeError):
        nodes(dcc.Store(id="x"))
