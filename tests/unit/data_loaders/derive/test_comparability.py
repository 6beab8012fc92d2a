"""Settings that give one name several meanings, the order of prompts, and agreement at the first step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from data_loaders.derive import comparability
from data_loaders.derive.canonical import Units, curve
from data_loaders.derive.comparability import Aspect, Shown, differences
from data_loaders.derive.config import get
from data_loaders.derive.invariant import first_step, same_start
from data_loaders.derive.pairing import obstacles
from data_loaders.derive.settings import config_of
from data_loaders.derive.validation import main_validation, validations
from data_loaders.schema import Curve, Note
from tests.unit.data_loaders.fake_run import FakeRun

STEPS = 8
PLAIN: dict[str, Any] = {
    "response_length/mean": (800.0,) * STEPS,
    "actor/entropy": (0.4,) * STEPS,
    "actor/loss": (0.01,) * STEPS,
    "critic/score/mean": (0.0,) * STEPS,
    "critic/score/min": (-1.0,) * STEPS,
    "critic/score/max": (1.0,) * STEPS,
}


def config(**changes: Any) -> dict[str, Any]:
    """A nested config; `a__b=1` sets a.b."""
    made: dict[str, Any] = {
        "algorithm": {"adv_estimator": "grpo"},
        "data": {"train_files": "/data/a.parquet", "train_batch_size": 32, "seed": None},
        "actor_rollout_ref": {"model": {"path": "/m"}, "rollout": {"n": 8}},
    }
    for path, value in changes.items():
        inner = made
        *parents, last = path.split("__")
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return made


def run(columns: dict[str, Any] | None = None, **changes: Any) -> FakeRun:
    return FakeRun(columns=PLAIN | (columns or {}), config=config(**changes))


def shown(data: FakeRun, metric: str, units: Units = "token") -> Shown:
    found = curve(data, metric, units=units)
    return Shown(data, metric, found if isinstance(found, Curve) else None)


def differing(metric: str, *runs: FakeRun, units: Units = "token") -> list[str]:
    told = {str(nth): shown(data, metric, units) for nth, data in enumerate(runs)}
    return [found.aspect.id for found in differences(told)]


HORIZON = {
    "actor_rollout_ref__actor__loss_agg_mode": "seq-mean-token-sum-norm",
    "data__max_response_length": 1600,
}
KL = {"actor_rollout_ref__actor__use_kl_loss": True, "actor_rollout_ref__actor__kl_loss_type": "low_var_kl"}
SHAPED = {"reward_model__overlong_buffer": {"enable": True, "len": 100, "penalty_factor": 1.0}}


def test_runs_that_mean_the_same_carry_no_remark() -> None:
    for metric in ("entropy", "loss", "pass_rate", "response_length", "hours"):
        assert differing(metric, run(), run()) == []


@pytest.mark.parametrize(
    ("changes", "metric", "aspects"),
    [
        (HORIZON, "loss", ["aggregation"]),
        (HORIZON, "response_length", []),
        (KL, "grad_norm", ["kl"]),
        (KL, "entropy", ["kl"]),
        (KL, "pass_rate", []),
        (SHAPED, "pass_rate", ["shaping"]),
        (SHAPED, "entropy", []),
        ({"actor_rollout_ref__actor__clip_ratio_high": 0.28}, "clip_share", ["clip"]),
    ],
)
def test_only_the_charts_concerned_are_marked(
    changes: dict[str, Any], metric: str, aspects: list[str]
) -> None:
    extra = {"actor/pg_clipfrac": (0.01,) * STEPS, "actor/grad_norm": (0.3,) * STEPS}
    assert differing(metric, run(extra), run(extra, **changes)) == aspects


def test_entropy_in_token_units_is_comparable_and_as_logged_is_not() -> None:
    other = run({"actor/entropy": (0.2,) * STEPS}, **HORIZON)
    assert differing("entropy", run(), other) == []
    assert differing("entropy", run(), other, units="logged") == ["aggregation"]


def test_filtering_counts_when_it_ran_not_when_it_is_configured() -> None:
    configured = run(algorithm__filter_groups__enable=True)
    ran = run({"train/num_gen_batches": (2.0,) * STEPS})
    assert differing("pass_rate", run(), configured) == []
    assert differing("pass_rate", run(), ran) == ["filtering"]


def test_old_and_new_versions_are_told_apart() -> None:
    old = {key: cells for key, cells in PLAIN.items() if key != "actor/loss"}
    old["actor/pg_loss"] = (0.01,) * STEPS
    assert "version" in differing("loss", run(), FakeRun(columns=old, config=config()))


def test_rounded_logs_beside_exact_ones() -> None:
    values = [0.0012, 0.0024, 0.0035, 0.0046, 0.0057, 0.0018, 0.0029, 0.0031]
    exact = {"actor/kl_loss": values, "actor/grad_norm": [0.31234] * STEPS}
    rounded = {"actor/kl_loss": np.round(values, 3).tolist(), "actor/grad_norm": [0.312] * STEPS}
    found = differing("kl_loss", run(exact, **KL), run(rounded, **KL))
    assert found == ["decimals"]


def test_zero_one_and_plus_minus_one_rewards_are_not_compared_silently_C33() -> None:
    zero_one = run({"critic/score/min": (0.0,) * STEPS, "critic/score/mean": (0.5,) * STEPS})
    assert differing("pass_rate", run(), zero_one) == ["scale"]
    for data in (run(), zero_one):
        found = curve(data, "pass_rate")
        assert isinstance(found, Curve)
        assert found.value.tolist() == [0.5] * STEPS, "each by its own scale"


def test_greedy_and_averaged_validations_are_different_quantities_C55() -> None:
    one, many = (
        FakeRun(columns={key: {25: 0.3, 50: 0.24}})
        for key in ("val-core/aime24/acc/mean@1", "val-core/aime24/acc/mean@32")
    )
    told = {
        str(nth): Shown(data, "validation", validation=main_validation(validations(data)))
        for nth, data in enumerate((one, many))
    }
    (found,) = differences(told)
    assert found.aspect.id == "samples"
    both = FakeRun(columns={**one.columns, **many.columns})
    assert [(v.samples, v.step.size) for v in validations(both)] == [(1, 2), (32, 2)], "never one curve"


# ---- the order of prompts ----


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, []),
        ({"algorithm__adv_estimator": "rloo"}, []),
        ({"data__seed": 7}, ["pair.seed"]),
        ({"data__train_batch_size": 64}, ["pair.batch"]),
        ({"data__train_files": "/data/b.parquet"}, ["pair.data"]),
        ({"data__shuffle": False}, ["pair.shuffle"]),
        ({"data__train_batch_size": 64, "data__seed": 1}, ["pair.batch", "pair.seed"]),
    ],
)
def test_what_breaks_the_pairing(changes: dict[str, Any], why: list[str]) -> None:
    assert [note.key for note in obstacles(run().run, run(**changes).run)] == why


def test_a_run_that_drops_groups_sees_prompts_of_its_own() -> None:
    ran = run({"train/num_gen_batches": (2.0,) * STEPS})
    assert [note.key for note in obstacles(run().run, ran.run)] == ["pair.filtering"]


def test_without_a_config_the_order_is_not_known() -> None:
    assert [note.key for note in obstacles(run().run, FakeRun(columns=PLAIN).run)] == ["pair.unknown"]


# ---- the first step ----


def test_agreement_at_the_first_step() -> None:
    runs = {
        "a": run(),
        "b": run({"response_length/mean": (845.0,) * STEPS}),
        "c": run({"actor/entropy": (0.424,) * STEPS}),
    }
    entropy, length, rate = first_step(runs)
    assert (entropy.metric, entropy.middle) == ("entropy", 0.4)
    assert entropy.allowed == pytest.approx(0.02)
    assert entropy.apart == ("c",)
    assert (length.middle, length.apart) == (800, ("b",))
    assert length.allowed == pytest.approx(40)
    assert rate.middle == 0.5
    # Two errors of a difference of two batches of 32 × 8 at 50 % and ρ 0.5.
    assert rate.allowed == pytest.approx(2 * np.sqrt(2) * np.sqrt(0.25 / 256 * 4.5))
    assert rate.apart == ()


def test_shaped_runs_are_left_out_of_the_pass_rate_and_named() -> None:
    runs = {"a": run(), "b": run(), "c": run({"critic/score/mean": (-0.9,) * STEPS}, **SHAPED)}
    *_, rate = first_step(runs)
    assert (set(rate.values), rate.left_out) == ({"a", "b"}, ("c",))


def test_logged_units_break_the_agreement_and_token_units_restore_it() -> None:
    runs = {"a": run(), "b": run(), "c": run({"actor/entropy": (0.2,) * STEPS}, **HORIZON)}
    token, logged = first_step(runs, "token")[0], first_step(runs, "logged")[0]
    assert token.apart == ()
    assert logged.apart == ("c",)


def test_only_runs_of_one_model_have_one_start() -> None:
    runs = {
        "a": run(),
        "b": run(),
        "c": run(actor_rollout_ref__model__path="/other"),
        "late": FakeRun(columns={"actor/entropy": {130: 0.2}}, config=config()),
    }
    assert [set(group) for group in same_start(runs)] == [{"a", "b"}]


def test_a_new_aspect_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(one: Shown) -> Note:
        return Note("differs.mode", {"mode": get(config_of(one.data.run), "trainer.name")})

    entry = Aspect("trainer", frozenset({"entropy"}), told)
    monkeypatch.setattr(comparability, "ASPECTS", (*comparability.ASPECTS, entry))
    assert differing("entropy", run(trainer__name="a"), run(trainer__name="b")) == ["trainer"]
