"""Dash components as HTML text: what React would put on the page, for a page without React.

Text and attribute values are escaped, so nothing a run is called or a note says becomes markup. What this
module does not know raises `RenderError`: a page that silently lacks a part would not be the same page.
"""

from __future__ import annotations

import html as text
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dash.development.base_component import Component

from components.markdown import SCHEMES, markdown

HTML, CORE, BOOTSTRAP = "dash_html_components", "dash_core_components", "dash_bootstrap_components"
VOID = frozenset(("area", "br", "col", "hr", "img", "input", "source", "track", "wbr"))
REFUSED = frozenset(("base", "embed", "frame", "iframe", "link", "meta", "object", "script", "style"))
"""Elements that run, load or restyle something; no page of ours has them in its body."""
RENAMED = {"className": "class", "htmlFor": "for", "acceptCharset": "accept-charset"}
TAGS = {"MapEl": "map", "ObjectEl": "object"}
NOT_HTML = frozenset(("children", "key", "n_clicks", "n_clicks_timestamp", "disable_n_clicks"))
BOOLEAN = frozenset((
    "async", "autofocus", "autoplay", "checked", "controls", "default", "defer", "disabled",
    "formnovalidate", "hidden", "loop", "multiple", "muted", "novalidate", "open", "playsinline",
    "readonly", "required", "reversed", "selected",
))  # fmt: skip
SPELLED_OUT = frozenset(("contenteditable", "draggable", "spellcheck"))
"""Attributes whose truth is a word, as with `aria-*` and `data-*`."""
ADDRESSES = frozenset(("action", "cite", "data", "formaction", "href", "poster", "src"))
BLANK = "about:blank"
UNITLESS = frozenset((
    "flex", "flex-grow", "flex-shrink", "font-weight", "grid-column", "grid-row", "line-height",
    "opacity", "order", "z-index",
))  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PROPERTY = re.compile(r"-{0,2}[a-z][a-z0-9-]*")
_ENDING = re.compile(r"[;{}<\"'\\]")
_QUOTED = re.compile(r'"[^"\\\n]*"|\'[^\'\\\n]*\'')


class RenderError(ValueError):
    """A component, an attribute or a style that cannot be written as text."""


def to_html(node: Any) -> str:
    """HTML of a component, of text and numbers, or of a list of them; None and truth values show nothing."""
    if node is None or isinstance(node, bool):
        return ""
    if isinstance(node, str):
        return escape(node)
    if isinstance(node, int | float):
        return escape(_number(node))
    if isinstance(node, Component):
        return _component(node)
    if isinstance(node, list | tuple):
        return "".join(map(to_html, node))
    raise RenderError(f"{type(node).__name__} is no component")


def escape(value: str) -> str:
    """Text for elements and for quoted attributes. NUL has no place in HTML, a bare CR would become LF."""
    return text.escape(value).replace("\0", "\ufffd").replace("\r", "&#13;")


def element(tag: str, attributes: Mapping[str, Any], inner: str) -> str:
    """An element around finished HTML; attributes as React names them."""
    opening = f"<{tag}{''.join(_attributes(attributes))}>"
    if tag in VOID:
        return opening
    eaten = "\n" if tag in ("pre", "textarea") and inner.startswith("\n") else ""
    return f"{opening}{eaten}{inner}</{tag}>"


def _component(node: Component) -> str:
    told = node.to_plotly_json()
    namespace, kind, props = told["namespace"], told["type"], told["props"]
    if namespace == HTML:
        tag = TAGS.get(kind, kind.lower())
        if tag in REFUSED:
            raise RenderError(f"<{tag}> does not belong in a page")
        return element(tag, props, to_html(props.get("children")))
    if render := OTHERS.get((namespace, kind)):
        return render(props)
    raise RenderError(f"{namespace}.{kind} is not known")


def _nothing(_props: Mapping[str, Any]) -> str:
    return ""


def _notes(props: Mapping[str, Any]) -> str:
    if props.get("dangerously_allow_html") or props.get("mathjax"):
        raise RenderError("Markdown with HTML or formulas of its own")
    source = props.get("children") or ""
    inner = markdown("\n".join(source) if isinstance(source, list) else source)
    return element("div", {name: props.get(name) for name in ("id", "className", "style")}, inner)


def _progress(props: Mapping[str, Any]) -> str:
    low, high, value = props.get("min", 0), props.get("max", 100), props.get("value", 0)
    part = 100 * (value - low) / (high - low)
    outer = {
        "id": props.get("id"), "className": f"progress {props.get('className', '')}".strip(),
        "role": "progressbar", "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": value,
    }  # fmt: skip
    bar = {"className": "progress-bar", "style": {"width": f"{_number(part)}%"}}
    return element("div", outer, element("div", bar, to_html(props.get("label"))))


OTHERS: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], str]] = {
    (CORE, "Store"): _nothing,
    (CORE, "Interval"): _nothing,
    (CORE, "Location"): _nothing,
    (CORE, "Download"): _nothing,
    (CORE, "Markdown"): _notes,
    (BOOTSTRAP, "Progress"): _progress,
}
"""Components beside the elements of HTML; the first four show nothing on a live page either."""


def _attributes(props: Mapping[str, Any]) -> Iterable[str]:
    for prop, value in props.items():
        if prop in NOT_HTML or value is None:
            continue
        name = RENAMED.get(prop, prop.lower())
        if not _NAME.fullmatch(name) or name.startswith("on") or name in ("srcdoc", "srcset"):
            raise RenderError(f"attribute {prop}")
        if name in BOOLEAN or (isinstance(value, bool) and not _spelled_out(name)):
            yield f" {name}" if value else ""
        else:
            yield f' {name}="{escape(_value(name, value))}"'


def _value(name: str, value: Any) -> str:
    if name == "style":
        return _style(value)
    if name == "id" and isinstance(value, Mapping):
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if name in ADDRESSES:
        return _address(name, str(value))
    if isinstance(value, bool):
        return str(value).lower()
    return _number(value) if isinstance(value, int | float) else str(value)


def _spelled_out(name: str) -> bool:
    return name.startswith(("data-", "aria-")) or name in SPELLED_OUT


def _address(name: str, value: str) -> str:
    """The address, unless following it would run something. Browsers skip controls in a scheme."""
    plain = "".join(sign for sign in value if sign.isprintable() and not sign.isspace())
    scheme = _SCHEME.match(plain)
    picture = name in ("src", "poster") and plain.lower().startswith("data:image/")
    return value if scheme is None or scheme[1].lower() in SCHEMES or picture else BLANK


def _style(style: Mapping[str, Any]) -> str:
    """A style dictionary as declarations. A value that would end its own declaration is no value of ours."""
    declarations = []
    for prop, value in style.items():
        if value is None or isinstance(value, bool) or value == "":
            continue
        name = prop if prop.startswith("--") else re.sub("[A-Z]", lambda found: f"-{found[0].lower()}", prop)
        told = _number(value) if isinstance(value, int | float) else str(value)
        if isinstance(value, int | float) and value and name not in UNITLESS and not name.startswith("--"):
            told += "px"
        if not _PROPERTY.fullmatch(name) or _ENDING.search(_QUOTED.sub("", told)):
            raise RenderError(f"style {prop}: {told[:80]}")
        declarations.append(f"{name}:{told}")
    return ";".join(declarations)


def _number(value: float) -> str:
    """As JavaScript writes it: 1.0 is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
