"""Reads HTML back, so that tests compare what a browser would see and not how it is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from app.html_text import VOID


@dataclass
class Node:
    """An element: its name, its attributes, and what it holds."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, tag: str = "", **attributes: str) -> list[Node]:
        """Elements inside with this name and these attributes (`data_act` for `data-act`), in their order."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        found = []
        for child in self.children:
            if isinstance(child, Node):
                fits = all(child.attributes.get(name) == value for name, value in wanted.items())
                found += [child] if fits and tag in ("", child.tag) else []
                found += child.all(tag, **attributes)
        return found


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Node("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in <{tag}>"
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID | {"meta", "link"}:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read_html(text: str) -> Node:
    """The tree of a text; an element left open or closed twice fails."""
    tree = _Tree()
    tree.feed(text)
    tree.close()
    assert len(tree.open) == 1, f"<{tree.open[-1].tag}> was left open"
    return tree.open[0]


def read_one(text: str) -> Node:
    """The only element of a text."""
    (node,) = read_html(text).children
    assert isinstance(node, Node)
    return node
