"""How runs are recognised by name and by contents."""

from __future__ import annotations

import pytest

from data_loaders import catalog
from data_loaders.catalog import ALGORITHMS, OTHER, TRACKS, UNKNOWN, Algorithm, Track, recognise, style, word


@pytest.mark.parametrize(
    ("name", "label", "track", "algorithm"),
    [
        ("e1_grpo_2b", "E1", "2b", "grpo"),
        ("e2_dapo_4b", "E2", "4b", "dapo"),
        ("e3_drgrpo_2b", "E3", "2b", "dr_grpo"),
        ("E3-Dr.GRPO-4B", "E3", "4b", "dr_grpo"),
        ("e4_rloo_2b", "E4", "2b", "rloo"),
        ("e5_reinforcepp_2b", "E5", "2b", "reinforce_pp"),
        ("e5-reinforce++-4b", "E5", "4b", "reinforce_pp"),
        ("reinforce_plus_plus_baseline", "", OTHER, "reinforce_pp_baseline"),
        ("exp-12_gspo", "E12", OTHER, "gspo"),
        ("e1_grpo_vl_4b", "E1", "multimodal", "grpo"),
        ("qwen2.5-7b-ppo-gsm8k", "", OTHER, "ppo"),
        ("sft_warmup", "", OTHER, "sft"),
        ("grpo_from_sft", "", OTHER, "grpo"),
        # Names that look like one of the above and are not.
        ("exp2card", "", OTHER, UNKNOWN),
        ("e2e_lr1e3", "", OTHER, UNKNOWN),
        ("e1.5_run", "", OTHER, UNKNOWN),
        ("qwen3-1.2b_14b_a4b", "", OTHER, UNKNOWN),
        ("gemma2b_gsm8k", "", OTHER, UNKNOWN),
        ("supervision_grporun", "", OTHER, UNKNOWN),
        ("", "", OTHER, UNKNOWN),
    ],
)
def test_names(name: str, label: str, track: str, algorithm: str) -> None:
    found = recognise(name, {})
    assert (found.label, found.track, found.algorithm) == (label, track, algorithm)


def test_name_is_believed_before_folders_and_folders_before_contents() -> None:
    hints = {"model": "/models/Qwen/Qwen3.5-2B-Instruct", "estimator": "gae", "experiment": "e9_opo"}
    found = recognise("e3_drgrpo", hints, folders=("e1_rloo", "4b"))
    assert (found.label, found.track, found.algorithm) == ("E3", "4b", "dr_grpo")
    assert found.evidence == {"label": "name", "track": "folder", "algorithm": "name"}

    found = recognise("run", hints)
    assert (found.label, found.track, found.algorithm) == ("E9", "2b", "opo")
    assert found.evidence == {"label": "experiment", "track": "model", "algorithm": "experiment"}


@pytest.mark.parametrize(
    ("hints", "algorithm", "where"),
    [
        ({"estimator": "gae"}, "ppo", "estimator"),
        ({"estimator": "grpo_vectorized"}, "grpo", "estimator"),
        ({"estimator": "reinforce_plus_plus_baseline"}, "reinforce_pp_baseline", "estimator"),
        ({"estimator": "grpo", "loss_mode": "vanilla"}, "grpo", "estimator"),
        ({"estimator": "grpo", "loss_mode": "clip-cov"}, "clip_cov", "loss_mode"),
        ({"estimator": "grpo", "experiment": "dapo_baseline"}, "dapo", "experiment"),
        ({"estimator": "somebody_elses"}, UNKNOWN, None),
    ],
)
def test_logged_config_names_the_algorithm(hints: dict[str, str], algorithm: str, where: str | None) -> None:
    found = recognise("run", hints)
    assert (found.algorithm, found.evidence.get("algorithm")) == (algorithm, where)


def test_other_model_of_the_same_size_is_on_no_track() -> None:
    """The pages are about one model each; a size alone in a model path does not put a run there."""
    assert recognise("run", {"model": "google/gemma-2-2b-it"}).track == OTHER
    assert recognise("run", {"model": "Qwen/Qwen2.5-VL-7B-Instruct"}).track == "multimodal"
    assert recognise("run", {"data": "~/data/geo3k/train.parquet"}).track == "multimodal"


def test_multimodal_folder_wins_over_a_size_in_the_name() -> None:
    assert recognise("e1_grpo_4b", {}, folders=("multimodal",)).track == "multimodal"


def test_new_track_and_algorithm_are_one_entry_each() -> None:
    track = Track("7b", ("7B 训练", "7B training"), ("7B 训练监控", "7B monitor"), names=("7b",))
    algorithm = Algorithm("zpo", "ZPO", ("z_po",), ("zpo",))
    found = recognise("e6_zpo_7b", {}, tracks=(*TRACKS, track), algorithms=(*ALGORITHMS, algorithm))
    assert (found.label, found.track, found.algorithm) == ("E6", "7b", "zpo")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("E1", (1, 0)),
        ("e5", (5, 0)),
        ("E6", (1, 1)),
        ("E10", (5, 1)),
        ("E11", (1, 2)),
        ("E99", (4, 2)),
        ("", None),
        ("E0", None),
        ("baseline", None),
    ],
)
def test_colour_belongs_to_the_label(label: str, expected: tuple[int, int] | None) -> None:
    assert style(label) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("7b", "Qwen2.5-7B-Instruct", True),
        ("7b", "17b", False),
        ("7b", "Qwen3-1.7B", False),
        ("dr_grpo", "dr grpo", True),
        ("qwen3.5-2b", "qwen3_5_2B", True),
        ("exp7*", "exp7b_long", True),
        ("a(b", "x_a(b", True),
    ],
)
def test_words(pattern: str, text: str, matches: bool) -> None:
    assert (word(pattern).search(text) is not None) is matches


def test_catalogue_is_consistent() -> None:
    ids = [algorithm.id for algorithm in ALGORITHMS]
    assert len(set(ids)) == len(ids)
    assert [(a.label, a.slot) for a in ALGORITHMS if a.label] == [(f"E{n}", n) for n in range(1, 6)]
    assert all(style(a.label) == (a.slot, 0) for a in ALGORITHMS if a.label)
    values = [value for a in ALGORITHMS for value in a.estimators]
    assert len(set(values)) == len(values)
    assert [track.id for track in TRACKS] == ["2b", "4b", "multimodal", "other"]
    assert all(all(track.title) and all(track.heading) for track in TRACKS)
    assert ids[-1] == catalog.UNKNOWN
    assert TRACKS[-1].id == catalog.OTHER
