"""One quantity against another: a point per step, tied to range, runs and pointer like every other chart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from components.style import run_key
from tests.browser.conftest import DESK, OpenPage
from tests.browser.gestures import drag, settled
from tests.browser.logged import logged
from tests.serving import Served

pytestmark = pytest.mark.browser

E1, E3 = "e1_grpo_2b", "e3_drgrpo_2b"
DOTS = """() => rlboard.records().find((r) => r.id === 'phase').data.filter((t) => (t.meta || {}).role === 'dot')
  .map((t) => ({ run: t.meta.run, step: [...t.customdata], x: [...t.x], y: [...t.y], color: t.marker.color, opacity: t.marker.opacity }))"""


def opened(open_page: OpenPage, board: Served, query: str = "", locale: str = "en-US") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale=locale)
    expect(page.locator('figure[data-chart="cmp-entropy"] .js-plotly-plot')).to_be_visible()
    figure = page.locator('figure[data-chart="phase"]')
    figure.scroll_into_view_if_needed()
    expect(figure.locator(".js-plotly-plot")).to_be_visible()
    settled(page)
    return page


def dots(page: Page) -> dict[str, dict[str, Any]]:
    settled(page)
    return {one["run"]: one for one in page.evaluate(DOTS)}


def test_points_are_the_logged_pairs_of_the_chosen_steps_and_runs(
    open_page: OpenPage, board: Served, demo_logs: Path
) -> None:
    page = opened(open_page, board, "&steps=40-60")
    page.locator("select[data-act=phase-x]").select_option("grad_norm")
    page.locator("select[data-act=phase-y]").select_option("response_length")
    expect(page).to_have_url(re.compile("phase=grad_norm,response_length"))
    norm, length = logged(demo_logs, E1, "actor/grad_norm"), logged(demo_logs, E1, "response_length/mean")
    found = dots(page)
    mine = found[run_key(E1)]
    assert mine["step"] == list(range(40, 61))
    assert mine["x"] == pytest.approx([norm[step] for step in mine["step"]])
    assert mine["y"] == pytest.approx([length[step] for step in mine["step"]])
    page.locator('.chip[data-value="E1"]').click()
    settled(page)
    assert run_key(E1) not in dots(page)
    assert run_key(E3) in dots(page)


def test_steps_are_told_by_strength_and_of_one_run_by_colour(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board, "&steps=1-100")
    several = dots(page)[run_key(E3)]
    assert several["opacity"] == sorted(several["opacity"])
    assert several["opacity"][0] < 0.2
    assert several["opacity"][-1] == pytest.approx(1)
    page.locator('.chip[data-value="E3"]').dblclick()
    settled(page)
    (alone,) = dots(page).values()
    assert alone["color"] == alone["step"]


def test_a_zoom_elsewhere_and_a_swap_move_it(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board)
    before = dots(page)[run_key(E3)]
    page.locator("[data-act=phase-swap]").click()
    after = dots(page)[run_key(E3)]
    assert (after["x"], after["y"]) == (before["y"], before["x"])
    drag(page, "cmp-entropy", 0.3, 0.6)
    settled(page)
    first, last = map(int, re.findall(r"steps=(\d+)-(\d+)", page.url)[0])
    figure = page.locator('figure[data-chart="phase"]')
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-range", f"{first}-{last}")
    zoomed = dots(page)[run_key(E3)]["step"]
    assert zoomed == list(range(first, last + 1))
    page.reload()
    page.locator('figure[data-chart="phase"]').scroll_into_view_if_needed()
    expect(page.locator('figure[data-chart="phase"] .js-plotly-plot')).to_be_visible()
    assert dots(page)[run_key(E3)]["step"] == zoomed


def test_the_step_under_the_pointer_is_marked_on_both_sides(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board, "&steps=40-60&exp=E1,E3")
    area = page.locator('figure[data-chart="cmp-entropy"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    page.wait_for_function("() => rlboard.records().find((record) => record.id === 'cmp-entropy').inView")
    box = area.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => document.querySelectorAll('figure[data-chart=phase] .ring').length === 2")
    plot = page.locator('figure[data-chart="phase"] .js-plotly-plot')
    plot.scroll_into_view_if_needed()
    at = page.evaluate("""() => { const record = rlboard.records().find((r) => r.id === 'phase'), full = record.plot._fullLayout,
      points = record.chart.phase.found[0].points, box = record.plot.getBoundingClientRect();
      return [box.left + full._size.l + full.xaxis.l2p(points.x[7]), box.top + full._size.t + full.yaxis.l2p(points.y[7]), points.step[7]]; }""")
    page.mouse.move(at[0] - 1, at[1])
    page.mouse.move(at[0], at[1])
    page.wait_for_function(
        "() => [...document.querySelectorAll('.cursor:not([hidden]) b')].some((tag) => /^4\\d$/.test(tag.textContent))"
    )
    expect(page.locator('figure[data-chart="phase"] .hovertext').first).to_contain_text("step 4")


def test_a_pinned_metric_becomes_an_axis(open_page: OpenPage, board: Served, demo_logs: Path) -> None:
    page = opened(
        open_page,
        board,
        "&pin=critic/advantages/max&phase=pin-critic/advantages/max,entropy&steps=50-55",
        "zh-CN",
    )
    found = dots(page)[run_key(E1)]
    values = logged(demo_logs, E1, "critic/advantages/max")
    assert found["x"] == pytest.approx([values[step] for step in range(50, 56)])
    expect(page.get_by_role("heading", name="相图")).to_be_visible()


def test_the_exported_file_has_it(chromium: Browser, exported: Path) -> None:
    context = chromium.new_context(viewport=DESK, locale="en-US", offline=True)
    page = context.new_page()
    page.goto(f"{exported.as_uri()}?tab=2b&steps=40-60&phase=grad_norm,entropy")
    figure = page.locator('[data-page="2b"] figure[data-chart="phase"]')
    figure.scroll_into_view_if_needed()
    expect(figure.locator(".js-plotly-plot")).to_be_visible()
    settled(page)
    assert dots(page)[run_key(E3)]["step"] == list(range(40, 61))
    page.locator('[data-page="2b"] select[data-act=phase-y]').select_option("pass_rate")
    settled(page)
    assert "phase=grad_norm,pass_rate" in page.url
    context.close()
