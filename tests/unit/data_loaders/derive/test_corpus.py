"""Real public logs: what is derived from them agrees with what their authors configured and logged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from data_loaders.derive.algorithm import Detected, detect
from data_loaders.derive.canonical import curve
from data_loaders.derive.config import flatten, get, resolved
from data_loaders.derive.hours import StepHours, hours, step_times
from data_loaders.derive.status import pace, status
from data_loaders.derive.validation import main_validation, validations
from data_loaders.metrics import METRICS
from data_loaders.read import read_log
from data_loaders.runs import RunView, assemble
from data_loaders.schema import Curve, Missing

pytestmark = pytest.mark.corpus

DAPO = "cluster_verl__train.out"
QWEN = "verl_data__qwen05b_gsm8k_0.567.log"
GEMMA = "verl_data__gemma2b_gsm8k_0.640.log"
LOGIC = "logic_rl__samples_between_steps.log"
COLLAPSE = "agent_opd__20251129_221801-i80f2v90.log"
SFT = "agent_opd__20251206_135812-3h3y3nvn.log"


@dataclass(frozen=True)
class Experiment:
    id: str
    label: str = ""
    track: str = "other"
    algorithm: str = "unknown"
    options: dict[str, Any] = field(default_factory=dict)


@cache
def view_of(path: Path) -> RunView:
    (view,) = assemble(Experiment(path.stem), [read_log(path)])
    config = resolved(view.run.facts).config
    return replace(view, run=replace(view.run, config=config))


def detected(path: Path, name: str = "") -> Detected:
    view = view_of(path)
    config, source, _ = resolved(view.run.facts)
    return detect(config, name, view, source=source)


def drawn(path: Path, metric: str) -> Curve:
    found = curve(view_of(path), metric)
    assert isinstance(found, Curve), found
    return found


def absent(path: Path, metric: str) -> str:
    found = curve(view_of(path), metric)
    assert isinstance(found, Missing), found
    return found.why.key


@pytest.mark.parametrize(
    ("name", "settings", "path", "value"),
    [
        (DAPO, 309, "reward_model.sandbox_fusion.url", None),  # stands after five foreign lines
        (DAPO, 309, "trainer.worker_nsight_options.capture-range", "cudaProfilerApi"),
        (GEMMA, 96, "trainer.experiment_name", "gemma2b_function_rm"),  # a message is glued to it
        (GEMMA, 96, "critic.model.path", "sft_model_path/global_step_58"),  # lost, but on the command line
        (QWEN, 99, "trainer.total_epochs", 15),
        ("logic_rl__init_only.log", 126, "data.val_files", "./data/kk/3/test.parquet"),
        ("chrisytz__no_step_tpu.log", 241, "data.train_batch_size", 128),
        ("verl_maze__crash_before_step1.log", 147, "trainer.val_before_train", False),
    ],
)
def test_broken_dumps_are_read_whole(
    corpus: Path, name: str, settings: int, path: str, value: object
) -> None:
    config, source, _ = resolved(view_of(corpus / name).run.facts)
    assert source == "config"
    assert get(config, path, "lost") == value
    assert len(flatten(config)) == settings


def test_the_dapo_run_is_recognised_with_the_parts_that_are_on(corpus: Path) -> None:
    found = detected(corpus / DAPO)
    assert (found.algorithm, found.confidence, found.estimator) == ("dapo", "config", "grpo")
    assert found.variant == "variant.dapo_in_part"
    assert {part.key: part.state for part in found.parts} == {
        "part.clip_higher": "on",
        "part.dynamic_sampling": "off",
        "part.token_mean": "on",
        "part.overlong": "on",
        "part.no_std": "off",
        "part.fixed_horizon": "off",
    }
    assert {flag.key: dict(flag.values) for flag in found.flags} == {
        "flag.no_kl": {},
        "flag.clip_asymmetric": {"low": 0.2, "high": 0.28},
        "flag.group_size": {"n": 16},
    }


@pytest.mark.parametrize(
    ("name", "algorithm", "confidence"),
    [
        (QWEN, "ppo", "config"),
        (GEMMA, "ppo", "config"),
        ("logic_rl__init_only.log", "reinforce_pp", "config"),
        (LOGIC, "reinforce_pp", "fingerprint"),
        (SFT, "sft", "fingerprint"),
        (COLLAPSE, "unknown", "none"),
    ],
)
def test_algorithms_of_other_logs(corpus: Path, name: str, algorithm: str, confidence: str) -> None:
    found = detected(corpus / name)
    assert (found.algorithm, found.confidence) == (algorithm, confidence)


def test_aime_is_found_under_the_name_of_its_reward(corpus: Path) -> None:
    found = main_validation(validations(view_of(corpus / DAPO)))
    assert found is not None
    assert (found.dataset, found.variable, found.statistic) == ("math_dapo", "acc", "mean@32")
    assert found.step.tolist() == list(range(0, 201, 10))
    assert (found.value[0], found.items, found.correct) == (0.015625, 30, None)


def test_a_renamed_validation_is_one_curve(corpus: Path) -> None:
    (found,) = validations(view_of(corpus / GEMMA))
    assert found.step.tolist() == [0, *range(9, 100, 10)]
    assert (found.value[0], found.value[-1]) == (0.521, 0.621)
    assert (found.value.max(), found.step[found.value.argmax()]) == (0.64, 59)


def test_validation_of_the_first_verl(corpus: Path) -> None:
    (found,) = validations(view_of(corpus / QWEN))
    assert (found.step.size, found.value.max(), found.step[found.value.argmax()]) == (43, 0.579, 349)
    assert (found.step[-1], found.value[-1]) == (429, 0.543)


def test_pass_rates(corpus: Path) -> None:
    shaped = drawn(corpus / DAPO, "pass_rate")
    assert "note.lower_bound_by" in {note.key for note in shaped.notes}
    assert drawn(corpus / QWEN, "pass_rate").value[[0, -1]].tolist() == [0.012, 0.707]
    assert drawn(corpus / COLLAPSE, "pass_rate").value[0] == pytest.approx((1 - 0.675976574420929) / 2)
    assert absent(corpus / LOGIC, "pass_rate") == "missing.not_a_pass_rate"


def test_logs_with_three_decimals(corpus: Path) -> None:
    assert absent(corpus / LOGIC, "lr") == "missing.precision"
    assert absent(corpus / GEMMA, "ppo_kl") == "missing.precision"
    assert "note.precision" in {note.key for note in drawn(corpus / QWEN, "ppo_kl").notes}
    assert set(drawn(corpus / QWEN, "lr").value.tolist()) == {1e-6}
    assert not drawn(corpus / DAPO, "ppo_kl").notes


def test_reasons_for_absent_metrics(corpus: Path) -> None:
    assert absent(corpus / DAPO, "kl_loss") == "missing.kl_off"
    assert absent(corpus / DAPO, "deviation") == "missing.version"
    assert absent(corpus / DAPO, "probs_diff") == "missing.log_probs_off"
    assert absent(corpus / DAPO, "vf_loss") == "missing.no_critic"
    assert absent(corpus / LOGIC, "mfu") == "missing.mfu_unsupported"
    assert absent(corpus / SFT, "entropy") == "missing.sft"
    assert absent(corpus / "verl_maze__crash_before_step1.log", "entropy") == "missing.no_steps"


def test_testing_and_saving_are_inside_the_step_up_to_v0_5(corpus: Path) -> None:
    times = step_times(view_of(corpus / DAPO))
    assert times is not None
    assert (times.testing_inside, times.saving_inside) == (True, True)
    total = hours(view_of(corpus / DAPO))
    assert isinstance(total, StepHours)
    logged = view_of(corpus / DAPO).series("timing_s/step")
    assert logged is not None
    assert total.total.sum() == pytest.approx(logged.value.sum() / 3600)


def test_lost_times_are_counted(corpus: Path) -> None:
    found = hours(view_of(corpus / COLLAPSE))
    assert isinstance(found, StepHours)
    assert found.untimed == 26


@pytest.mark.parametrize(
    ("name", "state", "done"),
    [
        (DAPO, "ended", 200),
        (QWEN, "ended", 435),
        (SFT, "stopped", 17),
        ("verl_maze__crash_before_step1.log", "crashed", 0),
        ("agent_opd__20251203_213214-dsx6uos2.log", "crashed", 0),
        (COLLAPSE, "stalled", 261),
        ("chrisytz__no_step_tpu.log", "stalled", 0),
    ],
)
def test_how_the_runs_ended(corpus: Path, name: str, state: str, done: int) -> None:
    view = view_of(corpus / name)
    found = status(view.run, pace(view), now=1e9, mtime=1e9 - 30 * 86400)
    assert (found.state, found.done) == (state, done)


def test_no_metric_of_any_log_fails(corpus: Path) -> None:
    for path in sorted(corpus.glob("*.log")):
        for metric in METRICS:
            assert isinstance(curve(view_of(path), metric.name), Curve | Missing)
