from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from data_loaders.derive.canonical import curve
from data_loaders.metrics import METRICS
from data_loaders.schema import Curve, Missing, SegmentPolicy
from tests.unit.data_loaders.fake_run import FakeRun, facts

SUM_NORM = "seq-mean-token-sum-norm"
LENGTH = "response_length/mean"


def config(**actor: Any) -> dict[str, Any]:
    return {"actor_rollout_ref": {"actor": actor}, "data": {"max_response_length": 16384}}


def drawn(data: FakeRun, metric: str, units: Any = "token", policy: SegmentPolicy = "last") -> Curve:
    found = curve(data, metric, units=units, policy=policy)
    assert isinstance(found, Curve), found
    return found


def reason(data: FakeRun, metric: str) -> str:
    found = curve(data, metric)
    assert isinstance(found, Missing), found
    return found.why.key


def notes(found: Curve) -> set[str]:
    return {note.key for note in found.notes}


# -- Entropy and KL per token ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("logged", "length", "per_token"),
    [(0.081, 5300, 0.250), (0.048, 7300, 0.108), (0.27, 10300, 0.429), (0.10, 12600, 0.130)],
)
def test_entropy_of_a_fixed_horizon_becomes_per_token(logged: float, length: float, per_token: float) -> None:
    data = FakeRun(
        {"actor/entropy": [logged], "response_length/mean": [length]}, config(loss_agg_mode=SUM_NORM)
    )
    found = drawn(data, "entropy")
    assert found.value[0] == pytest.approx(per_token, abs=6e-4)
    assert found.derived is not None
    assert found.derived.key == "derived.token_level"
    assert found.derived.values["horizon"] == 16384
    assert drawn(data, "entropy", "logged").value[0] == logged
    assert "note.not_per_token" in notes(drawn(data, "entropy", "logged"))


def test_an_aggregation_computed_from_single_tokens_is_undone_exactly() -> None:
    rng = np.random.default_rng(3)
    lengths = rng.integers(200, 900, size=32)
    tokens = [rng.gamma(2.0, 0.2, size=n) for n in lengths]
    factor = 1000.0
    logged = float(np.mean([entropy.sum() for entropy in tokens]) / factor)
    data = FakeRun(
        {"actor/entropy": [logged], "response_length/mean": [float(lengths.mean())]},
        config(loss_agg_mode=SUM_NORM, loss_scale_factor=factor),
    )
    assert drawn(data, "entropy").value[0] == pytest.approx(float(np.concatenate(tokens).mean()), rel=1e-12)


def test_a_sum_without_divisor_is_divided_by_the_length() -> None:
    columns = {"actor/entropy": [150.0], "response_length/mean": [500.0]}
    data = FakeRun(columns, config(loss_agg_mode="seq-mean-token-sum"))
    assert drawn(data, "entropy").value[0] == pytest.approx(0.3)


def test_token_mean_stays_as_logged() -> None:
    data = FakeRun({"actor/entropy": [0.4], "response_length/mean": [500.0]}, config())
    found = drawn(data, "entropy")
    assert (found.value[0], found.derived, found.notes) == (0.4, None, ())


def test_kl_loss_follows_the_same_aggregation() -> None:
    columns = {"actor/kl_loss": [0.01], "response_length/mean": [8192.0]}
    assert drawn(FakeRun(columns, config(loss_agg_mode=SUM_NORM)), "kl_loss").value[0] == pytest.approx(0.02)


def test_steps_without_length_are_left_out_and_counted() -> None:
    data = FakeRun(
        {"actor/entropy": [0.1, 0.1, 0.1], "response_length/mean": {1: 8192.0, 3: 4096.0}},
        config(loss_agg_mode=SUM_NORM),
    )
    found = drawn(data, "entropy")
    assert found.step.tolist() == [1, 3]
    assert found.value == pytest.approx([0.2, 0.4])
    lost = next(note for note in found.notes if note.key == "note.steps_without_length")
    assert lost.values["n"] == 1


def test_a_scale_that_cannot_be_true_is_left_as_logged() -> None:
    data = FakeRun(
        {"actor/entropy": [20.0], "response_length/mean": [5300.0]}, config(loss_agg_mode=SUM_NORM)
    )
    found = drawn(data, "entropy")
    assert found.value[0] == 20.0
    assert "note.token_implausible" in notes(found)


