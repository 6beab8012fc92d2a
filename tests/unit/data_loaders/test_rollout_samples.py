"""Sampled answers: only from folders under the roots, bounded, and what cannot be read is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data_loaders import rollout_samples as module
from data_loaders.rollout_samples import sample_folder, samples
from data_loaders.schema import Run


def run_of(log: Path, **trainer: Any) -> Run:
    return Run(
        id="run", label="", track="other", algorithm="unknown", logs=(str(log),), segments=(), keys=(),
        first=None, last=None, facts=(), config={"trainer": trainer or {"total_epochs": 1}},
    )  # fmt: skip


def dumped(folder: Path, step: int, answers: list[Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{step}.jsonl"
    path.write_text("".join((a if isinstance(a, str) else json.dumps(a)) + "\n" for a in answers))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "archive" / "e3" / "logs").mkdir(parents=True)
    return tmp_path / "archive"


@pytest.fixture
def log(root: Path) -> Path:
    return root / "e3" / "logs" / "train.log"


def test_answers_with_score_and_length(root: Path, log: Path) -> None:
    folder = root / "e3" / "rollout"
    dumped(folder, 136, [{"input": "1+1?", "output": "2" * n, "score": n % 2} for n in range(1, 6)])
    (found,) = samples(run_of(log, rollout_data_dir=str(folder)), [root], [135, 136, 137])
    assert (found.step, found.count, found.mean_score, found.mean_length) == (136, 5, 0.6, 3.0)
    assert [(s.prompt, s.output, s.score, s.length) for s in found.samples] == [
        ("1+1?", "2", 1.0, 1), ("1+1?", "22", 0.0, 2), ("1+1?", "222", 1.0, 3)
    ]  # fmt: skip


def test_a_folder_of_another_machine_is_found_beside_the_log(root: Path, log: Path) -> None:
    dumped(root / "e3" / "rollout", 1, [{"output": "x"}])
    for named in ("/mnt/cluster/home/e3/rollout", "e3/rollout", "./rollout", "rollout"):
        assert sample_folder(run_of(log, rollout_data_dir=named), [root]) == root / "e3" / "rollout", named


def test_a_common_name_further_up_may_be_another_runs(root: Path) -> None:
    dumped(root / "rollout", 1, [{"output": "x"}])
    deep = root / "group" / "e3" / "logs" / "train.log"
    assert sample_folder(run_of(deep, rollout_data_dir="/mnt/cluster/rollout"), [root]) is None


def test_nothing_outside_the_roots_is_opened(root: Path, log: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    secret = dumped(outside, 1, [{"output": "secret"}])
    assert samples(run_of(log, rollout_data_dir=str(outside)), [root], [1]) == []
    assert samples(run_of(log, rollout_data_dir="../../elsewhere"), [root], [1]) == []
    inside = root / "e3" / "rollout"
    dumped(inside, 2, [{"output": "fine"}])
    (inside / "1.jsonl").symlink_to(secret)
    found = samples(run_of(log, rollout_data_dir=str(inside)), [root], [1, 2])
    assert [one.step for one in found] == [2]


def test_no_setting_no_samples(root: Path, log: Path) -> None:
    dumped(root / "e3" / "rollout", 1, [{"output": "x"}])
    assert samples(run_of(log), [root], [1]) == []
    assert samples(run_of(log, rollout_data_dir=None), [root], [1]) == []
    assert samples(run_of(log, validation_data_dir="rollout"), [root], [1]) == []
    assert samples(run_of(log, validation_data_dir="rollout"), [root], [1], "validation")[0].step == 1


def test_bad_lines_are_counted_and_missing_scores_stay_missing(root: Path, log: Path) -> None:
    good = ({"output": "a", "score": None}, '{"output": "", "score": NaN}')
    lines = ["{not json", "[1]", {"input": ""}, *good]
    dumped(root / "e3" / "rollout", 1, lines)
    (found,) = samples(run_of(log, rollout_data_dir="rollout"), [root], [1])
    assert (found.unreadable, found.count) == (3, 2)
    assert found.samples[0].score is None
    assert found.samples[1].score != found.samples[1].score  # NaN as dumped


def test_sizes_are_bounded_and_the_rest_is_counted(
    root: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = dumped(root / "e3" / "rollout", 1, [{"output": "y" * 3000} for _ in range(4)])
    (found,) = samples(run_of(log, rollout_data_dir="rollout"), [root], [1])
    assert found.samples[0].output == "y" * module.TEXT_LENGTH + "…"
    assert found.samples[0].length == 3000
    monkeypatch.setattr(module, "MOST_BYTES", path.stat().st_size - 10)
    (found,) = samples(run_of(log, rollout_data_dir="rollout"), [root], [1])
    assert (found.count, found.more_bytes) == (3, 10)
    monkeypatch.setattr(module, "LONGEST", 1000)
    assert samples(run_of(log, rollout_data_dir="rollout"), [root], [1])[0].count == 0


def test_text_of_a_model_is_shown_without_control_characters(root: Path, log: Path) -> None:
    dumped(root / "e3" / "rollout", 1, [{"input": "a\nb", "output": "\u001b[31mred\u0000\nnext"}])
    (found,) = samples(run_of(log, rollout_data_dir="rollout"), [root], [1])
    assert (found.samples[0].prompt, found.samples[0].output) == ("a\nb", "red\nnext")
