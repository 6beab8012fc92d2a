"""Which logs are found under roots, which belong together, and that nothing outside is touched."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from components.text.sources import TEXT
from data_loaders import scan as scan_module
from data_loaders import walk
from data_loaders.board_config import BoardConfig, read_config
from data_loaders.probe import Probe, content_hints, first_clock
from data_loaders.roots import default_roots
from data_loaders.scan import Experiment, ScanMemo, ScanResult, scan
from data_loaders.walk import ScanLimits

STEP = "step:1 - actor/pg_loss:0.5\n"


def look(path: Path) -> Probe:
    """Stands for the real look into a file: a log is what holds a step line or says it starts."""
    text = path.read_bytes().decode("utf-8", "replace")
    known = "step:" in text or "TaskRunner" in text
    return Probe("verl" if known else None, content_hints(text), first_clock(text))


def put(path: Path, text: str = STEP) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def find(*roots: Path, config: BoardConfig | None = None, limits: ScanLimits | None = None) -> ScanResult:
    return scan(roots, config or BoardConfig(), limits=limits, probe=look)


def names(found: ScanResult) -> dict[str, list[str]]:
    """File names by experiment."""
    return {e.id: [log.name for log in e.logs] for e in found.experiments}


def reasons(found: ScanResult) -> dict[str, str]:
    """Reason by last part of the path."""
    return {Path(skipped.path).name: skipped.reason_key for skipped in found.skipped}


def only(found: ScanResult) -> Experiment:
    assert len(found.experiments) == 1
    return found.experiments[0]


# --- layouts ---------------------------------------------------------------------------------------------


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


# --- what an experiment is -------------------------------------------------------------------------------


def test_label_track_and_algorithm_by_board_then_name_then_contents(tmp_path: Path) -> None:
    root = tmp_path / "archive"
    put(root / "e3_drgrpo_2b" / "logs" / "train.log")
    put(root / "a" / "logs" / "train.log", f"{STEP}algorithm.adv_estimator=rloo model.path=Qwen3.5-4B\n")
    put(root / "4b" / "e2_dapo" / "train.log")
    board = tmp_path / "board.toml"
    board.write_text(
        "[experiments.e3_drgrpo_2b]\nlabel = 'E9'\ncolour = 2\n"
        "[experiments.e7]\n[tracks.2b]\nwindow = [1, 129]\n"
    )
    config, problems = read_config(board)
    assert problems == ()
    found = find(root, config=config)
    told = {e.id: (e.label, e.track, e.algorithm) for e in found.experiments}
    assert told == {
        "e3_drgrpo_2b": ("E9", "2b", "dr_grpo"),
        "e2_dapo": ("E2", "4b", "dapo"),
        "a": ("", "4b", "rloo"),
    }
    by_id = {e.id: e for e in found.experiments}
    assert by_id["e3_drgrpo_2b"].evidence == {"label": "config", "track": "name", "algorithm": "name"}
    assert by_id["e2_dapo"].evidence["track"] == "folder"
    assert by_id["a"].evidence == {"track": "model", "algorithm": "estimator"}
    assert by_id["e3_drgrpo_2b"].options == {"window": (1, 129), "slot": 2}
    assert found.unmatched == ("e7",)


def test_order_is_track_then_label_then_name(tmp_path: Path) -> None:
    for name in ("e10_grpo_2b", "e9_grpo_2b", "zeta_2b", "e1_grpo_4b", "stray"):
        put(tmp_path / "archive" / name / "train.log")
    assert [e.id for e in find(tmp_path / "archive").experiments] == [
        "e9_grpo_2b",
        "e10_grpo_2b",
        "zeta_2b",
        "e1_grpo_4b",
        "stray",
    ]


def test_hidden_by_board_is_listed_as_skipped(tmp_path: Path) -> None:
    put(tmp_path / "r" / "good.log")
    put(tmp_path / "r" / "scratch.log")
    board = tmp_path / "board.toml"
    board.write_text("[experiments.scratch]\nhidden = true\n")
    found = find(tmp_path / "r", config=read_config(board)[0])
    assert list(names(found)) == ["good"]
    assert reasons(found) == {"scratch": "skip.hidden_by_config"}
    assert found.unmatched == ()


def test_equal_names_get_paths_and_roots(tmp_path: Path) -> None:
    put(tmp_path / "one" / "e1_grpo" / "train.log")
    put(tmp_path / "two" / "e1_grpo" / "train.log")
    put(tmp_path / "two" / "only_here" / "train.log")
    found = find(tmp_path / "one", tmp_path / "two")
    assert sorted(names(found)) == ["one/e1_grpo", "only_here", "two/e1_grpo"]

    put(tmp_path / "three" / "a" / "e1_grpo" / "train.log")
    put(tmp_path / "three" / "b" / "e1_grpo" / "train.log")
    assert sorted(names(find(tmp_path / "three"))) == ["a/e1_grpo", "b/e1_grpo"]

    put(tmp_path / "four" / "same.log")
    put(tmp_path / "four" / "same.out")
    assert sorted(names(find(tmp_path / "four"))) == ["same.log", "same.out"]

    put(tmp_path / "x" / "logs" / "run_a.log")
    put(tmp_path / "y" / "logs" / "run_a.log")
    assert sorted(names(find(tmp_path / "x/logs", tmp_path / "y/logs"))) == ["logs/run_a", "logs/run_a~2"]


def test_overlapping_roots_give_every_log_once(tmp_path: Path) -> None:
    put(tmp_path / "r" / "e1_grpo" / "train.log")
    put(tmp_path / "r" / "e2_dapo" / "train.log")
    for roots in (("r", "r/e1_grpo"), ("r/e1_grpo", "r"), ("r", "r/."), ("r", "r/e1_grpo/train.log")):
        assert sorted(names(find(*(tmp_path / root for root in roots)))) == ["e1_grpo", "e2_dapo"]


# --- hostile names ---------------------------------------------------------------------------------------


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


# --- links, permissions, special files -------------------------------------------------------------------


def test_link_that_leaves_the_roots_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "outside" / "secret" / "train.log")
    put(tmp_path / "root" / "kept.log")
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "outside" / "secret")
    (tmp_path / "root" / "file.log").symlink_to(tmp_path / "outside" / "secret" / "train.log")
    (tmp_path / "root" / "up").symlink_to("../outside")
    (tmp_path / "root" / "hop").symlink_to("folder")

    found = find(tmp_path / "root")
    assert list(names(found)) == ["kept"]
    assert found.counts == {"skip.link_outside": 4}
    targets = {Path(s.path).name: s.values["target"] for s in found.skipped}
    assert targets["folder"] == targets["hop"] == str((tmp_path / "outside" / "secret").resolve())

    followed = find(tmp_path / "root", limits=ScanLimits(follow_links=True))
    assert sorted(names(followed)) == ["file", "kept"]
    assert followed.counts == {"skip.alias": 1}  # `hop` leads to `folder`
    assert "skip.link_outside" not in followed.counts


def test_outside_is_not_even_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "outside" / "train.log")
    put(tmp_path / "root" / "kept.log")
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "outside")
    opened: list[Path] = []
    listed = os.scandir

    def watch(folder: Path) -> object:
        opened.append(Path(folder))
        return listed(folder)

    monkeypatch.setattr(walk.os, "scandir", watch)
    find(tmp_path / "root")
    assert set(opened) == {tmp_path / "root"}


def test_link_inside_the_roots_is_read_once_under_its_own_name(tmp_path: Path) -> None:
    real = put(tmp_path / "root" / "e1_grpo" / "train_20260712_185929.log")
    (tmp_path / "root" / "aaa_latest").symlink_to(tmp_path / "root" / "e1_grpo")
    (tmp_path / "root" / "latest.log").symlink_to(real)
    (tmp_path / "root" / "loop").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "self").symlink_to("self")
    (tmp_path / "root" / "gone.log").symlink_to("nowhere.log")
    found = find(tmp_path / "root")
    assert names(found) == {"e1_grpo": ["train_20260712_185929.log"]}
    assert reasons(found) == {
        "aaa_latest": "skip.alias",
        "latest.log": "skip.alias",
        "loop": "skip.alias",
        "self": "skip.broken_link",
        "gone.log": "skip.broken_link",
    }


def test_link_to_another_root_and_root_that_is_a_link(tmp_path: Path) -> None:
    put(tmp_path / "data" / "e1_grpo" / "train.log")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "more").symlink_to(tmp_path / "data")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert list(names(find(tmp_path / "root", tmp_path / "data"))) == ["e1_grpo"]
    assert list(names(find(tmp_path / "link"))) == ["e1_grpo"]


def test_special_files_are_not_opened(tmp_path: Path) -> None:
    put(tmp_path / "r" / "kept.log")
    os.mkfifo(tmp_path / "r" / "pipe.log")
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "r")
        server.bind("plug.log")
        found = find(tmp_path / "r", tmp_path / "r" / "pipe.log")
    assert list(names(found)) == ["kept"]
    assert reasons(found) == {"pipe.log": "skip.special", "plug.log": "skip.special"}
    assert [missing.reason_key for missing in found.roots_missing] == ["root.special"]


def test_what_may_not_be_read_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "r" / "kept.log")
    put(tmp_path / "r" / "locked" / "train.log")
    put(tmp_path / "r" / "secret.log")
    listed = os.scandir

    def refuse(folder: Path) -> object:
        if Path(folder).name == "locked":
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder)

    def look_or_fail(path: Path) -> Probe:
        if path.name == "secret.log":
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(walk.os, "scandir", refuse)
    found = scan([tmp_path / "r"], BoardConfig(), probe=look_or_fail)
    assert list(names(found)) == ["kept"]
    assert reasons(found) == {"locked": "skip.unreadable", "secret.log": "skip.unreadable"}
    assert {s.values["error"] for s in found.skipped} == {"Permission denied"}
    assert scan([tmp_path / "r" / "locked"], BoardConfig(), probe=look).roots_missing[0].reason_key == (
        "root.unreadable"
    )


@pytest.mark.parametrize("error", [EOFError("cut"), ValueError("odd"), OSError(5, "I/O error")])
def test_damaged_file_is_listed(tmp_path: Path, error: Exception) -> None:
    put(tmp_path / "r" / "bad.log.gz")

    def fail(path: Path) -> Probe:
        raise error

    assert reasons(scan([tmp_path / "r"], BoardConfig(), probe=fail)) == {"bad.log.gz": "skip.unreadable"}


def test_missing_roots_are_named_and_the_others_read(tmp_path: Path) -> None:
    put(tmp_path / "r" / "kept.log")
    found = find(tmp_path / "none", tmp_path / "r", Path("nul\0name"))
    assert list(names(found)) == ["kept"]
    assert [missing.reason_key for missing in found.roots_missing] == ["root.missing", "root.unreadable"]
    assert found.roots_missing[0].path == str(tmp_path / "none")


# --- bounds ----------------------------------------------------------------------------------------------


def test_hidden_deep_and_other_files_are_counted(tmp_path: Path) -> None:
    put(tmp_path / "r" / "kept.log")
    put(tmp_path / "r" / ".git" / "train.log")
    put(tmp_path / "r" / ".hidden.log")
    put(tmp_path / "r" / "a" / "b" / "c" / "deep.log")
    put(tmp_path / "r" / "model.safetensors")
    put(tmp_path / "r" / "a" / "config.json")
    found = find(tmp_path / "r", limits=ScanLimits(depth=2))
    assert list(names(found)) == ["kept"]
    assert found.counts == {"skip.hidden": 2, "skip.too_deep": 1, "skip.other_name": 2}
    assert reasons(found)["c"] == "skip.too_deep"


def test_folder_and_list_bounds(tmp_path: Path) -> None:
    for i in range(30):
        put(tmp_path / "r" / f"run_{i:02}" / "train.log")
    found = find(tmp_path / "r", limits=ScanLimits(folders=11, listed=5))
    assert len(found.experiments) == 10
    assert found.counts == {"skip.too_many_folders": 20}
    assert len(found.skipped) == 5


def test_ten_thousand_files(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    for i in range(10_025):
        os.close(os.open(root / f"train_{i:05}.log", os.O_CREAT | os.O_WRONLY))
    found = find(root)
    assert sum(len(e.logs) for e in found.experiments) == 10_000
    assert found.counts == {"skip.too_many_files": 25}
    assert found.skipped[0].values == {"limit": "10000"}


# --- looking again ---------------------------------------------------------------------------------------


class Again:
    """Scans that share a memo and remember what they looked into."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.memo: ScanMemo = {}
        self.looked: list[str] = []

    def __call__(self) -> list[str]:
        """Ids of the experiments found."""
        self.looked.clear()
        return [e.id for e in scan([self.root], BoardConfig(), memo=self.memo, probe=self._probe).experiments]

    def _probe(self, path: Path) -> Probe:
        self.looked.append(path.name)
        return look(path)


