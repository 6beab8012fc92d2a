from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from components.text import detection
from data_loaders import catalog
from data_loaders.derive.algorithm import Detected, detect
from tests.unit.data_loaders.fake_run import FakeRun, facts

BASE: dict[str, Any] = {
    "actor_rollout_ref": {
        "actor": {
            "clip_ratio_low": 0.2,
            "clip_ratio_high": 0.2,
            "loss_agg_mode": "token-mean",
            "policy_loss": {"loss_mode": "vanilla"},
            "ppo_mini_batch_size": 16,
            "ppo_epochs": 1,
            "use_kl_loss": False,
        },
        "rollout": {"n": 8},
    },
    "algorithm": {
        "adv_estimator": "grpo",
        "norm_adv_by_std_in_grpo": True,
        "use_kl_in_reward": False,
        "kl_ctrl": {"type": "fixed", "kl_coef": 0.001},
    },
    "data": {"train_batch_size": 32},
}
NO_STD = {"algorithm.norm_adv_by_std_in_grpo": False}
FIXED = {"actor_rollout_ref.actor.loss_agg_mode": "seq-mean-token-sum-norm"}
CLIP = {"actor_rollout_ref.actor.clip_ratio_high": 0.28}
FILTER = {"algorithm.filter_groups": {"enable": True, "metric": "acc"}}
PENALTY = {"enable": True, "len": 4096, "penalty_factor": 1.0}
OVERLONG = {"reward.reward_kwargs.overlong_buffer_cfg": PENALTY}
MANAGER = {"reward.reward_manager.name": "dapo"}
KL_LOSS = {
    "actor_rollout_ref.actor.use_kl_loss": True,
    "actor_rollout_ref.actor.kl_loss_type": "low_var_kl",
    "actor_rollout_ref.actor.kl_loss_coef": 0.001,
}


def config(*changes: dict[str, Any]) -> dict[str, Any]:
    made = deepcopy(BASE)
    for path, value in (pair for change in changes for pair in change.items()):
        *parents, last = path.split(".")
        inner = made
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return made


def estimator(name: str) -> dict[str, Any]:
    return {"algorithm.adv_estimator": name}


def loss(mode: str) -> dict[str, Any]:
    return {"actor_rollout_ref.actor.policy_loss": {"loss_mode": mode}}


def flags(found: Detected) -> set[str]:
    return {flag.key for flag in found.flags}


def states(found: Detected) -> dict[str, str]:
    return {part.key.removeprefix("part."): part.state for part in found.parts}


@pytest.mark.parametrize(
    ("changes", "algorithm", "variant"),
    [
        # The five published experiments.
        ([KL_LOSS], "grpo", ""),
        ([CLIP, FILTER, OVERLONG, MANAGER], "dapo", ""),
        ([NO_STD, FIXED], "dr_grpo", ""),
        ([estimator("rloo"), KL_LOSS], "rloo", ""),
        ([estimator("reinforce_plus_plus"), KL_LOSS], "reinforce_pp", ""),
        # Neighbours of GRPO.
        ([], "grpo", ""),
        ([estimator("grpo_vectorized")], "grpo", ""),
        ([NO_STD], "grpo", "variant.no_std"),
        ([FIXED], "grpo", "variant.fixed_horizon"),
        ([NO_STD, FIXED, CLIP], "dr_grpo", ""),
        ([NO_STD, FIXED, OVERLONG], "grpo", "variant.no_std_fixed_horizon"),
        ([NO_STD, FIXED, CLIP, OVERLONG], "dapo", "variant.dr_normalisation"),
        ([CLIP], "grpo", ""),
        ([CLIP, OVERLONG], "dapo", "variant.dapo_in_part"),
        ([CLIP, MANAGER], "dapo", "variant.dapo_in_part"),
        ([CLIP, FILTER, OVERLONG, MANAGER, KL_LOSS], "dapo", "variant.dapo_in_part"),
        (
            [CLIP, FILTER, OVERLONG, {"actor_rollout_ref.actor.loss_agg_mode": "seq-mean-token-mean"}],
            "dapo", "variant.dapo_in_part",
        ),
        ([OVERLONG], "grpo", ""),
        ([MANAGER], "grpo", ""),
        # A critic or a special loss comes first.
        ([estimator("gae")], "ppo", ""),
        ([{"critic.enable": True}], "ppo", ""),
        ([loss("gspo"), CLIP, OVERLONG], "gspo", ""),
        ([loss("clip-cov")], "clip_cov", ""),
        ([loss("vanilla")], "grpo", ""),
        # Other estimators by their own names.
        ([estimator("reinforce_plus_plus_baseline")], "reinforce_pp_baseline", ""),
        ([estimator("remax")], "remax", ""),
        ([estimator("gpg")], "gpg", ""),
        ([estimator("rloo_vectorized"), NO_STD, FIXED], "rloo", ""),
    ],
)
def test_decision_from_the_configuration(changes: list[dict[str, Any]], algorithm: str, variant: str) -> None:
    found = detect(config(*changes), "")
    assert (found.algorithm, found.variant, found.confidence) == (algorithm, variant, "config")


