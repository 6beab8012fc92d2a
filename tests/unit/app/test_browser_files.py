"""What browsers get: our files joined, and a plotly.js that sets up lines and nothing else."""

from __future__ import annotations

import re

import pytest
from flask import Flask

from app import browser_files
from app.browser_files import lines_only

SETUP = "var P=(()=>{a.register([b(),c$1(),d()]);return a})()"


def test_of_plotly_only_the_core_is_set_up() -> None:
    assert lines_only(SETUP) == "var P=(()=>{a.register([]);return a})()"


@pytest.mark.parametrize("script", ["", "a.register([1,2])", "a.register(b())", f"{SETUP};{SETUP}"])
def test_a_script_whose_setup_is_not_known_stays_as_it_is(script: str) -> None:
    assert lines_only(script) == script


def test_the_installed_plotly_is_one_whose_setup_is_known() -> None:
    assert browser_files.text("plotly.min.js").count(".register([])") == 1


@pytest.mark.parametrize(("name", "pattern"), [("board.js", "*.js"), ("board.css", "*.css")])
def test_own_files_are_joined_whole_and_by_name(name: str, pattern: str) -> None:
    joined, at = browser_files.text(name), -1
    for path in sorted(browser_files.ASSETS.glob(pattern)):
        assert joined.count(path.read_text(encoding="utf-8")) == 1
        assert at < (at := joined.index(path.read_text(encoding="utf-8")))
    assert at >= 0


def test_an_address_changes_with_the_content_and_no_other_file_is_served() -> None:
    server = Flask("files")
    browser_files.serve(server, "/base/")
    client = server.test_client()
    address = browser_files.address("/base/", "board.css")
    assert re.fullmatch(r"/base/board\.css\?v=[0-9a-f]{12}", address)
    assert address[-12:] != browser_files.address("/base/", "board.js")[-12:]
    plain = client.get(address)
    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert plain.text == browser_files.text("board.css")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.data) < len(plain.data)
    assert [client.get(f"/base/{name}").status_code for name in ("tokens.css", "..%2fapp", "x")] == [404] * 3
