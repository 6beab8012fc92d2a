"""The full version of a run, one line for what it lacks, and the table of runs over a chosen range."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dash import html

from components.overview_page import run_section
from components.present import figures, pages
from components.present.overview import overview_view, run_groups
from components.present.track import track_view
from data_loaders.board import Board
from tests.unit.components.present.boards import GRAD, calm, read_board, write_log
from tests.unit.components.present.test_registry import places
from tests.unit.components.runs import unpacked
from tests.unit.components.test_pages import text, walk

STEPS = 40
LEVELS = {"timing_s/step": 100.0, "timing_s/gen": 60.0, "timing_s/update_actor": 30.0}
TIMES = {key: calm(STEPS, level) for key, level in LEVELS.items()}


def board_of(tmp_path: Path, runs: Mapping[str, Mapping[str, Mapping[int, float]]]) -> Board:
    for name, cells in runs.items():
        write_log(tmp_path / "logs", name, cells)
    return read_board(tmp_path / "logs", tmp_path / "cache")


def view_of(board: Board, track: str) -> Any:
    return track_view(board, next(t for t in board.source.config.tracks if t.id == track))


def test_sections_show_where_their_metrics_are_logged(tmp_path: Path) -> None:
    more = {"actor/kl_loss": calm(STEPS, 0.01), "global_seqlen/mean": calm(STEPS, 9000.0)}
    rich = {GRAD: calm(STEPS, 0.2), **TIMES, **more}
    board = board_of(tmp_path, {"e1_grpo_2b": rich, "e2_dapo_2b": {GRAD: calm(STEPS, 0.2)}})
    page = pages.page(board, "2b")
    one, two = view_of(board, "2b").experiments
    assert set(one.full) == {"stages", "step_time", "rank_tokens", "kl_loss"}
    assert two.full == ()
    shown = text(page)
    assert "Sequence balance" in shown
    assert "Critic" in shown, "a section without metrics is named with its reason"
    folded = [part for part in walk(page) if isinstance(part, html.Details) and part.className == "full"]
    assert len(folded) == 1
    assert not getattr(folded[0], "open", False)


def test_only_unfolded_runs_have_the_figures_of_their_full_version(tmp_path: Path) -> None:
    cells = {GRAD: calm(STEPS, 0.2), **TIMES}
    board = board_of(tmp_path, {"e1_grpo_2b": cells, "e2_dapo_2b": cells})
    one, two = (run.info.key for run in view_of(board, "2b").experiments)

    def full(which: Any) -> set[str]:
        return {id_ for id_ in figures.payload(board, "2b", {}, which)["charts"] if id_.startswith("full-")}

    assert full(()) == set()
    assert full((one,)) == {f"full-{one}-stages", f"full-{one}-step_time"}
    everything = {id_ for id_ in places(pages.page(board, "2b")) if id_.startswith("full-")}
    assert full(None) == everything
    assert any(two in id_ for id_ in everything)


def test_stages_add_up_to_the_step(tmp_path: Path) -> None:
    board = board_of(tmp_path, {"e1_grpo_2b": {GRAD: calm(STEPS, 0.2), **TIMES}})
    (run,) = view_of(board, "2b").experiments
    figure = figures.payload(board, "2b", {}, None)["charts"][f"full-{run.info.key}-stages"]
    names = [trace["meta"]["series"] for trace in figure["data"]]
    assert names == ["gen_time", "update_actor_time", "rest"]
    total = np.sum([unpacked(trace["y"]) for trace in figure["data"]], axis=0)
    assert total.tolist() == pytest.approx([TIMES["timing_s/step"][step] for step in range(1, STEPS + 1)])
    assert not any(re.match(r"e\d_", trace["uid"]) for trace in figure["data"]), "no hue of a run"


def test_a_utilisation_of_zero_says_that_verl_does_not_know_it(tmp_path: Path) -> None:
    cells = {GRAD: calm(9, 0.2), "perf/mfu/actor": dict.fromkeys(range(1, 10), 0.0)}
    board = board_of(tmp_path, {"e1_grpo_2b": cells})
    (run,) = view_of(board, "2b").experiments
    empty = figures.payload(board, "2b", {}, None)["charts"][f"full-{run.info.key}-mfu"]["empty"]
    assert "always 0" in empty["why"][1]


def test_supervised_fine_tuning_has_one_line_instead_of_eight_empty_places(tmp_path: Path) -> None:
    cells = {"train/loss": calm(20, 1.2), "train/lr": calm(20, 1e-5), "val/loss": {10: 1.1, 20: 1.0}}
    board = board_of(tmp_path, {"sft_qwen": cells})
    (run,) = view_of(board, "other").experiments
    assert set(run.charts) == {"sft_loss", "sft_val_loss"}
    shown = places(pages.page(board, "other"))
    own = {id_ for id_ in shown if id_.startswith("run-")}
    assert own == {f"run-{run.info.key}-sft_loss", f"run-{run.info.key}-sft_val_loss"}
    said = text(pages.page(board, "other"))
    assert "Not drawn: pass rate, response length" in said
    assert "fine-tuning" in said


def test_columns_of_the_table_follow_the_range(tmp_path: Path) -> None:
    norms = calm(STEPS, 0.2) | {30: 5.0}
    board = board_of(tmp_path, {"e1_grpo_2b": {GRAD: norms, **TIMES}})
    (whole,), (part,) = (
        [row for group in run_groups(board, steps) for row in group.rows] for steps in (None, (5, 14))
    )
    assert whole.grad_peak == 5.0
    assert part.grad_peak == pytest.approx(max(norms[step] for step in range(5, 15)))
    seconds = sum(TIMES["timing_s/step"][step] for step in range(5, 15))
    assert part.hours == pytest.approx(seconds / 3600)
    assert whole.hours == pytest.approx(sum(TIMES["timing_s/step"].values()) / 3600)
    assert {e.peak for e in whole.episodes} == {30}
    assert part.episodes == ()
    said = text(run_section(run_groups(board, (5, 14)), (5, 14)))
    assert "steps 5–14 alone" in said
    assert "all steps" in text(run_section(overview_view(board).groups))


def test_rows_carry_what_they_are_sorted_by(tmp_path: Path) -> None:
    first = {GRAD: calm(9, 0.2), **TIMES}
    board = board_of(tmp_path, {"e1_grpo_2b": first, "e2_dapo_2b": {GRAD: calm(9, 0.3)}})
    table = run_section(run_groups(board, None))
    lines = [part for part in walk(table) if isinstance(part, html.Tr)]
    rows = [line for line in lines if "data-nth" in line.to_plotly_json()["props"]]
    assert [row.to_plotly_json()["props"]["data-nth"] for row in rows] == ["0", "1"]
    keys = [
        part.to_plotly_json()["props"].get("data-by") for part in walk(rows[0]) if isinstance(part, html.Td)
    ]
    assert keys[2] == "40.0"
    assert float(keys[3] or 0) == pytest.approx(sum(TIMES["timing_s/step"].values()) / 3600)
    heads = [part for part in walk(table) if isinstance(part, html.Th)]
    sorting = [head for head in heads if "aria-sort" in head.to_plotly_json()["props"]]
    assert all(isinstance(head.children, html.Button) for head in sorting)
    assert len(sorting) == 12


def test_runs_without_training_steps_are_counted_and_listed_alike(tmp_path: Path) -> None:
    early = {"val-core/math_500/acc/mean@1": {0: 0.3}}
    runs = {"trained": {GRAD: calm(9, 0.2)}, "other_run": {GRAD: calm(9, 0.3)}, "early": early}
    board = board_of(tmp_path, runs)
    view = view_of(board, "other")
    assert "3 runs, 2 with training steps" in text(pages.page(board, "other"))
    (file,) = view.stepless
    assert "early" in file.name
    assert [note.key for note in file.notes] == ["reason.untrained"]
    assert view.agreements == ()
    assert "single seed" not in text(pages.page(board, "other"))


def test_a_reason_for_several_charts_names_no_single_key(tmp_path: Path) -> None:
    board = board_of(tmp_path, {"e1_grpo_2b": {"my/own": calm(9, 0.2)}})
    (run,) = view_of(board, "2b").experiments
    (absent,) = run.absent
    assert len(absent.titles) > 4
    assert absent.why.key == "several.missing.not_logged"
