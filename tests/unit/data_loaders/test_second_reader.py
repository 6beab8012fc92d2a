"""A process that starts later shows what the one before had read, and hands over only what is to be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from data_loaders import board as module
from data_loaders.board import Board, BoardReader, Source
from data_loaders.cache import last_read, refresh


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "logs" / f"e{n}_grpo_2b" / "train_1.log" for n in (1, 2, 3)]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text("step:1 - actor/pg_loss:0.5\n")
    return paths


def lasts(board: Board) -> list[int | None]:
    return [run.view.run.last for run in board.runs]


def test_a_log_as_it_was_read_last(logs: list[Path], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert last_read(logs[0], cache) is None
    refresh(logs[0], cache)
    with logs[0].open("a") as file:
        file.write("step:2 - actor/pg_loss:0.25\n")
    old = last_read(logs[0], cache)
    assert old is not None
    assert old.column("actor/pg_loss").values.tolist() == [0.5]


def test_large_appends_hide_no_run_from_a_new_process(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source((tmp_path / "logs",))
    BoardReader(source, tmp_path / "cache").read()
    monkeypatch.setattr(module, "SMALL", 10)
    with logs[1].open("a") as file:
        file.write("step:2 - actor/pg_loss:0.25\n")
    later = BoardReader(source, tmp_path / "cache")
    board = later.look()
    assert lasts(board) == [1, 1, 1]
    assert board.unread == (logs[1],)
    assert lasts(later.read()) == [1, 2, 1]


def test_logs_to_read_are_handed_over_the_last_one_first(logs: list[Path], tmp_path: Path) -> None:
    handed: list[Sequence[Path]] = []
    reader = BoardReader(Source((tmp_path / "logs",)), tmp_path / "cache", handed.append)
    reader.read()
    assert handed == [logs[::-1]]
    for path in logs[:2]:
        with path.open("a") as file:
            file.write("step:2 - actor/pg_loss:0.25\n")
    reader.anew().read()
    assert handed[1:] == [[logs[1], logs[0]]]
    logs[2].write_text("step:1 - actor/pg_loss:0.125\n")
    reader.read()
    assert len(handed) == 2  # one log is not worth a task
