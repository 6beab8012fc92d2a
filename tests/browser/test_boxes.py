"""Every page in both languages, both themes, on a desk and on a phone: nothing overlaps, is cut off or too small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import DESK, PHONE
from tests.browser.reading import DRAWN, language, open_tab
from tests.serving import Served

pytestmark = pytest.mark.browser

TABS = ("overview", "algorithms", "2b", "4b", "multimodal")
SMALLEST = 10.5
"""Pixels of the smallest text."""

MAY_BE_CUT = (
    (".ch-c", "captions end in an ellipsis, whole in their tooltip"),
    (".chips", "many chips scroll inside their place"),
    (".rl-tabs", "tabs scroll on phones"),
    (".wide", "wide tables scroll inside themselves"),
    ("table.rt", "tables scroll inside themselves on phones"),
    (".rl-title .meta", "facts end in an ellipsis"),
    (".row1 *", "lines of the attention list end in an ellipsis, their action leads to the whole"),
    ("details.full .cut", "the list of sections ends in an ellipsis"),
    (".ch-h .badges", "remarks have their text in a tooltip"),
    (".minis .t12", "names of small charts end in an ellipsis"),
    (".rl-banner", "banners are one line"),
    (".raw", "raw lines scroll"),
)
MAY_OVERLAP = (
    ("math *", "parts of a formula are set closely"),
    (".cursor *", "the step tag moves with the pointer"),
    (".rl-sr", "words for screen readers alone"),
)

BOXES = """([smallest, cut, overlap]) => {
  const W = innerWidth, found = { small: [], overlaps: [], cut: [], wide: document.documentElement.scrollWidth - W };
  const visible = (el) => el.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const boxes = [], told = new Set(), walker = document.createTreeWalker(document.querySelector('.rl-board'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, el = node.parentElement, text = node.data.trim();
    if (!text || !visible(el) || el.closest('dialog, option, select, .modebar, .hoverlayer')) continue;
    const size = parseFloat(getComputedStyle(el).fontSize);
    if (size < smallest && !el.closest('math')) found.small.push([text.slice(0, 40), size]);
    if (overlap.some((selector) => el.matches(selector))) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const svg = el.closest('svg'), whole = svg ? el.closest('text') : el;
    if (svg && told.has(whole)) continue;
    told.add(whole);
    for (const r of svg ? [whole.getBoundingClientRect()] : range.getClientRects()) {
      if (r.width < 1 || r.height < 1) continue;
      let box = { l: r.left, r: r.right, t: r.top, b: r.bottom, text: (svg ? whole.textContent : text).slice(0, 40), el: whole };
      for (let up = el.parentElement; up && !svg; up = up.parentElement) {
        const style = getComputedStyle(up);
        if (style.overflowX === 'visible') continue;
        const c = up.getBoundingClientRect();
        box = { ...box, l: Math.max(box.l, c.left), r: Math.min(box.r, c.right), t: Math.max(box.t, c.top), b: Math.min(box.b, c.bottom) };
      }
      if (box.r - box.l < 1 || box.b - box.t < 1) continue;
      boxes.push({ ...box, bar: Boolean(el.closest('.rl-filter')), svg });
      if (svg) {
        const s = svg.getBoundingClientRect();
        if (r.left < s.left - 1.5 || r.right > s.right + 1.5) found.cut.push([box.text, el.closest('figure').dataset.chart]);
      }
    }
  }
  boxes.sort((a, b) => a.t - b.t);
  for (let i = 0; i < boxes.length; i++) {
    const a = boxes[i];
    for (let k = i + 1; k < boxes.length && boxes[k].t < a.b - 3; k++) {
      const b = boxes[k];
      if (a.el === b.el || a.bar !== b.bar) continue;
      const w = Math.min(a.r, b.r) - Math.max(a.l, b.l), h = Math.min(a.b, b.b) - Math.max(a.t, b.t);
      const line = Math.min(a.b - a.t, b.b - b.t);
      if (w > 3 && h > Math.max(4, line * 0.34)) found.overlaps.push([a.text, b.text, (a.el.closest('figure') || {dataset: {}}).dataset.chart || '']);
    }
  }
  for (const el of document.querySelectorAll('.rl-board *')) {
    if (!visible(el) || el.closest('dialog, svg, .rl-sr') || !el.textContent.trim()) continue;
    const style = getComputedStyle(el);
    if (style.overflowX === 'visible' || style.display === 'inline') continue;
    if (el.scrollWidth > el.clientWidth + 1 && !cut.some((selector) => el.matches(selector) || el.closest(selector)))
      found.cut.push([el.textContent.trim().slice(0, 40), el.className]);
  }
  return found;
}"""

THROUGH = """async () => {
  const pause = () => new Promise((done) => setTimeout(done, 40));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight * 0.8) {
    window.scrollTo({ top: y, behavior: "instant" });
    await pause();
    while (!rlboard.ready) await pause();
  }
  window.scrollTo({ top: 0, behavior: "instant" });
  await pause();
}"""

Look = Callable[[str, str], Page]


@pytest.fixture(scope="module")
def look(chromium: Browser, board: Served) -> Iterator[Look]:
    """One page per width."""
    opened: dict[str, Page] = {}

    def page_of(tab: str, width: str) -> Page:
        if width not in opened:
            size = DESK if width == "desk" else PHONE
            page = opened[width] = chromium.new_page(viewport=size, has_touch=width == "phone", locale="zh-CN")
            page.goto(f"{board.url}?tab={tab}")
            page.wait_for_function(DRAWN)
        open_tab(opened[width], tab)
        return opened[width]

    yield page_of
    for page in opened.values():
        page.close()


def boxes(page: Page) -> dict[str, Any]:
    page.evaluate(THROUGH)
    cut, overlap = ([selector for selector, _ in allowed] for allowed in (MAY_BE_CUT, MAY_OVERLAP))
    found: dict[str, Any] = page.evaluate(BOXES, [SMALLEST, cut, overlap])
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("width", ["desk", "phone"])
def test_boxes(width: str, tab: str, lang: str, theme: str, look: Look) -> None:
    page = look(tab, width)
    language(page, lang)
    page.evaluate("(theme) => rlboard.set({ theme })", theme)
    found = boxes(page)
    assert found["wide"] <= 0
    assert found["small"] == []
    assert found["cut"] == []
    assert found["overlaps"] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize(("tab", "runs"), [("2b", 5), ("4b", 5), ("multimodal", 3)])
def test_the_first_screen_answers(tab: str, runs: int, lang: str, look: Look) -> None:
    """At 1440×900: heading, runs with their state, filter bar, six comparison charts."""
    page = look(tab, "desk")
    language(page, lang)
    page.evaluate("() => window.scrollTo(0, 0)")
    bottoms = page.evaluate(
        "() => Object.fromEntries(['h1', '.rl-headline', '.rl-lead table', '.rl-filter', ...['pass_rate', 'response_length',"
        " 'entropy', 'grad_norm', 'validation', 'hours'].map((n) => `figure[data-chart=cmp-${n}] .plot`)]"
        ".map((s) => [s, document.querySelector(s).getBoundingClientRect().bottom]))"
    )
    assert all(bottom <= 900 for bottom in bottoms.values()), bottoms
    states = page.locator(".rl-lead table tbody tr").all_inner_texts()
    assert len(states) == runs
    words = ("已完成", "训练中", "启动中") if lang == "zh" else ("done", "live", "starting")
    assert all(any(word in state for word in words) for state in states)
    chips = page.locator(".chips").evaluate("(el) => el.scrollWidth - el.clientWidth")
    assert chips <= 0, "no chip is cut"
