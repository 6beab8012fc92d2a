"""What is read when no root is named."""

from __future__ import annotations

from pathlib import Path

from data_loaders.board_config import read_config
from data_loaders.scan.roots import default_roots
from tests.unit.data_loaders.scanning import look, put


def test_default_roots(tmp_path: Path) -> None:
    assert default_roots(tmp_path, probe=look) == ((), "roots.demo")
    put(tmp_path / "logs" / "pip.log", "nothing to see")
    assert default_roots(tmp_path, probe=look) == ((), "roots.demo")
    put(tmp_path / "archive" / "e1_grpo" / "logs" / "train.log")
    assert default_roots(tmp_path, probe=look) == ((tmp_path / "archive",), "roots.folders")
    put(tmp_path / "logs" / "mine.log")
    both = (tmp_path / "archive", tmp_path / "logs")
    assert default_roots(tmp_path, probe=look) == (both, "roots.folders")

    (tmp_path / "board.toml").write_text('logs = ["elsewhere"]\n')
    config, _ = read_config(tmp_path / "board.toml")
    assert default_roots(tmp_path, config, probe=look) == ((tmp_path / "elsewhere",), "roots.config")
