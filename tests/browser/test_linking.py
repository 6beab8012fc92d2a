"""One range and one choice of experiments drive every chart: real gestures on the demo board."""

from __future__ import annotations

import math

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import OpenPage
from tests.browser.gestures import callback_outputs, charts, drag, settled, step_charts
from tests.serving import Served

pytestmark = pytest.mark.browser


def _track(open_page: OpenPage, board: Served, query: str = "") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}")
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def test_a_drag_moves_every_chart_and_asks_the_server_nothing(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board)
    before = {chart["id"]: chart["x"] for chart in step_charts(page)}
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    drag(page, "cmp-pass_rate", 0.5, 0.8)
    page.wait_for_function("() => window.rlboard.state.range !== null")
    shown = step_charts(page)
    first, last = page.evaluate("() => window.rlboard.state.range")
    assert 1 < first < last < 129
    assert len(shown) >= 5
    for chart in shown:
        assert chart["x"] != before.get(chart["id"]), chart["id"]
        assert chart["x"] == pytest.approx(shown[0]["x"]), chart["id"]
        assert chart["x"][0] <= first
        assert chart["x"][1] >= last
    page.wait_for_function("() => location.search.includes('steps=')")
    assert callback_outputs(requests) == []


def test_y_fits_what_is_in_view(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board, "&steps=100-129")
    for chart in step_charts(page):
        if chart["id"] not in ("cmp-pass_rate", "cmp-response_length", "cmp-grad_norm"):
            continue
        values = [
            y
            for trace in chart["traces"]
            if trace["role"] in ("raw", "ma")
            for x, y in zip(trace["x"], trace["y"], strict=True)
            if y is not None and math.isfinite(y) and chart["x"][0] <= x <= chart["x"][1]
        ]
        low, high = chart["y"]
        span = max(values) - min(values)
        assert low <= min(values), chart["id"]
        assert high >= max(values), chart["id"]
        assert (high - low) <= 1.35 * span, chart["id"]


def test_the_range_holds_on_other_tabs_and_after_reload(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board)
    drag(page, "cmp-grad_norm", 0.3, 0.6)
    page.wait_for_function("() => window.rlboard.state.range !== null")
    chosen = page.evaluate("() => window.rlboard.state.range")
    page.locator('[data-act="tab"][data-value="4b"]').locator("visible=true").first.click()
    expect(page.locator("h1")).to_contain_text("4B")
    page.wait_for_function("() => window.rlboard.payload() && window.rlboard.payload().tab === '4b'")
    ranges = {tuple(round(x) for x in chart["x"]) for chart in step_charts(page)}
    assert len(ranges) == 1
    low, high = ranges.pop()
    assert abs(low - chosen[0]) <= 1
    assert abs(high - chosen[1]) <= 1
    page.reload()
    settled(page)
    assert page.evaluate("() => [window.rlboard.state.tab, window.rlboard.state.range]") == ["4b", chosen]


def test_a_chip_chooses_by_label_on_every_track(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board)
    page.locator('.chip[data-value="E3"]').dblclick()
    page.wait_for_function("() => JSON.stringify(window.rlboard.state.exp) === '[\"E3\"]'")
    names = page.evaluate("() => window.rlboard.payload().runs")
    e3 = {key for key, run in names.items() if run["label"] == "E3"}
    for chart in step_charts(page):
        runs = {trace["run"] for trace in chart["traces"] if trace["run"]}
        assert runs <= e3, chart["id"]
    page.locator('[data-act="tab"][data-value="4b"]').locator("visible=true").first.click()
    page.wait_for_function("() => window.rlboard.payload() && window.rlboard.payload().tab === '4b'")
    settled(page)
    names = page.evaluate("() => window.rlboard.payload().runs")
    e3 = {key for key, run in names.items() if run["label"] == "E3"}
    drawn = {trace["run"] for chart in step_charts(page) for trace in chart["traces"] if trace["run"]}
    assert drawn == e3


def test_reset_returns_comparisons_to_the_window_and_runs_to_all_steps(
    open_page: OpenPage, board: Served
) -> None:
    page = _track(open_page, board, "&steps=20-60&exp=E1,E3")
    page.locator('[data-act="reset"]').locator("visible=true").first.click()
    page.wait_for_function("() => window.rlboard.state.range === null && window.rlboard.state.exp === null")
    compared = {chart["id"]: chart["x"] for chart in step_charts(page)}
    low, high = compared["cmp-entropy"]
    assert low <= 1 <= low + 1.5
    assert high - 1.5 <= 129 <= high
    page.locator('figure[data-chart^="run-"]').first.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('figure[data-chart^=run-] .js-plotly-plot')")
    own = [chart for chart in step_charts(page) if chart["id"].startswith("run-")]
    assert own
    assert all(chart["x"][1] >= 150 for chart in own)


def test_double_click_resets_all(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board, "&steps=40-80")
    page.locator('figure[data-chart="cmp-entropy"] .nsewdrag').first.dblclick()
    page.wait_for_function("() => window.rlboard.state.range === null")
    ranges = {
        tuple(chart["x"]) for chart in step_charts(page) if chart["id"] in ("cmp-pass_rate", "cmp-entropy")
    }
    assert len(ranges) == 1


def test_hover_shows_one_step_line_and_lifts_the_run(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board)
    area = page.locator('figure[data-chart="cmp-response_length"] .nsewdrag').first
    box = area.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.4)
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5, steps=5)
    expect(page.locator(".cursor:visible").first).to_be_visible()
    steps = set(page.locator(".cursor:visible b").all_inner_texts())
    assert len(steps) == 1
    assert page.locator(".cursor:visible").count() >= 4
    page.locator('.chip[data-value="E2"]').hover()
    page.wait_for_function("() => document.body.dataset.focus")


def test_language_and_theme_keep_the_view(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board, "&steps=30-90&exp=E1,E2")
    page.locator('[data-act="lang"]').locator("visible=true").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.locator('[data-act="theme"]').locator("visible=true").first.click()
    state = page.evaluate("() => window.rlboard.state")
    assert (state["range"], state["exp"]) == ([30, 90], ["E1", "E2"])
    assert {round(chart["x"][0]) for chart in step_charts(page)} <= {29, 30}
    assert charts(page)


def test_a_typed_range_is_the_same_as_a_dragged_one(open_page: OpenPage, board: Served) -> None:
    page = _track(open_page, board)
    boxes = page.locator("#steps input:visible")
    boxes.first.fill("100")
    boxes.first.press("Enter")
    page.wait_for_function("() => window.rlboard.state.range && window.rlboard.state.range[0] === 100")
    boxes.last.fill("120")
    boxes.last.press("Enter")
    page.wait_for_function("() => window.rlboard.state.range[1] === 120")
    assert {round(chart["x"][1]) for chart in step_charts(page)} <= {120, 121}
