from __future__ import annotations

from typing import Any

import pytest

from data_loaders.derive.canonical import curve
from data_loaders.schema import Curve, Missing
from tests.unit.data_loaders.fake_run import FakeRun

STEPS = 6
PENALTY = {"enable": True, "len": 4096, "penalty_factor": 1.0}
OVERLONG = {"reward": {"reward_kwargs": {"overlong_buffer_cfg": PENALTY}}}


def scored(mean: float, low: float, high: float, steps: int = STEPS, **more: Any) -> FakeRun:
    columns = {
        "critic/score/mean": [mean] * steps,
        "critic/score/min": [low] * steps,
        "critic/score/max": [high] * steps,
        **more.pop("columns", {}),
    }
    return FakeRun(columns, **more)


def rate(data: FakeRun) -> Curve:
    found = curve(data, "pass_rate")
    assert isinstance(found, Curve), found
    return found


def reason(data: FakeRun) -> str:
    found = curve(data, "pass_rate")
    assert isinstance(found, Missing), found
    return found.why.key


def notes(found: Curve) -> set[str]:
    return {note.key for note in found.notes}


def test_plus_minus_one_as_on_the_published_page() -> None:
    # 110 of 256 right: the mean is (110 − 146) / 256.
    sizes = {"data": {"train_batch_size": 32}, "actor_rollout_ref": {"rollout": {"n": 8}}}
    found = rate(scored(-36 / 256, -1, 1, config=sizes))
    assert found.value == pytest.approx([110 / 256] * STEPS)
    assert notes(found) == set()


def test_zero_to_one_is_the_mean_itself() -> None:
    found = rate(scored(0.43, 0, 1))
    assert found.value == pytest.approx([0.43] * STEPS)
    assert found.derived is not None
    assert found.derived.values["source"] == "observed"


def test_a_score_below_minus_one_reveals_an_overlong_penalty() -> None:
    data = scored(0.2, -2, 1, columns={"response_length/clip_ratio": [0.1] * STEPS})
    found = rate(data)
    assert found.value == pytest.approx([0.6] * STEPS)
    note = next(note for note in found.notes if note.key == "note.lower_bound_by")
    # Each response cut at the cap costs a full 1 of the 2 between wrong and right: 10 % cut are 5 points.
    assert note.values["points"] == pytest.approx(5.0)


def bound(data: FakeRun) -> Curve | Missing:
    return curve(data, "pass_rate_bound")


def test_what_cut_responses_lost_can_be_given_back() -> None:
    """Ten responses of ±1 with λ = 1: 4 right, 6 wrong, 2 of the wrong ones cut at the cap."""
    mean = (4 * 1 + 4 * -1 + 2 * (-1 - 1)) / 10
    columns = {"response_length/clip_ratio": [0.2] * STEPS}
    data = scored(mean, -2, 1, columns=columns)
    assert rate(data).value == pytest.approx([0.3] * STEPS)
    found = bound(data)
    assert isinstance(found, Curve)
    assert found.value == pytest.approx([0.4] * STEPS)
    assert found.derived is not None
    assert found.derived.key == "derived.pass_rate_bound"


def test_the_bound_stays_below_the_truth_when_right_responses_are_long() -> None:
    """Half the penalty on three right responses that are not cut: nothing of it is given back."""
    mean = (4 * 1 + 4 * -1 + 2 * -2 - 3 * 0.5) / 10
    found = bound(scored(mean, -2, 1, columns={"response_length/clip_ratio": [0.2] * STEPS}))
    assert isinstance(found, Curve)
    assert found.value == pytest.approx([0.325] * STEPS)
    assert (found.value < 0.4).all()


def test_a_share_counted_against_the_longest_of_the_batch_is_no_cut() -> None:
    columns = {"response_length/clip_ratio": [0.1] * STEPS, "response_length/max": [900.0] * STEPS}
    data = scored(0.2, -2, 1, columns=columns, config={"data": {"max_response_length": 1024}})
    found = bound(data)
    assert isinstance(found, Curve)
    assert found.value == pytest.approx(rate(data).value)
    note = next(note for note in rate(data).notes if note.key == "note.lower_bound_by")
    assert note.values["points"] == 0


def test_without_penalty_or_share_there_is_no_bound_to_give() -> None:
    for data, why in (
        (scored(0.2, -1, 1, columns={"response_length/clip_ratio": [0.1] * STEPS}), "missing.not_shaped"),
        (scored(0.2, -2, 1), "missing.not_logged"),
        (scored(0.2, -3, 3), "missing.not_a_pass_rate"),
    ):
        found = bound(data)
        assert isinstance(found, Missing)
        assert found.why.key == why


