"""Boards read from logs that a test writes down."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from data_loaders.board import Board, BoardReader, Source

GRAD, KL, SCORE = "actor/grad_norm", "actor/ppo_kl", "critic/score/mean"
CONFIG = "{{'data': {{'train_files': '{files}', 'train_batch_size': 32}}, 'trainer': {{'total_epochs': 1}}}}"

Cells = Mapping[str, Mapping[int, float]]


def calm(steps: int, level: float, **spikes: float) -> dict[int, float]:
    """A level with a small regular swing; `s12=9.0` replaces step 12."""
    cells = {step: level * (1 + 0.02 * (-1) ** step * (step % 3)) for step in range(1, steps + 1)}
    return cells | {int(name[1:]): value for name, value in spikes.items()}


def write_log(root: Path, run: str, cells: Cells, files: str = "/data/a.parquet") -> Path:
    """`<root>/<run>/logs/train.log` with a config dump and a line per step."""
    folder = root / run / "logs"
    folder.mkdir(parents=True)
    steps = sorted({step for column in cells.values() for step in column})
    lines = [
        "(TaskRunner pid=1) " + CONFIG.format(files=files),
        *(
            f"(TaskRunner pid=1) step:{step} - "
            + " - ".join(f"{key}:{column[step]!r}" for key, column in cells.items() if step in column)
            for step in steps
        ),
    ]
    path = folder / "train.log"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def read_board(root: Path, cache: Path) -> Board:
    cache.mkdir(exist_ok=True)
    return BoardReader(Source(roots=(root,)), cache).read()
