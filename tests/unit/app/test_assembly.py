"""What is said when a board cannot start."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from app import wsgi
from app.__main__ import main
from app.assembly import assembled, probe_cache
from app.settings import Settings, StartError


def test_a_cache_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    with pytest.raises(StartError, match="--cache-dir"):
        probe_cache(tmp_path / "cache")


def test_the_probe_leaves_nothing(tmp_path: Path) -> None:
    probe_cache(tmp_path / "deep" / "cache")
    assert list((tmp_path / "deep" / "cache").iterdir()) == []


def test_a_broker_without_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "app.celery_app", raising=False)
    monkeypatch.setitem(sys.modules, "celery", None)
    settings = Settings(roots=(tmp_path,), cache_dir=tmp_path / "cache", broker="redis://127.0.0.1:1/0")
    with pytest.raises(StartError, match=r"rl-board\[celery\]"):
        assembled(settings)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["worker", "--logs", "."], "a worker needs --broker"),
        (["--broker", "redis://127.0.0.1:1/0", "--demo-live"], "--demo-live"),
        (["--logs", "gopher://host/x"], "gopher"),
        (["csv", "--logs", "/no/such/folder"], "/no/such/folder"),
    ],
)
def test_usage_is_answered_with_2(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [] if words[0] == "csv" else ["--cache-dir", str(tmp_path)]
    assert main([*words, *options]) == 2
    assert said in capsys.readouterr().err


def test_a_web_process_takes_the_words_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "my logs").mkdir()
    server = wsgi.board(f"--logs '{tmp_path}/my logs' --cache-dir {tmp_path}/cache --base-path /rl")
    assert server.test_client().get("/rl/_dash-layout").status_code == 200


@pytest.mark.parametrize("words", ["--demo-live", "--no-such-option", "--logs /no/such/folder"])
def test_a_web_process_refuses_wrong_words(words: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        wsgi.board(f"{words} --cache-dir {tmp_path}")
    assert refused.value.code == 2


def test_web_processes_make_one_token_and_know_each_others_cookies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").mkdir()
    words = f"--logs {tmp_path}/logs --cache-dir {tmp_path}/cache --host 0.0.0.0"
    one, other = (wsgi.board(words).test_client() for _ in range(2))
    first, second = re.findall(r"\?token=(\S+)", capsys.readouterr().out)
    assert first == second
    assert one.get(f"/?token={first}").status_code == 303
    [cookie] = one._cookies.values()
    assert other.get("/").status_code == 401
    other.set_cookie(cookie.key, cookie.value)
    assert other.get("/").status_code == 200
