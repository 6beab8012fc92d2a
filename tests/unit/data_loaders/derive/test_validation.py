from __future__ import annotations

import pytest

from data_loaders.derive.validation import Validation, data_sources, main_validation, parse_key, validations
from tests.unit.data_loaders.fake_run import FakeRun


def only(data: FakeRun) -> Validation:
    (found,) = validations(data)
    return found


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("val-core/math_dapo/acc/mean@32", ("math_dapo", "acc", "mean@32", 32)),
        ("val-core/openai/gsm8k/acc/best@8/mean", ("openai/gsm8k", "acc", "best@8/mean", 8)),
        ("val-aux/AIME2025/score/maj@2/std", ("AIME2025", "score", "maj@2/std", 2)),
        ("val/test_score/openai/gsm8k", ("openai/gsm8k", "reward", "mean@1", 1)),
        ("test_score/openai/gsm8k", ("openai/gsm8k", "reward", "mean@1", 1)),
        ("val-core/openai/gsm8k/reward/mean@1", ("openai/gsm8k", "reward", "mean@1", 1)),
    ],
)
def test_keys_of_all_versions(key: str, parts: tuple[str, str, str, int]) -> None:
    assert parse_key(key) == parts


@pytest.mark.parametrize("key", ["val/loss", "val-aux/num_turns/mean", "actor/entropy", "val-core/x/acc"])
def test_other_keys_are_no_results(key: str) -> None:
    assert parse_key(key) is None


def test_a_key_renamed_inside_the_run_is_one_curve() -> None:
    later = {9: 0.55, 19: 0.56}
    data = FakeRun({"test_score/openai/gsm8k": {0: 0.521}, "val/test_score/openai/gsm8k": later})
    found = only(data)
    assert found.step.tolist() == [0, 9, 19]
    assert found.value.tolist() == [0.521, 0.55, 0.56]
    assert found.keys == ("val/test_score/openai/gsm8k", "test_score/openai/gsm8k")
    assert [note.key for note in found.notes] == ["note.renamed"]


def test_different_sample_counts_are_never_joined() -> None:
    data = FakeRun({"val-core/aime/acc/mean@1": {25: 0.3}, "val-core/aime/acc/mean@32": {50: 0.24}})
    assert [one.step.tolist() for one in validations(data)] == [[25], [50]]


def test_a_result_that_moves_from_aux_to_core_is_one_curve() -> None:
    data = FakeRun({"val-aux/aime/acc/mean@8": {1: 0.1}, "val-core/aime/acc/mean@8": {2: 0.2}})
    assert (only(data).step.tolist(), only(data).core) == ([1, 2], True)


@pytest.mark.parametrize(
    ("value", "right"), [(0.3333333333, 10), (0.3, 9), (0.4, 12), (0.5666666667, 17), (0.8333333333, 25)]
)
def test_right_items_of_thirty(value: float, right: int) -> None:
    found = only(FakeRun({"val-core/aime_2024/acc/mean@1": {150: value}}))
    assert (found.items, found.correct is not None and found.correct.tolist()) == (30, [right])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("val-core/aime_2024/acc/mean@32", 1 / 3),  # a mean over samples has no count
        ("val-core/aime_2024/reward/mean@1", 1 / 3),  # (20 − 10) / 30 for rewards of ±1
        ("val-core/aime_2024/acc/mean@1", 0.35),  # 10.5 of 30
        ("val-core/unheard_of/acc/mean@1", 1 / 3),
    ],
)
def test_no_count_where_it_would_be_a_guess(key: str, value: float) -> None:
    assert only(FakeRun({key: {150: value}})).correct is None


def test_item_numbers_of_board_toml_come_first() -> None:
    data = FakeRun({"val-core/own_set/acc/mean@1": {5: 0.25}}, options={"validation_items": {"own_set": 8}})
    assert only(data).items == 8
    assert only(data).correct is not None


def test_the_name_of_the_only_validation_file_tells_the_items() -> None:
    columns = {"val-core/math_dapo/acc/mean@1": {10: 0.1}}
    files = ["/data/aime-2024.parquet"]
    assert only(FakeRun(columns, {"data": {"val_files": files}})).items == 30
    assert only(FakeRun(columns, {"data": {"val_files": files[0]}})).items == 30
    assert only(FakeRun(columns, {"data": {"val_files": [*files, "/data/gsm8k.parquet"]}})).items is None


def test_several_sample_counts_of_duplicate_prompts_are_warned_of() -> None:
    points = {25: 0.1215, 50: 0.13}
    data = FakeRun(
        {
            "val-aux/s/acc/mean@1": points,
            "val-aux/s/acc/mean@2": points,
            "val-core/s/acc/mean@3": dict.fromkeys(points, 0.0),
        }
    )
    found = validations(data)
    assert all([note.key for note in one.notes] == ["note.uneven_groups"] for one in found)
    main = main_validation(found)
    assert main is not None
    assert main.statistic == "mean@1"


def test_the_main_result_is_accuracy_before_reward_and_mean_before_best() -> None:
    data = FakeRun(
        {
            "val-aux/aime/reward/mean@8": {1: 0.1},
            "val-core/aime/acc/best@8/mean": {1: 0.5},
            "val-core/aime/acc/mean@8": {1: 0.2},
        }
    )
    found = validations(data)
    assert found[0].statistic == "mean@8"
    assert main_validation(found) is found[0]
    assert main_validation(()) is None


def test_data_sources_in_order() -> None:
    keys = ("actor/lr", "val-core/b/acc/mean@1", "val-aux/a/acc/std@1", "val-aux/b/acc/std@1")
    assert data_sources(keys) == ("b", "a")
