"""Published facts that are words or drawings on the pages of the demo: the rest of the table stands in
`tests/test_published_facts.py`, whose `ON_PAGES` names these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import DESK
from tests.browser.reading import DRAWN, chart, language, open_tab, run_key, texts
from tests.serving import Served
from tests.test_published_facts import ON_PAGES

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(chromium: Browser, board: Served) -> Iterator[Page]:
    page = chromium.new_page(viewport=DESK, locale="en-US")
    page.goto(f"{board.url}?tab=2b&lang=en")
    page.wait_for_function(DRAWN)
    yield page
    page.close()


def subtitle_2b(page: Page) -> None:
    (shown,) = texts(page, ".rl-title .meta")
    assert all(part in shown for part in ("2×A100-80GB", "non-thinking", "16K response"))


def starting_2b(page: Page) -> None:
    (row,) = (text for text in texts(page, "table.rt tr") if text.startswith("E5"))
    assert "starting" in row
    assert "/" not in row, "a run without steps shows no number"
    language(page, "zh")
    (row,) = (text for text in texts(page, "table.rt tr") if text.startswith("E5"))
    assert "启动中" in row
    language(page, "en")


def window_2b(page: Page) -> None:
    for name in ("pass_rate", "response_length", "entropy", "grad_norm"):
        assert chart(page, f"cmp-{name}").x == [1, 129], name


def math_500(page: Page) -> None:
    (shown,) = texts(page, ".track-notes .empty")
    assert shown.startswith("math_500: not measured yet")
    assert "val-core/math_500/acc/mean@1" in shown
    assert chart(page, "cmp-validation").title[1].startswith("AIME24 acc@1")


def cap_line(page: Page) -> None:
    shown = chart(page, "cmp-response_length")
    assert "ref_line_0" in shown.uids
    assert "cap 16,384" in shown.words
    dash, heights = page.evaluate(
        "() => { const t = rlboard.records().find((r) => r.id === 'cmp-response_length')"
        ".data.find((t) => t.uid === 'ref_line_0'); return [t.line.dash, [...t.y]]; }"
    )
    assert dash == "2px,3px"
    assert heights == [16384, 16384]


def own_charts_hold_the_episode(page: Page) -> None:
    key = run_key(page, "E3", "2b")
    for name in ("grad_norm", "ppo_kl", "clip_share", "entropy"):
        shown = chart(page, f"run-{key}-{name}")
        assert shown.x is not None
        assert shown.x[1] == 150
        assert any("@136" in word for word in shown.words), name


def coverage_2b(page: Page) -> None:
    (section,) = (text for text in texts(page, "section.exp") if text.startswith("E1"))
    assert "train_20260712_185929.log · 1–129" in section
    assert "train_20260713_173146.log · 129–150" in section
    assert any("archived snapshot of E1 ends at step 129" in text for text in texts(page, ".rl-sec"))


def subtitle_4b(page: Page) -> None:
    (shown,) = texts(page, ".rl-title .meta")
    parts = ("4×A100-80GB", "TP=4", "offload off", "non-thinking", "16K response")
    assert all(part in shown for part in parts)


def remaining_4b(page: Page) -> None:
    (shown,) = texts(page, ".exp .running")
    assert shown.startswith("live · 21/150 steps; 4 h 23 m so far;")
    assert "validation in 4 steps" in shown


def two_clip_lines(page: Page) -> None:
    key = run_key(page, "E2", "4b")
    shown = chart(page, f"run-{key}-clip_share")
    assert {f"e2_raw_{key}", f"e2_raw_{key}_dual_clip_share"} <= set(shown.uids)


def rank_reversal(page: Page) -> None:
    values = page.evaluate(
        "() => Object.fromEntries(rlboard.decode(rlboard.payload().charts['slope-length'].data)"
        ".map((t) => [rlboard.payload().runs[t.meta.run].label, [...t.y]]))"
    )
    left, right = ({label: pair[side] for label, pair in values.items()} for side in (0, 1))
    assert max(left, key=left.__getitem__) == "E3" == min(right, key=right.__getitem__)
    assert max(right, key=right.__getitem__) == "E1"
    shown = texts(page, 'figure[data-chart="slope-length"] .ch-c')
    assert shown == ["Order changes: E3 largest on 2B, smallest on 4B"]
    cut = page.locator('figure[data-chart="slope-length"] .ch-c').evaluate("(el) => el.scrollWidth - el.clientWidth")
    assert cut <= 0


def measured_hours_4b(page: Page) -> None:
    totals = page.evaluate(
        "() => Object.fromEntries(Object.entries(rlboard.payload().charts['cmp-hours'].meta.totals).map(([key, t]) => "
        "[rlboard.payload().runs[key].label, [...rlboard.decode(t).gen].reduce((a, b) => a + b, 0)"
        " + [...rlboard.decode(t).other].reduce((a, b) => a + b, 0)]))"
    )
    done = {label: hours for label, hours in totals.items() if label != "E5"}
    assert min(done, key=done.__getitem__) == "E3"
    words = chart(page, "cmp-hours").words
    assert [word.strip() for word in words][:3] == ["37 h 12 m", "32 h 33 m", "31 h 40 m"]


CHECKS: Mapping[str, tuple[str, Callable[[Page], None]]] = {
    "2B-01": ("2b", subtitle_2b),
    "2B-03": ("2b", starting_2b),
    "2B-04": ("2b", window_2b),
    "2B-12": ("2b", math_500),
    "2B-33": ("2b", cap_line),
    "2B-41": ("2b", own_charts_hold_the_episode),
    "2B-48": ("2b", coverage_2b),
    "4B-01": ("4b", subtitle_4b),
    "4B-32": ("4b", remaining_4b),
    "4B-39": ("4b", two_clip_lines),
    "4B-40": ("overview", rank_reversal),
    "4B-41": ("4b", measured_hours_4b),
}


@pytest.mark.parametrize("fact", CHECKS)
def test_fact_on_its_page(fact: str, page: Page) -> None:
    tab, check = CHECKS[fact]
    open_tab(page, tab)
    check(page)


def test_every_fact_of_the_pages_is_checked_here() -> None:
    assert CHECKS.keys() == ON_PAGES.keys()
