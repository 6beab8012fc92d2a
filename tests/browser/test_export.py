"""The exported file with the network off: the same page as the live board, and not one request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import plotly
import pytest
from playwright.sync_api import Browser, Page, Request, expect

from app.__main__ import main
from tests.browser.conftest import DESK, PHONE, OpenPage
from tests.browser.gestures import drag, settled
from tests.serving import Served
from tests.unit.app.hostile import EVIL_RUN, EVIL_TITLE, write_hostile_board

pytestmark = pytest.mark.browser

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
Open = Callable[..., Page]
VISIBLE = """() => rlboard.records().filter((r) => r.mounted && r.plot.offsetParent && !r.dirty).map((r) => ({
  id: r.id, kind: r.chart.meta.kind || 'steps',
  x: r.plot._fullLayout.xaxis.range.map(Number), y: r.plot._fullLayout.yaxis.range.map(Number),
  runs: [...new Set(r.data.map((t) => (t.meta || {}).run).filter(Boolean))].sort(),
  traces: r.data.map((t) => [t.uid, [...t.x].join(), [...t.y].join()]),
}))"""
PAGE_TEXT = """() => [...document.querySelectorAll('main :is(h1, h2, h3, td, th, .ch-c:not(.pair-said), .rl-headline, .find li, .rs)')]
  .filter((el) => el.offsetParent).map((el) => el.innerText.trim()).filter(Boolean)"""


@pytest.fixture
def offline(chromium: Browser, exported: Path) -> Iterator[Open]:
    """Opens the file with a query, without network; at the end: one request per visit and a silent console."""
    opened: list[tuple[Page, list[str], list[str], str]] = []

    def open_(query: str = "", file: Path = exported, **context: Any) -> Page:
        place = chromium.new_context(**{"viewport": DESK, "locale": "zh-CN", **context})
        place.set_offline(True)
        page = place.new_page()
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: _note(request, asked))
        opened.append((page, said, asked, file.as_uri()))
        page.goto(file.as_uri() + query)
        settled(page)
        return page

    yield open_
    told = [(said, {url.split("?")[0] for url in asked} - {home}) for _, said, asked, home in opened]
    for page, *_ in opened:
        page.context.close()
    assert [line for said, _ in told for line in said] == []
    assert [url for _, others in told for url in others] == []


def _note(request: Request, asked: list[str]) -> None:
    if not request.url.startswith(("data:", "blob:")):
        asked.append(request.url)


def visible(page: Page, kind: str = "steps") -> list[dict[str, Any]]:
    """Drawn charts on the shown page."""
    settled(page)
    return [chart for chart in page.evaluate(VISIBLE) if chart["kind"] == kind]


def range_of(page: Page) -> list[int] | None:
    found: list[int] | None = page.evaluate("() => rlboard.state.range")
    return found


def click(page: Page, act: str, value: str = "") -> None:
    which = f'[data-act="{act}"]' + (f'[data-value="{value}"]' if value else "")
    page.locator(which).locator("visible=true").first.click()


def test_size(exported: Path) -> None:
    beside = exported.stat().st_size - PLOTLY.stat().st_size
    assert beside < 5_000_000


def test_a_zoom_moves_every_chart_and_holds_on_other_tabs(offline: Open) -> None:
    page = offline("?tab=2b")
    before = {chart["id"]: chart["x"] for chart in visible(page)}
    drag(page, "cmp-pass_rate", 0.4, 0.7)
    page.wait_for_function("() => rlboard.state.range !== null")
    first, last = range_of(page) or [0, 0]
    assert 40 < first < last < 100
    shown = visible(page)
    assert len(shown) >= 5
    for chart in shown:
        assert chart["x"] != before.get(chart["id"]), chart["id"]
        assert chart["x"] == pytest.approx(shown[0]["x"]), chart["id"]
    click(page, "tab", "4b")
    expect(page.locator("h1:visible")).to_contain_text("4B")
    page.wait_for_function("() => rlboard.payload().tab === '4b'")
    assert range_of(page) == [first, last]
    for chart in visible(page):
        assert chart["x"] == pytest.approx(shown[0]["x"]), chart["id"]
    assert f"tab=4b&steps={first}-{last}" in page.url
    page.reload()
    settled(page)
    assert page.evaluate("() => rlboard.state.tab") == "4b"
    assert range_of(page) == [first, last]


@pytest.mark.parametrize("tab", ["overview", "algorithms", "2b", "4b", "multimodal"])
def test_every_tab_is_the_live_one(offline: Open, open_page: OpenPage, board: Served, tab: str) -> None:
    """Same words, same tables, same numbers in the charts. The copy has one banner more above them."""
    live = open_page(f"{board.url}?tab={tab}")
    expect(live.locator("h1")).to_be_visible()
    live.wait_for_function("(tab) => window.rlboard.payload()?.tab === tab", arg=tab)
    settled(live)
    copy = offline(f"?tab={tab}")
    for page in (live, copy):
        page.set_viewport_size({"width": 1440, "height": 1600})
        settled(page)
    assert copy.evaluate(PAGE_TEXT) == live.evaluate(PAGE_TEXT)
    theirs, ours = ({chart["id"]: chart for chart in page.evaluate(VISIBLE)} for page in (live, copy))
    both = theirs.keys() & ours.keys()
    assert len(both) >= 3
    assert [ours[name] for name in both] == [theirs[name] for name in both]


def test_chips_choose_runs_on_every_tab(offline: Open) -> None:
    page = offline("?tab=2b")
    chips = page.locator('[data-act="chip"]:visible')
    values = chips.evaluate_all("(all) => all.map((el) => el.dataset.value)")
    assert values[:4] == ["E1", "E2", "E3", "E4"]
    page.locator('[data-act="chip"][data-value="E3"]:visible').dblclick()
    page.wait_for_function("() => JSON.stringify(rlboard.state.exp) === '[\"E3\"]'")
    assert {len(chart["runs"]) for chart in visible(page)} == {1}
    click(page, "tab", "4b")
    page.wait_for_function("() => rlboard.payload().tab === '4b'")
    assert {len(chart["runs"]) for chart in visible(page)} == {1}
    pressed = page.locator('[data-act="chip"][aria-pressed="true"]:visible')
    expect(pressed).to_have_count(1)
    expect(pressed).to_contain_text("E3")
    click(page, "reset")
    page.wait_for_function("() => rlboard.state.exp === null")
    assert max(len(chart["runs"]) for chart in visible(page)) >= 4


def test_language_and_theme(offline: Open) -> None:
    page = offline("?tab=2b&steps=30-60")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(page.locator("#banners")).to_contain_text("导出页面")
    click(page, "lang")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("h1:visible")).to_contain_text("training")
    dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    click(page, "theme")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") != dark
    assert range_of(page) == [30, 60]


def test_the_language_is_that_of_the_browser(offline: Open) -> None:
    page = offline(locale="en-US")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("h1:visible")).to_have_text("Overview", use_inner_text=True)


def test_keys_statistics_and_dialogs(offline: Open) -> None:
    page = offline("?tab=2b")
    page.keyboard.press("]")
    page.wait_for_function("() => rlboard.state.ep !== null && rlboard.state.range !== null")
    start, end = page.evaluate(
        "() => { const e = rlboard.payload().episodes.find((e) => e.id === rlboard.state.ep); return [e.start, e.end]; }"
    )
    first, last = range_of(page) or [0, 0]
    assert first <= start <= end <= last
    page.keyboard.press("r")
    page.wait_for_function("() => rlboard.state.ep === null && rlboard.state.range === null")
    page.keyboard.press("s")
    table = page.locator('#page > :not([hidden]) figure[data-chart="cmp-pass_rate"] .rl-stats')
    expect(table).to_be_visible()
    expect(table.locator("tbody tr")).to_have_count(4)
    page.keyboard.press("?")
    expect(page.locator("#rl-help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#rl-help")).to_have_count(0)
    click(page, "report")
    expect(page.locator("dialog#report")).to_be_visible()
    expect(page.locator("dialog#report table")).to_contain_text(".log")


def test_an_episode_opens_with_its_panel(offline: Open) -> None:
    page = offline("?ep=e3_drgrpo_2b:133")
    panel = page.locator("aside.epi-p:visible")
    expect(panel).to_have_count(1)
    expect(panel).to_contain_text("133–140")
    assert page.evaluate("() => rlboard.state.tab") == "2b"
    assert [chart["id"] for chart in visible(page)][:2] == ["ep-grad_norm", "ep-entropy"]
    rows = panel.locator("tr[data-step]").evaluate_all(
        "(rows) => rows.map((row) => Number(row.dataset.step))"
    )
    current = panel.locator('tr[aria-current="step"]')
    expect(current).to_have_attribute("data-step", "136")
    for _ in rows:
        page.keyboard.press("ArrowDown")
    expect(current).to_have_attribute("data-step", str(max(rows)))
    panel.locator('.btn-t[data-act="episode"]').click()
    expect(page.locator("aside.epi-p:visible")).to_have_count(0)
    expect(page.locator("h1:visible")).to_contain_text("2B")
    assert {chart["id"] for chart in visible(page)} >= {"cmp-pass_rate", "cmp-entropy"}


def test_full_screen_and_picture_of_the_chart_that_is_seen(offline: Open) -> None:
    """Two tracks have a chart of the same name; only one of them is on the shown page."""
    page = offline("?tab=2b")
    click(page, "tab", "4b")
    page.wait_for_function("() => rlboard.payload().tab === '4b'")
    settled(page)
    figure = page.locator('[data-page="4b"] figure[data-chart="cmp-entropy"]')
    figure.locator('[data-act="fullscreen"]').click()
    expect(figure).to_have_class("ch rl-full")
    settled(page)
    page.keyboard.press("Escape")
    expect(figure).to_have_class("ch")
    with page.expect_download() as saved:
        figure.locator(".plot").evaluate("(plot) => rlboard.savePicture(plot)")
    assert saved.value.suggested_filename.endswith(".png")
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_link_that_asks_for_what_only_a_server_can_make_says_so(offline: Open) -> None:
    page = offline("?tab=2b&smooth=raw&x=hours&pin=actor/lr")
    notices = page.locator("#rl-notices")
    for text in ("smooth=raw", "x=hours", "pin=actor/lr"):
        expect(notices).to_contain_text(text)
    state = page.evaluate("() => rlboard.state")
    assert (state["smooth"], state["x"], state["pin"]) == ("auto", "step", [])


def test_a_phone(offline: Open) -> None:
    page = offline("?tab=4b", viewport=PHONE, has_touch=True)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert visible(page)


def test_hostile_names_run_nothing(offline: Open, tmp_path: Path) -> None:
    root, out = tmp_path / "logs", tmp_path / "evil.html"
    root.mkdir()
    write_hostile_board(root)
    assert main(["export", "--logs", str(root), "--cache-dir", str(tmp_path / "c"), "--out", str(out)]) == 0
    page = offline("?tab=2b", file=out)
    assert page.title() == EVIL_TITLE
    expect(page.locator(f"[data-act=chip][data-value={EVIL_RUN!r}]:visible")).to_contain_text(EVIL_RUN[-12:])
    assert page.locator("img").count() == 0
    assert {len(chart["runs"]) for chart in visible(page) if chart["id"] == "cmp-entropy"} == {2}
