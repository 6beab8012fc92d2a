"""Which loader claims a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_loaders.formats import LOADERS, find_loader
from data_loaders.read import head_tail

STEP = b"\x1b[36m(TaskRunner pid=5)\x1b[0m step:7 - actor/loss:0.5\n"
NOISE = b"thinking about the next step: 3 more\n" * 50


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (STEP, b""),
        (NOISE, NOISE + STEP),
        (NOISE, b"bar 3/9 [00:01]step:1 - train/loss:1.5"),
        (b"(TaskRunner pid=5) TaskRunner hostname: gpu-1, PID: 5\n", NOISE),
        (b"(main_task pid=5) {'actor_rollout_ref': {'actor': {}}}\n", b""),
        (b"+ python3 -m verl.trainer.main_ppo a.b=1\n", b""),
        (b"Checkpoint tracker file does not exist: a/latest_checkpointed_iteration.txt\n", b""),
    ],
)
def test_verl_logs_are_claimed(head: bytes, tail: bytes) -> None:
    loader = find_loader(head, tail, "train.log")
    assert loader is not None
    assert loader.name == "verl_console"


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"", "train.log"),
        (NOISE, "train.log"),
        (b"step:1 - do this: 3 times\n", "notes.txt"),
        (b"2025-01-01 00:00:00,1 INFO worker.py:1 -- Started a local Ray instance.\n", "other.log"),
        (b"{'loss': 0.01, 'learning_rate': 2e-07, 'epoch': 0.0}\n", "train.log"),
        (STEP, "README.md"),
        (STEP, "notebook.ipynb"),
        (STEP, "parser.py"),
        (bytes(range(256)) * 40, "weights.bin"),
    ],
)
def test_other_files_are_not(head: bytes, name: str) -> None:
    assert find_loader(head, head, name) is None


def test_a_loaders_reader_goes_on_from_its_state() -> None:
    for loader in LOADERS:
        reader = loader.reader(None)
        reader.feed(STEP)
        reader.drain()
        again = loader.reader(reader.state())
        again.feed(STEP)
        assert again.facts().step_lines == 2


@pytest.mark.corpus
def test_real_files(corpus: Path) -> None:
    others = {"slime__failed_launch.log"}
    for path in [*corpus.glob("*.log"), *corpus.glob("*.out"), *corpus.glob("*.json*")]:
        claimed = find_loader(*head_tail(path), path.name) is not None
        assert claimed == (path.suffix in (".log", ".out") and path.name not in others), path.name
