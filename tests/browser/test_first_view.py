"""What a page opens on before anything is chosen: which pair is compared, and the steps each chart shows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.gestures import settled
from tests.browser.reading import DRAWN
from tests.serving import Served

pytestmark = pytest.mark.browser

CHOSEN = (
    "() => ['pair-one', 'pair-other'].map((act) => document.querySelector(`select[data-act=${act}]`).value)"
)
LOGGED = """() => { const runs = rlboard.payload().runs, one = rlboard.records().find((r) => r.id === 'pair-pass_rate').chart;
  return one.lines.map((line) => [runs[line.key].id, [...line.steps]]); }"""


def pairs(page: Page) -> Page:
    page.wait_for_function(DRAWN)
    page.locator('figure[data-chart="pair-pass_rate"]').scroll_into_view_if_needed()
    expect(page.locator('figure[data-chart="pair-pass_rate"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


@pytest.mark.parametrize("track", ["2b", "4b", "multimodal"])
def test_the_pair_is_the_one_the_headline_compares(track: str, board: Served, open_page: OpenPage) -> None:
    page = pairs(open_page(f"{board.url}?tab={track}&lang=en", locale="en-US"))
    told = page.locator(".finding, .lead, main").first.inner_text()
    named = re.search(r"\b(E\d) − (E\d)\b", told)
    assert named is not None
    assert page.evaluate(CHOSEN) == list(named.groups())


@pytest.mark.corpus
def test_unrelated_runs_open_on_the_pair_with_most_common_steps(
    corpus_board: Served, open_page: OpenPage
) -> None:
    page = pairs(open_page(f"{corpus_board.url}?tab=other&lang=en", locale="en-US"))
    bounds = page.evaluate("() => rlboard.payload().charts['pair-pass_rate'].meta.bounds")
    keys = page.evaluate(
        "() => Object.fromEntries(Object.entries(rlboard.payload().runs).map(([key, run]) => [run.id, key]))"
    )
    steps = {name: set(logged) for name, logged in page.evaluate(LOGGED) if keys[name] not in bounds}
    most = max(len(steps[a] & steps[b]) for a in steps for b in steps if a < b)
    one, other = page.evaluate(CHOSEN)
    common = steps[one] & steps[other]
    assert len(common) == most
    figure = page.locator('figure[data-chart="pair-pass_rate"]')
    expect(figure).to_have_attribute("data-range", f"{min(common)}-{max(common)}")
    expect(figure.locator(".pair-said")).to_contain_text(f"steps {min(common)}–{max(common)}")
    page.evaluate("() => rlboard.set({ range: [0, 300] })")
    settled(page)
    expect(figure).to_have_attribute("data-range", "0-300")


@pytest.mark.corpus
def test_a_short_run_among_unrelated_ones_shows_its_own_steps(
    corpus_board: Served, open_page: OpenPage
) -> None:
    page = open_page(f"{corpus_board.url}?tab=other&lang=en", locale="en-US")
    page.wait_for_function(DRAWN)
    first, last = page.evaluate("() => rlboard.payload().steps")
    runs = page.evaluate("() => Object.entries(rlboard.payload().runs).map(([k, r]) => [k, r.first, r.last])")
    known = [(key, a, b) for key, a, b in runs if b is not None]
    short = [one for one in known if one[2] - one[1] + 1 <= (last - first + 1) / 3]
    assert 2 <= len(short) < len(known)
    for key, a, b in known:
        figure = page.locator(f'figure[data-chart^="run-{key}-"]').first
        if not figure.count():
            continue
        figure.scroll_into_view_if_needed()
        settled(page)
        if not figure.locator(".js-plotly-plot").count():
            continue
        own = (key, a, b) in short
        expect(figure).to_have_attribute("data-range", f"{a}-{b}" if own else f"{first}-{last}")
