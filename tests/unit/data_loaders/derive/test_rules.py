"""Health rules: each fires where its source says and not a step earlier; how often on real logs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from data_loaders.derive import rules
from data_loaders.derive.rule_tests import Hit, above
from data_loaders.derive.rules import MEASURED, RULES, Fired, Rule, fired
from tests.bench.bench_rules import measured
from tests.unit.data_loaders.fake_run import Cells, FakeRun

NAN = float("nan")


def hits(columns: Mapping[str, Cells], **more: object) -> dict[str, Hit]:
    return {one.rule.id: one.hit for one in fired(FakeRun(columns=columns), **more)}  # type: ignore[arg-type]


def test_every_rule_is_named_once_with_a_source() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == sorted(set(ids), key=lambda id_: int(id_[1:]))
    assert all(rule.source and rule.metrics for rule in RULES)


COLLAPSE = {
    "response_length/mean": (274.5, 254.8, 112.5, 60.4, 91.3),
    "training/reward": (0.548, 0.580, 0.138, 0.147, 0.235),
    "critic/score/mean": (0.434, 0.563, 0.396, 0.432, 0.439),
}
"""Steps 1–5 of a collapsed run, as its owner posted them."""


def test_collapse_by_length_and_unfiltered_reward_C19() -> None:
    """Half of the first two lengths is 132.3, two fifths of the first two rewards 0.2256: both at step 4."""
    found = hits(COLLAPSE)
    assert {id_: hit.step for id_, hit in found.items()} == {"R5": 4, "R7": 4}
    assert found["R5"].limit == pytest.approx(0.5 * (274.5 + 254.8) / 2)
    assert found["R7"].limit == pytest.approx(0.4 * (0.548 + 0.580) / 2)
    filtered = {key: cells for key, cells in COLLAPSE.items() if key != "training/reward"}
    assert "R7" not in hits(filtered), "critic/score/mean is filtered and does not show the fall"


@pytest.mark.parametrize(("value", "fires"), [(0.00499, False), (0.005, True), (0.0051, True)])
def test_normal_means_below_the_limit_C25(value: float, fires: bool) -> None:
    columns: dict[str, Cells] = {
        "training/rollout_probs_diff_mean": (value,) * 6,
        "training/rollout_actor_probs_pearson_corr": (0.999,) * 6,
    }
    assert ("R12" in hits(columns)) is fires
    assert "R18" not in hits(columns)


def test_correlation_falls_long_before_the_reward_C27() -> None:
    reward = [0.3 + 0.01 * step for step in range(40)] + [0.9, 0.2, 0.1, 0.1, 0.1]
    columns: dict[str, Cells] = {
        "training/rollout_actor_probs_pearson_corr": np.linspace(0.95, 0.5, 45).tolist(),
        "training/reward": reward,
    }
    found = hits(columns)
    assert found["R18"].step == 1
    assert found["R7"].step == 44
    assert found["R18"].step < found["R7"].step


def test_sudden_nan_names_the_last_good_step_C37() -> None:
    norm = [0.2] * 30 + [NAN] * 3
    found = hits({"actor/grad_norm": norm, "critic/score/mean": [0.5] * 30 + [0.0] * 3})
    assert (found["R1"].step, found["R1"].last_good, found["R1"].held) == (31, 30, 3)


def test_one_spike_is_no_alarm_and_two_in_a_row_are() -> None:
    calm = [0.1] * 12
    assert "R9" not in hits({"actor/grad_norm": [*calm, 3.0, 0.1, 0.1]})
    found = hits({"actor/grad_norm": [*calm, 3.0, 2.0, 0.1]})
    assert (found["R9"].step, found["R9"].value) == (14, 2.0)
    assert found["R9"].limit == pytest.approx(1.0)


def test_a_median_near_zero_is_no_baseline() -> None:
    assert "R9" not in hits({"actor/grad_norm": [1e-5] * 12 + [0.05, 0.05]})


def test_falling_entropy_is_told_only_where_the_score_stalls() -> None:
    entropy = np.linspace(0.4, 0.01, 60)
    rising = np.linspace(0.2, 0.9, 60)
    assert "R26" not in hits({"actor/entropy": entropy.tolist(), "critic/score/mean": rising.tolist()})
    flat = np.where(np.arange(60) % 2, 0.5, 0.51)
    assert "R26" in hits({"actor/entropy": entropy.tolist(), "critic/score/mean": flat.tolist()})


def test_zero_signal_needs_both_ends_of_the_advantages() -> None:
    both: dict[str, Cells] = {"critic/advantages/max": (1.0, 0.0), "critic/advantages/min": (-1.0, 0.0)}
    assert hits(both)["R4"].step == 2
    assert "R4" not in hits({**both, "critic/advantages/min": (-1.0, -0.5)})


def test_a_peak_that_was_lost_is_reported_with_its_step_C47() -> None:
    """247 → 264 at 20 → 239 at 100 of 601 items."""
    cells = {0: 247 / 601, 20: 264 / 601, 100: 239 / 601}
    found = hits({"val-core/geo/acc/mean@1": cells})
    assert found["R37"].step == 20
    assert found["R37"].value == pytest.approx(239 / 601)


def test_sets_that_go_apart() -> None:
    found = hits(
        {
            "val-core/gsm8k/acc/mean@1": {0: 0.221, 50: 0.6, 100: 0.879},
            "val-core/math/acc/mean@1": {0: 0.514, 50: 0.51, 100: 0.499},
        }
    )
    assert found["R38"].value == pytest.approx(0.499 / 0.514 - 1)


def test_slow_drift_is_a_trend() -> None:
    noise = np.random.default_rng(3).normal(0, 0.0004, (2, 40))
    key = "training/rollout_probs_diff_mean"
    assert "R19" in hits({key: (np.linspace(0.001, 0.0045, 40) + noise[0] / 4).tolist()})
    assert "R19" not in hits({key: (0.002 + noise[1] / 4).tolist()})


def test_rules_can_be_switched_off() -> None:
    assert set(hits(COLLAPSE, off=("R5",))) == {"R7"}


def test_a_healthy_run_is_left_alone() -> None:
    rng = np.random.default_rng(0)
    columns: dict[str, Cells] = {
        "actor/grad_norm": (0.3 + 0.02 * rng.standard_normal(80)).tolist(),
        "response_length/mean": (900 + 20 * rng.standard_normal(80)).tolist(),
        "actor/entropy": (np.linspace(0.4, 0.3, 80) + 0.01 * rng.standard_normal(80)).tolist(),
        "critic/score/mean": (np.linspace(0.3, 0.6, 80) + 0.03 * rng.standard_normal(80)).tolist(),
        "critic/advantages/mean": (0.01 * rng.standard_normal(80)).tolist(),
    }
    found: list[Fired] = list(fired(FakeRun(columns=columns)))
    assert found == []


def test_stated_false_alarms_are_those_of_real_logs(corpus: Path, tmp_path: Path) -> None:
    assert dict(MEASURED) == dict(measured(corpus, tmp_path))


def test_readmes_state_the_false_alarms() -> None:
    root = Path(__file__).resolve().parents[4]
    wrong = [rule for rule, found in MEASURED.items() if found.healthy[0]]
    right = [rule for rule, found in MEASURED.items() if found.collapsed[0] == 2]
    assert all(MEASURED[rule].healthy[0] == 1 for rule in wrong)
    english = (root / "README.md").read_text("utf-8")
    assert f"{', '.join(wrong[:-1])} and {wrong[-1]} fired on one each" in english
    assert f"{', '.join(right[:-1])} and {right[-1]} fired on both" in english
    chinese = (root / "README.zh.md").read_text("utf-8")
    assert f"{'、'.join(wrong)} 各误报 1 次" in chinese
    assert f"{'、'.join(right)} 两次都报出" in chinese


def test_a_new_rule_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Rule("R99", ("actor/lr",), above(), 1.0, "this test")
    monkeypatch.setattr(rules, "RULES", (*RULES, entry))
    assert "R99" in hits({"actor/lr": (0.5, 2.0)})
