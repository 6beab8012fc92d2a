"""The documented command line is the one of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app import settings
from app.cli_reference import cli_reference
from data_loaders import board_config

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == cli_reference(), "run: make docs"


def test_it_does_not_depend_on_who_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cli_reference()
    monkeypatch.setenv("RLBOARD_PORT", "9999")
    monkeypatch.setenv("RLBOARD_BROKER", "redis://:secret@host/0")
    assert cli_reference() == before


def test_the_environment_is_told_whole() -> None:
    read = set(re.findall(r'_env\("(\w+)"', Path(settings.__file__).read_text("utf-8")))
    told = set(re.findall(r"`RLBOARD_(\w+)`", cli_reference()))
    assert read == told


def test_every_option_says_what_it_does() -> None:
    assert not re.findall(r"\|\s*\|$", "\n".join(cli_reference().split("| option | |")), re.MULTILINE)


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_readme_names_only_options_that_exist(readme: str) -> None:
    known = set(re.findall(r"`(--[a-z-]+)", cli_reference()))
    lines = [
        line for line in (ROOT / readme).read_text("utf-8").splitlines() if "app" in line or "`--" in line
    ]
    named = {word for line in lines for word in re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)}
    foreign = {"--workers", "--threads", "--bind"}  # of gunicorn and redis-server
    assert named - known - foreign == set()


def test_both_readmes_have_the_same_parts() -> None:
    """Sections, commands and tables; the words differ."""
    english, chinese = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh.md"))
    for pattern in (r"^## ", r"^```", r"^\|", r"^- "):
        counts = [len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)]
        assert counts[0] == counts[1], pattern
    for options in (r"`?(--[a-z][a-z-]+)", r"(RLBOARD_\w+)", r"`([a-z_]+\.(?:toml|md))"):
        assert set(re.findall(options, english)) - {"README.zh.md"} == set(re.findall(options, chinese)) - {
            "README.md"
        }


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_readme_explains_every_key_of_board_toml(readme: str) -> None:
    keys = {
        *board_config.BOARD,
        *board_config.TRACK,
        *board_config.EXPERIMENT,
        *board_config.HOOKS,
        "track",
        "algorithm",
    }
    rows = [line for line in (ROOT / readme).read_text("utf-8").splitlines() if line.startswith("|")]
    told = {word for row in rows for word in re.findall(r"`(\w+)`", row)}
    assert keys - told == set()
