"""Markdown of board.toml as HTML that can do no harm."""

from __future__ import annotations

from textwrap import dedent

import nh3
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol",
    "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
SCHEMES = frozenset(("http", "https", "mailto"))


def markdown(source: str) -> str:
    """Markdown as sanitised HTML. HTML in it stays text; an image stays a link, as it would be loaded."""
    return nh3.clean(
        _markdown.render(dedent(source)),
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "td": {"style"}, "th": {"style"}, "ol": {"start"}},
        filter_style_properties={"text-align"},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer",
    )
