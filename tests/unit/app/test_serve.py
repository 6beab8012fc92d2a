"""What the terminal says when a board starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import serve
from app.access import Key
from app.serve import greeting
from app.settings import Settings
from data_loaders.board import BoardReader, Source


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.socket, "gethostname", lambda: "lab7")


def said(tmp_path: Path, key: Key | None = None, **options: object) -> list[str]:
    settings = Settings(cache_dir=tmp_path / "cache", **options)  # type: ignore[arg-type]
    return greeting(settings, BoardReader(Source((tmp_path,)), settings.cache_dir), key).splitlines()


def test_on_loopback_the_address_and_the_tunnel(tmp_path: Path) -> None:
    lines = said(tmp_path, port=8051, base_path="/rl/")
    assert lines[0] == f"RL Board reads {tmp_path}"
    assert lines[1] == "Open http://127.0.0.1:8051/rl/"
    assert "ssh -L 8051:127.0.0.1:8051 USER@lab7" in lines[2]
    assert not any("token" in line or "encrypted" in line for line in lines)


def test_a_token_stands_in_the_address_for_here_and_for_others(tmp_path: Path) -> None:
    lines = said(tmp_path, Key("abc", generated=True), host="0.0.0.0")
    assert lines[1] == "Open http://127.0.0.1:8050/?token=abc"
    assert lines[2] == "From other machines: http://lab7:8050/?token=abc"
    assert any("not encrypted" in line for line in lines)


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.7", "::"])
def test_a_password_is_not_printed(tmp_path: Path, host: str) -> None:
    text = "\n".join(said(tmp_path, Key("horse"), host=host))
    assert "horse" not in text
    assert "asks for the password" in text


def test_an_open_board_says_so(tmp_path: Path) -> None:
    assert any("Everybody" in line for line in said(tmp_path, host="10.0.0.7", no_password=True))


def test_a_numeric_address_of_version_6(tmp_path: Path) -> None:
    assert said(tmp_path, Key("x"), host="2001:db8::7")[1] == "Open http://[2001:db8::7]:8050/"
