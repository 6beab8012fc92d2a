"""Two runs compared step by step, remarks on meaning, and statements that lead to their view: live and exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from data_loaders.derive.statistics import mean_over
from tests.browser.conftest import DESK, OpenPage
from tests.browser.gestures import drag, settled
from tests.browser.reading import DRAWN
from tests.serving import Served

pytestmark = pytest.mark.browser

CHART = "pair-pass_rate"
FIGURE = f'figure[data-chart="{CHART}"]:visible'
SAID = f"{FIGURE} .pair-said"
RAW = """(chart) => { const r = rlboard.records().find((r) => r.id === chart && r.chart);
  return Object.fromEntries(r.chart.lines.map((l) => [rlboard.payload().runs[l.key].label, [[...l.steps], [...l.y]]])); }"""
LINE = """(chart) => { const r = rlboard.records().find((r) => r.id === chart && r.chart);
  const t = r.data.find((t) => (t.meta || {}).role === 'raw'); return [[...t.x], [...t.y]]; }"""


@pytest.fixture
def offline(chromium: Browser, exported: Path) -> Iterator[Page]:
    context = chromium.new_context(viewport=DESK, locale="en-US")
    context.set_offline(True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{exported.as_uri()}?tab=2b&lang=en")
    settled(page)
    yield page
    context.close()
    assert said == []


def show(page: Page) -> None:
    page.wait_for_function(DRAWN)
    page.locator(FIGURE).scroll_into_view_if_needed()
    page.wait_for_function(
        f"() => rlboard.ready && document.querySelector('figure[data-chart=\"{CHART}\"] .js-plotly-plot')"
    )


def expected(raw: dict[str, Any], one: str, other: str, first: int, last: int) -> tuple[float, float]:
    """Mean difference and half width, worked out in Python."""
    (step, mine), (_, theirs) = (map(np.array, raw[label]) for label in (one, other))
    found = mean_over(step.astype(np.int64), mine - theirs, first, last)
    assert found is not None
    return found.value, found.half


def number(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def check_said(page: Page, one: str, other: str, first: int, last: int) -> None:
    mean, half = expected(page.evaluate(RAW, CHART), one, other, first, last)
    text = page.locator(SAID).inner_text()
    assert text.startswith(f"{one} − {other}, steps {first}–{last}: mean {number(mean)} points")
    assert f"[{number(mean - half)}, {number(mean + half)}]" in text
    assert ("excludes 0" in text) is (abs(mean) > half)


def test_pair_by_keyboard_range_by_drag_and_link(board: Served, open_page: OpenPage) -> None:
    page = open_page(f"{board.url}?tab=2b&lang=en&pair=E1,E3", locale="en-US")
    show(page)
    check_said(page, "E1", "E3", 1, 129)
    # keyboard alone: to the first list, type the name of the run, go on to the second
    page.locator("select[data-act=pair-one]").focus()
    page.keyboard.type("E3")
    page.keyboard.press("Tab")
    expect(page.locator("select[data-act=pair-other]")).to_be_focused()
    page.keyboard.type("E4")
    page.wait_for_function("() => /pair=E3,E4/.test(location.search) && rlboard.ready")
    check_said(page, "E3", "E4", 1, 129)
    raw, (steps, line) = page.evaluate(RAW, CHART), page.evaluate(LINE, CHART)
    assert steps == list(range(1, 151))
    assert line == pytest.approx((np.array(raw["E3"][1]) - np.array(raw["E4"][1])).tolist())
    # a drag on the difference moves every chart
    drag(page, CHART, 0.4, 0.8)
    page.wait_for_function("() => rlboard.state.range && rlboard.ready")
    first, last = page.evaluate("() => rlboard.state.range")
    page.wait_for_function(
        "(want) => document.querySelector('figure[data-chart=\"pair-pass_rate\"]').dataset.range === want",
        arg=f"{first}-{last}",
    )
    check_said(page, "E3", "E4", first, last)
    page.wait_for_function("() => /steps=/.test(location.search)")
    # the link is the view
    again = open_page(page.url, locale="en-US")
    show(again)
    check_said(again, "E3", "E4", first, last)
    again.locator("[data-act=pair-swap]").click()
    again.wait_for_function("() => /pair=E4,E3/.test(location.search) && rlboard.ready")
    check_said(again, "E4", "E3", first, last)


def test_a_difference_that_moves_is_told_by_both_halves(board: Served, open_page: OpenPage) -> None:
    chart, first, last = "pair-response_length", 1, 129
    page = open_page(f"{board.url}?tab=2b&lang=en&pair=E1,E3", locale="en-US")
    show(page)
    page.wait_for_function(
        f"() => rlboard.ready && document.querySelector('[data-chart={chart}] .js-plotly-plot')"
    )
    raw, middle = page.evaluate(RAW, chart), (first + last) // 2
    early, late = (expected(raw, "E1", "E3", *half) for half in ((first, middle), (middle + 1, last)))
    assert early[0] - late[0] > np.hypot(early[1], late[1])
    told = f"mean −{-early[0]:,.0f} in the first half, −{-late[0]:,.0f} in the second"
    expect(page.locator(f'figure[data-chart="{chart}"] .pair-said')).to_contain_text(told)


def test_a_lower_bound_settles_nothing(
    board: Served, open_page: OpenPage
) -> None:
    """E2's pass rates are lower bounds (overlong penalty): a run − E2 is at most what is drawn."""
    page = open_page(f"{board.url}?tab=2b&lang=en&pair=E3,E2", locale="en-US")
    show(page)
    mean, half = expected(page.evaluate(RAW, CHART), "E3", "E2", 1, 129)
    assert mean > half
    said = page.locator(SAID)
    expect(said).to_contain_text("E2 is a lower bound: the true difference is this or less")
    expect(said).not_to_contain_text("excludes 0")
    page.locator("[data-act=pair-swap]").click()
    expect(said).to_contain_text("E2 is a lower bound: the true difference is this or more")