def test_the_configured_penalty_limits_what_counts_as_shaped() -> None:
    half = {"reward_model": {"overlong_buffer": {"enable": True, "len": 1024, "penalty_factor": 0.5}}}
    assert "note.lower_bound" in notes(rate(scored(0.2, -1.5, 1, config=half)))
    assert reason(scored(0.2, -1.9, 1, config=half)) == "missing.not_a_pass_rate"


@pytest.mark.parametrize(
    ("low", "high"), [(-3, 3), (0, 1.09), (0, 0.33), (-1, 0.5), (-2.5, 1), (0.1, 1), (-0.5, 1)]
)
def test_other_ranges_are_no_pass_rate(low: float, high: float) -> None:
    assert reason(scored(0.1, low, high)) == "missing.not_a_pass_rate"


def test_four_steps_are_too_few_to_know_the_range() -> None:
    assert reason(scored(0.1, -1, 1, steps=4)) == "missing.range_pending"
    assert rate(scored(0.1, -1, 1, steps=5)).value.size == 5


def test_all_wrong_so_far_leaves_the_range_open() -> None:
    assert reason(scored(-1, -1, -1)) == "missing.no_right_answer"
    assert reason(scored(0, 0, 0)) == "missing.no_right_answer"


def test_board_toml_stands_before_everything() -> None:
    data = scored(0.1, 0, 0.5, steps=1, options={"reward_scale": (0.0, 0.5)})
    assert rate(data).value == pytest.approx([0.2])


def test_board_toml_does_not_hide_a_penalty_that_shows() -> None:
    assert "note.lower_bound" in notes(rate(scored(0.2, -2, 1, options={"reward_scale": (-1, 1)})))


def test_a_span_that_shaping_makes_ambiguous_needs_evidence() -> None:
    assert reason(scored(0.2, -1, 1, config=OVERLONG)) == "missing.range_ambiguous"
    gsm8k = {**OVERLONG, "data": {"train_files": "/data/gsm8k/train.parquet"}}
    assert rate(scored(0.2, -1, 1, config=gsm8k)).value == pytest.approx([0.2] * STEPS)
    dapo = {**OVERLONG, "data": {"train_files": "/data/dapo-math-17k.parquet"}}
    assert rate(scored(0.2, -1, 1, config=dapo)).value == pytest.approx([0.6] * STEPS)
    own = {**gsm8k, "custom_reward_function": {"path": "my_reward.py"}}
    assert reason(scored(0.2, -1, 1, config=own)) == "missing.range_ambiguous"


def test_validation_with_score_and_accuracy_proves_the_scale_at_once() -> None:
    validation = {
        "val-core/aime/acc/mean@32": {0: 0.1, 10: 0.25},
        "val-aux/aime/score/mean@32": {0: -0.8, 10: -0.5},
    }
    found = rate(scored(0.0, -1, 1, steps=1, columns=validation))
    assert found.value == pytest.approx([0.5])
    assert found.derived is not None
    assert found.derived.values["source"] == "validation"


def test_values_off_the_grid_reveal_partial_credit() -> None:
    sizes = {"data": {"train_batch_size": 4}, "actor_rollout_ref": {"rollout": {"n": 4}}}
    assert notes(rate(scored(0.3, 0, 1, config=sizes))) == {"note.off_grid"}
    assert notes(rate(scored(5 / 16, 0, 1, config=sizes))) == set()


def test_filtered_batches_are_not_the_pass_rate_of_the_policy() -> None:
    data = scored(0.1, -1, 1, columns={"train/num_gen_batches": [2.0] * STEPS})
    assert "note.filtered" in notes(rate(data))


def test_rewards_stand_in_for_a_missing_score() -> None:
    values = {"mean": 0.0, "min": -1.0, "max": 1.0}
    found = rate(FakeRun({f"critic/rewards/{name}": [value] * 5 for name, value in values.items()}))
    assert (found.source, notes(found)) == ("critic/rewards/mean", {"note.fallback.pass_rate"})


def test_a_negative_mean_is_a_share_and_not_worse_than_chance() -> None:
    assert rate(scored(-0.643, -1, 1)).value == pytest.approx([0.1785] * STEPS)


def test_shaping_may_push_the_share_below_zero_but_nothing_above_one() -> None:
    assert "note.pass_out_of_range" not in notes(rate(scored(-1.2, -2, 1)))
    told = {"reward_scale": (0.0, 1.0)}
    assert "note.pass_out_of_range" in notes(rate(scored(1.2, 0, 1, options=told)))
