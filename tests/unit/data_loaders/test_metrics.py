from __future__ import annotations

from collections import Counter

import pytest

from components.text import metric_caveats, metric_meanings, metrics
from data_loaders.metrics import METRICS, aliases_in, find_metric, key_factor, logged_metric


def test_names_are_unique() -> None:
    assert not [name for name, times in Counter(metric.name for metric in METRICS).items() if times > 1]


def test_a_key_as_logged_belongs_to_one_metric() -> None:
    for sft in (False, True):
        aliases = (aliases_in(metric, sft=sft) for metric in METRICS if not metric.derived)
        keys = Counter(key for keys in aliases for key in keys)
        assert not [key for key, times in keys.items() if times > 1]


def test_the_loss_is_what_the_run_trains_on() -> None:
    found = {sft: logged_metric("loss", sft=sft) for sft in (False, True)}
    assert {sft: metric and metric.name for sft, metric in found.items()} == {False: "loss", True: "sft_loss"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("grad_norm", "grad_norm"),
        ("actor/grad_norm", "grad_norm"),
        ("actor/entropy", "entropy"),
        ("actor/entropy_loss", "entropy"),
        ("mfu/actor", "mfu"),
        ("timing/gen", "gen_time"),
        ("actor/perf/max_memory_allocated_gb", "memory_allocated"),
        ("training/rollout_actor_probs_pearson_corr", "deviation"),
        ("critic/score/mean", "score_mean"),  # as logged it is the score, not the pass rate
        ("critic/rewards/mean", "reward_mean"),
        ("actor/pg_loss", "pg_loss"),
    ],
)
def test_find_by_canonical_or_logged_name(name: str, expected: str) -> None:
    found = find_metric(name)
    assert found is not None
    assert found.name == expected


@pytest.mark.parametrize("name", ["verifier_model_critic/rewards/mean", "analysis/wH_sum", "actor", ""])
def test_a_key_of_ones_own_is_no_metric(name: str) -> None:
    assert find_metric(name) is None


@pytest.mark.parametrize(
    ("key", "factor"),
    [
        ("actor/lr(1e-4)", 1e-4),
        ("train/lr(1e-3)", 1e-3),
        ("actor/lr", 1.0),
        ("train/time(s)", 1.0),
        ("train/total_tokens(B)", 1.0),
    ],
)
def test_factor_of_a_key_that_names_its_unit(key: str, factor: float) -> None:
    assert key_factor(key) == factor


def test_every_metric_unit_and_group_has_text() -> None:
    wanted = {metric.text for metric in METRICS}
    wanted |= {f"metric_unit.{metric.unit}" for metric in METRICS}
    wanted |= {f"metric_group.{metric.group}" for metric in METRICS}
    assert wanted == set(metrics.TEXT)


def test_every_metric_is_explained_and_no_other() -> None:
    assert {f"{metric.text}.meaning" for metric in METRICS} == set(metric_meanings.TEXT)
    assert set(metric_caveats.TEXT) <= {f"{metric.text}.caveat" for metric in METRICS}
