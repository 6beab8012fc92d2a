"""Drill-down into an episode: one press zooms every chart and explains it; keys, link and close work."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.gestures import settled, step_charts
from tests.serving import Served

pytestmark = pytest.mark.browser

E3 = "e3_drgrpo_2b:133"


def _panel(page: Page) -> Page:
    """The panel is there and every chart in view belongs to the episode."""
    expect(page.locator("aside.epi-p")).to_be_visible()
    expect(page.locator('figure[data-chart="ep-grad_norm"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def _open(open_page: OpenPage, board: Served, name: str = E3, tab: str = "2b") -> Page:
    return _panel(open_page(f"{board.url}?tab={tab}&ep={name}", locale="en-US"))


def _current(page: Page) -> str | None:
    return page.locator("aside tr.cur").get_attribute("data-step")


def test_a_press_on_the_episode_opens_it_on_every_chart(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=2b", locale="en-US")
    page.locator(f'a[data-act=episode][data-value="{E3}"]').first.click()
    _panel(page)
    expect(page).to_have_url(re.compile(r"[?&]ep=e3_drgrpo_2b:133(&|$)"))
    expect(page).to_have_url(re.compile(r"[?&]steps=125-148(&|$)"))
    shown = step_charts(page)
    assert len(shown) >= 4
    assert all(chart["id"].startswith("ep-") for chart in shown)
    assert {tuple(chart["x"]) for chart in shown} == {(125, 148)}
    assert page.locator("figure[data-chart]").count() == 8


def test_the_panel_says_what_the_log_says(open_page: OpenPage, board: Served) -> None:
    page = _open(open_page, board)
    panel = page.locator("aside.epi-p")
    for text in ("4 metrics moved together", "peak 136", "recovered 141", "1.0 not reached", "1 of 1"):
        expect(panel).to_contain_text(text)
    rows = panel.locator("tr[data-step]")
    assert [row.get_attribute("data-step") for row in rows.all()] == [str(step) for step in range(131, 143)]
    peak = panel.locator('tr[data-step="136"] td.p')
    assert [text.split("×")[0] for text in peak.all_inner_texts()] == ["0.91", "0.067", "56.0", "0.82"]
    expect(panel.locator('tr[data-step="132"] td.m')).to_have_count(0)
    expect(panel.locator(".raw mark").first).to_be_visible()
    panel.locator("details.fold summary").first.click()
    whole = panel.locator('.raw.scroll .tx', has_text=re.compile(r"step:136 - ")).text_content()
    assert whole is not None
    assert " - actor/grad_norm:np.float64(0.91) - " in whole


def test_focused_run_stands_out_and_the_others_stay_thin(open_page: OpenPage, board: Served) -> None:
    page = _open(open_page, board)
    drawn = page.evaluate(
        """() => rlboard.records().find((r) => r.id === 'ep-grad_norm').data
          .filter((t) => (t.meta || {}).role === 'raw').map((t) => [t.uid.slice(0, 2), t.line.width, t.opacity])"""
    )
    assert {uid: (width, opacity) for uid, width, opacity in drawn} == {
        "e1": (1.25, 0.45), "e2": (1.25, 0.45), "e3": (1.75, 1), "e4": (1.25, 0.45)
    }  # fmt: skip


def test_arrows_and_presses_move_the_step(open_page: OpenPage, board: Served) -> None:
    page = _open(open_page, board)
    assert _current(page) == "136"
    tag = page.locator('figure[data-chart="ep-grad_norm"] .cursor b')
    expect(tag).to_have_text("136")
    page.keyboard.press("ArrowDown")
    expect(page.locator("aside tr.cur")).to_have_attribute("data-step", "137")
    expect(tag).to_have_text("137")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    expect(page.locator("aside tr.cur")).to_have_attribute("data-step", "135")
    page.locator('aside tr[data-step="140"]').click()
    expect(page.locator("aside tr.cur")).to_have_attribute("data-step", "140")
    expect(tag).to_have_text("140")


def test_a_reload_restores_the_episode(open_page: OpenPage, board: Served) -> None:
    page = _open(open_page, board)
    address = page.url
    page.reload()
    _panel(page)
    assert page.url == address
    assert {tuple(chart["x"]) for chart in step_charts(page)} == {(125, 148)}


@pytest.mark.parametrize("way", ["aside [data-act=episode].btn-t", ".rl-title [data-act=episode]"])
def test_close_returns_to_the_track(open_page: OpenPage, board: Served, way: str) -> None:
    page = open_page(f"{board.url}?tab=2b&steps=100-149", locale="en-US")
    page.locator(f'a[data-act=episode][data-value="{E3}"]').first.click()
    _panel(page)
    page.locator(way).click()
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    expect(page.locator("aside.epi-p")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"steps=100-149"))
    assert "ep=" not in page.url


def test_brackets_step_through_the_episodes_of_a_run(open_page: OpenPage, board: Served) -> None:
    page = _open(open_page, board, "e2_dapo_4b:43", "4b")
    panel = page.locator("aside.epi-p")
    expect(panel).to_contain_text("1 metric moved")
    expect(panel).to_contain_text("1 of 2")
    page.keyboard.press("]")
    expect(panel).to_contain_text("2 of 2")
    expect(page).to_have_url(re.compile(r"ep=e2_dapo_4b:59"))
    expect(panel).to_contain_text("reached 1.0 at 59")
    panel.locator('[data-act=episode][data-value="e2_dapo_4b:43"]').click()
    expect(panel).to_contain_text("1 of 2")


def test_a_link_to_no_episode_says_so_and_leads_back(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=2b&ep=nobody:12", locale="en-US")
    said = "No such episode. “nobody:12” names no run and step"
    expect(page.locator("main")).to_contain_text(said, use_inner_text=True)
    page.locator("main [data-act=episode]").click()
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    expect(page).not_to_have_url(re.compile("ep="))


def test_a_range_of_ones_own_opens_the_same_panel(open_page: OpenPage, board: Served) -> None:
    page = _open(open_page, board, "e3_drgrpo_2b:130-138")
    panel = page.locator("aside.epi-p")
    expect(panel).to_contain_text("E3 · 130–138")
    expect(panel).to_contain_text("chosen range")
    assert _current(page) == "136"
    assert {tuple(chart["x"]) for chart in step_charts(page)} == {(122, 146)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(open_page: OpenPage, board: Served, scheme: str) -> None:
    page = open_page(f"{board.url}?tab=2b&ep={E3}", viewport=PHONE, scheme=scheme, touch=True)
    _panel(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator("aside.epi-p").bounding_box()["width"] <= PHONE["width"]  # type: ignore[index]


def test_the_panel_has_no_accessibility_faults(open_page: OpenPage, board: Served) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = _open(open_page, board)
    found = Axe().run(page, context="main", options={"resultTypes": ["violations"]}).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found] == []