def test_an_unknown_estimator_is_never_guessed() -> None:
    found = detect(config(estimator("my_own")), "grpo_run")
    assert (found.algorithm, found.name, found.estimator) == ("custom", "my_own", "my_own")


@pytest.mark.parametrize(
    "place",
    [
        "reward.reward_kwargs.overlong_buffer_cfg",
        "reward_model.reward_kwargs.overlong_buffer_cfg",
        "reward_model.overlong_buffer",
    ],
)
def test_the_overlong_penalty_is_found_under_every_name(place: str) -> None:
    assert states(detect(config(CLIP, {place: PENALTY}), ""))["overlong"] == "on"


def test_parts_of_dapo_are_shown_one_by_one() -> None:
    found = detect(config(CLIP, OVERLONG), "")
    assert states(found) == {
        "clip_higher": "on",
        "dynamic_sampling": "off",
        "token_mean": "on",
        "overlong": "on",
        "no_std": "off",
        "fixed_horizon": "off",
    }


@pytest.mark.parametrize(
    ("data", "state", "warned"),
    [
        (None, "configured", False),
        (FakeRun({}), "configured", False),
        (FakeRun({"critic/score/mean": [0.1]}), "not_executed", True),
        (FakeRun({"train/num_gen_batches": [1.0]}), "on", False),
        (FakeRun({"training/filter_groups/evicted_samples": [1.0]}), "on", False),
    ],
)
def test_dynamic_sampling_needs_proof_from_the_log(data: FakeRun | None, state: str, warned: bool) -> None:
    found = detect(config(CLIP, FILTER, OVERLONG), "", data)
    assert states(found)["dynamic_sampling"] == state
    assert ("warning.filter_not_executed" in flags(found)) == warned


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], "flag.no_kl"),
        ([KL_LOSS], "flag.kl_loss"),
        ([{"algorithm.use_kl_in_reward": True}], "flag.kl_reward"),
        ([CLIP], "flag.clip_asymmetric"),
        ([{"data.train_batch_size": 16}], "flag.on_policy"),
        ([estimator("rloo"), KL_LOSS], "flag.rloo_loss_kl"),
        ([{"actor_rollout_ref.rollout.n": 1}], "warning.single_response"),
        ([FIXED], "warning.no_scale_factor"),
        ([{"algorithm.rollout_correction": {"rollout_is": "token"}}], "flag.rollout_correction"),
        ([{"algorithm.rollout_is": True, "algorithm.rollout_is_threshold": 2.0}], "flag.rollout_correction"),
        ([{"actor_rollout_ref.actor.tis_imp_ratio_cap": 2.0}], "flag.rollout_correction"),
    ],
)
def test_flags(changes: list[dict[str, Any]], expected: str) -> None:
    assert expected in flags(detect(config(*changes), ""))


@pytest.mark.parametrize(
    ("changes", "absent"),
    [
        ([KL_LOSS], "flag.no_kl"),
        ([], "flag.on_policy"),
        ([{"data.train_batch_size": 16, "actor_rollout_ref.actor.ppo_epochs": 2}], "flag.on_policy"),
        ([estimator("reinforce_plus_plus"), {"actor_rollout_ref.rollout.n": 1}], "warning.single_response"),
        ([FIXED, {"actor_rollout_ref.actor.loss_scale_factor": 16384}], "warning.no_scale_factor"),
        ([{"algorithm.rollout_correction": {"rollout_is": None}}], "flag.rollout_correction"),
        ([{"actor_rollout_ref.actor.tis_imp_ratio_cap": -1}], "flag.rollout_correction"),
    ],
)
def test_flags_that_do_not_hold(changes: list[dict[str, Any]], absent: str) -> None:
    assert absent not in flags(detect(config(*changes), ""))


def test_a_script_whose_name_promises_another_algorithm() -> None:
    found = detect(config(), "dapo_qwen_2b")
    assert found.algorithm == "grpo"
    warning = next(flag for flag in found.flags if flag.key == "warning.name_disagrees")
    assert warning.values == {"named": "DAPO"}
    assert "warning.name_disagrees" not in flags(detect(config(), "e1_grpo_2b"))


