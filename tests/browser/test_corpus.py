"""Real public logs on the page: runs under their tab, metrics on the same charts, linked zoom and choice."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.gestures import drag, settled, step_charts
from tests.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.corpus]


def _other(open_page: OpenPage, corpus_board: Served, query: str = "") -> Page:
    page = open_page(f"{corpus_board.url}?tab=other{query}")
    page.locator('figure[data-chart="cmp-grad_norm"]').scroll_into_view_if_needed()
    expect(page.locator('figure[data-chart="cmp-grad_norm"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def test_a_collapsing_run_of_200_steps_shows_its_peak(open_page: OpenPage, corpus_board: Served) -> None:
    page = _other(open_page, corpus_board, "&exp=cluster_verl__train")
    (chart,) = (c for c in step_charts(page) if c["id"] == "cmp-grad_norm")
    runs = page.evaluate("() => window.rlboard.payload().runs")
    (key,) = (key for key, run in runs.items() if run["id"] == "cluster_verl__train")
    assert (runs[key]["first"], runs[key]["last"]) == (0, 200)
    (raw,) = (t for t in chart["traces"] if t["run"] == key and t["role"] == "raw")
    assert len(raw["x"]) == 200
    peak = max(range(200), key=lambda n: raw["y"][n])
    assert raw["x"][peak] == 123
    assert raw["y"][peak] == pytest.approx(387.8, abs=0.05)


def test_zoom_and_choice_are_linked_on_real_runs(open_page: OpenPage, corpus_board: Served) -> None:
    page = _other(open_page, corpus_board)
    drag(page, "cmp-grad_norm", 0.1, 0.4)
    page.wait_for_function("() => window.rlboard.state.range !== null")
    ranges = {tuple(round(x) for x in c["x"]) for c in step_charts(page) if c["id"].startswith("cmp-")}
    assert len(ranges) == 1
    page.locator('tr[data-act="run"][data-value="verl_data__qwen05b_gsm8k_0.567"]').first.click()
    page.wait_for_function("() => window.rlboard.state.exp && window.rlboard.state.exp.length === 1")
    runs = page.evaluate("() => window.rlboard.payload().runs")
    shown = [c for c in step_charts(page) if not c["id"].startswith("pair-")]  # two runs of their own choice
    drawn = {runs[t["run"]]["id"] for c in shown for t in c["traces"] if t["run"]}
    assert drawn == {"verl_data__qwen05b_gsm8k_0.567"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("verl_maze__crash_before_step1", "NotImplementedError"),
        ("agent_opd__20251203_213214-dsx6uos2", "OutOfMemoryError"),
        ("slime__failed_launch", "slime"),
    ],
)
def test_files_without_steps_are_listed_with_their_reason(
    open_page: OpenPage, corpus_board: Served, name: str, reason: str
) -> None:
    page = _other(open_page, corpus_board, "&lang=en")
    row = page.locator(".rl-page tr", has_text=name).filter(has_text=reason)
    expect(row.first).to_be_attached()


@pytest.mark.parametrize("tab", ["overview", "algorithms", "2b", "multimodal", "other"])
def test_every_page_renders(open_page: OpenPage, corpus_board: Served, tab: str) -> None:
    page = open_page(f"{corpus_board.url}?tab={tab}")
    expect(page.locator("h1").first).to_be_visible()