def test_without_configuration_the_aggregation_is_called_unknown() -> None:
    lengths = {"response_length_non_aborted/mean": [5.0], "response_length/mean": [5.0]}
    data = FakeRun({"actor/entropy": [0.4], **lengths})
    assert notes(drawn(data, "entropy")) == {"note.aggregation_unknown"}


def test_logs_from_before_aggregation_modes_are_per_token() -> None:
    data = FakeRun({"actor/entropy_loss": [0.4], "response_length/mean": [5.0]})
    assert drawn(data, "entropy").notes == ()


# -- Names and units -----------------------------------------------------------------------------------


def test_a_renamed_key_is_one_curve() -> None:
    data = FakeRun({"actor/entropy_loss": {1: 0.5, 2: 0.4}, "actor/entropy": {3: 0.3}}, config())
    found = drawn(data, "entropy")
    assert found.step.tolist() == [1, 2, 3]
    assert found.value.tolist() == [0.5, 0.4, 0.3]
    assert notes(found) == {"note.renamed"}


def test_the_newer_name_wins_where_both_are_logged() -> None:
    data = FakeRun({"actor/entropy_loss": [0.5, 0.4], "actor/entropy": [0.6, 0.7]}, config())
    assert drawn(data, "entropy").value.tolist() == [0.6, 0.7]


def test_a_unit_in_the_key_is_applied() -> None:
    assert drawn(FakeRun({"actor/lr(1e-4)": [0.01]}), "lr").value[0] == 1e-6
    assert drawn(FakeRun({"train/lr(1e-3)": [0.003]}, logs=(facts(kind="sft"),)), "lr").value[0] == 3e-6


def test_loss_falls_back_on_the_policy_loss_and_says_so() -> None:
    found = drawn(FakeRun({"actor/pg_loss": [0.1]}), "loss")
    assert found.source == "actor/pg_loss"
    assert notes(found) == {"note.fallback.loss"}
    assert notes(drawn(FakeRun({"actor/pg_loss": [0.1], "actor/loss": [0.2]}), "loss")) == set()


def test_a_key_of_ones_own_is_drawn_as_logged() -> None:
    found = drawn(FakeRun({"actor/lr(1e-4)": [0.01]}), "actor/lr(1e-4)")
    assert found.value[0] == 0.01
    assert reason(FakeRun({"actor/grad_norm": [1.0]}), "analysis/x") == "missing.not_logged"


def test_loss_under_another_aggregation_is_marked_incomparable() -> None:
    data = FakeRun({"actor/grad_norm": [0.1]}, config(loss_agg_mode=SUM_NORM))
    assert "note.loss_scale" in notes(drawn(data, "grad_norm"))


# -- Losses that redefine a key ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "key", "metric", "expected"),
    [
        ("gspo", "actor/pg_clipfrac", "clip_share", "note.clip_of_sequences"),
        ("sapo", "actor/pg_clipfrac", "clip_share", "note.clip_constant"),
        ("geo-mean", "actor/pg_clipfrac", "clip_share", "note.clip_upper_side"),
        ("geo_mean", "actor/pg_clipfrac_lower", "dual_clip_share", "note.clip_lower_side"),
        ("kl_cov", "actor/ppo_kl", "ppo_kl", "note.kl_absolute"),
    ],
)
def test_a_loss_that_gives_a_key_another_meaning_is_told(
    mode: str, key: str, metric: str, expected: str
) -> None:
    zeros = {key: [0.0] * 6}
    assert notes(drawn(FakeRun(zeros, config(policy_loss={"loss_mode": mode})), metric)) == {expected}
    usual = notes(drawn(FakeRun(zeros, config(policy_loss={"loss_mode": "vanilla"})), metric))
    assert expected not in usual


def test_without_an_old_policy_the_kl_is_that_to_the_rollout_engine() -> None:
    bypass = {"algorithm": {"rollout_correction": {"bypass_mode": True}}}
    assert "note.kl_to_rollout" in notes(drawn(FakeRun({"actor/ppo_kl": [0.1, 0.2]}, bypass), "ppo_kl"))


# -- Values that mean nothing --------------------------------------------------------------------------


def test_deviation_is_one_minus_the_correlation() -> None:
    found = drawn(FakeRun({"training/rollout_actor_probs_pearson_corr": [0.9995, 0.999]}), "deviation")
    assert found.value == pytest.approx([5e-4, 1e-3])


def test_a_correlation_of_exactly_zero_is_left_out_and_counted() -> None:
    found = drawn(FakeRun({"training/rollout_actor_probs_pearson_corr": [0.9995, 0.0, 0.999]}), "deviation")
    assert found.step.tolist() == [1, 3]
    (note,) = found.notes
    assert (note.key, note.values) == ("note.correlation_zero", {"n": 1, "step": 2})