def settle(folder: Path) -> None:
    """Make a folder look as if it had last changed long ago."""
    os.utime(folder, (1_700_000_000, 1_700_000_000))


def test_unchanged_folders_and_files_are_not_looked_into_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "r" / "e1_grpo" / "train.log")
    put(tmp_path / "r" / "notes.txt", "no log")
    settle(tmp_path / "r" / "e1_grpo")
    settle(tmp_path / "r")
    again = Again(tmp_path / "r")
    assert again() == ["e1_grpo"]
    assert sorted(again.looked) == ["notes.txt", "train.log"]

    opened: list[Path] = []
    listed = os.scandir

    def watch(folder: Path) -> object:
        opened.append(Path(folder))
        return listed(folder)

    monkeypatch.setattr(walk, "_list", lambda *_: pytest.fail("listed again"))
    monkeypatch.setattr(walk.os, "scandir", watch)
    assert again() == ["e1_grpo"]
    assert again.looked == []


def test_growing_log_is_not_looked_into_again_but_a_replaced_one_is(tmp_path: Path) -> None:
    log = put(tmp_path / "r" / "mine.log")
    again = Again(tmp_path / "r")
    again()
    with log.open("a") as file:
        file.write("step:2 - a:1\n")
    assert again() == ["mine"]
    assert again.looked == []
    put(log, "no")  # truncated
    assert again() == []
    assert again.looked == ["mine.log"]
    put(tmp_path / "r" / "new", STEP).replace(log)
    assert again() == ["mine"]


