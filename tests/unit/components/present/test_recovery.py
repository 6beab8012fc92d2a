"""Two runs with the same spike: one comes back to its level, the other does not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.__main__ import main
from components.present.episode import episode_view
from components.present.episode_found import opened
from components.text import said
from data_loaders.board import Board
from tests.unit.components.present.boards import GRAD, KL, Cells, read_board, write_log

SPIKE, STEPS = 100, 300


def cells(recovers: bool, seed: int) -> Cells:
    """Gradient norm and KL with some noise; both jump at step 100, for eight steps or for good."""
    noise = random.Random(seed)

    def column(level: float, high: float) -> Iterator[tuple[int, float]]:
        for step in range(1, STEPS + 1):
            in_spike = SPIKE <= step < SPIKE + 8 if recovers else step >= SPIKE
            yield step, (high if in_spike else level) * (1 + 0.05 * noise.gauss(0, 1))

    return {GRAD: dict(column(0.1, 0.9)), KL: dict(column(2e-5, 5e-4))}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("logs")
    write_log(root, "machine_a", cells(recovers=True, seed=1))
    write_log(root, "machine_b", cells(recovers=False, seed=2))
    return root


@pytest.fixture(scope="module")
def board(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    return read_board(root, tmp_path_factory.mktemp("cache"))


def test_only_one_of_them_recovered(board: Board) -> None:
    found = {
        run.id: [(e.start, e.severity, e.kind, e.recovered) for e in run.episodes if e.severity >= 2]
        for run in board.runs
    }
    assert found["machine_a"] == [(SPIKE, 2, "episode", True)]
    ((start, severity, kind, recovered),) = found["machine_b"]
    assert (start, severity, recovered) == (SPIKE, 2, False)
    assert kind in ("level", "level_change", "open")


@pytest.mark.parametrize(("run", "told"), [("machine_a", "108"), ("machine_b", "not yet")])
def test_the_panel_says_which(board: Board, run: str, told: str) -> None:
    found = opened(board, f"{run}:{SPIKE}")
    assert found is not None
    facts = {said(label)[1]: said(value)[1] for label, value in episode_view(board, found).facts}
    assert facts["recovered"] == told


def test_the_command_says_so_too(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["episodes", "--logs", str(root), "--cache-dir", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = {line.split()[0]: line for line in lines if f"steps {SPIKE}-" in line}
    assert "not recovered" not in told["machine_a"]
    assert "not recovered" in told["machine_b"]
