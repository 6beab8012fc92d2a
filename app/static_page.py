"""The whole board as one file that opens from disk, without a server and without a network.

It stays the same as the live page because nothing is written twice. The document is `layout.shell`, the
pages are `present.pages.page` and `present.episode.episode_page`, the numbers come from
`present.figures.payload` and `present.episode.episode_figures`, all called as the live callbacks call them;
`html_text` writes the components down, and the scripts and styles of `assets/` are inlined as they are, in
the order Dash loads them. Where the live page swaps the content of a place when a tab or an episode is
opened, this file holds every content in a `[data-page]` element, and `rl-90-start.js` shows the one in
force.

What needs a server is taken out by the three sets below, which name actions, ids and routes and no page: a
new page or chart is exported without a change here. The file forbids itself every request (`POLICY`);
`blob:` is the page's own memory, through which plotly saves a picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from dash import html
from dash.development.base_component import Component

from components import ids, layout
from components.present import episode, figures, pages, shell
from components.text.client import client_words
from components.view import Banner
from data_loaders.board import Board
from data_loaders.schema import Json, Note

from . import browser_files
from .html_text import element, escape, to_html

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
FIXED = ("smooth", "x", "units", "seg", "pin")
"""Choices that change figures on the server; the file holds the figures of their defaults."""
LIVE_ACTIONS = frozenset((*FIXED, "csv", "detail", "inspect", "notify", "own-logs"))
LIVE_IDS = frozenset((ids.LOADING, ids.DETAIL, ids.PINNED))
LIVE_ROUTES = frozenset(("csv",))
MOST_EPISODES = 40
DOT = " · "
TIME = "%Y-%m-%d %H:%M"

DOCUMENT = """<!DOCTYPE html>
<html lang="{lang}" data-lang="{choice}" data-bs-theme="light">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
{styles}
</head>
<body>
{body}
<script type="application/json" id="carried">{carried}</script>
{scripts}
</body>
</html>
"""


def static_page(board: Board, lang: str = "auto", made: datetime | None = None) -> bytes:
    """The file, in UTF-8. `lang` is `auto` (the browser's), `zh` or `en`; `made` is when it was written."""
    sheets = tuple(sheets_of(board))
    carried = {"words": client_words(), "figures": {s.id: s.figures for s in sheets}, "fixed": FIXED}
    title = board.source.config.title
    filled = {
        "lang": "en" if lang == "en" else "zh-CN",
        "choice": lang,
        "policy": POLICY,
        "title": escape(title[1] if lang == "en" else title[0]),
        "styles": "\n".join(element("style", {}, raw) for raw in styles()),
        "body": to_html(body(board, sheets, lang, made or datetime.now())),
        "carried": json_text(carried),
        "scripts": "\n".join(element("script", {}, raw) for raw in scripts()),
    }
    return _fill(DOCUMENT, filled).encode("utf-8", "replace")


class Sheet(NamedTuple):
    """A page of the file: a tab, or an open episode."""

    id: str
    """The tab, or `ep:` and the id of the episode; `rl-90-start.js` looks for these."""
    tab: str
    page: Any
    figures: Json


def sheets_of(board: Board) -> Iterator[Sheet]:
    """Every tab, then the heaviest episodes; a lighter one opens as its steps on the page of its track."""
    manifest = shell.manifest(board)
    for tab in manifest["tabs"]:
        yield Sheet(tab, tab, pages.page(board, tab), figures.payload(board, tab, {}))
    found = [
        (one["severity"], run["track"], one["id"]) for run in manifest["runs"] for one in run["episodes"]
    ]
    for _, track, id_ in sorted(found, key=lambda one: -one[0])[:MOST_EPISODES]:
        page = episode.episode_page(board, track, id_)
        yield Sheet(f"ep:{id_}", track, page, episode.episode_figures(board, track, id_, {}))


def body(board: Board, sheets: Sequence[Sheet], lang: str, made: datetime) -> Any:
    """The document below `<body>`: the live one with every page in it, without what needs a server."""
    view = shell.shell_view(board, sheets[0].tab, lang)
    view = replace(view, live=False, banners=(_told(board, made), *view.banners))
    whole = layout.shell(view, page=[_shown(sheet, sheets, sheet.page) for sheet in sheets])
    chips = {tab: shell.chips(board, tab) for tab in {sheet.tab for sheet in sheets}}
    whole[ids.CHIPS].children = [
        _shown(sheet, sheets, html.Div(layout.chips(chips[sheet.tab]), className="chips")) for sheet in sheets
    ]
    return offline(whole)


def offline(node: Any) -> Any:
    """A tree without what needs a server; None where nothing is left of it.

    A label goes with its control, and a dot with what it divided. Changes the tree.
    """
    if isinstance(node, list | tuple):
        return _divided([part for part in map(offline, node) if part is not None], node)
    if not isinstance(node, Component):
        return node
    if _needs_server(node):
        return None
    before = getattr(node, "children", None)
    if before is None:
        return node
    node.children = offline(before)
    lost = isinstance(before, list | tuple) and len(node.children) < len(before)
    return None if lost and isinstance(node, html.Label) else node


def _needs_server(node: Component) -> bool:
    act, id_, href = (getattr(node, name, None) for name in ("data-act", "id", "href"))
    if isinstance(href, str) and href.split("?")[0] in LIVE_ROUTES:
        return True
    return act in LIVE_ACTIONS or (isinstance(id_, str) and id_ in LIVE_IDS)


def _divided(parts: list[Any], before: Sequence[Any]) -> list[Any]:
    if len(parts) == sum(part is not None for part in before):
        return parts
    kept: list[Any] = []
    for part in parts:
        if part != DOT or (kept and kept[-1] != DOT):
            kept.append(part)
    return kept[:-1] if kept and kept[-1] == DOT else kept


def _shown(sheet: Sheet, sheets: Sequence[Sheet], content: Any) -> html.Div:
    """Content that belongs to one page; the first one is shown until the scripts know better."""
    attributes: dict[str, Any] = {"data-page": sheet.id}
    return html.Div(content, hidden=sheet is not sheets[0], **attributes)


def _told(board: Board, made: datetime) -> Banner:
    data: Any = Note("exported.banner.empty")
    if board.modified:
        data = datetime.fromtimestamp(board.modified).strftime(TIME)
    values = {"data": data, "made": made.strftime(TIME)}
    return Banner(Note("exported.banner"), Note("exported.banner.text", values))


# ---- what is inlined ----


def styles() -> Iterable[str]:
    """Bootstrap, then our own style sheets by name."""
    sheets = (browser_files.text(name) for name in (browser_files.BOOTSTRAP, browser_files.STYLE))
    return [re.sub("</(?=style)", r"<\\/", sheet, flags=re.IGNORECASE) for sheet in sheets]


def scripts() -> Iterable[str]:
    """plotly.js, then our own scripts by name."""
    return [script_text(raw) for raw in map(browser_files.text, (browser_files.PLOTLY, browser_files.SCRIPT))]


def script_text(source: str) -> str:
    """A script that stays inside its element: `</script` and `<!--` can stand only in its strings."""
    return re.sub("<(?=/script|!--)", r"\\x3c", source, flags=re.IGNORECASE)


def json_text(data: Json) -> str:
    """JSON for a script element: without `<` nothing in it can end or open an element.

    NaN and inf stand as null, as the live page gets them; names that are no Unicode get `?`.
    """
    return orjson.dumps(_unicode(data), option=orjson.OPT_SERIALIZE_NUMPY).decode().replace("<", "\\u003c")


def _unicode(node: Any) -> Any:
    if isinstance(node, str):
        return node.encode("utf-8", "replace").decode()
    if isinstance(node, Mapping):
        return {_unicode(key): _unicode(value) for key, value in node.items()}
    return [_unicode(part) for part in node] if isinstance(node, list | tuple) else node


def _fill(template: str, parts: Mapping[str, str]) -> str:
    """Each place once, so that a brace in what was filled in stays a brace."""
    return re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], template)
