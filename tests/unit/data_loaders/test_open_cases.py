"""Cases that people reported, as logs: what numbers mean, and what of them can be trusted."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from components.charts import CHARTS
from components.detail_metrics import metrics
from components.figures_lines import line_chart
from components.figures_metric import metric_chart
from components.figures_validation import validation_chart
from components.present.coverage import run_reports
from components.present.detail_config import config_view
from components.present.detail_metrics import metrics_view
from components.present.rules import rule_notes
from components.present.runs import chart_runs
from components.text import said
from components.tree import tree
from components.view import Selection
from data_loaders.board import Board, BoardReader, BoardRun, Source
from data_loaders.derive.canonical import curve
from data_loaders.derive.validation import validations
from data_loaders.raw_log import raw_log
from data_loaders.schema import Curve, Json, Missing, Note
from tests.growing import log_path, write

SELECTION = Selection()


def board_of(tmp_path: Path, log: str) -> Board:
    write(log_path(tmp_path / "archive", started="20260701_080000"), log)
    return BoardReader(Source((tmp_path / "archive",)), tmp_path / "cache").read()


def only(board: Board) -> BoardRun:
    (run,) = board.runs
    return run


def drawn(board: Board, name: str, group: str = "experiment") -> Json:
    entry = next(chart for chart in CHARTS if (chart.name, chart.group) == (name, group))
    return entry.build(entry, chart_runs(board, board.runs), SELECTION)


def badges(figure: Json) -> list[str]:
    return [text for badge in figure["meta"]["badges"] for text in (*badge["text"], *badge["title"])]


def rules(run: BoardRun) -> dict[str, tuple[str, str]]:
    notes, _ = rule_notes(run, ())
    return {note.id: said(note.text) for note in notes}


SPIKES = {431: 6.5, 432: 3.7, 557: 2.3, 558: 3.5, 1036: 23.5}


class TestC05:
    """1,120 steps printed with three decimals and without colours; the last line holds validation alone."""

    @pytest.fixture
    def board(self, tmp_path: Path) -> Board:
        rng = np.random.default_rng(11)
        lines = []
        for step in range(1, 1120):
            norm = SPIKES.get(step, 0.126 * math.exp(rng.normal(0, 0.12)))
            cells = {
                "actor/entropy_loss": 0.389 * 0.997**step + 0.02, "actor/grad_norm": norm, "actor/lr": 1e-6,
                "critic/score/mean": 0.255 + 0.7 * step / 1120, "critic/score/min": 0.0,
                "critic/score/max": 1.0, "response_length/mean": 200 + rng.normal(0, 3),
                "timing_s/gen": 12 + rng.random(),
            }  # fmt: skip
            if step % 10 == 0:
                cells["val/test_score/openai/gsm8k"] = 0.706 if step == 900 else 0.69
            lines.append(f"step:{step} - " + " - ".join(f"{key}:{value:.3f}" for key, value in cells.items()))
        lines.append("step:1120 - val/test_score/openai/gsm8k:0.697")
        return board_of(tmp_path, "\n".join(lines) + "\n")

    def test_steps_and_validation_C05(self, board: Board) -> None:
        run = only(board)
        assert np.unique(run.view.step).tolist() == list(range(1, 1121))
        (found,) = validations(run.view)
        assert found.step.size == 112
        best = int(np.argmax(found.value))
        assert (found.value[best], found.step[best]) == (0.706, 900)
        assert (found.value[-1], found.step[-1]) == (0.697, 1120)

    def test_the_last_value_of_a_metric_is_that_of_its_last_step_C05(self, board: Board) -> None:
        rows = {row.key: row for _, rows in metrics_view(only(board).view).groups for row in rows}
        assert rows["actor/grad_norm"].last_step == 1119
        assert rows["val/test_score/openai/gsm8k"].last_step == 1120

    def test_episodes_C05(self, board: Board) -> None:
        assert [(e.start, e.end) for e in only(board).episodes] == [(431, 432), (557, 558), (1036, 1036)]

    def test_a_learning_rate_of_zero_is_called_rounded_C05(self, board: Board) -> None:
        view = only(board).view
        found = curve(view, "lr")
        assert isinstance(found, Missing)
        assert found.why.key == "missing.precision"
        rows = {row.key: row for _, rows in metrics_view(view).groups for row in rows}
        assert (rows["actor/lr"].last, rows["actor/lr"].decimals) == (0.0, 3)
        (shown,) = [
            text for text in json_rows(metrics(metrics_view(view))) if "actor/lr" in text and "0.000" in text
        ]
        assert "logged with 3 decimals" in shown
        assert "日志只有 3 位小数" in shown


def json_rows(parts: list[object]) -> list[str]:
    """Every table row of a part of the drawer, as its text."""

    def walk(node: object) -> list[str]:
        if isinstance(node, str):
            return []
        assert isinstance(node, dict)
        if node["tag"] == "tr":
            return [json.dumps(node, ensure_ascii=False)]
        return [text for child in node["in"] for text in walk(child)]

    return [text for part in parts for text in walk(tree(part))]


class TestC07:
    """Two validation sets: gsm8k .221 → .879 (best .886 at 110), MATH .514 → .499; entropy .354 → .012."""

    @pytest.fixture
    def board(self, tmp_path: Path) -> Board:
        prefix = "(TaskRunner pid=4711) "
        lines = []
        for step in range(211):
            part = step / 210
            cells = {} if step == 0 else {
                "actor/entropy_loss": 0.354 * (0.012 / 0.354) ** part,
                "critic/score/mean": 0.3 + 0.637 * part, "critic/score/min": 0.0, "critic/score/max": 1.0,
                "actor/grad_norm": 0.3,
                "response_length/mean": 250.0, "timing_s/gen": 20.25 + step % 7 / 100,
            }  # fmt: skip
            if step % 10 == 0:
                gsm = {0: 0.221, 110: 0.886, 210: 0.879}.get(step, 0.5 + 0.37 * part)
                cells["val/test_score/openai/gsm8k"] = gsm
                other = {0: 0.514, 210: 0.499}.get(step, 0.505)
                cells["val/test_score/DigitalLearningGmbH/MATH-lighteval"] = other
            lines.append(f"{prefix}\rTraining Progress: {step}/210 [{step}:00<?, ?it/s]")
            lines.append(f"{prefix}step:{step} - " + " - ".join(f"{key}:{v:.3f}" for key, v in cells.items()))
            if step % 50 == 0:
                lines.append("wandb: Network error (ConnectionError), entering retry loop.")
        return board_of(tmp_path, "\n".join(lines) + "\n")

    def test_both_sets_are_kept_apart_C07(self, board: Board) -> None:
        run = only(board)
        assert (run.view.run.first, run.view.run.last) == (0, 210)
        found = {one.dataset: one for one in validations(run.view)}
        gsm, other = found["openai/gsm8k"], found["DigitalLearningGmbH/MATH-lighteval"]
        assert (gsm.value[0], gsm.value.max(), gsm.value[-1]) == (0.221, 0.886, 0.879)
        assert gsm.step[gsm.value.argmax()] == 110
        assert (other.value[0], other.value[-1]) == (0.514, 0.499)

    def test_the_set_that_does_not_improve_is_told_C07(self, board: Board) -> None:
        told = rules(only(board))["R38"]
        for language in told:
            assert f"−{1 - 0.499 / 0.514:.4f}" in language

    def test_falling_entropy_with_rising_reward_is_no_collapse_C07(self, board: Board) -> None:
        run = only(board)
        assert not {"R26", "R5", "R6"} & set(rules(run))
        assert not any(episode.severity > 1 for episode in run.episodes)


class TestC09:
    """One line of a run that has died: everything nan, reward at its floor, every response 257 tokens."""

    LINE = (
        "step:83 - actor/kl_loss:nan - actor/entropy:nan - actor/pg_loss:nan - actor/ppo_kl:nan - "
        "actor/grad_norm:nan - "
        "critic/score/mean:-1.000 - critic/score/min:-1.000 - critic/score/max:-1.000 - "
        "response_length/mean:257.000 - response_length/min:257.000 - response_length/max:257.000 - "
        "response_length/clip_ratio:1.000\n"
    )

    @pytest.fixture
    def board(self, tmp_path: Path) -> Board:
        healthy = "".join(
            f"step:{step} - actor/entropy:0.{step} - actor/grad_norm:0.21{step % 10} - actor/pg_loss:0.01 - "
            f"critic/score/mean:0.{step % 10}5 - critic/score/min:-1.0 - critic/score/max:1.0 - "
            f"response_length/mean:4{step}.5 - response_length/min:21 - response_length/max:900\n"
            for step in range(70, 83)
        )
        return board_of(tmp_path, healthy + self.LINE)

    def test_the_step_is_named_with_the_last_good_one_C09(self, board: Board) -> None:
        for language in rules(only(board))["R1"]:
            assert "83" in language
            assert "82" in language
        assert any("NaN" in text for text in badges(drawn(board, "grad_norm")))

    def test_equal_lengths_and_scores_are_told_C09(self, board: Board) -> None:
        length = badges(drawn(board, "response_length"))
        assert any("equally long" in text and "83" in text and "257" in text for text in length)
        found = curve(only(board).view, "score_mean")
        assert isinstance(found, Curve)
        (note,) = [note for note in found.notes if note.key == "note.equal_scores"]
        assert dict(note.values) == {"n": 1, "step": 83, "value": -1.0}

    def test_what_is_left_is_drawn_C09(self, board: Board) -> None:
        figure = drawn(board, "grad_norm")
        series = curve(only(board).view, "grad_norm")
        assert isinstance(series, Curve)
        assert series.step[-1] == 83
        assert np.isfinite(series.value[:-1]).all()
        assert math.isnan(series.value[-1])
        json.dumps(figure, allow_nan=False)

    def test_the_line_alone_is_a_run_C09(self, tmp_path: Path) -> None:
        board = board_of(tmp_path, self.LINE)
        assert "R1" in rules(only(board))
        entropy = curve(only(board).view, "entropy")
        assert isinstance(entropy, Curve)
        assert math.isnan(entropy.value[0])


def test_a_utilisation_above_one_is_impossible_C11(tmp_path: Path) -> None:
    board = board_of(tmp_path, "step:2 - actor/grad_norm:0.5 - perf/mfu/actor:1.018\n")
    figure = drawn(board, "mfu", "full")
    assert "data" not in figure
    for language, word in zip(figure["empty"]["why"], ("不可能", "impossible"), strict=True):
        assert "1.02" in language
        assert word in language
    assert "R40" in rules(only(board))


class TestC13:
    """DAPO at step 4: mean score −0.643 in [−1, 1], and a reader who misses steps."""

    DUMP = (
        "{'actor_rollout_ref': {'actor': {'clip_ratio_high': 0.28, 'clip_ratio_low': 0.2}},\n"
        " 'algorithm': {'adv_estimator': 'grpo', 'filter_groups': {'enable': True, 'metric': 'acc'}},\n"
        " 'data': {'train_files': '/data/dapo-math-17k.parquet'}}\n"
    )
    LINE = (
        "step:4 - actor/grad_norm:0.1 - critic/score/mean:-0.643 - critic/score/max:1.000 - "
        "critic/score/min:-1.000 - train/num_gen_batches:3\n"
    )

    def test_the_range_is_named_C13(self, tmp_path: Path) -> None:
        board = board_of(tmp_path, self.DUMP + self.LINE)
        found = curve(only(board).view, "pass_rate")
        assert isinstance(found, Curve)
        assert found.value == pytest.approx([(1 - 0.643) / 2])
        figure = drawn(board, "pass_rate")
        assert "rewards ±1" in badges(figure)
        assert "奖励 ±1" in badges(figure)

    def test_the_step_counter_is_explained_C13(self, tmp_path: Path) -> None:
        view = config_view(only(board_of(tmp_path, self.DUMP + self.LINE)))
        told = [said(remark) for remark in view.detection.remarks]
        assert any("step counts updates" in english for _, english in told)
        assert any("每步可能生成多批" in chinese for chinese, _ in told)


def test_uneven_groups_of_a_validation_are_warned_of_C17(tmp_path: Path) -> None:
    """`mean@26` beside `mean@8` of one data set: duplicate prompts were grouped."""
    points = {26: (0.31, 0.33), 8: (0.62, 0.58)}
    lines = []
    for nth, step in enumerate((10, 20)):
        cells = " - ".join(f"val-core/aime/acc/mean@{n}:{values[nth]}" for n, values in points.items())
        lines.append(f"step:{step} - actor/grad_norm:0.1 - {cells}\n")
    board = board_of(tmp_path, "".join(lines))
    found = validations(only(board).view)
    assert {one.statistic: one.value.tolist() for one in found} == {
        "mean@26": [0.31, 0.33], "mean@8": [0.62, 0.58]
    }  # fmt: skip
    entry = next(chart for chart in CHARTS if chart.build is validation_chart)
    figure = entry.build(entry, chart_runs(board, board.runs), SELECTION)
    (line,) = figure["data"]
    assert line["meta"]["role"] == "val"
    assert any("8, 26" in text for text in badges(figure))
    rows = {row.key for _, rows in metrics_view(only(board).view).groups for row in rows}
    assert {"val-core/aime/acc/mean@26", "val-core/aime/acc/mean@8"} <= rows


@pytest.mark.parametrize("end", ["", "Error executing job with overrides: []\nRuntimeError: engine died\n"])
def test_a_validation_without_a_step_line_is_drawn_with_its_source_C17(tmp_path: Path, end: str) -> None:
    """Printed over many lines with the writer's prefix; the run still works, or died before its step line."""
    prefix = "(TaskRunner pid=31) "
    log = (
        f"{prefix}Training from scratch\n"
        f"{prefix}(\"Initial validation metrics: {{'val-core/aime_2024/acc/mean@26': \"\n"
        f"{prefix} \"0.3125, 'val-core/aime_2024/acc/mean@8': np.float64(0.59375), \"\n"
        f"{prefix} \"'val-aux/num_turns/mean': 2.0}}\")\n"
    )
    board = board_of(tmp_path, log + end)
    run = only(board)
    assert (run.view.run.first, run.view.run.last) == (0, 0)
    assert {one.statistic: (one.step.tolist(), one.value.tolist()) for one in validations(run.view)} == {
        "mean@26": ([0], [0.3125]), "mean@8": ([0], [0.59375])
    }  # fmt: skip
    entry = next(chart for chart in CHARTS if chart.build is validation_chart)
    figure = entry.build(entry, chart_runs(board, board.runs), SELECTION)
    assert len(figure["data"]) == 1
    assert any("Step 0 has no step line: read from the printed validation block" in b for b in badges(figure))
    assert any("第 0 步没有 step 行" in badge for badge in badges(figure))
    rows = {row.key for _, rows in metrics_view(run.view).groups for row in rows}
    assert {"val-core/aime_2024/acc/mean@26", "val-aux/num_turns/mean"} <= rows
    (report,) = run_reports(board, run)
    assert Note("report.blocks", {"n": 1}) in report.notes
    (excerpt,) = raw_log(run.view, [0])
    assert "Initial validation metrics" in excerpt.lines[0].text


def test_a_prefixed_key_is_a_series_of_its_own_C21(tmp_path: Path) -> None:
    own = "verifier_model_critic/rewards/mean"
    log = "".join(f"step:{step} - {own}:0.{step} - actor/grad_norm:0.1\n" for step in range(1, 7))
    board = board_of(tmp_path, log)
    view = only(board).view
    for metric in ("reward_mean", "pass_rate", "score_mean"):
        assert isinstance(curve(view, metric), Missing)
    rows = {row.key: row for _, rows in metrics_view(view).groups for row in rows}
    assert (rows[own].metric, rows[own].sources, rows[own].count) == (None, (), 6)
    pinned = metric_chart(own)
    assert pinned.build is line_chart
    figure = pinned.build(pinned, chart_runs(board, board.runs), SELECTION)
    assert len(figure["data"]) == 1
    assert pinned.named == (own, own)
