"""Notes of people: one file, many writers, any damage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.annotations import (
    LONGEST,
    MOST_BYTES,
    RefusedError,
    annotate,
    read_annotations,
    withdraw,
)

ROOT = Path(__file__).parents[3]
WRITER = """
import sys
from pathlib import Path
from data_loaders.annotations import annotate
for n in range(200):
    annotate(Path(sys.argv[1]), sys.argv[2], n, n + 1, f"第 {n} 条 " + "x" * (n * 7 % 900))
"""


def test_a_note_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    made = annotate(path, "exp/ä", 133, 140, "  学习率调低\nsecond line <b> \x00 ")
    (read,) = read_annotations(path).notes
    assert read == made
    assert (read.run, read.start, read.end, read.text) == ("exp/ä", 133, 140, "学习率调低\nsecond line <b>")
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["text"] == read.text


def test_two_processes_write_200_notes_each(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], cwd=ROOT) for name in ("a", "b")
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len({line["id"] for line in lines}) == 400
    read = read_annotations(path)
    assert (len(read.notes), read.unread) == (400, 0)
    for name in ("a", "b"):
        assert [note.start for note in read.notes if note.run == name] == list(range(200))


def test_a_note_taken_back_is_gone_and_its_line_stays(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    first, second = annotate(path, "r", 1, 1, "one"), annotate(path, "r", 2, 2, "two")
    before = path.read_bytes()
    withdraw(path, first.id)
    assert read_annotations(path).notes == (second,)
    assert path.read_bytes().startswith(before)


def test_a_line_that_was_cut_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    first = annotate(path, "r", 1, 1, "one")
    with path.open("ab") as file:
        file.write(b'{"id": "cut", "run": "r", "te')
    second = annotate(path, "r", 2, 2, "two")
    read = read_annotations(path)
    assert read.notes == (first, second)
    assert read.unread == 1


@pytest.mark.parametrize(
    ("start", "end", "text", "why"),
    [
        (1, 1, " \n\x00", "empty"),
        (1, 1, "x" * (LONGEST + 1), "long"),
        (5, 4, "x", "steps"),
        (-1, 4, "x", "steps"),
        (1, 10**9 + 1, "x", "steps"),
    ],
)
def test_what_is_no_note_is_refused(tmp_path: Path, start: int, end: int, text: str, why: str) -> None:
    path = tmp_path / "board.notes"
    with pytest.raises(RefusedError, match=f"notes.refused.{why}"):
        annotate(path, "r", start, end, text)
    assert not path.exists()


def test_a_file_that_grew_too_large_takes_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES)
    with pytest.raises(RefusedError, match="full"):
        annotate(path, "r", 1, 1, "x")
    assert path.stat().st_size == MOST_BYTES


def test_a_folder_in_its_place_is_said(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    path.mkdir()
    assert read_annotations(path).error
    with pytest.raises(OSError, match="directory"):
        annotate(path, "r", 1, 1, "x")


def test_no_file_means_no_notes(tmp_path: Path) -> None:
    read = read_annotations(tmp_path / "board.notes")
    assert (read.notes, read.unread, read.error) == ((), 0, "")


@given(st.binary(max_size=300))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("notes") / "board.notes"
    path.write_bytes(data)
    read = read_annotations(path)
    assert read.unread == sum(bool(line.strip()) for line in data.split(b"\n"))
    assert not read.notes


def test_records_of_other_shapes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "board.notes"
    whole = {"id": "a", "run": "r", "start": 1, "end": 2, "text": "t", "written": "2026-01-01T00:00:00Z"}
    broken = [
        {**whole, key: value}
        for key, value in (("start", "1"), ("end", 0), ("start", True), ("text", ""), ("id", 7))
    ]
    lines = [*broken, {}, [], None, whole]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    read = read_annotations(path)
    assert [note.id for note in read.notes] == ["a"]
    assert read.unread == len(lines) - 1


def test_a_link_in_its_place_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("untouched")
    (tmp_path / "notes").symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match="symbolic"):
        annotate(tmp_path / "notes", "e1", 1, 2, "x")
    assert (tmp_path / "mine").read_text() == "untouched"
