"""The details of a run in a drawer, and metrics pinned to the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from components.style import run_key
from tests.browser.conftest import OpenPage
from tests.browser.gestures import callback_outputs, settled
from tests.serving import Served

pytestmark = pytest.mark.browser

E2 = run_key("e2_dapo_2b")
PINNED = 'figure[data-chart="cmp-pin-critic/advantages/max"]'


def track(open_page: OpenPage, board: Served, query: str = "", locale: str = "zh-CN") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale=locale)
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def opened(page: Page, what: str) -> None:
    page.locator(f'.exp [data-act="detail"][data-value="{what}:{E2}"]').click()
    expect(page.locator(f'#detail [data-part="{what}"]')).to_be_visible()


def test_the_config_is_found_by_typing(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, locale="en-US")
    opened(page, "config")
    expect(page.get_by_role("dialog", name="E2 DAPO e2_dapo_2b")).to_be_visible()
    rows = page.locator("#detail tr[data-row]")
    every = rows.count()
    assert every > 100
    page.get_by_role("searchbox").fill("CLIP_ratio_high 0.28")
    expect(rows.locator("visible=true")).to_have_count(1)
    expect(rows.locator("visible=true")).to_have_text("actor_rollout_ref.actor.clip_ratio_high0.28")
    expect(page.locator("#detail [data-find-count]")).to_have_text(f"1 / {every}")
    page.get_by_role("searchbox").fill("nothing like it")
    expect(page.get_by_text("Nothing matches")).to_be_visible()


def test_differences_show_only_keys_that_differ(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    opened(page, "config")
    page.locator(f'#detail .panes [data-value="differences:{E2}"]').click()
    expect(page.locator('#detail [data-part="differences"]')).to_be_visible()
    cells = page.locator("#detail tr[data-row]").evaluate_all(
        "(rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText))"
    )
    assert len(cells) > 10
    assert all(len(set(row)) > 1 for row in cells)
    expect(page.locator("#detail .panes:not(.scopes) [aria-current]")).to_be_focused()


def test_keys_are_found_by_pattern_and_a_wrong_one_is_told(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    opened(page, "metrics")
    field, rows = page.get_by_role("searchbox"), page.locator("#detail tr[data-row]").locator("visible=true")
    every = rows.count()
    field.fill(r"^critic/adv.*/m(ax|in)$")
    expect(rows).to_have_count(2)
    expect(page.locator("#detail [data-group]").locator("visible=true")).to_have_count(1)
    field.fill("pass_rate")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("critic/score/mean")
    field.fill("([")
    expect(page.get_by_text("不是有效的正则表达式")).to_be_visible()
    expect(rows).to_have_count(every)


def test_a_pinned_metric_lives_in_the_link(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    opened(page, "metrics")
    button = page.locator('#detail [data-act="pin"][data-value="critic/advantages/max"]')
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("() => location.search.includes('pin=critic/advantages/max')")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    chart = page.locator(PINNED)
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".js-plotly-plot")).to_be_visible()

    page.reload()
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".js-plotly-plot")).to_be_visible()
    shown = chart.evaluate(
        "(figure) => rlboard.records().find((r) => r.figure === figure).data.map((t) => (t.meta || {}).run)"
    )
    assert {run_key(f"{name}_2b") for name in ("e1_grpo", "e2_dapo", "e3_drgrpo", "e4_rloo")} <= set(shown)

    chart.locator(".unpin").click()
    expect(chart).to_have_count(0)
    page.wait_for_function("() => !location.search.includes('pin')")


def test_a_metric_nobody_logs_says_so(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, "&pin=no/such%253Cb%253Ekey")
    place = page.locator("#pinned figure .empty")
    place.scroll_into_view_if_needed()
    expect(place).to_contain_text("no/such")


def test_a_hostile_name_in_the_link_is_only_text(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, "&pin=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%252C%3D1")
    expect(page.locator("#pinned h3")).to_have_text("<img src=x onerror=alert(1)>,=1")
    expect(page.locator("#pinned img")).to_have_count(0)


def test_the_drawer_follows_the_language_and_gives_focus_back(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, locale="en-US")
    opened(page, "raw")
    assert page.evaluate("() => document.querySelector('#detail').contains(document.activeElement)")
    expect(page.locator("#detail")).to_contain_text("step:150 - ")
    page.evaluate("() => window.rlboard.set({ lang: 'zh' })")
    expect(page.locator("#detail .panes .on")).to_have_text("原始日志", use_inner_text=True)
    page.keyboard.press("Escape")
    expect(page.locator(f'.exp [data-act="detail"][data-value="raw:{E2}"]')).to_be_focused()


def test_a_shut_drawer_asks_nothing_of_a_zoom(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    page.evaluate("() => window.rlboard.set({ range: [20, 40] })")
    page.wait_for_function("() => location.search.includes('steps=20-40')")
    settled(page)
    assert not [output for output in callback_outputs(requests) if "detail" in output or "pinned" in output]


def test_runs_of_other_pages_are_compared_on_request(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    opened(page, "differences")
    heads = page.locator("#detail table.compared thead th")
    expect(heads).to_contain_text(["", "E1", "E2", "E3", "E4"])
    here = heads.count()
    scope = page.locator(f'#detail .scopes [data-value="everywhere:{E2}"]')
    scope.click()
    expect(page.locator('#detail [data-part="everywhere"]')).to_be_visible()
    assert heads.count() > here
    expect(heads.filter(has_text="4b")).not_to_have_count(0)
    expect(scope).to_be_focused()


def test_the_reading_report_of_a_run_tells_names_on_a_part_of_its_steps(
    open_page: OpenPage, board: Served
) -> None:
    page = track(open_page, board, locale="en-US")
    opened(page, "reading")
    detail = page.locator("#detail")
    expect(detail.locator("table.report")).to_be_visible()
    row = detail.locator("table.partial tbody tr", has_text="val-core/aime24/acc/mean@1").first
    expect(row).to_contain_text("only on 25, 50, 75, 100, 125, 150")


def test_hover_and_caption_say_how_values_were_derived(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, locale="en-US")
    place = page.locator('figure[data-chart="cmp-entropy"]')
    names = """() => [...document.querySelectorAll('[data-chart="cmp-entropy"] .js-plotly-plot')]
        .flatMap((plot) => rlboard.records().find((r) => r.plot === plot).data.filter((t) => (t.meta || {}).role === 'raw').map((t) => t.name)).sort()"""
    page.wait_for_function(f"() => ({names})().length === 4")
    assert page.evaluate(names) == ["E1", "E2", "E3 · per token", "E4"]
    place.get_by_role("button", name="token level").click()
    expect(place.locator(".badge-why")).to_contain_text("E3: Per token: actor/entropy")
    expect(place.get_by_text("Y: as logged")).to_be_hidden()
    page.evaluate("() => rlboard.set({ units: 'logged' })")
    page.wait_for_function(f"() => ({names})().join() === 'E1,E2,E3,E4'")
    expect(place.get_by_text("Y: as logged")).to_be_visible()
