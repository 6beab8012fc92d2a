"""What varies is data: a chart, a track, an algorithm and a metric's name are each added by one entry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dash import html

from components import charts, style
from components.charts import CHARTS
from components.figures import Chart
from components.figures_lines import line_chart
from components.present import algorithms as algorithms_page
from components.present import figures, pages
from components.present.shell import manifest
from components.text import TEXT
from data_loaders import catalog, metrics
from data_loaders.board import Board
from data_loaders.catalog import ALGORITHMS, TRACKS, Algorithm, Track
from data_loaders.derive import canonical, hours
from data_loaders.metrics import METRICS
from tests.unit.components.present.boards import GRAD, calm, read_board, write_log
from tests.unit.components.runs import unpacked
from tests.unit.components.test_pages import text, walk


def places(page: Any) -> set[str]:
    found = (part for part in walk(page) if isinstance(part, html.Figure))
    return {figure.to_plotly_json()["props"]["data-chart"] for figure in found}


def one_run(tmp_path: Path, name: str = "e1_grpo_2b", **columns: Any) -> Board:
    cells = {key.replace("__", "/"): value for key, value in columns.items()} or {GRAD: calm(9, 0.2)}
    write_log(tmp_path / "logs", name, cells)
    return read_board(tmp_path / "logs", tmp_path / "cache")


def test_a_chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = one_run(tmp_path, perf__throughput=calm(9, 500.0), actor__grad_norm=calm(9, 0.2))
    extra = Chart("tokens_per_second", "comparison", ("throughput",), line_chart, "tokens_per_s")
    monkeypatch.setattr(charts, "CHARTS", (*CHARTS, extra))
    monkeypatch.setitem(TEXT, "plot.tokens_per_second", ("每秒词元", "Tokens per second"))  # type: ignore[arg-type]
    page = pages.page(board, "2b")
    assert "cmp-tokens_per_second" in places(page)
    assert "Tokens per second" in text(page)
    assert "每秒词元" in text(page, "zh")
    made = figures.payload(board, "2b", {})["charts"]["cmp-tokens_per_second"]
    assert len(unpacked(made["data"][0]["y"])) == 9


def test_a_track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seven = Track("7b", ("7B 训练", "7B training"), ("7B 训练监控", "7B training monitor"), names=("7b",))
    monkeypatch.setattr(catalog, "TRACKS", (*TRACKS, seven))
    board = one_run(tmp_path, "e1_grpo_7b")
    assert "7b" in manifest(board)["tabs"]
    page = pages.page(board, "7b")
    assert "7B training monitor" in text(page)
    assert "cmp-grad_norm" in places(page)
    assert "data" in figures.payload(board, "7b", {})["charts"]["cmp-grad_norm"]


def test_an_algorithm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zpo = Algorithm("zpo", "ZPO", ("zpo",), ("zpo",))
    for module in (catalog, style, algorithms_page):
        monkeypatch.setattr(module, "ALGORITHMS", (*ALGORITHMS, zpo))
    board = one_run(tmp_path, "e7_zpo_2b")
    (run,) = board.runs
    assert run.detected.algorithm == "zpo"
    assert "ZPO" in text(pages.page(board, "2b"))
    assert "ZPO" in text(pages.page(board, "algorithms"))


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that the gradient norm might be logged under one day: one string more among its aliases."""
    key = "policy/gradient_l2"
    entries = tuple(
        replace(entry, aliases=(*entry.aliases, key)) if entry.name == "grad_norm" else entry
        for entry in METRICS
    )
    for module in (metrics, canonical):
        monkeypatch.setattr(module, "METRICS", entries)
    monkeypatch.setattr(hours, "BY_NAME", {entry.name: entry for entry in entries})
    return key


def test_a_metric_alias(tmp_path: Path, renamed: str) -> None:
    write_log(tmp_path / "logs", "e1_grpo_2b", {renamed: calm(9, 0.2)})
    board = read_board(tmp_path / "logs", tmp_path / "cache")
    drawn = figures.payload(board, "2b", {})["charts"]["cmp-grad_norm"]
    assert unpacked(drawn["data"][0]["y"])[0] == pytest.approx(0.2 * (1 - 0.02))


def test_nan_after_a_step_stays_on_the_multimodal_page(tmp_path: Path) -> None:
    """Training of a 7B vision-language model on geometry3k whose gradient is NaN from step 151 on."""
    norms = {step: 0.4 if step <= 150 else float("nan") for step in range(1, 171)}
    files = "/data/hiyouga/geometry3k/train.parquet"
    cells = {GRAD: norms, "reward/accuracy": calm(170, 0.5), "reward/format": calm(170, 0.9)}
    write_log(tmp_path / "logs", "qwen2_5_7b_grpo", cells | {"prompt_length/mean": calm(170, 600.0)}, files)
    board = read_board(tmp_path / "logs", tmp_path / "cache")
    (run,) = board.runs
    assert run.view.run.track == "multimodal"
    made = figures.payload(board, "multimodal", {})["charts"]
    values = unpacked(made["cmp-grad_norm"]["data"][0]["y"])
    assert (len(values), values[149], str(values[150])) == (170, 0.4, "nan")
    (badge,) = [b for b in made["cmp-grad_norm"]["meta"]["badges"] if "NaN" in b["text"][1]]
    assert "20" in badge["title"][1]
    assert "151" in badge["title"][1]
    shown = places(pages.page(board, "multimodal"))
    assert {"cmp-prompt_length", "cmp-reward_accuracy", "cmp-reward_format"} <= shown


def test_text_runs_have_no_places_for_images_and_parts_of_the_reward(tmp_path: Path) -> None:
    board = one_run(tmp_path, prompt_length__mean=calm(9, 150.0), actor__grad_norm=calm(9, 0.2))
    shown = places(pages.page(board, "2b"))
    assert "cmp-grad_norm" in shown
    assert not {"cmp-prompt_length", "cmp-reward_accuracy", "cmp-reward_format"} & shown


def test_an_empty_track_says_what_would_fill_it(tmp_path: Path) -> None:
    shown = text(pages.page(one_run(tmp_path), "multimodal"))
    assert "No run on this page yet" in shown
    assert "geometry3k" in shown
    assert "prompt length" in shown