def test_file_that_becomes_a_log_is_found(tmp_path: Path) -> None:
    log = put(tmp_path / "r" / "mine.log", "starting\n")
    again = Again(tmp_path / "r")
    assert again() == []
    assert again() == []
    assert again.looked == []
    put(log, "starting\n" + STEP)
    assert again() == ["mine"]


def test_new_and_removed_files_are_seen_even_within_the_tick_of_a_clock(tmp_path: Path) -> None:
    put(tmp_path / "r" / "mine.log")
    again = Again(tmp_path / "r")
    again()
    before = (tmp_path / "r").stat()
    put(tmp_path / "r" / "more.log")
    os.utime(tmp_path / "r", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert again() == ["mine", "more"]
    (tmp_path / "r" / "mine.log").unlink()
    assert again() == ["more"]
    assert {path.name for path in again.memo} == {"r", "more.log"}


def test_file_replaced_by_a_link_is_not_followed(tmp_path: Path) -> None:
    log = put(tmp_path / "r" / "mine.log")
    put(tmp_path / "outside.log")
    again = Again(tmp_path / "r")
    again()
    log.unlink()
    log.symlink_to(tmp_path / "outside.log")
    assert again() == []
    assert again.looked == []


# --- roots without --logs --------------------------------------------------------------------------------


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


# --- contents --------------------------------------------------------------------------------------------

PRINTED = """\
{'actor_rollout_ref': {'actor': {'loss_agg_mode': 'token-mean',
                                 'policy_loss': {'loss_mode': 'vanilla'}},
                       'model': {'enable_gradient_checkpointing': True,
                                 'path': '/models/Qwen3.5-2B'}},
 'algorithm': {'adv_estimator': 'grpo'},
 'critic': {'model': {'path': '/models/critic'}},
 'data': {'train_files': ['/data/math/train.parquet', '/data/more.parquet']},
 'trainer': {'experiment_name': 'e1_grpo', 'project_name': 'verl_board'}}
"""


def test_hints_of_a_printed_config() -> None:
    assert content_hints(PRINTED) == {
        "experiment": "e1_grpo",
        "project": "verl_board",
        "estimator": "grpo",
        "loss_mode": "vanilla",
        "data": "/data/math/train.parquet",
        "model": "/models/Qwen3.5-2B",
    }


def test_hints_of_a_command_line() -> None:
    text = (
        "+ python3 -m verl.trainer.main_ppo algorithm.adv_estimator=rloo data.train_files=['a.parquet'] "
        'actor_rollout_ref.model.path="Qwen/Qwen3.5-4B" critic.model.path=other '
        "trainer.experiment_name=$NAME\n"
    )
    assert content_hints(text) == {"estimator": "rloo", "data": "a.parquet", "model": "Qwen/Qwen3.5-4B"}
    assert content_hints("nothing of the kind") == {}


def test_first_clock() -> None:
    assert first_clock("x 2026-13-41 10:00:00 y\n[2026-07-12 18:59:29] z 2027-01-01 00:00:00") == 1783882769.0
    assert first_clock("2026-07-12 only a date") is None


def test_every_reason_has_a_text() -> None:
    source = "".join(Path(module.__file__ or "").read_text("utf-8") for module in (walk, scan_module))
    keys = set(re.findall(r'"((?:skip|root)\.[a-z_]+)"', source))
    assert len(keys) > 10
    assert keys <= set(TEXT)
