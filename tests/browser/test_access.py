"""What assistive technology and paper get: axe on every page and dialog, tables by keys, print, motion."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.reading import DRAWN, language, open_tab
from tests.serving import Served

pytestmark = pytest.mark.browser

TABS = ("overview", "algorithms", "2b", "4b", "multimodal")
EPISODE = "e3_drgrpo_2b:133"
GRAVE = ("serious", "critical")


def faults(page: Page) -> list[tuple[str, str, str]]:
    """Grave faults of what is shown: rule, first element, why."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        (rule["id"], rule["nodes"][0]["html"][:160], rule["nodes"][0]["failureSummary"])
        for rule in found
        if rule["impact"] in GRAVE
    ]


def seen(page: Page, theme: str) -> list[tuple[str, str, str]]:
    page.evaluate("(theme) => rlboard.set({ theme })", theme)
    page.wait_for_function(DRAWN)
    return faults(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_C85_pages_have_no_grave_fault(lang: str, theme: str, open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=overview")
    page.wait_for_function(DRAWN)
    language(page, lang)
    for tab in TABS:
        open_tab(page, tab)
        assert (tab, seen(page, theme)) == (tab, [])
    open_tab(page, "2b")
    page.evaluate("(id) => rlboard.openEpisode(id)", EPISODE)
    expect(page.locator("aside.epi-p")).to_be_visible()
    assert seen(page, theme) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_of_real_logs_have_no_grave_fault(
    theme: str, open_page: OpenPage, corpus_board: Served
) -> None:
    page = open_page(f"{corpus_board.url}?tab=other")
    page.wait_for_function(DRAWN)
    assert seen(page, theme) == []


def press(selector: str) -> Callable[[Page], None]:
    return lambda page: page.evaluate("(selector) => document.querySelector(selector).click()", selector)


def detail(what: str) -> Callable[[Page], None]:
    """Open a part of the drawer, until it is there."""

    def opened(page: Page) -> None:
        press(f"[data-act=detail][data-value^='{what}:']")(page)
        page.wait_for_function("() => document.querySelector('#detail-body:not([aria-busy]) .detail')")

    return opened


DIALOGS = {
    "help": press("[data-act=help]"),
    "own logs": press("[data-act=own-logs]"),
    "report": press("[data-act=report]"),
    **{what: detail(what) for what in ("config", "differences", "metrics", "raw")},
}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dialogs_have_no_grave_fault(theme: str, open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=2b")
    page.wait_for_function(DRAWN)
    for name, open_ in DIALOGS.items():
        open_(page)
        expect(page.locator("dialog[open]")).to_be_visible()
        assert (name, seen(page, theme)) == (name, [])
        page.evaluate("() => document.querySelector('dialog[open]').close()")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_has_no_grave_fault(theme: str, open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=2b", viewport=PHONE, touch=True)
    page.wait_for_function(DRAWN)
    assert seen(page, theme) == []
    page.evaluate("() => rlboard.openSheet()")
    expect(page.locator("dialog#rl-sheet")).to_be_visible()
    assert seen(page, theme) == []


def test_the_sheet_holds_each_control_once_and_none_the_bar_shows(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=2b", viewport=PHONE, touch=True)
    page.wait_for_function(DRAWN)
    page.evaluate("() => rlboard.openSheet()")
    shown = "(where) => [...document.querySelectorAll(where + ' select')].filter((el) => el.checkVisibility()).map((el) => el.dataset.act || el.dataset.config)"
    sheet = page.evaluate(shown, "#rl-sheet")
    assert len(set(sheet)) == len(sheet)
    assert {"seg", "smooth", "units", "x", "yscale"} <= set(sheet)
    assert page.evaluate(shown, ".rl-filter") == []


@pytest.mark.parametrize("tab", ["overview", "algorithms", "2b"])
def test_wide_tables_scroll_by_keys_with_their_first_column_in_view(
    tab: str, open_page: OpenPage, board: Served
) -> None:
    page = open_page(f"{board.url}?tab={tab}", viewport=PHONE, touch=True, locale="en")
    page.wait_for_function(DRAWN)
    places = page.locator("#page .wide:visible")
    assert places.count()
    wider = 0
    for nth in range(places.count()):
        place = places.nth(nth)
        assert place.get_attribute("role") == "region"
        assert place.get_attribute("aria-label")
        place.focus()
        room = place.evaluate("(el) => el.scrollWidth - el.clientWidth")
        if room <= 0:
            continue
        wider += 1
        place.evaluate("(el) => { el.scrollLeft = el.scrollWidth; }")
        off = place.evaluate(
            """(el) => [...el.querySelectorAll('tbody tr > :first-child:not([colspan])')]
            .map((cell) => Math.abs(cell.getBoundingClientRect().left - el.getBoundingClientRect().left))"""
        )
        assert max(off) < 1
    assert wider or tab == "2b"


def test_a_phone_shows_the_open_tab(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=multimodal", viewport=PHONE, touch=True, locale="en-US")
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    places = "(all) => all.filter((el) => el.offsetParent).map((el) => el.getBoundingClientRect()).map((b) => [b.left, b.right])"
    [(left, right)] = page.locator(".rl-tabs a.on").evaluate_all(places)
    assert left >= 0
    assert right <= PHONE["width"]


def test_the_scales_show_values_on_a_phone(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=overview", viewport=PHONE, touch=True)
    page.wait_for_function(DRAWN)
    seen_ = page.evaluate(
        """() => [...document.querySelectorAll('table.scale tbody tr')].map((row) => [...row.querySelectorAll('.num')]
        .filter((cell) => cell.getBoundingClientRect().right <= innerWidth).length)"""
    )
    assert len(seen_) > 3
    assert min(seen_) >= 2


@pytest.mark.parametrize("tab", [*TABS, "episode"])
def test_paper_has_no_bars_and_charts_fit_it(tab: str, open_page: OpenPage, board: Served) -> None:
    link = f"?tab=2b&ep={EPISODE}" if tab == "episode" else f"?tab={tab}"
    page = open_page(f"{board.url}{link}", scheme="dark", viewport={"width": 1440, "height": 900})
    page.wait_for_function(DRAWN)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 less its margins, in CSS pixels
    page.wait_for_function("() => document.documentElement.dataset.bsTheme === 'light' && rlboard.ready")
    for bar in (".rl-filter", ".rl-tabs", ".rl-banner", ".tools", "footer"):
        assert page.locator(f"{bar}:visible").count() == 0
    wide = page.evaluate(
        """() => [...document.querySelectorAll('figure[data-chart], table, .rl-page > *')].filter((el) => el.checkVisibility()
        && el.getBoundingClientRect().right > innerWidth + 1).map((el) => el.dataset.chart || el.className)"""
    )
    assert wide == []
    page.wait_for_function(
        """() => [...document.querySelectorAll('.js-plotly-plot .main-svg')].every((svg) => !svg.checkVisibility()
        || svg.getBoundingClientRect().right <= svg.closest('figure').getBoundingClientRect().right + 1)"""
    )


def test_motion_is_left_out_when_asked(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=2b")
    page.wait_for_function(DRAWN)
    page.emulate_media(reduced_motion="reduce")
    moving = page.evaluate(
        """() => [...document.querySelectorAll('*')].filter((el) => { const s = getComputedStyle(el);
        return s.animationName !== 'none' || s.transitionDuration.split(',').some((t) => parseFloat(t) > 0); }).length"""
    )
    assert moving == 0
