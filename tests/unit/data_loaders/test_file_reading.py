"""What the reading report of one run says of each of its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from components.present.coverage import run_reports, source_files
from components.report import reading
from components.text import said
from data_loaders.board import Board, BoardReader, Source
from data_loaders.file_reading import file_readings, ranges
from tests.growing import log_path, write
from tests.unit.components.test_pages import text


def board_of(tmp_path: Path, *logs: str) -> Board:
    for day, content in enumerate(logs, 1):
        write(log_path(tmp_path / "archive", started=f"2026070{day}_080000"), content)
    return BoardReader(Source((tmp_path / "archive",)), tmp_path / "cache").read()


def line(step: int, **more: float) -> str:
    cells = {"actor/entropy": 0.5, "actor/grad_norm": 0.1} | {
        key.replace("__", "/"): value for key, value in more.items()
    }
    return f"step:{step} - " + " - ".join(f"{key}:{value}" for key, value in cells.items()) + "\n"


def odd_log() -> str:
    """Steps 1 to 12 without 4 and 5; step 7 on two lines; validation on 5, 10; one item that is no number."""
    made = ["starting\n"]
    for step in (1, 2, 3, 6, 7, 8, 9, 10, 11, 12):
        made.append(line(step, **({"val__acc": 0.3, "val__std": 0.1} if step in (6, 10) else {})))
        if step == 7:
            made.append("step:7 - val/extra:0.5\n")
        if step == 9:
            made.append("step:9 - actor/lr:1e-6 - actor/note:hello - actor/kl:oops\n")
    return "".join(made)


def test_every_count_of_a_file(tmp_path: Path) -> None:
    (run,) = board_of(tmp_path, odd_log()).runs
    (found,) = file_readings(run.view)
    assert found.steps == 10
    assert found.duplicates == ((7, 7), (9, 9))
    assert found.missing == ((4, 5),)
    # Two on each of ten steps, two on two, val/extra and actor/lr once.
    assert (found.keys, found.values) == (6, 20 + 4 + 1 + 1)
    assert [(item.line, item.text) for item in found.facts.rejected] == [
        (10, "actor/note:hello"), (10, "actor/kl:oops"),
    ]  # fmt: skip


def test_names_seen_on_a_part_of_the_steps_stand_together(tmp_path: Path) -> None:
    (run,) = board_of(tmp_path, odd_log()).runs
    (found,) = file_readings(run.view)
    assert [(names.keys, names.seen, names.absent, names.on) for names in found.partial] == [
        (("actor/lr",), 1, 9, ((9, 9),)),
        (("val/extra",), 1, 9, ((7, 7),)),
        (("val/acc", "val/std"), 2, 8, ((6, 6), (10, 10))),
    ]


def test_names_that_lack_few_steps_are_told_by_those(tmp_path: Path) -> None:
    log = "step:0 - val/acc:0.1\n" + "".join(line(step) for step in range(1, 9))
    (run,) = board_of(tmp_path, log).runs
    (found,) = file_readings(run.view)
    both = {names.keys: (names.on, names.not_on) for names in found.partial}
    assert both == {("val/acc",): (((0, 0),), ()), ("actor/entropy", "actor/grad_norm"): ((), ((0, 0),))}


def test_each_file_of_a_resumed_run_is_counted_by_itself(tmp_path: Path) -> None:
    first = "".join(line(step) for step in range(1, 11))
    second = "".join(line(step, actor__new=1.0) for step in range(8, 13))
    board = board_of(tmp_path, first, second)
    (run,) = board.runs
    one, two = file_readings(run.view)
    assert (one.steps, one.keys, one.values, one.missing) == (10, 2, 20, ())
    assert (two.steps, two.keys, two.values, two.duplicates) == (5, 3, 15, ())
    assert [report.keys for report in run_reports(board, run)] == [2, 3]


def test_the_page_says_all_of_it_in_both_languages(tmp_path: Path) -> None:
    board = board_of(tmp_path, odd_log())
    (run,) = board.runs
    (report,) = run_reports(board, run)
    shown = text(reading([report]))
    for word in ("line 10", "actor/note:hello", "no number", "7, 9", "4–5", "val/acc", "2 of 10"):
        assert word in shown, word
    chinese = "".join(said(note)[0] for note in (*report.more, *(one.where for one in report.partial)))
    for word in ("2 步写在不止一行上：7、9", "缺 2 步：4–5", "只在第 6、10 步"):
        assert word in chinese, word


def test_cut_lines_are_named_by_number(tmp_path: Path) -> None:
    whole = line(1)
    cut = "step:2 - " + " - ".join(f"actor/x{n}:0.5" for n in range(400))
    board = board_of(tmp_path, whole + cut[:4096] + "\n" + line(3))
    (run,) = board.runs
    (report,) = run_reports(board, run)
    assert report.cut == 1
    (told,) = [said(note) for note in report.more if note.key == "report.cut_at"]  # type: ignore[union-attr]
    assert all("2" in language for language in told)


def test_a_crash_text_shows_no_secret(tmp_path: Path) -> None:
    log = (
        "python3 -m verl.trainer.main_ppo data.seed=1\n"
        "Error executing job with overrides: ['data.seed=1']\n"
        "ValueError: bad login WANDB_API_KEY=0123456789abcdef\n"
    )
    board = board_of(tmp_path, log)
    (run,) = board.runs
    told = [said(note)[1] for file in source_files(run) for note in file.notes]
    assert told
    assert not any("0123456789abcdef" in sentence for sentence in told)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [([], ()), ([3], ((3, 3),)), ([1, 2, 3], ((1, 3),)), ([1, 3, 4, 9], ((1, 1), (3, 4), (9, 9)))],
)
def test_ranges_of_steps(steps: list[int], expected: tuple[tuple[int, int], ...]) -> None:
    assert ranges(np.array(steps, np.int64)) == expected
