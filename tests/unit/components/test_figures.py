"""Figures hold the logged values in the unit of the chart, and say what they leave out."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from components import charts
from components.charts import CHARTS, chart_id, figures
from components.figures import Chart, packed
from components.figures_advantage import advantage_chart
from components.figures_lines import line_chart
from components.figures_metric import metric_chart
from components.figures_slope import slope_chart
from components.style import run_key
from components.view import Selection, Slope
from data_loaders.derive.episodes import episodes
from data_loaders.derive.events import events
from data_loaders.derive.smooth import smooth
from data_loaders.schema import Json
from tests.unit.components.runs import chart_run, stepless, unpacked

GRAD = "actor/grad_norm"
SELECTION = Selection()


def chart(name: str, group: str = "comparison") -> Chart:
    return next(entry for entry in CHARTS if entry.name == name and entry.group == group)


def build(name: str, *runs: object, group: str = "comparison", **choice: object) -> Json:
    entry = chart(name, group)
    return entry.build(entry, runs, Selection(**choice))  # type: ignore[arg-type]


def badge_texts(figure: Json) -> list[str]:
    return [badge["text"][1] for badge in figure["meta"]["badges"]]


def test_packed_arrays_keep_what_json_cannot() -> None:
    values = np.array([1.5, math.nan, math.inf, -math.inf])
    assert str(unpacked(packed(values))) == "[1.5, nan, inf, -inf]"
    assert packed(np.array([1, 2]))["dtype"] == "i4"
    assert unpacked(packed(np.array([2**40]))) == [2.0**40]


def test_raw_values_are_drawn_as_logged() -> None:
    run = chart_run("E3", (3, 0), columns={GRAD: {1: 0.2, 2: 0.3, 4: math.nan}})
    figure = build("grad_norm", run)
    (raw,) = figure["data"]
    assert raw["uid"] == f"e3_raw_{run_key('e3')}"
    assert raw["meta"]["role"] == "raw"
    assert unpacked(raw["x"]) == [1, 2, 4]
    assert str(unpacked(raw["y"])) == "[0.2, 0.3, nan]"
    assert "E3: NaN values" not in badge_texts(figure), "a chart of one run needs no name in its remarks"
    assert "NaN values" in badge_texts(figure)


def test_shares_are_scaled_to_the_unit_of_the_chart() -> None:
    shares = {"actor/pg_clipfrac": [0.01, 0.02], "actor/pg_clipfrac_lower": [0.0, 0.001]}
    run = chart_run("E1", columns=shares)
    clip, dual = build("clip_share", run, group="experiment")["data"]
    assert unpacked(clip["y"]) == pytest.approx([1.0, 2.0])
    assert unpacked(dual["y"]) == pytest.approx([0.0, 0.1])
    assert dual["meta"]["series"] == "dual_clip_share"
    assert clip["uid"] != dual["uid"]


def test_pass_rate_is_compared_as_a_trailing_mean_over_the_raw_line() -> None:
    rewards = {"critic/score/mean": [-1.0, 0.0, 1.0, 0.0, 0.0, 1.0], "critic/score/max": [1.0] * 6}
    run = chart_run("E1", columns=rewards | {"critic/score/min": [-1.0] * 6})
    figure = build("pass_rate", run)
    raw, smooth = figure["data"]
    assert unpacked(raw["y"]) == [0, 50, 100, 50, 50, 100]
    assert unpacked(smooth["y"])[4:] == pytest.approx([50, 70])
    assert (smooth["meta"]["role"], smooth["meta"]["window"]) == ("ma", 5)
    assert badge_texts(figure)[0] == "MA 5"


def test_a_pass_rate_is_smoothed_and_named_alike_wherever_it_is_drawn() -> None:
    rewards = {"critic/score/mean": [-1.0, 0.0, 1.0, 0.0, 0.0, 1.0], "critic/score/max": [1.0] * 6}
    run = chart_run("E1", columns=rewards | {"critic/score/min": [-1.0] * 6})
    figures = [build("pass_rate", run, group=group) for group in ("comparison", "experiment", "mini")]
    ends = [unpacked(figure["data"][-1]["y"])[-2:] for figure in figures]
    assert ends == [pytest.approx([50, 70])] * 3
    assert [badge_texts(figure)[0] for figure in figures] == ["MA 5"] * 3
    raw = [
        build("pass_rate", run, group=group, smooth="raw") for group in ("comparison", "experiment", "mini")
    ]
    assert all(len(figure["data"]) == 1 and "MA 5" not in badge_texts(figure) for figure in raw)


def test_the_users_smoothing_stands_before_the_charts_own() -> None:
    run = chart_run("E1", columns={GRAD: [1.0] * 9})
    assert [t["meta"]["role"] for t in build("grad_norm", run)["data"]] == ["raw"]
    assert [t["meta"]["role"] for t in build("grad_norm", run, smooth="median5")["data"]] == ["raw", "ma"]


def test_superseded_values_are_points_beside_the_line() -> None:
    run = chart_run("E1", columns={GRAD: {1: 0.1, 2: 0.2, 3: 0.9}}, resumed={GRAD: {3: 0.3, 4: 0.4}})
    (line,) = build("grad_norm", run)["data"]
    assert unpacked(line["y"]) == [0.1, 0.2, 0.3, 0.4]
    line, old = build("grad_norm", run, policy="all")["data"]
    assert unpacked(line["x"]) == [1, 2, 3, 4]
    assert (unpacked(old["x"]), unpacked(old["y"])) == ([3], [0.9])
    assert old["mode"] == "markers"


def test_resumes_are_marked() -> None:
    run = chart_run("E1", columns={GRAD: [0.1, 0.2]}, resumed={GRAD: {3: 0.3}})
    assert build("grad_norm", run)["meta"]["resumes"] == {run.info.key: [3]}


def test_a_chart_without_values_says_why() -> None:
    run = chart_run("E1", columns={"response_length/mean": [10.0]})
    figure = build("grad_norm", run)
    assert set(figure) == {"empty"}
    assert all(len(figure["empty"][part]) == 2 and all(figure["empty"][part]) for part in ("title", "why"))


def test_a_run_that_lacks_the_metric_is_named_beside_the_others() -> None:
    with_it = chart_run("E1", columns={GRAD: [0.1]})
    without = chart_run("E2", columns={"response_length/mean": [10.0]})
    assert "E2: not drawn" in badge_texts(build("grad_norm", with_it, without))
    assert badge_texts(build("grad_norm", with_it, stepless("E5"))) == []


def test_reference_lines_come_from_the_configuration() -> None:
    config = {"data": {"max_response_length": 16384}}
    length = {"response_length/mean": [9000.0]}
    (ref,) = build("response_length", chart_run("E1", columns=length, config=config))["meta"]["refs"]
    assert (ref["value"], ref["word"], ref["include"]) == (16384, "ref.cap", True)
    assert ref["values"] == {"n": "16,384"}
    assert build("response_length", chart_run("E1", columns=length))["meta"]["refs"] == []


def test_the_gradient_clip_is_reached_by_the_axis_of_a_single_run() -> None:
    config = {"actor_rollout_ref": {"actor": {"optim": {"clip_grad": 1.0}}}}
    run = chart_run("E1", columns={GRAD: [0.2, 0.3]}, config=config)
    (alone,) = build("grad_norm", run, group="experiment")["meta"]["refs"]
    (compared,) = build("grad_norm", run)["meta"]["refs"]
    assert (alone["value"], alone["include"], compared["include"]) == (1.0, True, False)


def test_hours_axis_places_steps_where_their_time_ends() -> None:
    run = chart_run("E1", columns={GRAD: [0.1, 0.2], "timing_s/step": [3600.0, 7200.0]})
    (line,) = build("grad_norm", run, x="hours")["data"]
    assert unpacked(line["x"]) == pytest.approx([1.0, 3.0])
    assert unpacked(line["customdata"]) == [1, 2]


def test_tokens_axis_needs_logged_tokens() -> None:
    run = chart_run("E1", columns={GRAD: [0.1, 0.2], "perf/total_num_tokens": [100, 300]})
    (line,) = build("grad_norm", run, x="tokens")["data"]
    assert unpacked(line["x"]) == [100, 400]
    assert "empty" in build("grad_norm", chart_run("E1", columns={GRAD: [0.1]}), x="tokens")


def test_validation_shows_counts_with_wilson_intervals() -> None:
    run = chart_run("E1", columns={"val-core/aime24/acc/mean@1": {25: 10 / 30, 50: 12 / 30}})
    (trace,) = build("validation", run)["data"]
    assert trace["text"] == ["10/30", "12/30"]
    up, down = (unpacked(trace["error_y"][side])[0] for side in ("array", "arrayminus"))
    assert 100 / 3 + up == pytest.approx(51.22, abs=0.01)
    assert 100 / 3 - down == pytest.approx(19.23, abs=0.01)


def test_a_validation_of_scores_is_no_accuracy() -> None:
    accuracy = chart_run("E1", columns={"val-core/aime24/acc/mean@1": {25: 10 / 30}})
    scores = chart_run("E2", columns={"val-aux/aime24/reward/mean@32": {25: -0.76, 50: 0.2}})
    figure = build("validation", accuracy, scores)
    assert [trace["meta"]["run"] for trace in figure["data"]] == [accuracy.info.key]
    assert "E2: not drawn" in badge_texts(figure)
    assert "scores from −0.76 to 0.2" in str(figure["meta"]["badges"])


def test_validation_says_when_nothing_can_be_told_apart() -> None:
    key = "val-core/aime24/acc/mean@1"
    close = [chart_run(f"E{n}", columns={key: {25: k / 30}}) for n, k in ((1, 10), (2, 12))]
    apart = [chart_run(f"E{n}", columns={key: {25: k / 30}}) for n, k in ((1, 2), (2, 25))]
    assert "within noise" in badge_texts(build("validation", *close))
    assert "within noise" not in badge_texts(build("validation", *apart))


def test_hours_are_split_into_generation_and_the_rest() -> None:
    run = chart_run("E1", columns={"timing_s/step": [3600.0, 7200.0], "timing_s/gen": [1800.0, 3600.0]})
    total = build("hours", run)["meta"]["totals"][run.info.key]
    assert (unpacked(total["step"]), unpacked(total["gen"]), unpacked(total["other"])) == (
        [1, 2], pytest.approx([0.5, 1.0]), pytest.approx([0.5, 1.0]),
    )  # fmt: skip


def test_slopes_name_their_values() -> None:
    info = chart_run("E3", columns={}).info
    slope = Slope("length", ((info, 2400.0, -1800.0),), "tokens", ("甲", "A"), zero=0.0)
    figure = slope_chart(slope, (("2B", "2B"), ("4B", "4B")))
    assert figure["data"][0]["text"] == ["+2.4k", "−1.8k"]
    assert figure["meta"]["ends"] == [["2B", "2B"], ["4B", "4B"]]


@pytest.mark.parametrize(
    ("algorithm", "k", "right", "wrong"),
    [
        ("grpo", 1, 2.475, -0.354),
        ("grpo", 7, 0.354, -2.475),
        ("dr_grpo", 2, 1.5, -0.5),
        ("rloo", 1, 2.0, -0.286),
    ],
)
def test_advantages_of_a_group_of_eight(algorithm: str, k: int, right: float, wrong: float) -> None:
    info = replace(chart_run("E1", columns={}).info, algorithm=algorithm)
    up, down = advantage_chart([info], 8)["data"]
    assert unpacked(up["y"])[k - 1] == pytest.approx(right, abs=5e-4)
    assert unpacked(down["y"])[k - 1] == pytest.approx(wrong, abs=5e-4)


def test_the_payload_holds_every_chart_and_is_json() -> None:
    spike = [0.2] * 30 + [2.0, 2.1] + [0.2] * 30
    run = chart_run("E3", (3, 0), columns={GRAD: spike})
    found = episodes({"grad_norm": events("grad_norm", np.arange(1, 63), np.array(spike))})
    shown = [replace(run, episodes=found), stepless("E5")]
    payload = figures("2b", shown, SELECTION, window=(1, 40), version="v")
    again = json.loads(json.dumps(payload))
    assert (again["steps"], again["window"], again["xkind"], again["tab"]) == ([1, 62], [1, 40], "step", "2b")
    assert again["runs"][run.info.key]["slot"] == 3
    (episode,) = again["episodes"]
    assert (episode["id"], episode["start"], episode["end"], episode["peak"]) == ("e3:31", 31, 32, 32)
    assert (episode["run"], episode["severity"], episode["metrics"]) == (run.info.key, 1, ["grad_norm"])
    per_run = {chart_id(entry, run.info) for entry in charts.named("experiment", None)}
    assert {chart_id(entry) for entry in charts.named("comparison", None)} | per_run <= set(again["charts"])


def test_a_chart_is_added_by_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = Chart("kl_loss", "comparison", ("kl_loss",), line_chart, "nats")
    monkeypatch.setattr(charts, "CHARTS", (*CHARTS, extra))
    run = chart_run("E1", columns={"actor/kl_loss": [0.01, 0.02]})
    made = figures("2b", [run], SELECTION)["charts"]["cmp-kl_loss"]
    assert unpacked(made["data"][0]["y"]) == [0.01, 0.02]


# -- What the values are ---------------------------------------------------------------------------------


FIXED_HORIZON = {
    "actor_rollout_ref": {"actor": {"loss_agg_mode": "seq-mean-token-sum-norm"}},
    "data": {"max_response_length": 1000},
}


def how(figure: Json) -> list[str]:
    """What the hover says of each line, in English; empty for values as logged."""
    return [trace["meta"].get("how", ["", ""])[1] for trace in figure["data"]]


def test_a_derived_series_says_so_in_its_hover_and_its_name_in_a_file() -> None:
    columns = {"actor/entropy": [0.1] * 6, "response_length/mean": [500.0] * 6}
    run = chart_run("E3", columns=columns, config=FIXED_HORIZON)
    figure = build("entropy", run)
    assert how(figure) == ["per token"]
    assert figure["meta"]["csv"] == ["entropy_per_token"]
    logged = build("entropy", run, units="logged")
    assert how(logged) == [""]
    assert logged["meta"]["csv"] == ["entropy"]
    assert unpacked(figure["data"][0]["y"]) == pytest.approx([0.2] * 6)
    assert unpacked(logged["data"][0]["y"]) == [0.1] * 6


def test_a_smoothed_line_says_how_it_is_smoothed() -> None:
    run = chart_run("E1", columns={GRAD: [0.1] * 9})
    assert how(build("grad_norm", run, smooth="ema0.9")) == ["", "EMA 0.9"]
    deviation = chart_run("E1", columns={"training/rollout_actor_probs_pearson_corr": [0.999] * 9})
    shown = build("deviation", deviation, group="experiment", smooth="median5")
    assert how(shown) == ["1−corr", "1−corr · median 5"]


LINE_CHARTS = [entry for entry in CHARTS if entry.build is line_chart]


@pytest.mark.parametrize("entry", LINE_CHARTS, ids=lambda entry: f"{entry.group}-{entry.name}")
def test_every_derivation_has_words_for_the_hover(entry: Chart) -> None:
    columns = {
        "critic/score/mean": [0.2] * 8, "critic/score/min": [-2.0] * 8, "critic/score/max": [1.0] * 8,
        "response_length/clip_ratio": [0.1] * 8, "actor/entropy": [0.1] * 8, "actor/kl_loss": [0.1] * 8,
        "response_length/mean": [500.0] * 8, "timing_s/step": [10.5] * 8, "timing_s/testing": [2.5] * 8,
        "training/rollout_actor_probs_pearson_corr": [0.999] * 8,
    }  # fmt: skip
    figure = entry.build(entry, [chart_run("E3", columns=columns, config=FIXED_HORIZON)], SELECTION)
    for trace in figure.get("data", ()):
        assert not [text for text in trace["meta"].get("how", ()) if "." in text.replace("0.9", "")]


def rounded_log(**columns: list[float]) -> object:
    keys = {"kl": "actor/ppo_kl", "clip": "actor/pg_clipfrac"}
    cells = {keys[name]: values for name, values in columns.items()}
    return chart_run("L5", columns={"timing_s/gen": [12.345, 11.987], **cells})


def test_three_decimals_are_never_blown_up() -> None:
    """A last digit of 0.001 nats would be 100 on the axis of PPO KL."""
    figure = build("ppo_kl", rounded_log(kl=[0.001, -0.002, 0.0]), group="experiment")
    assert "data" not in figure
    assert "3 decimals" in figure["empty"]["why"][1]
    assert "actor/ppo_kl" in figure["empty"]["why"][1]
    pinned = metric_chart("actor/ppo_kl")
    drawn = pinned.build(pinned, [rounded_log(kl=[0.001, -0.002, 0.0])], SELECTION)  # type: ignore[list-item]
    assert unpacked(drawn["data"][0]["y"]) == [0.001, -0.002, 0.0]


def test_three_decimals_are_drawn_and_marked_where_they_suffice() -> None:
    figure = build("clip_share", rounded_log(clip=[0.001, 0.002, 0.004]), group="experiment")
    assert unpacked(figure["data"][0]["y"]) == pytest.approx([0.1, 0.2, 0.4])
    assert "rounded" in badge_texts(figure)


def test_a_chart_of_one_run_names_its_reward_range() -> None:
    for low, text in ((-1.0, "rewards ±1"), (0.0, "rewards 0–1")):
        columns = {
            "critic/score/mean": [0.2] * 6, "critic/score/min": [low] * 6, "critic/score/max": [1.0] * 6
        }  # fmt: skip
        run = chart_run("E1", columns=columns)
        assert text in badge_texts(build("pass_rate", run, group="experiment"))
        other = chart_run("E2", columns=columns)
        assert text not in badge_texts(build("pass_rate", run, other))


@pytest.mark.parametrize("kind", ["mean5", "ema0.9", "median5"])
def test_the_smoothed_curve_is_the_same_whatever_part_is_looked_at(kind: str) -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=9000)
    values[[17, 4321]] = math.nan
    run = chart_run("E1", columns={GRAD: dict(enumerate(values.tolist(), start=1))})

    def smoothed(**choice: object) -> dict[int, float]:
        drawn = build("grad_norm", run, smooth=kind, **choice)["data"]
        (line,) = [trace for trace in drawn if trace["meta"]["role"] == "ma"]
        return dict(zip(map(int, unpacked(line["x"])), unpacked(line["y"]), strict=True))

    whole, part = smoothed(), smoothed(span=(4300, 4400))
    assert len(whole) < values.size, "this test wants a line that is not drawn in full"
    assert set(range(4300, 4401)) <= set(part)
    shared = sorted(set(whole) & set(part) & set(range(4300, 4401)))
    assert shared
    assert [part[step] for step in shared] == pytest.approx([whole[step] for step in shared], nan_ok=True)
    expected = smooth(kind, np.arange(1, 9001), values)[4299:4400].tolist()
    assert [part[step] for step in range(4300, 4401)] == pytest.approx(expected, nan_ok=True)
