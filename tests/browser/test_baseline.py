"""A run pinned as baseline: every chart along steps shows the difference to it, step by step."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from components.style import run_key
from tests.browser.conftest import DESK, OpenPage
from tests.browser.gestures import drag, settled
from tests.browser.logged import logged
from tests.serving import Served

pytestmark = pytest.mark.browser

E1, E3 = "e1_grpo_2b", "e3_drgrpo_2b"
LINES = """(id) => { const record = rlboard.records().find((r) => r.id === id);
  return record.chart.lines.filter((line) => ['raw', 'val'].includes(line.role)).map((line) => [line.key, [...line.steps], [...line.y],
    line.up ? [...line.up] : null, line.down ? [...line.down] : null]); }"""
BADGES = "(id) => document.querySelector(`figure[data-chart='${id}'] .badges`).innerText"


def opened(open_page: OpenPage, board: Served, query: str = "", locale: str = "en-US") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale=locale)
    expect(page.locator('figure[data-chart="cmp-grad_norm"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def lines(page: Page, chart: str) -> dict[str, dict[int, float]]:
    settled(page)
    return {key: dict(zip(steps, y, strict=True)) for key, steps, y, *_ in page.evaluate(LINES, chart)}


def shown(page: Page, chart: str) -> None:
    figure = page.locator(f'figure[data-chart="{chart}"]')
    figure.scroll_into_view_if_needed()
    expect(figure.locator(".js-plotly-plot")).to_be_visible()


def test_choosing_a_baseline_subtracts_it_at_every_common_step(
    open_page: OpenPage, board: Served, demo_logs: Path
) -> None:
    page = opened(open_page, board)
    page.locator(".rl-more summary").click()
    page.locator("select[data-act=base]").select_option("E1")
    expect(page).to_have_url(re.compile("base=E1"))
    mine, base = logged(demo_logs, E3, "actor/grad_norm"), logged(demo_logs, E1, "actor/grad_norm")
    expected = {step: mine[step] - base[step] for step in mine.keys() & base.keys()}
    assert len(expected) > 100
    drawn = lines(page, "cmp-grad_norm")
    assert drawn[run_key(E3)].keys() == expected.keys()
    assert all(
        math.isclose(drawn[run_key(E3)][step], value, abs_tol=1e-12) for step, value in expected.items()
    )
    assert set(drawn[run_key(E1)].values()) == {0.0}
    assert "minus E1" in page.evaluate(BADGES, "cmp-grad_norm")


def test_charts_of_one_run_are_subtracted_from_that_of_the_baseline(
    open_page: OpenPage, board: Served, demo_logs: Path
) -> None:
    page = opened(open_page, board, "&base=E1")
    shown(page, f"run-{run_key(E3)}-grad_norm")
    mine, base = logged(demo_logs, E3, "actor/grad_norm"), logged(demo_logs, E1, "actor/grad_norm")
    (drawn,) = lines(page, f"run-{run_key(E3)}-grad_norm").values()
    assert drawn == pytest.approx({step: mine[step] - base[step] for step in mine.keys() & base.keys()})
    shown(page, f"run-{run_key(E1)}-grad_norm")
    (own,) = lines(page, f"run-{run_key(E1)}-grad_norm").values()
    assert own == pytest.approx(base)


def test_validations_differ_with_the_interval_of_newcombe(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board, "&base=E1")
    settled(page)
    found = {key: rest for key, *rest in page.evaluate(LINES, "cmp-validation")}
    steps, y, up, down = found[run_key(E3)]
    at = steps.index(150) if 150 in steps else steps.index(max(steps))

    def wilson(k: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
        p, d = k / n, 1 + z * z / n
        half = z / d * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        centre = (p + z * z / (2 * n)) / d
        return centre - half, centre + half

    counts = {150: (12, 10), 125: (11, 11)}
    mine, base = counts[steps[at]]
    (l1, u1), (l2, u2) = wilson(mine, 30), wilson(base, 30)
    p1, p2 = mine / 30, base / 30
    assert y[at] == pytest.approx(100 * (p1 - p2))
    assert up[at] == pytest.approx(100 * math.hypot(u1 - p1, p2 - l2))
    assert down[at] == pytest.approx(100 * math.hypot(p1 - l1, u2 - p2))


def test_zoom_and_chips_work_on_differences_and_reset_ends_them(open_page: OpenPage, board: Served) -> None:
    page = opened(open_page, board, "&base=E1", locale="zh-CN")
    assert "减 E1" in page.evaluate(BADGES, "cmp-entropy")
    drag(page, "cmp-grad_norm", 0.2, 0.5)
    settled(page)
    ranges = page.evaluate("() => [...new Set(rlboard.records().filter((r) => r.mounted && r.chart.meta.difference)"
                           ".map((r) => r.figure.dataset.range))]")  # fmt: skip
    assert len(ranges) == 1
    assert ranges[0] != "1-129"
    page.locator('.chip[data-value="E1"]').click()
    settled(page)
    assert run_key(E3) in lines(page, "cmp-entropy")
    page.locator("body").press("r")
    settled(page)
    assert "base=" not in page.url
    assert "减 E1" not in page.evaluate(BADGES, "cmp-entropy")


def test_a_baseline_of_another_page_changes_nothing(
    open_page: OpenPage, board: Served, demo_logs: Path
) -> None:
    page = opened(open_page, board, "&base=nobody")
    drawn = lines(page, "cmp-grad_norm")[run_key(E3)]
    assert drawn == pytest.approx(logged(demo_logs, E3, "actor/grad_norm"))


def test_the_exported_file_takes_a_baseline(chromium: Browser, exported: Path) -> None:
    context = chromium.new_context(viewport=DESK, locale="en-US", offline=True)
    page = context.new_page()
    page.goto(f"{exported.as_uri()}?tab=2b")
    settled(page)
    page.locator(".rl-more summary").click()
    page.locator("select[data-act=base]").select_option("E1")
    settled(page)
    assert set(lines(page, "cmp-grad_norm")[run_key(E1)].values()) == {0.0}
    assert "base=E1" in page.url
    context.close()
