"""Lines that the board draws itself lie where plotly draws them, and the chart under the pointer is plotly's."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from data_loaders.schema import FloatArray
from tests.browser.conftest import OpenPage
from tests.browser.gestures import settled
from tests.serving import Served

pytestmark = pytest.mark.browser

LINES = """(id) => Object.fromEntries([...document.querySelectorAll(`figure[data-chart=${id}] .trace`)]
  .filter((el) => /_(raw|ma)_/.test(el.getAttribute('class'))).map((el) => {
    const path = el.querySelector('.js-line'), style = getComputedStyle(path);
    return [/trace(e\\d\\S+)/.exec(el.getAttribute('class'))[1], { path: path.getAttribute('d'),
      look: [style.stroke, style.strokeWidth, style.fill, getComputedStyle(el).opacity],
      dash: style.strokeDasharray.replace(/px|,/g, '') }];
  }))"""
WIDTH = 320
"""Less than a plot is wide."""
PAINTED = "(id) => document.querySelectorAll(`figure[data-chart=${id}] .rl-lines .trace`).length"


def opened(open_page: OpenPage, board: Served, query: str) -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale="en-US")
    settled(page)
    return page


def enter(page: Page, chart: str) -> None:
    """Move the pointer into a chart, where no line is near."""
    box = page.locator(f'figure[data-chart="{chart}"] .nsewdrag').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 2)
    page.wait_for_function(f"() => rlboard.ready && ({PAINTED})('{chart}') === 0")


def inside(path: str) -> FloatArray:
    """Corners of a path that lie in the plot, [x, y] (2, n) in pixels; plotly leaves out those hardly off a straight line."""
    corners = np.array([float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path)]).reshape(-1, 2).T
    return corners[:, (corners[0] > 0) & (corners[0] < WIDTH)]


@pytest.mark.parametrize("chart", ["cmp-pass_rate", "cmp-response_length", "cmp-grad_norm"])
@pytest.mark.parametrize("query", ["", "&steps=40-110", "&yscale=log"])
def test_painted_lines_lie_where_plotly_draws_them(
    open_page: OpenPage, board: Served, chart: str, query: str
) -> None:
    page = opened(open_page, board, query)
    before: dict[str, Any] = page.evaluate(LINES, chart)
    assert page.evaluate(PAINTED, chart) >= len(before) >= 4
    enter(page, chart)
    page.evaluate("() => rlboard.focus([])")
    after: dict[str, Any] = page.evaluate(LINES, chart)
    assert set(after) == set(before)
    for uid, line in after.items():
        assert (before[uid]["look"], before[uid]["dash"]) == (line["look"], line["dash"]), uid
        painted, theirs = inside(before[uid]["path"]), inside(line["path"])
        away = np.abs(painted[:, :, None] - theirs[:, None, :]).max(axis=0).min(axis=0)
        assert painted.shape[1] >= theirs.shape[1] > 50
        assert away.max() < 0.1, uid


def test_values_are_told_as_soon_as_the_pointer_rests_on_a_chart(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board, "&steps=40-110")
    assert page.evaluate(PAINTED, "cmp-entropy") > 0
    enter(page, "cmp-entropy")
    told = page.locator('figure[data-chart="cmp-entropy"] .hoverlayer')
    expect(told).to_contain_text("E3 · per token")
    expect(told).to_contain_text("75")
    page.mouse.move(5, 5)
    page.evaluate("() => rlboard.set({ range: [50, 100] })")
    page.wait_for_function(f"() => rlboard.ready && ({PAINTED})('cmp-entropy') > 0")


def test_a_value_that_is_none_leaves_a_gap(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board, "")
    path = (
        "(ys) => rlboard.pathOf([1, 2, 3, 4, 5], ys, { x: (value) => 10 * value, y: (value) => 100 - value })"
    )
    nothing = "[1, NaN, 2, 3, -Infinity]"
    assert page.evaluate(f"() => ({path})({nothing})") == "M10,99M30,98L40,97"
    assert page.evaluate(f"() => ({path})([7, null, undefined, 7, 1e12])") == "M10,93M40,93L50,-100000"


def test_a_saved_picture_holds_the_lines_of_a_chart_nobody_touched(
    open_page: OpenPage, board: Served
) -> None:
    page = opened(open_page, board, "")
    page.evaluate("() => { Plotly.downloadImage = ({ data }) => { window.saved = data.map((t) => t.uid) } }")
    page.evaluate("() => rlboard.savePicture(document.querySelector('figure[data-chart=cmp-entropy] .plot'))")
    saved: list[str] = page.evaluate("() => saved")
    assert sum("_raw_" in uid for uid in saved) == 4
    assert "ends_end_all" in saved