def test_a_dump_from_before_the_switch_takes_the_kl_from_the_reward() -> None:
    old = {"algorithm": {"adv_estimator": "gae", "kl_ctrl": {"type": "fixed", "kl_coef": 0.001}}}
    assert "flag.kl_reward" in flags(detect(old, ""))


def test_overrides_alone_use_the_defaults() -> None:
    words = {"actor_rollout_ref": {"actor": {"optim": {"lr": 1e-6}}}}
    found = detect(words, "", source="overrides")
    assert (found.algorithm, found.confidence) == ("ppo", "overrides")
    assert "flag.no_kl" in flags(found)


@pytest.mark.parametrize(
    ("name", "algorithm"), [("e3_drgrpo_2b", "dr_grpo"), ("e5_reinforce++_4b", "reinforce_pp")]
)
def test_the_name_counts_without_configuration(name: str, algorithm: str) -> None:
    found = detect({}, name, FakeRun({"critic/values/mean": [0.1]}))
    assert (found.algorithm, found.confidence) == (algorithm, "name")


def advantages(top: float, mean: float = 0.02, **more: list[float]) -> FakeRun:
    scores = {f"critic/score/{name}": cells for name, cells in more.items()}
    return FakeRun({"critic/advantages/max": [top] * 3, "critic/advantages/mean": [mean] * 3, **scores})


@pytest.mark.parametrize(
    ("data", "algorithm"),
    [
        (advantages(2.4748), "grpo"),  # (8 − 1) / √8
        (advantages(1.7888), "grpo"),  # (5 − 1) / √5
        (advantages(2.4748, min=[-1.5] * 3), "dapo"),
        (advantages(2.0), "rloo"),
        (advantages(1.75), "dr_grpo"),  # 2 · 7/8
        (advantages(3.1, mean=2e-7), "reinforce_pp"),
        (advantages(3.1), "unknown"),
        (advantages(0.0, mean=0.0), "unknown"),
        (FakeRun({"critic/values/mean": [0.1]}), "ppo"),
        (FakeRun({"actor/grad_norm": [0.1]}), "unknown"),
    ],
)
def test_fingerprints_are_the_last_resort(data: FakeRun, algorithm: str) -> None:
    found = detect({}, "run", data)
    assert found.algorithm == algorithm
    assert found.confidence == ("none" if algorithm == "unknown" else "fingerprint")


def test_dynamic_sampling_that_ran_tells_dapo_from_grpo() -> None:
    data = FakeRun({"critic/advantages/max": [2.4748] * 3, "train/num_gen_batches": [2.0] * 3})
    found = detect({}, "run", data)
    assert (found.algorithm, flags(found)) == ("dapo", {"flag.seen_filter"})


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"actor/kl_loss": [0.01], "timing_s/ref": [3.0]}, {"flag.seen_kl_loss"}),
        ({"timing_s/ref": [3.0]}, {"flag.seen_reference"}),
        ({"actor/reward_kl_penalty": [0.01]}, {"flag.seen_kl_reward"}),
        ({"critic/score/min": [-1.5]}, {"flag.seen_overlong"}),
        ({"critic/score/min": [-1.0]}, set()),
    ],
)
def test_metrics_alone_prove_some_settings(columns: dict[str, list[float]], expected: set[str]) -> None:
    assert flags(detect({}, "my_grpo_run", FakeRun(columns))) == expected
    assert not flags(detect(config(KL_LOSS), "", FakeRun(columns))) & expected


def test_a_name_that_the_advantages_contradict() -> None:
    found = detect({}, "e1_grpo_2b", advantages(2.0))
    assert (found.algorithm, found.confidence) == ("grpo", "name")
    (warning,) = found.flags
    assert (warning.key, warning.values) == ("warning.values_disagree", {"seen": "RLOO"})
    assert not detect({}, "e2_dapo_2b", advantages(2.4748)).flags
    assert not detect({}, "e4_rloo_2b", advantages(2.0)).flags


def test_supervised_fine_tuning_has_no_rl_algorithm() -> None:
    data = FakeRun({"train/loss": [1.0]}, logs=(facts(kind="sft"),))
    assert detect(config(), "grpo", data).algorithm == "sft"


def test_every_algorithm_of_the_catalogue_is_found_by_its_settings() -> None:
    for entry in catalog.ALGORITHMS:
        for name in (*entry.estimators, *entry.loss_modes):
            changes = [estimator(name)] if name in entry.estimators else [loss(name)]
            found = detect(config(*changes, KL_LOSS), "")
            assert found.algorithm == entry.id
            assert flags(found) | {part.key for part in found.parts} <= set(detection.TEXT)
