from __future__ import annotations

from typing import Any

import dash_bootstrap_components as dbc
import pytest
from dash import dcc, html
from hypothesis import given
from hypothesis import strategies as st

from app.html_text import BLANK, RenderError, to_html
from components.markdown import markdown
from tests.unit.app.reading_html import read_html, read_one

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "'><svg onload=alert(1)>",
    "<!-- -->",
    "&lt;b&gt; & &amp;",
    "]]>",
    "a\r\nb\rc",
    "E1 — 组相对 🚀",
)
MASK = 'url("data:image/svg+xml,%3Csvg;\'/%3E")'


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str) -> None:
    node = read_one(to_html(html.Span(text)))
    assert node.tag == "span"
    assert node.children == [text]


@pytest.mark.parametrize("text", HOSTILE)
def test_attribute_values_stay_values(text: str) -> None:
    attributes: dict[str, Any] = {"data-value": text, "aria-label": text}
    node = read_one(to_html(html.Button("x", title=text, **attributes)))
    assert node.attributes == {"title": text, "data-value": text, "aria-label": text}


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_comes_back_from_text_and_attribute(text: str) -> None:
    node = read_one(to_html(html.Td(text, title=text)))
    assert node.attributes["title"] == text
    assert node.text == text


def test_nul_is_shown_as_what_is_no_character() -> None:
    assert to_html("a\0b") == "a\ufffdb"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (None, ""), (True, ""), ([], ""), (0, "0"), (1.0, "1"), (0.25, "0.25"),
        ([html.B("a"), " · ", 3], "<b>a</b> · 3"),
        (html.Div(), "<div></div>"),
        (["a", [html.I(), None]], "a<i></i>"),
        (html.Br(), "<br>"),
        (html.Pre("\nfirst"), "<pre>\n\nfirst</pre>"),
    ],
)  # fmt: skip
def test_what_a_page_holds(node: Any, expected: str) -> None:
    assert to_html(node) == expected


def test_attributes_have_the_names_of_html() -> None:
    label = read_one(to_html(html.Label("x", htmlFor="a", className="ctl sm", tabIndex=-1, n_clicks=3)))
    assert label.attributes == {"for": "a", "class": "ctl sm", "tabindex": "-1"}
    cell = read_one(to_html(html.Td("x", colSpan=2, dir="auto")))
    assert cell.attributes == {"colspan": "2", "dir": "auto"}


def test_truth_is_presence_for_html_and_a_word_for_aria_and_data() -> None:
    words: dict[str, Any] = {"aria-pressed": True, "aria-hidden": False, "data-on": True}
    node = read_one(to_html(html.Button("x", hidden=True, disabled=False, contentEditable="true", **words)))
    assert node.attributes == {
        "hidden": None, "contenteditable": "true",
        "aria-pressed": "true", "aria-hidden": "false", "data-on": "true",
    }  # fmt: skip


def test_ids_of_patterns_are_written_as_dash_writes_them() -> None:
    node = read_one(to_html(html.Div(id={"what": "raw", "run": "r1", "type": "detail"})))
    assert node.attributes["id"] == '{"run":"r1","type":"detail","what":"raw"}'


def test_style_dictionaries() -> None:
    style: dict[str, Any] = {"--m": MASK, "marginTop": 4, "lineHeight": 1.5, "width": "60.0%", "left": 0}
    style["color"] = None
    node = read_one(to_html(html.Span(style=style)))
    assert node.attributes["style"] == f"--m:{MASK};margin-top:4px;line-height:1.5;width:60.0%;left:0"


@pytest.mark.parametrize("value", ["red;position:fixed", 'url("a', "a}b{", "\\3b", 'url("a\\"");x:y'])
def test_a_style_value_cannot_end_its_declaration(value: str) -> None:
    with pytest.raises(RenderError):
        to_html(html.Div(style={"color": value}))


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVa\tScript:alert(1)",
        "\x01 javascript:x",
        "data:text/html,x",
        "vbscript:x",
        "file:///x",
    ],
)
def test_addresses_that_run_something_are_dropped(address: str) -> None:
    assert read_one(to_html(html.A("x", href=address))).attributes["href"] == BLANK


@pytest.mark.parametrize(
    "address", ["?tab=2b&exp=E1", "#", "csv", "https://example.org/a?b=c:d", "mailto:a@b.c", "/x:y"]
)
def test_other_addresses_stay(address: str) -> None:
    assert read_one(to_html(html.A("x", href=address))).attributes["href"] == address


def test_what_is_not_known_raises() -> None:
    unknown: list[Any] = [
        dcc.Dropdown(), html.Script("x"), html.Iframe(), html.Base(), object(), html.Img(srcSet="a 2x"),
        dcc.Markdown("x", dangerously_allow_html=True),
    ]  # fmt: skip
    for node in unknown:
        with pytest.raises(RenderError):
            to_html(html.Div([html.P("before"), node]))


def test_an_attribute_name_cannot_carry_another_one() -> None:
    attributes: dict[str, Any] = {"data-x onclick": "alert(1)"}
    with pytest.raises(RenderError):
        to_html(html.Div(**attributes))


def test_stores_and_clocks_show_nothing() -> None:
    assert to_html([dcc.Store(id="a", data={"x": "<"}), dcc.Interval(id="b")]) == ""


def test_progress_is_a_bar_with_its_value() -> None:
    bar = read_one(to_html(dbc.Progress(id="p", value=30, min=20, max=40, className="thin")))
    assert (bar.attributes["class"], bar.attributes["role"]) == ("progress thin", "progressbar")
    assert (bar.attributes["aria-valuenow"], bar.attributes["aria-valuemax"]) == ("30", "40")
    assert bar.all("div")[0].attributes["style"] == "width:50%"


# ---- Markdown ----


def test_markdown_of_a_note() -> None:
    note = """
        **Bold**, `code` and [a link](https://example.org "t").

        | a | b |
        |---|--:|
        | 1 | 2 |

        - one
    """
    node = read_one(to_html(dcc.Markdown(note, className="md")))
    assert node.attributes == {"class": "md"}
    assert [b.text for b in node.all("strong")] == ["Bold"]
    assert [c.text for c in node.all("code")] == ["code"]
    (link,) = node.all("a")
    assert link.attributes == {"href": "https://example.org", "title": "t", "rel": "noopener noreferrer"}
    assert [cell.text for cell in node.all("td")] == ["1", "2"]
    assert node.all("td")[1].attributes["style"].replace(" ", "").rstrip(";") == "text-align:right"  # type: ignore[union-attr]
    assert [item.text.strip() for item in node.all("li")] == ["one"]


@pytest.mark.parametrize(
    "note",
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b onclick=x>b</b>", "<!-- x -->",
        "[x](javascript:alert(1))", "[x](data:text/html,x)", "![x](https://example.org/x.png)",
        "<https://a.example> <javascript:alert(1)>", "[x][y]\n\n[y]: javascript:alert(1)",
        '[x](a "\\" onclick=")',
    ],
)  # fmt: skip
def test_markdown_never_runs_or_loads_anything(note: str) -> None:
    tree = read_html(markdown(note))
    for element in tree.all():
        assert element.tag in ("p", "a")
        assert set(element.attributes) <= {"href", "title", "rel"}
        assert not (element.attributes.get("href") or "").lower().startswith(("javascript", "data"))


def test_html_in_markdown_is_shown_as_it_was_written() -> None:
    source = "<script>alert(1)</script>"
    assert read_html(markdown(source)).text.strip() == source
