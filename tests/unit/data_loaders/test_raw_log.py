"""Raw lines are the bytes of the file as text, and the warnings between them are found and counted."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from data_loaders import raw_log as module
from data_loaders.raw_log import raw_log, shown_text
from data_loaders.read import read_log
from data_loaders.runs import RunView, assemble
from tests.unit.data_loaders.test_runs import experiment

STEP = "(TaskRunner pid=7) step:{n} - actor/grad_norm:0.{n} - critic/score/mean:0.5"
LINES = [
    "WARNING before everything",
    STEP.format(n=1),
    "plain talk of the engine",
    "\x1b[33m(WorkerDict pid=9)\x1b[0m WARNING 07-16 preempted",
    "Traceback (most recent call last):",
    STEP.format(n=2),
    "ValueError: nothing to see",
    STEP.format(n=3),
]


def view_of(*paths: Path) -> RunView:
    return assemble(experiment(), [read_log(path) for path in paths])[0]


def written(folder: Path, lines: list[str], name: str = "train.log") -> Path:
    path = folder / name
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    return path


def test_lines_are_those_of_the_file_with_their_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    (excerpt,) = raw_log(view_of(path), [2, 3])
    assert excerpt.path == path
    assert [(line.line, line.step, line.text) for line in excerpt.lines] == [
        (4, None, "(WorkerDict pid=9) WARNING 07-16 preempted"),
        (5, None, "Traceback (most recent call last):"),
        (6, 2, LINES[5]),
        (7, None, LINES[6]),
        (8, 3, LINES[7]),
    ]
    assert (excerpt.more_warnings, excerpt.unsearched, excerpt.more_lines, excerpt.why) == (0, 0, 0, "")


def test_a_compressed_log_gives_the_same(tmp_path: Path) -> None:
    plain = written(tmp_path, LINES)
    packed = tmp_path / "packed.log.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert raw_log(view_of(packed), [1, 2, 3])[0].lines == raw_log(view_of(plain), [1, 2, 3])[0].lines


def test_the_first_step_has_the_warnings_from_the_start_of_the_log(tmp_path: Path) -> None:
    (excerpt,) = raw_log(view_of(written(tmp_path, LINES)), [1])
    assert [line.line for line in excerpt.lines] == [1, 2]


def test_warnings_beyond_the_bound_are_counted(tmp_path: Path) -> None:
    noise = [f"WARNING number {n}" for n in range(10)]
    (excerpt,) = raw_log(view_of(written(tmp_path, [STEP.format(n=1), *noise, STEP.format(n=2)])), [2])
    assert [line.text for line in excerpt.lines[:-1]] == noise[-module.MOST_WARNINGS :]
    assert excerpt.more_warnings == 10 - module.MOST_WARNINGS


def test_what_is_too_far_from_the_step_line_is_not_searched_and_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GAP", 40)
    between = ["WARNING far away", "x" * 100, "WARNING near"]
    (excerpt,) = raw_log(view_of(written(tmp_path, [STEP.format(n=1), *between, STEP.format(n=2)])), [2])
    assert [line.text for line in excerpt.lines[:-1]] == ["WARNING near"]
    skipped = 1 + sum(len(line) + 1 for line in between) - 40
    assert excerpt.unsearched == skipped


def test_long_lines_and_many_lines_are_cut_with_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", 50)
    monkeypatch.setattr(module, "MOST_LINES", 2)
    path = written(tmp_path, [STEP.format(n=n) for n in (1, 2, 3)])
    (excerpt,) = raw_log(view_of(path), [1, 2, 3])
    whole = STEP.format(n=1)
    assert [(line.text, line.cut) for line in excerpt.lines] == [
        (STEP.format(n=n)[:50], len(whole) - 50) for n in (1, 2)
    ]
    assert excerpt.more_lines == 1


def test_both_lines_of_a_step_that_was_run_again(tmp_path: Path) -> None:
    first = written(tmp_path, [STEP.format(n=1), STEP.format(n=2)], "a.log")
    second = written(tmp_path, ["Resuming from global_step_1", STEP.format(n=2), STEP.format(n=3)], "b.log")
    found = raw_log(view_of(first, second), [2])
    assert [(excerpt.path.name, [line.line for line in excerpt.lines if line.step]) for excerpt in found] == [
        ("a.log", [2]),
        ("b.log", [2]),
    ]


def test_a_log_that_is_another_file_now_is_not_quoted(tmp_path: Path) -> None:
    path = written(tmp_path, LINES)
    view = view_of(path)
    path.write_text("something else entirely\n" * 40)
    (excerpt,) = raw_log(view, [2])
    assert (excerpt.lines, excerpt.why) == ((), "raw.changed")
    path.unlink()
    assert raw_log(view, [2])[0].why == "raw.unreadable"


def test_steps_nobody_logged_give_nothing(tmp_path: Path) -> None:
    assert raw_log(view_of(written(tmp_path, LINES)), [99]) == ()


def test_text_is_free_of_what_cannot_be_seen() -> None:
    assert shown_text(b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07a\x00b\x08\rc\td\xff") == "red abc\td\ufffd"
    assert shown_text("run \u202egnp\u202c.exe 步".encode()) == "run gnp.exe 步"


def test_access_tokens_are_masked() -> None:
    assert "hf_abcdefghijklmnopqrst" not in shown_text(b"ERROR login hf_abcdefghijklmnopqrst failed")
