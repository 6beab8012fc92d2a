"""Which logs belong together, what an experiment is, and what a second look costs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from data_loaders.board_config import BoardConfig, read_config
from data_loaders.scan import ScanMemo, scan
from data_loaders.scan import tree as walk
from data_loaders.scan.probe import Probe
from tests.unit.data_loaders.scanning import STEP, find, look, names, put, reasons


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


def test_demo_is_recognised_without_its_board(demo: Path) -> None:
    """By folder names alone, with the real look into the files."""
    found = scan([demo / "archive"], BoardConfig())
    told = {(e.track, e.label): e for e in found.experiments}
    assert {track: sorted(label for t, label in told if t == track) for track in ("2b", "4b")} == {
        "2b": ["E1", "E2", "E3", "E4", "E5"],
        "4b": ["E1", "E2", "E3", "E4", "E5"],
    }
    assert [told["4b", f"E{n}"].algorithm for n in range(1, 6)] == [
        "grpo",
        "dapo",
        "dr_grpo",
        "rloo",
        "reinforce_pp",
    ]
    starting, going = told["4b", "E2"].logs
    assert starting.name < going.name
    assert b"step:1 - " not in starting.read_bytes()
    assert (found.skipped, found.roots_missing) == ((), ())


@pytest.mark.corpus
def test_flat_folder_of_real_logs(corpus: Path) -> None:
    found = scan([corpus], BoardConfig())
    logs = {path.name for path in corpus.iterdir() if path.suffix in (".log", ".out")}
    records = {"llamafactory__trainer_log.jsonl", "unsloth__trainer_state.json"}
    assert {e.logs[0].name for e in found.experiments} == logs | records
    assert all(len(e.logs) == 1 and e.id == e.logs[0].stem for e in found.experiments)
    assert {(e.track, e.label) for e in found.experiments} == {("other", "")}
    assert [e.id.startswith("agent_opd__") for e in found.experiments].count(True) == 7
    algorithms = {e.id: e.algorithm for e in found.experiments if e.algorithm != "unknown"}
    assert algorithms == {
        "chrisytz__no_step_tpu": "ppo",
        "cluster_verl__train": "dapo",
        "logic_rl__init_only": "reinforce_pp",
        "verl_data__gemma2b_gsm8k_0.640": "ppo",
        "verl_data__qwen05b_gsm8k_0.567": "ppo",
        "verl_maze__crash_before_step1": "ppo",
    }
    assert reasons(found) == {}
