"""The table of all runs: sorted by its heads, filtered, choosing runs, following the range; calls stay few."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import OpenPage
from tests.browser.gestures import callback_outputs, drag, settled
from tests.browser.reading import DRAWN, open_tab, run_key, texts
from tests.serving import Served

pytestmark = pytest.mark.browser

NAMES = "table.runs tbody:nth-of-type(1) tr[data-nth]:not([hidden]) td:first-child b"


def _overview(open_page: OpenPage, board: Served, query: str = "") -> Page:
    page = open_page(f"{board.url}?tab=overview&lang=en{query}")
    page.wait_for_function(DRAWN)
    expect(page.locator("table.runs")).to_be_visible()
    return page


def _head(page: Page, name: str) -> None:
    page.locator("table.runs th button", has_text=name).first.click()


def test_a_head_sorts_down_then_up_then_not(open_page: OpenPage, board: Served) -> None:
    page = _overview(open_page, board)
    assert texts(page, NAMES) == ["E1", "E2", "E3", "E4", "E5"]
    _head(page, "Hours")
    assert texts(page, NAMES) == ["E4", "E3", "E1", "E2", "E5"], "E5 has no hours and goes last"
    assert page.locator("th[aria-sort=descending]").count() == 1
    _head(page, "Hours")
    assert texts(page, NAMES) == ["E2", "E1", "E3", "E4", "E5"]
    _head(page, "Hours")
    assert texts(page, NAMES) == ["E1", "E2", "E3", "E4", "E5"]


def test_heads_are_reached_and_pressed_by_keys(open_page: OpenPage, board: Served) -> None:
    page = _overview(open_page, board)
    page.locator("table.runs th button", has_text="last 10").focus()
    page.keyboard.press("Enter")
    assert texts(page, NAMES)[0] == "E3"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("validation\nbest")


def test_words_and_states_filter(open_page: OpenPage, board: Served) -> None:
    page = _overview(open_page, board)
    page.locator(".run-find input").fill("dapo")
    assert set(texts(page, "table.runs tr[data-nth]:not([hidden]) td:first-child b")) == {"E2"}
    expect(page.locator("[data-run-count]")).to_have_text("3 / 13")
    page.locator(".run-find input").fill("")
    page.locator("select[data-act=run-state]").select_option("live")
    shown = texts(page, "table.runs tr[data-nth]:not([hidden])")
    assert len(shown) == 1
    assert shown[0].startswith("E5 REINFORCE++ live 21/150")
    assert page.locator("table.runs tbody:visible").count() == 1, "tracks without a match go"


def test_a_row_chooses_its_run_on_every_page(open_page: OpenPage, board: Served) -> None:
    page = _overview(open_page, board)
    page.locator('table.runs tr[data-value="e3_drgrpo_2b"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => JSON.stringify(rlboard.state.exp) === '[\"e3_drgrpo_2b\"]'")
    open_tab(page, "2b")
    expect(page.locator('figure[data-chart="cmp-entropy"] .js-plotly-plot')).to_be_visible()
    settled(page)
    key = run_key(page, "E3", "2b")
    drawn = page.evaluate(
        "() => [...new Set(rlboard.records().find((r) => r.id === 'cmp-entropy')"
        ".data.map((t) => (t.meta || {}).run).filter(Boolean))]"
    )
    assert drawn == [key]


def test_columns_follow_the_range_in_few_calls(open_page: OpenPage, board: Served) -> None:
    page = _overview(open_page, board)
    row = page.locator('table.runs tr[data-value="e3_drgrpo_2b"]')
    expect(row).to_contain_text("133–140")
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    first, last = page.locator("#steps input:visible").all()
    first.fill("20")
    first.press("Enter")
    last.fill("60")
    last.press("Enter")
    expect(page.locator("table.runs")).to_have_attribute("data-steps", "20-60")
    expect(page.locator("#runs .rl-sec")).to_contain_text("columns cover steps 20–60 alone")
    expect(row).not_to_contain_text("133–140")
    _head(page, "Hours")
    assert texts(page, NAMES)[0] == "E4", "hours of the range"
    asked = callback_outputs(requests)
    assert 1 <= sum("page" in output for output in asked) <= 2, asked
    assert len(asked) <= 4, "at most a page and its figures per settled range"
    page.locator('[data-act="reset"]').locator("visible=true").first.click()
    expect(row).to_contain_text("133–140")
    assert texts(page, NAMES)[:4] == ["E4", "E3", "E1", "E2"], "sorted anew by the hours of all steps"


def test_a_link_with_a_range_opens_the_table_on_it(open_page: OpenPage, board: Served) -> None:
    page = _overview(open_page, board, "&steps=20-60")
    expect(page.locator("table.runs")).to_have_attribute("data-steps", "20-60")


def test_gestures_end_in_few_calls(open_page: OpenPage, board: Served) -> None:
    """A zoom under an open full version asks nothing; choosing a run asks at most twice; nothing loops."""
    page = open_page(f"{board.url}?tab=2b")
    page.wait_for_function(DRAWN)
    key = run_key(page, "E1", "2b")
    page.locator(f'details[data-full="{key}"] summary').click()
    page.wait_for_function("(key) => `full-${key}-stages` in rlboard.payload().charts", arg=key)
    settled(page)
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))
    drag(page, "cmp-entropy", 0.2, 0.6)
    page.wait_for_function("() => rlboard.state.range !== null")
    page.wait_for_timeout(900)
    assert callback_outputs(requests) == []
    page.locator('.chip[data-value="E2"]').click()
    page.wait_for_timeout(1500)
    assert len(callback_outputs(requests)) <= 2
    shown = len(callback_outputs(requests))
    page.wait_for_timeout(1500)
    assert len(callback_outputs(requests)) == shown, "no call leads to another"
