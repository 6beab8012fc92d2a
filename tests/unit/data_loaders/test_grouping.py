"""Which files are one experiment, in which order, and what it is called."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.data_loaders.scanning import STEP, find, names, only, put, reasons


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # The layouts that launch scripts write.
        (["archive/e3_drgrpo_2b/logs/train_20260715_114131.log"], ["e3_drgrpo_2b"]),
        (["archive/plain/logs/train_a.log", "archive/plain/logs/train_b.log"], ["plain"]),
        (["logs/2b/e1_grpo/train_20260712_185929.log"], ["e1_grpo"]),
        (["logs/some_run/train_20260712_185929.log"], ["some_run"]),
        # A folder per run.
        (["runs/qwen_math/train.out", "runs/qwen_code/nohup.out"], ["qwen_code", "qwen_math"]),
        (["runs/qwen_math/slurm-1.out", "runs/qwen_math/slurm-2.out"], ["qwen_math"]),
        (["runs/qwen_math/anything.log"], ["qwen_math"]),
        (
            ["e4_rloo/2026-07-12/18-59-29/main_ppo.log", "e4_rloo/2026-07-13/08-00-00/main_ppo.log"],
            ["e4_rloo"],
        ),
        # Folders told apart by numbers only.
        (["runs/run_1/train.log", "runs/run_2/train.log"], ["run_1", "run_2"]),
        (["runs/exp_1/train.log", "runs/exp_2/logs/train.log"], ["exp_1", "exp_2"]),
        (["lr_sweep/run_1/logs/train.log", "lr_sweep/2/train.log"], ["lr_sweep/2", "lr_sweep/run_1"]),
        (["outputs/2026-07-12/18-59-29/main_ppo.log"], ["2026-07-12/18-59-29"]),
        (["wandb/run-20260712_185929-ab12cd34/files/output.log"], ["run-20260712_185929-ab12cd34"]),
        (["wandb/offline-run-20260712_185929-zz/files/output.log"], ["offline-run-20260712_185929-zz"]),
        # Flat.
        (["logs/first.log", "logs/second.txt", "logs/third.err"], ["first", "second", "third"]),
        (["logs/train_e1_grpo.log", "logs/train_e2_dapo.log"], ["train_e1_grpo", "train_e2_dapo"]),
        (["sweep/lr1.log", "sweep/lr2.log"], ["lr1", "lr2"]),
        (["e1_sweep/e1_run.log", "e1_sweep/e2_run.log"], ["e1_sweep", "e2_run"]),
    ],
)
def test_layouts(tmp_path: Path, files: Sequence[str], expected: list[str]) -> None:
    for file in files:
        put(tmp_path / "root" / file)
    assert sorted(names(find(tmp_path / "root"))) == sorted(expected)


def test_archive_or_experiment_folder_may_be_the_root(tmp_path: Path) -> None:
    put(tmp_path / "archive" / "e3_drgrpo" / "logs" / "train_20260715_114131.log")
    for root in ("archive", "archive/e3_drgrpo", "archive/e3_drgrpo/logs"):
        assert only(find(tmp_path / root)).id == "e3_drgrpo"
    file = tmp_path / "archive/e3_drgrpo/logs/train_20260715_114131.log"
    assert only(find(file)).id == "e3_drgrpo"


def test_a_file_may_be_the_root_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path / "x" / "capture.dat")
    put(tmp_path / "x" / "other.log")
    assert names(find(tmp_path / "x" / "capture.dat")) == {"capture.dat": ["capture.dat"]}


def test_slurm_files_side_by_side_are_separate_runs(tmp_path: Path) -> None:
    put(tmp_path / "jobs_of_ann" / "slurm-1.out")
    put(tmp_path / "jobs_of_ann" / "slurm-2.out")
    assert sorted(names(find(tmp_path / "jobs_of_ann"))) == ["slurm-1", "slurm-2"]


def test_nameless_logs_of_different_experiments_are_not_joined(tmp_path: Path) -> None:
    for job, name in ((1, "alpha"), (2, "beta")):
        put(tmp_path / "r" / "jobs_of_ann" / f"slurm-{job}.out", f"{STEP}trainer.experiment_name={name}\n")
    assert sorted(names(find(tmp_path / "r"))) == ["slurm-1", "slurm-2"]


def test_logs_are_joined_in_start_order(tmp_path: Path) -> None:
    """By time in the name, else by the first clock, else by the last change; never by name alone."""
    folder = tmp_path / "r" / "e1_grpo"
    put(folder / "train_20260714_000000.log")
    put(folder / "nohup.out", "2026-07-13 10:00:00 TaskRunner\n" + STEP)
    put(folder / "train_20260712_185929.log")
    put(folder / "output.log")
    os.utime(folder / "output.log", (1_700_000_000, 1_700_000_000))  # 2023
    assert names(find(tmp_path / "r")) == {
        "e1_grpo": ["output.log", "train_20260712_185929.log", "nohup.out", "train_20260714_000000.log"]
    }


def test_start_up_only_log_stays_with_its_experiment(tmp_path: Path) -> None:
    folder = tmp_path / "archive" / "e2_dapo_4b" / "logs"
    put(folder / "train_20260716_020000.log", "some lines of a launcher\n")
    put(folder / "train_20260716_021500.log")
    put(folder / "notes.txt", "not a log\n")
    found = find(tmp_path / "archive")
    assert names(found) == {"e2_dapo_4b": ["train_20260716_020000.log", "train_20260716_021500.log"]}
    assert reasons(found) == {"notes.txt": "skip.no_format"}


def test_run_that_has_just_started_is_an_experiment(tmp_path: Path) -> None:
    put(tmp_path / "archive" / "e5_rpp_2b" / "logs" / "train_20260720_063429.log", "")
    put(tmp_path / "archive" / "elsewhere" / "empty.log", "")
    found = find(tmp_path / "archive")
    assert names(found) == {"e5_rpp_2b": ["train_20260720_063429.log"]}
    assert reasons(found) == {"empty.log": "skip.empty"}


def test_compressed_logs(tmp_path: Path) -> None:
    put(tmp_path / "r" / "one.log")
    put(tmp_path / "r" / "one.log.gz")
    put(tmp_path / "r" / "two.log.gz")
    found = find(tmp_path / "r")
    assert names(found) == {"one": ["one.log"], "two": ["two.log.gz"]}
    assert reasons(found) == {"one.log.gz": "skip.twin"}


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        (b"<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
        (b"two\nlines\x1b[31m", "two\N{REPLACEMENT CHARACTER}lines\N{REPLACEMENT CHARACTER}[31m"),
        (b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
        ("\u202eevil".encode(), "\N{REPLACEMENT CHARACTER}evil"),
        (b"%2e%2e%2fetc", "%2e%2e%2fetc"),
        (b"a,b#2", "a_b_2"),
        (b"=cmd()", "=cmd()"),
        ("实验三".encode(), "实验三"),
        (b"x" * 200, "x" * 119 + "…"),
        (b"~root", "~root"),
    ],
)
def test_hostile_names_give_printable_ids(tmp_path: Path, name: bytes, id_: str) -> None:
    folder = os.path.join(os.fsencode(tmp_path), b"r", b"runs", name)
    try:
        os.makedirs(folder)
    except OSError:
        pytest.skip("the file system does not take this name")
    Path(os.fsdecode(folder), "train.log").write_text(STEP)
    experiment = only(find(tmp_path / "r"))
    assert experiment.id == id_
    assert experiment.id.isprintable()
    assert experiment.logs[0].read_text() == STEP


def test_names_that_look_alike_after_cleaning_stay_apart(tmp_path: Path) -> None:
    for name in (b"x\xe9", b"x\xea", b"x\x01"):
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name + b".log"))).write_text(STEP)
    ids = [e.id for e in find(tmp_path).experiments]
    assert len(set(ids)) == 3
    assert all(id_.isprintable() for id_ in ids)


def test_paths_of_skipped_entries_are_printable(tmp_path: Path) -> None:
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"\xff\n<b>.log"))).write_text("nothing")
    skipped = find(tmp_path).skipped[0]
    assert skipped.path.isprintable()
    assert skipped.path.endswith("<b>.log")