def test_validity_is_said_in_both_languages(board: Served, open_page: OpenPage) -> None:
    page = open_page(f"{board.url}?tab=multimodal&lang=en&pair=E1,E4", locale="en-US")
    show(page)
    order = page.locator(".pair-order")
    assert order.inner_text().startswith("Same prompts at the same step")
    assert "one seed per run" in order.inner_text()
    page.locator("select[data-act=pair-other]").select_option("E2")
    page.wait_for_function("() => rlboard.ready && /pair=E1,E2/.test(location.search)")
    expect(order).to_contain_text("Not paired: dynamic sampling ran and drew prompts of its own")
    assert "as two independent runs" in page.locator(SAID).inner_text()
    page.evaluate("() => rlboard.set({ lang: 'zh' })")
    expect(order).to_contain_text("不能配对")


@pytest.mark.parametrize("n", [8, 13, 40, 200])
def test_the_pages_statistics_are_those_of_the_loader(board: Served, open_page: OpenPage, n: int) -> None:
    page = open_page(f"{board.url}?tab=2b&lang=en", locale="en-US")
    page.wait_for_function(DRAWN)
    rng = np.random.default_rng(n)
    noise = rng.standard_normal(n)
    values = np.cumsum(noise) * 0.1 + noise
    last = n - 2
    found = page.evaluate(
        "([y, last]) => { const steps = y.map((_, i) => i), m = rlboard.meanOver(steps, y, 3, last, rlboard.noiseOf(y));"
        " return [m.value, Number.isNaN(m.half) ? null : m.half, m.points, m.effective, rlboard.detectable(m.half)]; }",
        [values.tolist(), last],
    )
    known = mean_over(np.arange(n), values, 3, last)
    assert known is not None
    assert found[0] == pytest.approx(known.value)
    assert found[2] == known.points
    if n < 12:
        assert found[1] is None
    else:
        assert found[1] == pytest.approx(known.half, rel=1e-6)
        assert found[3] == pytest.approx(known.effective)
        assert found[4] == pytest.approx(known.detectable, rel=1e-6)


def test_remarks_on_meaning_follow_the_runs_in_view(board: Served, open_page: OpenPage) -> None:
    page = open_page(f"{board.url}?tab=2b&lang=en", locale="en-US")
    page.wait_for_function(DRAWN)
    badges = page.locator('figure[data-chart="cmp-grad_norm"] .badges')
    expect(badges).to_contain_text("differ in aggregation, KL")
    badges.get_by_text("differ in").click()
    told = page.locator('figure[data-chart="cmp-grad_norm"] .badge-why')
    expect(told).to_contain_text("E1·E2·E4 token-mean")
    expect(told).to_contain_text("E3 seq-mean-token-sum-norm")
    page.locator('[data-act=chip][data-value="E3"]').click()
    expect(badges).to_contain_text("differ in KL")
    expect(badges).not_to_contain_text("aggregation")
    page.locator('[data-act=chip][data-value="E2"]').click()
    expect(badges).not_to_contain_text("differ in")


@pytest.mark.parametrize("track", ["2b", "4b"])
def test_first_step_follows_the_units(board: Served, open_page: OpenPage, track: str) -> None:
    page = open_page(f"{board.url}?tab={track}&lang=en", locale="en-US")
    page.wait_for_function(DRAWN)
    shown = page.locator(".first-step button:visible")
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("Step 1 agrees")
    page.evaluate("() => rlboard.set({ units: 'logged' })")
    expect(shown).to_contain_text("Step 1 disagrees")
    expect(shown).to_contain_text("E3 0.")
    shown.click()
    expect(page.locator(".first-step .badge-why")).to_contain_text("pass rate without E2")


def test_a_statement_leads_to_its_view(board: Served, open_page: OpenPage) -> None:
    page = open_page(f"{board.url}?tab=overview&lang=en", locale="en-US")
    page.wait_for_function(DRAWN)
    page.locator(".said-tracks summary").first.click()
    page.locator('.said-tracks [data-said="ends"] a').first.click()
    page.wait_for_function("() => rlboard.state.tab === '2b' && String(rlboard.state.range) === '120,129'")
    page.wait_for_function(
        "() => { const f = document.querySelector('figure[data-chart=\"cmp-pass_rate\"]'); const b = f && f.getBoundingClientRect();"
        " return b && b.top >= 0 && b.bottom <= innerHeight && f.dataset.range === '120-129'; }"
    )
    assert "steps=120-129" in page.url


def test_the_exported_page_compares_any_pair(offline: Page) -> None:
    show(offline)
    offline.locator("select[data-act=pair-one]:visible").select_option("E3")
    offline.locator("select[data-act=pair-other]:visible").select_option("E4")
    offline.wait_for_function("() => rlboard.ready && /pair=E3,E4/.test(location.search)")
    check_said(offline, "E3", "E4", 1, 129)
    drag(offline, CHART, 0.3, 0.7)
    offline.wait_for_function("() => rlboard.state.range && rlboard.ready")
    first, last = offline.evaluate("() => rlboard.state.range")
    offline.wait_for_function(
        '(want) => document.querySelector(\'[data-page="2b"] figure[data-chart="pair-pass_rate"]\').dataset.range === want',
        arg=f"{first}-{last}",
    )
    check_said(offline, "E3", "E4", first, last)
    expect(offline.locator('[data-page="2b"] .pair-order')).to_contain_text("Same prompts at the same step")
