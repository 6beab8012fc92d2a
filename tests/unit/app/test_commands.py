"""What the command line says when a word of it is wrong: which one, in its own usage, with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.__main__ import main
from app.serve import greeting
from app.settings import Settings
from app.sources import source
from data_loaders.board import BoardReader


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs with two steps each."""
    for name in ("e1_grpo_2b", "e3_drgrpo_4b"):
        folder = tmp_path / "archive" / name / "logs"
        folder.mkdir(parents=True)
        lines = (f"step:{n} - actor/grad_norm:0.{n} - critic/score/mean:0.5\n" for n in (1, 2))
        (folder / "train_1.log").write_text("".join(lines))
    return tmp_path


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Output and complaint of a command that is answered with 2."""
    with pytest.raises(SystemExit) as answer:
        main(words)
    assert answer.value.code == 2
    told = capsys.readouterr()
    return told.out, told.err


@pytest.mark.parametrize(
    ("option", "name", "near"),
    [
        ("--experiments", "e1_grpo_2", "e1_grpo_2b"),
        ("--experiments", "E1,E33", "E3"),
        ("--track", "3b", "2b"),
        ("--metrics", "grad_nrom", "grad_norm"),
        ("--metrics", "actor/grad_norms", "actor/grad_norm"),
    ],
)
def test_csv_names_what_it_does_not_know_and_what_is_near(
    option: str, name: str, near: str, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["csv", "--logs", str(logs), "--cache-dir", str(logs / "cache"), option, name]
    out, err = refused(words, capsys)
    assert out == ""
    assert repr(name.rsplit(",", 1)[-1]) in err
    assert near in err.split("nearest:")[1]


@pytest.mark.parametrize(
    "words", [["--metrics", "entropy"], ["--track", "multimodal"], ["--experiments", "E1", "--track", "4b"]]
)
def test_csv_of_what_is_known_and_not_there_is_a_head_alone(
    words: list[str], logs: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["csv", "--logs", str(logs), "--cache-dir", str(logs / "cache"), *words]) == 0
    assert capfdbinary.readouterr().out.count(b"\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["csv", "--steps", "x"],
        ["check"],
        ["episodes", "--wide"],
        ["export", "--logs", "."],
        ["check", "--such", "f"],
    ],
)
def test_a_complaint_shows_the_usage_of_its_own_command(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = refused(words, capsys)
    assert err.startswith(f"usage: python -m app {words[0]} ")
    assert f"python -m app {words[0]}: error: " in err


def test_a_problem_of_board_toml_names_the_file_once(logs: Path) -> None:
    (logs / "board.toml").write_text('titel = "x"\n')
    settings = Settings(roots=(logs,), cache_dir=logs / "cache")
    told = greeting(settings, BoardReader(source(settings, logs), settings.cache_dir))
    assert told.splitlines()[-1] == "board.toml: titel: unknown key, did you mean title?"