def test_correlations_that_are_all_zero_are_no_curve() -> None:
    data = FakeRun({"training/rollout_actor_probs_pearson_corr": [0.0] * 3})
    assert reason(data, "deviation") == "missing.correlation_zero"


def test_utilisation_of_zero_is_not_supported_rather_than_zero() -> None:
    assert reason(FakeRun({"perf/mfu/actor": [0.0] * 8}), "mfu") == "missing.mfu_unsupported"


def test_utilisation_above_one_is_no_record() -> None:
    found = drawn(FakeRun({"perf/mfu/actor": [0.4, 1.018, 0.41]}), "mfu")
    assert found.value.tolist() == [0.4, 0.41]
    note = next(note for note in found.notes if note.key == "note.above_one")
    assert note.values == {"n": 1, "highest": 1.018, "step": 2}


def test_nan_and_infinity_are_kept_and_named() -> None:
    found = drawn(FakeRun({"actor/grad_norm": [1.0, math.nan, math.inf, 2.0]}), "grad_norm")
    assert found.value.size == 4
    assert math.isnan(found.value[1])
    note = next(note for note in found.notes if note.key == "note.not_finite")
    assert note.values == {"n": 2, "step": 2}


def test_a_constant_zero_is_pointed_out_where_zero_is_not_health() -> None:
    zeros = [0.0] * 6
    assert notes(drawn(FakeRun({"actor/ppo_kl": zeros}), "ppo_kl")) == {"note.zero_on_policy"}
    assert notes(drawn(FakeRun({"actor/pg_clipfrac_lower": zeros}), "dual_clip_share")) == set()
    cut = drawn(FakeRun({"response_length/clip_ratio": zeros}), "truncation")
    assert notes(cut) == {"note.zero_truncation"}


# -- Logs with three decimals ----------------------------------------------------------------------------


def rounded(**columns: list[float]) -> FakeRun:
    keys = {"kl": "actor/ppo_kl", "lr": "actor/lr", "entropy": "actor/entropy", "length": LENGTH}
    cells = {keys[name]: values for name, values in columns.items()}
    return FakeRun({"timing_s/gen": [12.345, 11.987], **cells})


def test_zeros_of_a_rounded_log_are_not_known_to_be_zero() -> None:
    data = rounded(kl=[0.0, -0.0], lr=[0.0, 0.0])
    assert reason(data, "ppo_kl") == "missing.precision"
    assert reason(data, "lr") == "missing.precision"


def test_rounded_values_are_drawn_with_a_remark_where_rounding_shows() -> None:
    data = rounded(kl=[0.001, 0.002], entropy=[0.012, 0.02], length=[812.123, 800.5])
    assert "note.precision" in notes(drawn(data, "ppo_kl"))
    assert "note.rounded" in notes(drawn(data, "entropy"))
    assert notes(drawn(data, "response_length")) == set()


def test_a_full_log_with_zero_kl_is_exactly_zero() -> None:
    data = FakeRun({"actor/ppo_kl": [0.0, 0.0], "timing_s/gen": [12.3456789, 11.98765]})
    assert drawn(data, "ppo_kl").value.tolist() == [0.0, 0.0]


# -- Cut lines and resumes -------------------------------------------------------------------------------


def test_gaps_in_a_log_with_cut_lines_are_explained() -> None:
    cells = {1: 1.0, 2: 1.0, 4: 1.0}
    found = drawn(FakeRun({"actor/grad_norm": cells}, logs=(facts(cut_lines=(7,)),)), "grad_norm")
    assert notes(found) == {"note.cut_lines"}
    assert notes(drawn(FakeRun({"actor/grad_norm": cells}), "grad_norm")) == set()


def test_superseded_values_come_on_request_with_their_segment() -> None:
    data = FakeRun({"actor/grad_norm": [1.0, 2.0, 3.0]}, resumed={"actor/grad_norm": {3: 30.0, 4: 40.0}})
    assert drawn(data, "grad_norm").value.tolist() == [1.0, 2.0, 30.0, 40.0]
    every = drawn(data, "grad_norm", policy="all")
    assert every.value.tolist() == [1.0, 2.0, 3.0, 30.0, 40.0]
    assert every.segment is not None
    assert every.segment.tolist() == [0, 0, 0, 1, 1]
    assert every.superseded is not None
    assert every.superseded.tolist() == [False, False, True, False, False]


