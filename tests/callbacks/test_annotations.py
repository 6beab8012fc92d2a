"""Notes asked for by a page: taken, taken back, or refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from app.sources import source
from callbacks.annotations import answer
from components.present import figures, shell
from components.present.keys import page_keys
from components.style import run_key
from components.text import TEXT
from data_loaders.annotations import FILE, annotate
from data_loaders.board import BoardReader

STEPS = "step:{n} - actor/entropy:0.5 - actor/grad_norm:0.1 - critic/score/mean:0.2\n"


def made(folder: Path, read_only: bool = False) -> BoardReader:
    for name in ("exp_a", "exp_b"):
        logs = folder / "logs" / name
        logs.mkdir(parents=True, exist_ok=True)
        (logs / "train_0.log").write_text("".join(STEPS.format(n=n) for n in range(1, 6)), encoding="utf-8")
    settings = Settings(roots=(folder,), cache_dir=folder / "cache", read_only=read_only)
    reader = BoardReader(source(settings, folder), settings.cache_dir)
    reader.read()
    return reader


def add(**more: Any) -> dict[str, Any]:
    return {"nth": 1, "do": "add", "run": "exp_a", "start": 2, "end": 3, "text": "lower rate"} | more


def test_a_note_reaches_the_figures_of_its_page_alone(tmp_path: Path) -> None:
    reader = made(tmp_path)
    before = reader.board()
    assert answer(reader, add()) == {}
    board = reader.board()
    assert (tmp_path / FILE).is_file()
    assert board.version != before.version
    keys, old = page_keys(board), page_keys(before)
    assert keys["overview"] != old["overview"]
    (note,) = figures.payload(board, "other", {})["notes"]
    assert (note["run"], note["start"], note["end"], note["text"]) == (run_key("exp_a"), 2, 3, "lower rate")
    assert figures.payload(before, "other", {})["notes"] == []
    assert answer(reader, {"nth": 2, "do": "remove", "id": note["id"]}) == {}
    assert figures.payload(reader.board(), "other", {})["notes"] == []


def test_a_note_of_another_process_appears_with_the_next_look(tmp_path: Path) -> None:
    reader = made(tmp_path)
    annotate(tmp_path / FILE, "exp_b", 1, 1, "from elsewhere")
    assert [note.text for note in reader.look().annotations.notes] == ["from elsewhere"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (add(run="../exp_a"), "run"),
        (add(run=None), "run"),
        (add(start="2"), "steps"),
        (add(start=2.5), "steps"),
        (add(start=4, end=3), "steps"),
        (add(text=""), "empty"),
        (add(text=None), "empty"),
        (add(text="x" * 2001), "long"),
    ],
)
def test_what_is_no_note_is_refused_with_a_message(tmp_path: Path, asked: dict[str, Any], why: str) -> None:
    refused = answer(made(tmp_path), asked)
    assert refused["error"] == f"notes.refused.{why}"
    assert refused["error"] in TEXT
    assert not (tmp_path / FILE).exists()


def test_a_read_only_board_takes_nothing(tmp_path: Path) -> None:
    annotate(tmp_path / FILE, "exp_a", 1, 1, "kept")
    reader = made(tmp_path, read_only=True)
    (kept,) = reader.board().annotations.notes
    for asked in (add(), {"do": "remove", "id": kept.id}):
        assert answer(reader, asked)["error"] == "notes.refused.read_only"
    assert reader.look().annotations.notes == (kept,)
    assert shell.manifest(reader.board())["notes"] == {"writable": False}


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    reader = made(tmp_path)
    (tmp_path / FILE).mkdir()
    refused = answer(reader, add())
    assert refused["error"] == "notes.refused.disk"
    assert refused["values"]["path"] == str(tmp_path / FILE)


def test_lines_that_are_no_notes_are_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("not a note\n", encoding="utf-8")
    told = [line.text for line in shell.banners(made(tmp_path).board())]
    assert [(note.key, note.values["n"]) for note in told if not isinstance(note, tuple)] == [
        ("banner.notes.unread", 1)
    ]


def test_notes_lie_beside_the_config(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    config = tmp_path / "mine" / "board.toml"
    config.write_text('title = "T"\n', encoding="utf-8")
    (tmp_path / "logs").mkdir()
    found = source(Settings(roots=(tmp_path / "logs",), config=config), tmp_path)
    assert found.annotations == tmp_path / "mine" / FILE
    assert source(Settings(roots=(tmp_path / "logs",)), tmp_path).annotations == tmp_path / "logs" / FILE
