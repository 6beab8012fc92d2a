"""The drawer of a run: which parts it has, and the frame around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards
from components.attributes import act
from components.text import both, labelled, titled, words
from components.view import RunInfo

PANES = ("config", "differences", "metrics", "reading", "raw")
SCOPES = ("differences", "everywhere")
"""Parts that the pane of differences is shown as: the runs of one page, those of all pages."""


def heading(info: RunInfo) -> list[Any]:
    """Name of the run a drawer is open for, with its id."""
    named: list[Any] = []
    for part in cards.run_heading(info):
        named += [part, " "]
    return [*named, *([html.Span(info.id, className="mono")] if info.label else [])]


def frame(info: RunInfo, what: str, parts: Sequence[Any]) -> html.Div:
    """Choice of parts above the one that is shown."""
    attributes: dict[str, Any] = {"data-find-in": "", "data-part": what}
    choices = [_choice(info, what), *([_scopes(info, what)] if what in SCOPES else [])]
    return html.Div([*choices, *parts], className="detail", **attributes)


def gone() -> html.Div:
    """The drawer of a run that is no longer there."""
    return html.Div(cards.empty(words("detail.gone")), className="detail")


def find(kind: str, key: str) -> html.Div:
    """Place of a field that filters rows, with what it found. `kind`: `words` or `regex`."""
    place: dict[str, Any] = {"data-find": kind} | _hints(key)
    count: dict[str, Any] = {"data-find-count": "", "role": "status"}
    bad: dict[str, Any] = {"data-find-bad": "", "role": "alert"}
    none: dict[str, Any] = {"data-find-none": ""}
    return html.Div(
        [
            html.Div(className="field", **place),
            html.Span(className="meta", **count),
            html.Span(both("find.bad"), hidden=True, className="caveat", **bad),
            html.Span(both("find.none"), hidden=True, className="meta", **none),
        ],
        className="find",
    )


def row(names: Sequence[str] = ()) -> dict[str, Any]:
    """Attributes of a row that can be filtered; `names` are what a pattern is tried on."""
    return {"data-row": "\n".join(names)}


def _hints(key: str) -> dict[str, Any]:
    zh, en = words(key)
    return {"data-hint-zh": zh, "data-hint-en": en}


def _choice(info: RunInfo, shown: str) -> html.Nav:
    pane = "differences" if shown in SCOPES else shown
    return html.Nav(
        [_pane(info, what, f"detail.{what}", what == pane) for what in PANES],
        className="panes", **labelled("detail.panes"),
    )  # fmt: skip


def _scopes(info: RunInfo, shown: str) -> html.Nav:
    """Choice of the runs that are compared."""
    buttons = [_pane(info, what, f"differences.of.{what}", what == shown) for what in SCOPES]
    return html.Nav(buttons, className="panes scopes", **labelled("differences.scopes"))


def _pane(info: RunInfo, what: str, text: str, on: bool) -> html.Button:
    current: dict[str, Any] = {"aria-current": "true"} if on else {}
    return html.Button(
        both(text), type="button", className="on" if on else "",
        **act("detail", f"{what}:{info.key}"), **current,
    )  # fmt: skip


def pin(name: str, text: Any, label: tuple[str, str]) -> html.Button:
    """Puts a metric on the page, or takes it away; the page's scripts say which."""
    pressed: dict[str, Any] = {"aria-pressed": "false"}
    return html.Button(
        text, type="button", className="pin", **act("pin", name), **pressed,
        **labelled("pin.add", metric=label), **titled("pin.add", metric=label),
    )  # fmt: skip
