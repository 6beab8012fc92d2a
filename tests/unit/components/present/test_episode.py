"""An open episode: its numbers are those of the log text, and the other runs are told as they are."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from components.episode_view import EpisodeView
from components.figures_episode import MORE, all_charts, chart_id, episode_charts
from components.present.episode import episode_figures, episode_page, episode_view
from components.present.episode_context import names, same_prompts
from components.present.episode_found import opened
from components.present.episode_numbers import ENDS, MIDDLE
from components.text import said
from data_loaders.board import Board, BoardReader, Source
from data_loaders.board_config import load_config
from data_loaders.derive.health import HEALTH_METRICS
from data_loaders.export import csv_chunks, parse_query
from data_loaders.schema import Note
from tests.unit.components.present.boards import GRAD, KL, SCORE, calm, read_board, write_log
from tests.unit.components.runs import unpacked
from tests.unit.components.test_pages import text

E3 = "e3_drgrpo_2b"
KEYS = {
    "grad_norm": "actor/grad_norm", "ppo_kl": "actor/ppo_kl", "clip_share": "actor/pg_clipfrac",
    "response_length": "response_length/mean",
}  # fmt: skip


@pytest.fixture(scope="module")
def board(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    loaded = load_config(demo / "board.toml")
    config = loaded[0] if isinstance(loaded, tuple) else loaded
    source = Source(roots=(demo / "archive",), config=config, demo=True)
    return BoardReader(source, tmp_path_factory.mktemp("cache")).read()


@pytest.fixture(scope="module")
def lines(demo: Path) -> dict[int, str]:
    """Step → line of E3 on 2B, by a regex of our own."""
    (path,) = (demo / "archive" / E3 / "logs").glob("*.log")
    text = re.sub("\x1b\\[[0-9;]*m", "", path.read_text(encoding="utf-8"))
    return {int(found[1]): found[0] for found in re.finditer(r"^.*\bstep:(\d+) - .*$", text, re.MULTILINE)}


def logged(line: str, key: str) -> float:
    found = re.search(rf" - {re.escape(key)}:(?:np\.float64\()?([-+.\deE]+)", line)
    assert found is not None
    return float(found[1])


@pytest.fixture(scope="module")
def view(board: Board) -> EpisodeView:
    return view_of(board, f"{E3}:133")


def view_of(board: Board, name: str) -> EpisodeView:
    found = opened(board, name)
    assert found is not None
    return episode_view(board, found)


def english(view: EpisodeView) -> str:
    return " ".join(said(sentence)[1] for sentence in view.sentences)


def fact(view: EpisodeView, name: str) -> str:
    return next(said(value)[1] for label, value in view.facts if said(label)[1] == name)


# ---- the published episode ----


def test_the_steps_and_the_metrics_that_moved(view: EpisodeView) -> None:
    assert (view.span, view.peak, view.severity, view.detected) == ((133, 140), 136, 4, True)
    assert [moved.chart.metric for moved in view.moved] == ["grad_norm", "entropy", "ppo_kl", "clip_share"]
    assert [moved.event.direction for moved in view.moved] == ["up", "down", "up", "up"]
    assert {(m.event.start, m.event.end, m.event.recovered_at) for m in view.moved} == {(133, 140, 141)}


def test_peaks_and_baselines_are_those_of_the_log(view: EpisodeView, lines: dict[int, str]) -> None:
    for moved in view.moved:
        if moved.chart.metric not in KEYS:
            continue
        key = KEYS[moved.chart.metric]
        assert moved.key == key
        assert moved.event.value == logged(lines[136], key)
        around = [logged(lines[step], key) for step in (*range(118, 133), *range(141, 151))]
        assert moved.event.baseline == pytest.approx(median(around), rel=0.15)
        ratio = moved.event.value / moved.event.baseline
        assert moved.difference or moved.event.ratio == pytest.approx(ratio)


def test_entropy_is_undone_to_tokens(view: EpisodeView, lines: dict[int, str]) -> None:
    entropy = next(moved for moved in view.moved if moved.chart.metric == "entropy")
    expected = logged(lines[136], "actor/entropy") * 16384 / logged(lines[136], "response_length/mean")
    assert entropy.event.value == pytest.approx(expected)


def test_every_cell_of_the_step_table(view: EpisodeView, lines: dict[int, str]) -> None:
    assert [row.step for row in view.table.rows] == list(range(131, 143))
    assert [row.inside for row in view.table.rows] == [133 <= step <= 140 for step in range(131, 143)]
    for at, chart in enumerate(view.table.charts):
        for row in view.table.rows:
            cell = row.cells[at]
            if chart.metric in KEYS:
                assert cell.value == logged(lines[row.step], KEYS[chart.metric])
            moved = chart.metric in ("grad_norm", "entropy", "ppo_kl", "clip_share")
            assert cell.outside == (moved and row.inside), (chart.metric, row.step)
            assert cell.peak == (moved and row.step == 136)
    passed = [chart.metric for chart in view.table.charts].index("pass_rate")
    assert view.table.rows[5].cells[passed].value == pytest.approx((logged(lines[136], SCORE) + 1) / 2)


def test_raw_lines_are_the_bytes_of_the_file(view: EpisodeView, demo: Path, lines: dict[int, str]) -> None:
    ((excerpt, parts),) = view.raw
    assert [line.step for line in excerpt.lines if line.step] == list(range(131, 143))
    physical = excerpt.path.read_bytes().split(b"\n")
    for line in excerpt.lines:
        # A carriage return lets a progress bar share the physical line.
        pieces = re.sub(rb"\x1b\[[0-9;]*m", b"", physical[line.line - 1]).split(b"\r")
        assert line.text.encode() in pieces
        assert line.step is None or line.text == lines[line.step]
    assert [part.step for part in parts if part.step] == [135, 136, 137]
    shown = "".join(piece.text for piece in parts[-1].pieces)
    assert f"actor/grad_norm:np.float64({logged(lines[137], GRAD):g}" in shown
    marked = [piece.text for part in parts if part.step == 136 for piece in part.pieces if piece.moved]
    assert f"np.float64({logged(lines[136], GRAD)})" in marked
    assert len(marked) == 4


def test_other_runs_stayed_inside_and_take_the_same_prompts(view: EpisodeView) -> None:
    assert {o.info.label: o.state for o in view.others} == {
        "E1": "inside", "E2": "inside", "E4": "inside", "E5": "none"
    }  # fmt: skip
    assert said(view.others[0].data)[1] == "same prompts at a step, by config"
    assert said(view.others[3].text)[1] == "no training step yet"


def test_sentences_state_rule_and_numbers(view: EpisodeView) -> None:
    text = english(view)
    rule = ("4 watched metrics", "running median of 31 steps", "5 or more", "starting at 133", "step 141")
    for part in (*rule, "E1, E2 and E4", "Pass rate, response length and rollout deviation did not leave"):
        assert part in text
    assert fact(view, "peak") == "136"
    assert fact(view, "recovered") == "141"
    assert fact(view, "clip") == "1.0 not reached"


def test_what_followed(view: EpisodeView, lines: dict[int, str]) -> None:
    told = {said(one.name)[1]: (one.before, one.after) for one in view.followed}
    before = median(logged(lines[step], GRAD) for step in range(125, 133))
    after = median(logged(lines[step], GRAD) for step in range(141, 149))
    assert told["Gradient norm"] == (f"{before:.2f}", f"{after:.2f}")
    validated = {
        step: round(30 * float(found[1]))
        for step, line in lines.items()
        if (found := re.search(r"val-core/aime24/acc/mean@1:(?:np\.float64\()?([\d.]+)", line))
    }
    shown = told["AIME24 acc@1"]
    for cell, step in zip(shown, (125, 150), strict=True):
        assert cell.startswith(f"{validated[step]}/30 [")
        assert cell.endswith(f"@{step}")


def test_the_csv_of_the_table_holds_its_cells(board: Board, view: EpisodeView) -> None:
    query = dict(part.split("=") for part in view.csv.removeprefix("csv?").split("&"))
    text = "".join(csv_chunks([run.view for run in board.runs], parse_query(query)))
    head, *rows = text.removeprefix("\ufeff").split("\r\n")[:-1]
    assert head.split(",")[5:] == [chart.metric for chart in view.table.charts]
    assert [int(row.split(",")[4]) for row in rows] == [row.step for row in view.table.rows]
    for row, shown in zip(rows, view.table.rows, strict=True):
        assert [float(cell) for cell in row.split(",")[5:]] == [cell.value for cell in shown.cells]


def test_captions_say_how_far_each_metric_came(view: EpisodeView) -> None:
    told = {name: said(text)[1] for name, text in view.captions.items()}
    assert told["grad_norm"].startswith("peak 0.91 at 136, ×")
    assert told["grad_norm"].endswith("below clip 1.0")
    assert told["entropy"].startswith("lowest 0.067 at 136")
    assert told["deviation"].endswith("inside its baseline")
    assert "loss" not in told


# ---- figures ----


def test_moved_metrics_come_first_and_every_run_is_drawn(board: Board) -> None:
    figures = episode_figures(board, "2b", f"{E3}:133", {})
    ids = list(figures["charts"])
    assert ids[:4] == ["ep-grad_norm", "ep-entropy", "ep-ppo_kl", "ep-clip_share"]
    assert len(ids) == len(set(ids)) == 8
    chart = figures["charts"]["ep-grad_norm"]
    assert [chart["meta"][name] for name in ("size", "labels", "default")] == ["episode", "both", "all"]
    labels = {figures["runs"][trace["meta"]["run"]]["label"] for trace in chart["data"]}
    assert labels == {"E1", "E2", "E3", "E4"}
    assert all(len(unpacked(trace["y"])) == 150 for trace in chart["data"])
    json.dumps(figures, allow_nan=False)


def test_a_range_of_the_user_is_an_episode_of_the_store(board: Board) -> None:
    figures = episode_figures(board, "2b", f"{E3}:130-145", {})
    own = [entry for entry in figures["episodes"] if entry["id"] == f"{E3}:130-145"]
    assert [(e["start"], e["end"], e["peak"], e["severity"]) for e in own] == [(130, 145, 136, 4)]


def test_every_metric_that_can_make_an_episode_has_a_chart() -> None:
    known = {chart.metric for chart in all_charts()}
    assert {metric.name for metric in HEALTH_METRICS} <= known
    assert next(chart.metric for chart in episode_charts(["kl_loss"])) == "kl_loss"
    assert MORE[0].metric not in [chart.metric for chart in episode_charts([])]
    assert len({chart_id(chart) for chart in all_charts()}) == len(all_charts())


# ---- single metrics, ranges, links that name nothing ----


def test_a_value_that_is_no_number(board: Board) -> None:
    view = view_of(board, "vl_e4_rloo:73")
    assert (view.severity, view.peak) == (1, 73)
    assert "Gradient norm is NaN at step 73" in english(view)
    cell = next(row for row in view.table.rows if row.step == 73).cells[0]
    assert cell.value is not None
    assert math.isnan(cell.value)
    assert (cell.outside, cell.peak) == (True, True)
    assert said(view.captions["grad_norm"])[1] == "NaN at 73"


def test_two_episodes_of_a_run_are_numbered(board: Board) -> None:
    first, second = view_of(board, "e2_dapo_4b:43"), view_of(board, "e2_dapo_4b:59")
    assert (first.index, first.count, first.previous, first.next) == (1, 2, "", "e2_dapo_4b:59")
    assert (second.index, second.count, second.previous, second.next) == (2, 2, "e2_dapo_4b:43", "")
    assert fact(second, "clip").startswith("reached 1.0 at 59")
    assert fact(first, "clip") == "1.0 not reached"


def test_a_range_with_nothing_in_it_says_so(board: Board) -> None:
    view = view_of(board, f"{E3}:20-30")
    assert (view.peak, view.moved, view.index, view.detected) == (None, (), 0, False)
    assert "No watched metric left its baseline" in english(view)
    assert [row.step for row in view.table.rows] == list(range(18, 33))


def test_a_start_where_no_episode_begins_is_one_step(board: Board) -> None:
    view = view_of(board, f"{E3}:136")
    assert (view.span, view.detected, view.severity) == ((136, 136), False, 4)


@pytest.mark.parametrize(
    "name", ["", "nobody:3", E3, f"{E3}:x", f"{E3}:900-910", "e5_reinforcepp_2b:3", ":1"]
)
def test_a_link_that_names_nothing(board: Board, name: str) -> None:
    assert opened(board, name) is None
    figures = episode_figures(board, "2b", name, {})
    assert "cmp-pass_rate" in figures["charts"]
    assert name not in [entry["id"] for entry in figures["episodes"]]
    assert "No such episode." in str(episode_page(board, "2b", name))


def test_a_long_range_shows_its_ends_and_its_peak(board: Board) -> None:
    view = view_of(board, f"{E3}:1-150")
    steps = [row.step for row in view.table.rows]
    assert steps[:ENDS] == list(range(1, ENDS + 1))
    assert steps[-ENDS:] == list(range(151 - ENDS, 151))
    assert set(range(136 - MIDDLE, 136 + MIDDLE + 1)) <= set(steps)
    hidden = {step for first, last in view.table.hidden for step in range(first, last + 1)}
    assert hidden | set(steps) == set(range(1, 151))
    assert not hidden & set(steps)


def test_the_page_builds_in_both_languages(board: Board) -> None:
    shown = str(episode_page(board, "2b", f"{E3}:133").to_plotly_json())
    for part in ("data-step", "epi-p", "lang='zh-CN'", "lang='en'", "csv?exp=e3_drgrpo_2b"):
        assert part in shown, part


def test_the_page_says_what_is_not_as_logged_and_in_which_unit(board: Board) -> None:
    shown = text(episode_page(board, "2b", f"{E3}:133"))
    assert "entropy, per token: actor/entropy × 16,384 / mean response length" in shown
    assert shown.count("nat, per token") == 2, "the metrics that moved and the table of steps"
    after = shown.split("Before and after")[1]
    assert all(part in after for part in ("PPO KL ×1e−5", "Clip fraction %", "Entropy nat"))


# ---- other runs, on logs written here ----


def test_another_run_that_left_its_baseline_too(tmp_path: Path) -> None:
    spiking = {GRAD: calm(40, 0.2, s20=1.4), SCORE: calm(40, 0.4)}
    write_log(tmp_path / "logs", "e1_grpo_2b", spiking)
    write_log(tmp_path / "logs", "e4_rloo_2b", {GRAD: calm(40, 0.3, s20=1.9), SCORE: calm(40, 0.4)})
    write_log(tmp_path / "logs", "e3_drgrpo_2b", {GRAD: calm(19, 0.3)}, files="/data/b.parquet")
    write_log(tmp_path / "logs", "e2_dapo_2b", {KL: calm(10, 1e-5)})
    view = view_of(read_board(tmp_path / "logs", tmp_path / "cache"), "e1_grpo_2b:20")
    told = {o.info.label: (o.state, said(o.text)[1], said(o.data)[1]) for o in view.others}
    assert told["E4"][0] == "left"
    assert told["E4"][1].startswith("Gradient norm 1.90 L2 at 20 (baseline 0.3")
    assert told["E4"][2] == "same prompts at a step, by config"
    assert told["E3"][:2] == ("none", "does not have these steps, only 1–19")
    assert told["E3"][2] == "configs differ: data.train_files"
    assert "E4 take the same prompts" in english(view)
    assert "also left their baselines" in english(view)


def test_a_run_that_has_only_some_of_the_steps(tmp_path: Path) -> None:
    write_log(tmp_path / "logs", "e1_grpo_2b", {GRAD: calm(40, 0.2, s20=1.4, s21=1.5)})
    write_log(tmp_path / "logs", "e4_rloo_2b", {GRAD: calm(20, 0.3)})
    view = view_of(read_board(tmp_path / "logs", tmp_path / "cache"), "e1_grpo_2b:20")
    assert view.span == (20, 21)
    assert said(view.others[0].text)[1] == "step 20 only: inside its baseline in 1 watched metric"


def test_metrics_never_logged_have_no_column_and_a_reason(tmp_path: Path) -> None:
    write_log(tmp_path / "logs", "e1_grpo_2b", {GRAD: calm(40, 0.2, s20=1.4)})
    view = view_of(read_board(tmp_path / "logs", tmp_path / "cache"), "e1_grpo_2b:20")
    assert [chart.metric for chart in view.table.charts] == ["grad_norm"]
    assert {chart.metric for chart, _ in view.table.absent} >= {"entropy", "ppo_kl", "pass_rate"}
    assert view.followed[0].before == "0.20"
    assert fact(view, "clip") == "not set in the config"


def test_a_step_that_was_lost_is_a_row_without_values(tmp_path: Path) -> None:
    cells = calm(40, 0.2, s20=1.4, s22=1.4)
    del cells[21]
    write_log(tmp_path / "logs", "e1_grpo_2b", {GRAD: cells})
    view = view_of(read_board(tmp_path / "logs", tmp_path / "cache"), "e1_grpo_2b:20")
    values = {row.step: row.cells[0].value for row in view.table.rows}
    assert values[21] is None
    assert values[22] == 1.4


def test_prompts_differ_where_a_setting_or_the_sampling_does(board: Board) -> None:
    run = next(run.view.run for run in board.runs if run.id == E3)
    assert same_prompts(run, run).key == "prompts.same"
    assert same_prompts(run, replace(run, config={"algorithm": {}})).key == "prompts.unknown"
    sampled = replace(run, keys=(*run.keys, "train/num_gen_batches"))
    assert same_prompts(run, sampled).key == "prompts.filtered"
    other = replace(run, config={**run.config, "data": {**run.config["data"], "train_batch_size": 64}})
    assert said(same_prompts(run, other))[1] == "configs differ: data.train_batch_size"


def test_names_inside_a_sentence() -> None:
    assert names([("E1", "E1"), ("E2", "E2")]) == ("E1 和 E2", "E1 and E2")
    assert names([Note("plot.pass_rate"), Note("plot.ppo_kl"), Note("plot.response_length")]) == (
        "通过率、PPO KL和响应长度", "Pass rate, PPO KL and response length"
    )  # fmt: skip
    assert names([("长度", "Length")], inside=True) == ("长度", "length")
    assert names([]) == ("", "")
