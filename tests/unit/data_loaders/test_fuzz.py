"""Whatever is in a folder gives a report, never an exception."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data_loaders.board_config import BoardConfig, read_config
from data_loaders.check import check_log, describe
from tests.garbled import board_toml, exercise, garbled, write_folder

SEEDS = st.integers(0, 2**32)


def reported(data: bytes, name: str = "train.log") -> None:
    """A report that says what it stands for, and that fits into JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        entry = check_log(path)
        assert entry["path"] == str(path)
        assert entry["steps"] or entry["reason"]
        assert entry["steps"] <= entry["step_lines"]
        json.dumps(entry)
        assert str(path) in describe(entry)


@settings(max_examples=60)
@given(st.binary(max_size=4000))
@example(b"")
@example(b"\n" * 3000)
@example(b"step:1 - a:" + b"9" * 5000)
@example(b"\x1f\x8b\x08")
def test_any_bytes(data: bytes) -> None:
    reported(data)
    reported(b"step:1 - actor/entropy:0.5\n" + data + b"\nstep:2 - actor/entropy:0.5\n")


@settings(max_examples=60)
@given(SEEDS)
def test_logs_that_are_nearly_right(seed: int) -> None:
    reported(garbled(seed))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers near the largest become inf
@pytest.mark.parametrize("seed", range(6))
def test_a_board_of_such_logs_can_be_read_through(seed: int, tmp_path: Path) -> None:
    write_folder(tmp_path / "logs", seed)
    exercise(tmp_path / "logs", tmp_path / "cache")


def configured(text: bytes) -> None:
    """A configuration and a list of what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board.toml"
        path.write_bytes(text)
        config, problems = read_config(path)
        assert isinstance(config, BoardConfig)
        assert all(str(problem).startswith("board.toml") for problem in problems)
        assert [track.id for track in config.tracks].count("2b") == 1
        for experiment in config.experiments:
            config.options("2b", experiment, "E1")


@settings(max_examples=200)
@given(st.binary(max_size=400))
@example(b"a" * (2 << 20))
@example(b"x = " + b"[" * 20000)
@example(b"[tracks]\n2b = 1")
def test_any_bytes_as_board_toml(text: bytes) -> None:
    configured(text)


@settings(max_examples=200)
@given(SEEDS)
def test_a_board_toml_that_is_nearly_right(seed: int) -> None:
    configured(board_toml(seed).encode("utf-8", "replace"))
