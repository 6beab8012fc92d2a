"""Every published fact about data, tested on the demo's logs as the loader reads them (see `fact_table`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from data_loaders.board_config import load_config
from data_loaders.derive import config as configuration
from data_loaders.derive.algorithm import detect as algorithm_of
from data_loaders.derive.canonical import curve
from data_loaders.derive.episodes import Episode, detect
from data_loaders.derive.health import HEALTH_METRICS
from data_loaders.derive.hours import StepHours, hours
from data_loaders.derive.trends import trend
from data_loaders.read import read_log
from data_loaders.runs import RunView, assemble, duplicate_steps, missing_steps
from data_loaders.scan import scan
from data_loaders.schema import Curve, FloatArray, IntArray
from tests.fact_table import AIME, SCORE, Fact, cells, facts, found, growth, passes, spent

ON_PAGES = {
    "2B-01": "the subtitle is rendered text",
    "2B-03": "the badge is rendered text",
    "2B-04": "the range of the comparison charts is drawn",
    "2B-12": "the empty state of math_500 is rendered text",
    "2B-33": "the dashed line is drawn",
    "2B-41": "the run's own charts are drawn",
    "2B-48": "the coverage text is rendered",
    "4B-01": "the subtitle is rendered text",
    "4B-32": "the remaining time is rendered text",
    "4B-39": "the two traces are drawn",
    "4B-40": "the slope chart is drawn",
    "4B-41": "the order of hours is drawn",
}
"""Facts whose data is tested here and whose appearance is tested with the pages."""


Runs = Mapping[tuple[str, str], RunView]
"""(track, label) -> run."""


@pytest.fixture(scope="module")
def runs(demo: Path) -> Runs:
    config = load_config(demo / "board.toml")
    views: dict[tuple[str, str], RunView] = {}
    for experiment in scan(config.logs, config).experiments:
        logs = [read_log(path) for path in experiment.logs]
        settings, source, _ = configuration.resolved([log.facts for log in logs])
        assert source == "config"
        (view,) = assemble(experiment, logs, settings)
        views[view.run.track, view.run.label] = view
    return views


NUMERIC = [fact for fact in facts() if not fact.statistic.startswith("check:")]


@pytest.mark.parametrize("fact", NUMERIC, ids=[fact.name for fact in NUMERIC])
def test_published_number(fact: Fact, runs: Runs) -> None:
    track = fact.id[:2].lower()
    others = [[runs[track, label] for label in group.split("+")] for group in fact.against.split()]
    for label in fact.run.split():
        for number in found(runs[track, label], others, fact):
            assert not fact.low or number >= float(fact.low) - 1e-9
            assert not fact.high or number <= float(fact.high) + 1e-9


# What a number cannot say.


def setting(view: RunView, path: str) -> object:
    return configuration.get(view.run.config, path)


def of_track(runs: Runs, track: str) -> dict[str, RunView]:
    return {label: view for (place, label), view in runs.items() if place == track}


def hardware(runs: Runs, track: str) -> None:
    gpus, words = {
        "2b": (2, ("2×A100-80GB", "non-thinking", "16K")),
        "4b": (4, ("4×A100-80GB", "TP=4", "offload", "non-thinking", "16K")),
    }[track]
    for view in of_track(runs, track).values():
        for text in view.run.options["hardware"]:
            assert all(word in text for word in words)
        assert setting(view, "trainer.n_gpus_per_node") == gpus
        assert setting(view, "data.apply_chat_template_kwargs.enable_thinking") is False
        if track == "4b":
            assert setting(view, "actor_rollout_ref.rollout.tensor_model_parallel_size") == 4
            assert setting(view, "actor_rollout_ref.actor.fsdp_config.param_offload") is False
            assert setting(view, "actor_rollout_ref.actor.fsdp_config.optimizer_offload") is False


def archived_snapshot(runs: Runs, track: str) -> None:
    view = runs[track, "E1"]
    assert [(part.first, part.last) for part in view.run.segments] == [(1, 129), (129, 150)]
    assert [launch.kind for log in view.run.facts for launch in log.launches] == ["fresh", "resume"]
    assert view.run.facts[1].launches[0].resumed_from == 128
    assert duplicate_steps(view) == (129,)
    assert view.run.options["window"] == (1, 129)


def no_step_yet(runs: Runs, track: str) -> None:
    view = runs[track, "E5"]
    assert view.run.last is None
    assert view.run.keys == ()
    assert view.run.facts[0].end == ""
    assert setting(view, "trainer.total_training_steps") == 150


def window(runs: Runs, track: str) -> None:
    assert {view.run.options["window"] for view in of_track(runs, track).values()} == {(1, 129)}


def validation_steps(runs: Runs, track: str) -> None:
    for label in ("E1", "E2", "E3", "E4"):
        view = runs[track, label]
        assert cells(view, AIME)[0].tolist() == [25, 50, 75, 100, 125, 150]
        assert view.run.options["validation_items"]["aime24"] == 30
    for view in of_track(runs, track).values():
        assert setting(view, "trainer.test_freq") == 25
        assert setting(view, "actor_rollout_ref.rollout.val_kwargs.do_sample") is False
        assert setting(view, "actor_rollout_ref.rollout.val_kwargs.n") == 1


def batch(runs: Runs, track: str) -> None:
    for view in of_track(runs, track).values():
        assert setting(view, "data.train_batch_size") == 32
        assert setting(view, "actor_rollout_ref.rollout.n") == 8
    for label in ("E1", "E3", "E4"):
        score = cells(runs[track, label], SCORE)[1]
        assert np.all(score * 128 == np.rint(score * 128))
    shaped = cells(runs[track, "E2"], SCORE)[1]
    assert np.mean(shaped * 128 == np.rint(shaped * 128)) < 0.05
    assert cells(runs[track, "E2"], "critic/score/min")[1].min() == -2


def pass_rate_formula(runs: Runs, track: str) -> None:
    for label in ("E1", "E3", "E4"):
        view = runs[track, label]
        assert view.run.options["reward_scale"] == (-1, 1)
        assert set(cells(view, "critic/score/min")[1]) == {-1.0}
        assert set(cells(view, "critic/score/max")[1]) == {1.0}
    for view in of_track(runs, track).values():
        if view.run.last is not None:
            step, value = canonical(view, "pass_rate")
            assert np.array_equal(step, passes(view)[0])
            assert value == pytest.approx(passes(view)[1] / 100)


def validation_sets(runs: Runs, track: str) -> None:
    for view in of_track(runs, track).values():
        assert view.run.options["validation_items"] == {"aime24": 30, "math_500": 500}
        assert view.run.options["validation_key"] == "val-core/math_500/acc/mean@1"
        assert not any("math_500" in key for key in view.run.keys)


def response_cap(runs: Runs, track: str) -> None:
    for view in of_track(runs, track).values():
        assert setting(view, "data.max_response_length") == 16384 == view.run.options["response_cap"]
    assert cells(runs[track, "E1"], "response_length/max")[1].max() == 16384


def canonical(view: RunView, metric: str) -> tuple[IntArray, FloatArray]:
    read = curve(view, metric)
    assert isinstance(read, Curve), read
    return read.step, read.value


def episodes(view: RunView) -> tuple[Episode, ...]:
    """Episodes of a run, as the pages show them."""
    curves = [curve(view, metric.name) for metric in HEALTH_METRICS]
    return detect({read.metric: (read.step, read.value) for read in curves if isinstance(read, Curve)})


def e3_episode(runs: Runs, track: str) -> None:
    (episode,) = episodes(runs[track, "E3"])
    assert (episode.start, episode.end, episode.peak) == (133, 140, 136)
    assert episode.metrics == ("grad_norm", "entropy", "ppo_kl", "clip_share")
    assert episode.recovered
    assert {event.recovered_at for event in episode.events} == {141}
    directions = {event.metric: event.direction for event in episode.events}
    assert directions == {"grad_norm": "up", "entropy": "down", "ppo_kl": "up", "clip_share": "up"}


def quiet_e5(runs: Runs, track: str) -> None:
    assert episodes(runs[track, "E5"]) == ()


def kl_loss_rises(runs: Runs, track: str) -> None:
    found = trend(*cells(runs[track, "E1"], "actor/kl_loss"))
    assert found is not None
    assert found.direction == "rising"
    assert found.low > 0
    assert episodes(runs[track, "E1"]) == ()


def only_rising_entropy(runs: Runs, track: str) -> None:
    trends = {label: trend(*cells(view, "actor/entropy")) for label, view in of_track(runs, track).items()}
    assert {label for label, found in trends.items() if found and found.direction == "rising"} == {"E2"}
    assert {label for label, found in trends.items() if found and found.slope < 0} >= {"E1", "E3", "E4"}


ACTOR = "actor_rollout_ref.actor"


def trains_with(algorithm: str, view: RunView, settings: Mapping[str, object]) -> None:
    for path, value in settings.items():
        assert setting(view, path) == value, path
    detected = algorithm_of(view.run.config, view.run.id, view)
    assert (detected.algorithm, detected.variant, detected.confidence) == (algorithm, "", "config")


def grpo(runs: Runs, track: str) -> None:
    trains_with("grpo", runs[track, "E1"], {
        "algorithm.adv_estimator": "grpo", "algorithm.norm_adv_by_std_in_grpo": True,
        f"{ACTOR}.use_kl_loss": True, f"{ACTOR}.kl_loss_type": "low_var_kl", f"{ACTOR}.kl_loss_coef": 1e-3,
    })  # fmt: skip
    assert {"actor/kl_loss", "timing_s/ref"} <= set(runs[track, "E1"].run.keys)


def dapo(runs: Runs, track: str) -> None:
    trains_with("dapo", runs[track, "E2"], {
        "algorithm.adv_estimator": "grpo", "algorithm.filter_groups.enable": True,
        f"{ACTOR}.clip_ratio_low": 0.2, f"{ACTOR}.clip_ratio_high": 0.28, f"{ACTOR}.use_kl_loss": False,
        "reward.reward_manager.name": "dapo", "reward.reward_kwargs.overlong_buffer_cfg.enable": True,
    })  # fmt: skip
    assert not {"actor/kl_loss", "timing_s/ref", "train/num_gen_batches"} & set(runs[track, "E2"].run.keys)


def drgrpo(runs: Runs, track: str) -> None:
    trains_with("dr_grpo", runs[track, "E3"], {
        "algorithm.adv_estimator": "grpo", "algorithm.norm_adv_by_std_in_grpo": False,
        f"{ACTOR}.loss_agg_mode": "seq-mean-token-sum-norm", f"{ACTOR}.use_kl_loss": False,
    })  # fmt: skip
    assert cells(runs[track, "E3"], "critic/advantages/max")[1].max() == 1.75


def rloo(runs: Runs, track: str) -> None:
    trains_with("rloo", runs[track, "E4"], {
        "algorithm.adv_estimator": "rloo", f"{ACTOR}.use_kl_loss": True,
        f"{ACTOR}.kl_loss_type": "low_var_kl", f"{ACTOR}.kl_loss_coef": 1e-3,
    })  # fmt: skip
    assert cells(runs[track, "E4"], "critic/advantages/max")[1].max() == 2


def reinforcepp(runs: Runs, track: str) -> None:
    trains_with("reinforce_pp", runs[track, "E5"], {
        "algorithm.adv_estimator": "reinforce_plus_plus", f"{ACTOR}.use_kl_loss": True,
        f"{ACTOR}.kl_loss_type": "mse",
    })  # fmt: skip
    assert np.abs(cells(runs[track, "E5"], "critic/advantages/mean")[1]).max() < 1e-6


LOGS = {
    "2b": {
        "E1": "20260712_185929", "E2": "20260714_110612", "E3": "20260715_114131", "E4": "20260717_180634",
    },
    "4b": {
        "E1": "20260714_125151", "E3": "20260717_105706", "E4": "20260718_184125", "E5": "20260720_063429",
    },
}  # fmt: skip


def log_names(runs: Runs, track: str) -> None:
    for label, stamp in LOGS[track].items():
        assert Path(runs[track, label].run.logs[0]).name == f"train_{stamp}.log"


def start_up_log(runs: Runs, track: str) -> None:
    run = runs[track, "E2"].run
    assert all(re.match(r"train_20260716_02\d{4}\.log$", Path(log).name) for log in run.logs)
    assert [log.step_lines for log in run.facts] == [0, 150]


def hours_2b(runs: Runs, track: str) -> None:
    totals = [spent(runs["2b", label])[1].sum() / 3600 for label in ("E1", "E2", "E3", "E4")]
    assert (round(min(totals), 1), round(max(totals), 1)) == (21.2, 26.8)


def next_validation(runs: Runs, track: str) -> None:
    view = runs[track, "E5"]
    assert setting(view, "trainer.total_training_steps") == view.run.facts[0].planned_steps == 150
    assert view.run.last is not None
    assert setting(view, "trainer.test_freq") == view.run.last + 4
    assert missing_steps(view) == ()


def rank_reversal(runs: Runs, track: str) -> None:
    def grown(place: str, last: int) -> dict[str, float]:
        views = {label: view for label, view in of_track(runs, place).items() if label != "E5"}
        return {label: growth(cells(view, "response_length/mean")[1][:last]) for label, view in views.items()}

    small, large = grown("2b", 129), grown("4b", 150)
    assert max(small, key=small.__getitem__) == "E3" == min(large, key=large.__getitem__)
    assert max(large, key=large.__getitem__) == "E1"


CHECKS: Mapping[str, Callable[[Runs, str], None]] = {
    check.__name__: check
    for check in (
        hardware, archived_snapshot, no_step_yet, window, validation_steps, batch, pass_rate_formula,
        validation_sets, response_cap, e3_episode, grpo, kl_loss_rises, dapo, drgrpo, rloo, log_names,
        only_rising_entropy, hours_2b, next_validation, quiet_e5, reinforcepp, start_up_log, rank_reversal,
    )
}  # fmt: skip
NAMED = [
    (fact.id, fact.statistic.removeprefix("check:"))
    for fact in facts()
    if fact.statistic.startswith("check:")
]


@pytest.mark.parametrize(("fact", "check"), NAMED, ids=[f"{fact} {check}" for fact, check in NAMED])
def test_published_statement(fact: str, check: str, runs: Runs) -> None:
    CHECKS[check](runs, fact[:2].lower())


def test_every_published_fact_is_tested() -> None:
    published = {f"2B-{n:02d}" for n in range(1, 55)} | {f"4B-{n:02d}" for n in range(1, 42)}
    assert len(published) == 95
    assert {fact.id for fact in facts()} == published
    assert ON_PAGES.keys() <= published
    assert {check for _, check in NAMED} == CHECKS.keys()


@pytest.mark.parametrize("track", ["2b", "4b", "multimodal"])
def test_quiet_runs_show_no_instability(track: str, runs: Runs) -> None:
    for label, view in of_track(runs, track).items():
        if view.run.last is None or (track, label) == ("2b", "E3"):
            continue
        assert [episode for episode in episodes(view) if episode.severity >= 2] == [], label


@pytest.mark.parametrize("track", ["2b", "4b", "multimodal"])
def test_hours_hold_testing_and_superseded_steps(track: str, runs: Runs) -> None:
    for label, view in of_track(runs, track).items():
        if view.run.last is not None:
            read = hours(view)
            assert isinstance(read, StepHours), label
            assert read.total.sum() == pytest.approx(spent(view)[1].sum() / 3600), label


@pytest.mark.parametrize(("track", "start", "end"), [("2b", 0.437, 0.130), ("4b", 0.250, 0.108)])
def test_dr_grpo_entropy_per_token_starts_where_the_others_do(
    track: str, start: float, end: float, runs: Runs
) -> None:
    step, value = canonical(runs[track, "E3"], "entropy")
    last = {"2b": 129, "4b": 150}[track]
    assert value[step == 1] == pytest.approx(start, abs=0.005)
    assert value[(step > last - 5) & (step <= last)].mean() == pytest.approx(end, abs=0.005)
    firsts = [canonical(runs[track, label], "entropy")[1][0] for label in ("E1", "E2", "E3", "E4")]
    assert max(firsts) - min(firsts) < 0.05


def test_isolated_gradient_spikes_are_notes(runs: Runs) -> None:
    found = [(episode.start, episode.end, episode.metrics) for episode in episodes(runs["4b", "E2"])]
    assert found == [(43, 43, ("grad_norm",)), (59, 59, ("grad_norm",))]
