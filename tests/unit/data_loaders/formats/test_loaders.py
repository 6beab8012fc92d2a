"""Which loader claims a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_loaders import formats
from data_loaders.board import BoardReader, Source
from data_loaders.check import check_log
from data_loaders.formats import LOADERS, VERL_CONSOLE, Loader, find_loader
from data_loaders.read import head_tail
from tests.unit.data_loaders.plain_loader import PlainReader

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
        (b"{'loss': 0.01, 'learning_rate': 2e-07, 'sample': 'none'}\n", "train.log"),
        (STEP, "README.md"),
        (STEP, "notebook.ipynb"),
        (STEP, "parser.py"),
        (bytes(range(256)) * 40, "weights.bin"),
    ],
)
def test_other_files_are_not(head: bytes, name: str) -> None:
    assert find_loader(head, head, name) is None


def test_a_readers_state_goes_on_where_it_stopped() -> None:
    reader = VERL_CONSOLE.reader(None)
    reader.feed(STEP)
    reader.drain()
    again = VERL_CONSOLE.reader(reader.state())
    again.feed(STEP)
    assert again.facts().step_lines == 2


def test_a_new_loader_is_one_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From the scan to the board a format is known by its entry in `LOADERS` alone."""
    plain = Loader("plain", lambda first, _last, _name: first.startswith(b"plain"), PlainReader)
    path = tmp_path / "new_run" / "train.log"
    path.parent.mkdir()
    path.write_bytes(b"plain\n1 loss=0.5\n2 loss=0.25\n")
    assert not BoardReader(Source((tmp_path,)), tmp_path / "before").read().runs
    monkeypatch.setattr(formats, "LOADERS", (*LOADERS, plain))
    (run,) = BoardReader(Source((tmp_path,)), tmp_path / "cache").read().runs
    assert (run.id, run.view.run.facts[0].format, run.view.run.last) == ("new_run", "plain", 2)
    series = run.view.series("loss")
    assert series is not None
    assert series.value.tolist() == [0.5, 0.25]
    assert check_log(path)["format"] == "plain"


@pytest.mark.corpus
def test_real_files(corpus: Path) -> None:
    known = {
        "slime__failed_launch.log": "slime",
        "llamafactory__trainer_log.jsonl": "llamafactory",
        "unsloth__trainer_state.json": "hf_trainer_state",
    }
    for path in [*corpus.glob("*.log"), *corpus.glob("*.out"), *corpus.glob("*.json*")]:
        console = "verl_console" if path.suffix in (".log", ".out") else None
        found = find_loader(*head_tail(path), path.name)
        assert (found and found.name) == known.get(path.name, console), path.name
