"""Cases that people reported of other boards: what charts, remarks and statistics make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from components.charts import CHARTS
from components.figures import Chart
from components.text import TEXT
from components.view import ChartRun, Selection
from data_loaders.derive.canonical import curve
from data_loaders.derive.config import difference
from data_loaders.derive.intervals import newcombe
from data_loaders.derive.rules import fired
from data_loaders.derive.sampling import sample
from data_loaders.derive.smooth import SMOOTHERS, smooth
from data_loaders.schema import Curve, Json
from tests.unit.components.runs import chart_run, unpacked
from tests.unit.data_loaders.fake_run import FakeRun


def chart(name: str, group: str = "comparison") -> Chart:
    return next(one for one in CHARTS if one.name == name and one.group == group)


def drawn(name: str, *runs: ChartRun, group: str = "comparison") -> Json:
    one = chart(name, group)
    return one.build(one, runs, Selection())


def badges(figure: Json) -> list[str]:
    return [badge["text"][1] for badge in figure["meta"]["badges"]]


def test_reward_and_pass_rate_have_axes_of_their_own_C31() -> None:
    """DAPO: reward −.965 at pass rate .233, −.910 at .267 (NovaSky-AI/SkyRL#2244)."""
    cells: dict[str, Any] = {
        "critic/score/mean": np.linspace(-0.965, -0.91, 40).tolist(),
        "critic/score/min": (-2.0,) * 40,
        "critic/score/max": (1.0,) * 40,
    }
    data = FakeRun(columns=cells)
    reward, rate = curve(data, "score_mean"), curve(data, "pass_rate")
    assert isinstance(reward, Curve)
    assert isinstance(rate, Curve)
    assert (reward.value < 0).all()
    assert (rate.value >= 0).all()
    scored = next(one for one in CHARTS if "score_mean" in one.metrics)
    assert scored.name != "pass_rate"
    assert scored.unit != chart("pass_rate").unit
    assert "below zero does not mean worse" in TEXT["metric.score_mean.caveat"][1]
    assert list(fired(data)) == [], "a reward below zero is no alarm"


def test_a_constant_zero_is_remarked_on_C35() -> None:
    """A clip ratio that is always 0 (THUDM/slime#203)."""
    columns = {"response_length/clip_ratio": (0.0,) * 12, "actor/pg_clipfrac": (0.0,) * 12}
    for metric in ("truncation", "clip_share"):
        found = curve(FakeRun(columns=columns), metric)
        assert isinstance(found, Curve)
        assert any(note.key.startswith("note.zero") for note in found.notes), metric
    assert "all zero" in badges(drawn("clip_share", chart_run("E1", columns=columns), group="experiment"))


def _dapo(overlong: int, path: str = "/m") -> dict[str, Any]:
    return {
        "actor_rollout_ref": {"model": {"path": path}, "actor": {"clip_ratio_high": 0.28}},
        "reward_model": {"overlong_buffer": {"enable": True, "len": overlong}},
    }


def test_four_runs_and_the_one_setting_they_differ_in_C45() -> None:
    """Entropy rises in some of four runs (verl-project/verl#2738)."""
    found = difference([_dapo(819), _dapo(819), _dapo(164), _dapo(164)])
    assert found == {"reward_model.overlong_buffer.len": (819, 819, 164, 164)}
    runs = [
        chart_run(
            f"E{nth}",
            (nth, 0),
            columns={"actor/entropy": np.linspace(0.3, end, 30).tolist()},
            config=_dapo(819),
        )
        for nth, end in enumerate((0.5, 0.28, 0.7, 0.26), 1)
    ]
    figure = drawn("entropy", *runs)
    assert [unpacked(trace["y"])[-1] for trace in figure["data"]] == [0.5, 0.28, 0.7, 0.26]


def test_many_runs_show_only_what_differs_C91() -> None:
    """(SwanHubX/SwanLab#1356)"""
    configs = [
        {"a": {f"k{n}": n for n in range(200)} | {"lr": 1e-6 * (1 + run % 3)}, "seed": 1} for run in range(40)
    ]
    found = difference(configs)
    assert list(found) == ["a.lr"]
    assert len(found["a.lr"]) == 40


def test_a_peak_inside_the_noise_C47() -> None:
    """247 → 264 → 239 of 601 (verl-project/verl-ascend-recipe#21)."""
    for one, other in ((264, 247), (264, 239)):
        low, high = newcombe(one, 601, other, 601)
        assert low < 0 < high
    run = chart_run("E1", columns={"val-core/geo/acc/mean@1": {0: 247 / 601, 20: 264 / 601, 100: 239 / 601}},
                    options={"validation_items": {"geo": 601}})  # fmt: skip
    figure = drawn("validation", run)
    assert figure["data"][0]["text"] == ["247/601", "264/601", "239/601"]
    error = unpacked(figure["data"][0]["error_y"]["array"])
    assert error == pytest.approx([3.97, 3.98, 3.96], abs=0.06)


def test_few_items_name_no_winner_C53() -> None:
    """2, 4, 3, 4, 3 of 30 (mlfoundations/evalchemy#75)."""
    runs = [
        chart_run(f"E{nth}", (nth, 0), columns={"val-core/aime24/acc/mean@1": {100: k / 30}})
        for nth, k in enumerate((2, 4, 3, 4, 3), 1)
    ]
    figure = drawn("validation", *runs)
    assert "within noise" in badges(figure)
    assert any(text.startswith("30 items") for text in badges(figure))
    assert all("error_y" in trace for trace in figure["data"])


def test_runs_of_other_lengths_and_scales_are_both_there_C61() -> None:
    """(tensorflow/tensorboard#150)"""
    short = chart_run("E1", columns={"actor/grad_norm": {1: 900.0, 2: 850.0, 3: 870.0}})
    long = chart_run("E2", (2, 0), columns={"actor/grad_norm": (0.2,) * 500})
    figure = drawn("grad_norm", short, long)
    assert [len(unpacked(trace["x"])) for trace in figure["data"]] == [3, 500]
    assert figure["meta"]["default"] == "window", "without a window: all steps of all runs"


def test_gaps_stay_gaps_C63() -> None:
    """Fifty steps, 1 at every fifth, NaN at the others (wandb/wandb#2202)."""
    cells = [1.0 if step % 5 == 0 else float("nan") for step in range(50)]
    figure = drawn("grad_norm", chart_run("E1", columns={"actor/grad_norm": cells}))
    (raw,) = [trace for trace in figure["data"] if trace["meta"]["role"] == "raw"]
    assert np.isnan(unpacked(raw["y"])).sum() == 40
    found = curve(FakeRun(columns={"actor/grad_norm": cells}), "grad_norm")
    assert isinstance(found, Curve)
    assert [note.values["n"] for note in found.notes if note.key == "note.not_finite"] == [40]


@pytest.mark.parametrize("kind", [smoother.kind for smoother in SMOOTHERS])
def test_smoothing_does_not_depend_on_how_long_a_run_is_C65(kind: str) -> None:
    """The same noise, 100,000 and 10,000 points (tensorflow/tensorboard#1518)."""
    noise = np.random.default_rng(0).standard_normal(100_000)
    steps = np.arange(100_000)
    whole, part = smooth(kind, steps, noise), smooth(kind, steps[:10_000], noise[:10_000])
    assert np.array_equal(whole[:10_000], part, equal_nan=True)


def test_a_narrow_zoom_shows_every_point_C67() -> None:
    """(wandb/wandb#5694)"""
    steps = np.arange(1, 50_001)
    values = np.random.default_rng(1).standard_normal(50_000)
    whole = sample(steps, values)
    assert whole.size > 1
    assert (whole.rows[0], whole.rows[-1]) == (0, 49_999)
    assert {int(values.argmin()), int(values.argmax())} <= set(whole.rows.tolist())
    zoomed = sample(steps, values, (20_000, 20_300))
    assert zoomed.size == 1
    assert set(range(19_999, 20_300)) <= set(zoomed.rows.tolist())
