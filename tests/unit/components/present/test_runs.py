"""Which tracks of a board get a page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from components.present.runs import tracks
from data_loaders.board import Board, BoardReader, Source
from data_loaders.board_config import BoardConfig
from data_loaders.catalog import OTHER


def test_other_runs_have_a_page_while_files_are_still_to_read(tmp_path: Path) -> None:
    """A link to that page opened before the first reading is kept."""
    board = BoardReader(Source((tmp_path,), BoardConfig()), tmp_path / "cache").read()
    assert OTHER not in names(board)
    assert OTHER in names(replace(board, unread=(tmp_path / "train_1.log",)))


def names(board: Board) -> list[str]:
    return [track.id for track in tracks(board)]
