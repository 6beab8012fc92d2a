"""A board of runs whose names, notes and logs try to become markup, written to a file."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from dash import html

from app.__main__ import main
from app.static_page import POLICY, json_text, offline, script_text, static_page
from components.attributes import act
from components.present import figures, pages
from components.text import words
from components.text.client import client_words
from data_loaders.board import Board, BoardReader, Source
from data_loaders.board_config import read_config
from tests.unit.app.hostile import EVIL_RUN, EVIL_TITLE, write_hostile_board
from tests.unit.app.reading_html import Node, read_html

MADE = datetime(2031, 5, 6, 7, 8)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("logs")
    write_hostile_board(root)
    return root


@pytest.fixture(scope="module")
def board(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    config, problems = read_config(root / "board.toml")
    assert problems == ()
    return BoardReader(Source((root,), config), tmp_path_factory.mktemp("cache")).read()


@pytest.fixture(scope="module")
def page(board: Board) -> str:
    return static_page(board, "en", MADE).decode("utf-8")


@pytest.fixture(scope="module")
def tree(page: str) -> Node:
    return read_html(page)


def test_nothing_hostile_became_an_element(tree: Node) -> None:
    assert [node for node in tree.all() if node.attributes.keys() & {"onerror", "onload", "onclick"}] == []
    assert tree.all("img") == []
    assert tree.all("svg") == []
    assert [node for node in tree.all("a") if "script" in (node.attributes.get("href") or "")] == []
    assert all("alert(" not in script.text for script in tree.all("script") if "id" not in script.attributes)


def test_hostile_names_and_notes_are_shown_as_they_are(tree: Node) -> None:
    (title,) = tree.all("title")
    assert title.text == EVIL_TITLE
    (track,) = tree.all("main")[0].all("div", data_page="2b")
    assert EVIL_RUN in track.text
    assert "<svg onload=alert(3)>" in track.text
    assert "kept" in [bold.text for bold in track.all("strong")]
    chips = {chip.attributes["data-value"] for chip in tree.all("button", data_act="chip")}
    assert EVIL_RUN in chips


def test_every_script_ends_where_it_should(page: str) -> None:
    bodies = re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    assert len(bodies) == len(re.findall("</script", page, flags=re.IGNORECASE))
    assert all("<!--" not in body for body in bodies)


def test_the_payload_of_every_tab_is_the_live_one(tree: Node, board: Board) -> None:
    (script,) = tree.all("script", id="carried")
    carried = json.loads(script.text)
    assert set(carried["figures"]) >= {"overview", "algorithms", "2b"}
    for tab, payload in carried["figures"].items():
        assert payload == json.loads(json_text(figures.payload(board, tab, {})))
    assert json.dumps(carried["words"]) == json.dumps(client_words())
    runs = carried["figures"]["2b"]["runs"]
    assert {run["id"] for run in runs.values()} == {EVIL_RUN, "e1_grpo_2b"}
    assert carried["figures"]["2b"]["steps"] == [1, 12]
    (chips,) = tree.all("div", id="chips")
    for place in (chips, tree.all(id="page")[0]):
        assert [part.attributes["data-page"] for part in place.children if isinstance(part, Node)] == list(
            carried["figures"]
        )


def test_pages_are_those_of_the_live_board(tree: Node, board: Board) -> None:
    """Headings and chart places of the file, against the components the callbacks answer with."""
    (panel,) = tree.all("section", id="page")
    for shown in panel.children:
        assert isinstance(shown, Node)
        tab = shown.attributes["data-page"]
        assert tab is not None
        live = pages.page(board, tab)
        places = [part for part in live._traverse() if isinstance(part, html.Figure)]
        assert [f.attributes["data-chart"] for f in shown.all("figure")] == [
            getattr(place, "data-chart") for place in places
        ]
        assert ("hidden" in shown.attributes) == (tab != "overview")


def test_what_needs_a_server_is_not_there(tree: Node) -> None:
    acts = {node.attributes["data-act"] for node in tree.all() if "data-act" in node.attributes}
    assert acts & {"csv", "detail", "own-logs", "smooth", "x", "units", "seg"} == set()
    assert acts >= {
        "tab",
        "chip",
        "lang",
        "theme",
        "help",
        "reset",
        "report",
        "yscale",
        "stats",
        "fullscreen",
    }
    assert tree.all(id="loading") == []
    assert len(tree.all("dialog", id="report")) == 1


def test_every_id_stands_once(tree: Node) -> None:
    found = [node.attributes["id"] for node in tree.all() if "id" in node.attributes]
    assert sorted(found, key=str) == sorted(set(found), key=str)


def test_the_page_says_what_it_is(tree: Node) -> None:
    banner = tree.all("div", id="banners")[0].text
    zh, en = words("exported.banner")
    assert zh in banner
    assert en in banner
    assert banner.count("2031-05-06 07:08") == 2


def test_the_page_asks_for_nothing(page: str, tree: Node) -> None:
    policies = [meta.attributes["content"] for meta in tree.all("meta") if "http-equiv" in meta.attributes]
    assert policies == [POLICY]
    directives = dict(part.strip().split(" ", 1) for part in POLICY.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == "'unsafe-inline'"
    assert set(directives["img-src"].split()) == {"data:", "blob:"}
    assert [node for node in tree.all() if "src" in node.attributes] == []
    assert [link.attributes["href"] for link in tree.all("link")] == ["data:,"]
    assert (
        re.findall(
            r"@import|url\((?!\s*[\"']?(?:data:|#))[^)]{0,60}", "".join(s.text for s in tree.all("style"))
        )
        == []
    )


@pytest.mark.parametrize(
    ("lang", "told"), [("auto", ("zh-CN", "auto")), ("zh", ("zh-CN", "zh")), ("en", ("en", "en"))]
)
def test_language_of_the_document(board: Board, lang: str, told: tuple[str, str]) -> None:
    start = static_page(board, lang, MADE)[:200].decode()
    assert f'<html lang="{told[0]}" data-lang="{told[1]}"' in start


# ---- parts ----


def test_a_label_goes_with_its_control_and_a_dot_with_what_it_divided() -> None:
    label = html.Label([html.Span("Smooth"), html.Select([], **act("smooth"))])
    links: list[Any] = [
        html.B("from file"),
        " · ",
        html.Button("diff", **act("detail")),
        " · ",
        html.Button("raw", **act("detail")),
    ]
    only = html.Div(
        [html.Button("a", **act("detail")), " · ", html.Button("b", **act("detail")), " · ", "kept"]
    )
    whole = offline(
        html.Div([label, html.P(links), only, html.Label(["Y", html.Select([], **act("yscale"))])])
    )
    first, second, third = whole.children
    assert [type(part).__name__ for part in first.children] == ["B"]
    assert second.children == ["kept"]
    assert third.children[0] == "Y"
    routes = html.P([html.A("rows", href="csv?exp=E1"), " · ", html.A("page", href="?tab=csv")])
    assert [part.href for part in offline(routes).children] == ["?tab=csv"]


def test_a_tree_without_live_parts_is_left_alone() -> None:
    tree = html.Div([" · ", html.B("a"), " · ", None, " · "])
    assert offline(tree).children == [" · ", tree.children[1], " · ", " · "]


def test_json_for_a_script_element() -> None:
    data = {"a": "</script><!-- <script>", "n": [math.nan, math.inf, 1.5], "bad": "x\udcffy", "sep": "\u2028"}
    text = json_text(data)
    assert "<" not in text
    assert json.loads(text) == {"a": data["a"], "n": [None, None, 1.5], "bad": "x?y", "sep": "\u2028"}


def test_a_script_with_its_own_end_in_a_string() -> None:
    assert script_text('a = "</SCRIPT>" + "<!--"; b < /x/') == 'a = "\\x3c/SCRIPT>" + "\\x3c!--"; b < /x/'


# ---- command line ----


def test_export_writes_the_file(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "board.html"
    options = ["export", "--logs", str(root), "--cache-dir", str(tmp_path / "cache"), "--lang", "en"]
    assert main([*options, "--out", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    assert out.read_bytes().startswith(b'<!DOCTYPE html>\n<html lang="en"')
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.html", "cache"]
    assert main([*options, "--out", str(tmp_path / "no" / "board.html")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_export_of_nothing_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, out = tmp_path / "empty", tmp_path / "board.html"
    empty.mkdir()
    assert main(["export", "--logs", str(empty), "--cache-dir", str(tmp_path / "c"), "--out", str(out)]) == 1
    assert not out.exists()
    assert main(["export", "--logs", str(tmp_path / "absent"), "--out", str(out)]) == 2
    assert "nothing to read" in capsys.readouterr().err