def test_each_segment_is_converted_with_its_own_length() -> None:
    data = FakeRun(
        {"actor/entropy": [0.1, 0.1], "response_length/mean": [8192.0, 8192.0]},
        config(loss_agg_mode=SUM_NORM),
        resumed={"actor/entropy": {2: 0.1}, "response_length/mean": {2: 4096.0}},
    )
    assert drawn(data, "entropy", policy="all").value == pytest.approx([0.2, 0.2, 0.4])


# -- Why there is none -----------------------------------------------------------------------------------

MODERN = {"response_length/mean": [5.0], "response_length_non_aborted/mean": [5.0], "actor/loss": [0.0]}
OLD = {"response_length/mean": [5.0], "perf/throughput": [1.0], "actor/entropy": [0.1]}


def actor(**settings: Any) -> dict[str, Any]:
    return {"actor_rollout_ref": {"actor": settings}}


def rollout(**settings: Any) -> dict[str, Any]:
    return {"actor_rollout_ref": {"rollout": settings}}


@pytest.mark.parametrize(
    ("metric", "settings", "expected"),
    [
        ("kl_loss", {}, "missing.kl_off"),
        ("kl_loss", {"algorithm": {"use_kl_in_reward": True}}, "missing.kl_loss_off"),
        ("kl_loss", actor(use_kl_loss=True), "missing.not_logged"),
        ("reward_kl", {}, "missing.kl_reward_off"),
        ("ref_time", {}, "missing.kl_off"),
        ("entropy", {}, "missing.entropy_off"),
        ("entropy", {"algorithm": {"rollout_correction": {"bypass_mode": True}}}, "missing.bypass"),
        ("deviation", {}, "missing.log_probs_off"),
        ("deviation", rollout(calculate_log_probs=True), "missing.not_logged"),
        ("clip_share", actor(policy_loss={"loss_mode": "gpg"}), "missing.no_clip"),
        ("vf_loss", {"algorithm": {"adv_estimator": "grpo"}}, "missing.no_critic"),
        ("vf_loss", {}, "missing.not_logged"),
        ("gen_batches", {}, "missing.filter_off"),
        ("gen_batches", {"algorithm": {"filter_groups": {"enable": True}}}, "missing.filter_not_executed"),
        ("testing_time", {"trainer": {"test_freq": -1}}, "missing.no_testing"),
        ("testing_time", {"trainer": {"test_freq": 25}}, "missing.first_at"),
        ("testing_time", {"trainer": {"test_freq": 1}}, "missing.not_logged"),
        ("save_time", {"trainer": {"save_freq": -1}}, "missing.no_saving"),
        ("sft_loss", {}, "missing.not_sft"),
    ],
)
def test_the_configuration_explains_an_absent_metric(
    metric: str, settings: dict[str, Any], expected: str
) -> None:
    assert reason(FakeRun(MODERN, {"data": {"seed": None}, **settings}), metric) == expected


def test_without_configuration_nothing_is_guessed() -> None:
    assert reason(FakeRun(MODERN), "kl_loss") == "missing.not_logged"


def test_one_log_of_dynamic_sampling_proves_that_it_ran() -> None:
    enabled = {"algorithm": {"filter_groups": {"enable": True}}}
    data = FakeRun({**MODERN, "train/num_gen_batches": [2.0]}, enabled)
    assert reason(data, "evicted") == "missing.not_logged"


def test_an_old_version_explains_more_than_a_switch() -> None:
    data = FakeRun(OLD, {"data": {"seed": None}})
    found = curve(data, "deviation")
    assert isinstance(found, Missing)
    assert (found.why.key, found.why.values["since"]) == ("missing.version", "v0.6")
    assert reason(data, "probs_diff") == "missing.log_probs_off"


def test_runs_without_training_steps_say_so() -> None:
    assert reason(FakeRun({}), "grad_norm") == "missing.no_steps"
    assert reason(FakeRun({"val-core/aime/acc/mean@1": {0: 0.1}}), "grad_norm") == "missing.not_yet"
    assert reason(FakeRun({"train/loss": [1.0]}, logs=(facts(kind="sft"),)), "pass_rate") == "missing.sft"


def test_every_metric_can_be_asked_of_any_run() -> None:
    for data in (FakeRun({}), FakeRun(MODERN), FakeRun(OLD, config(loss_agg_mode=SUM_NORM))):
        for metric in METRICS:
            assert isinstance(curve(data, metric.name), Curve | Missing)
