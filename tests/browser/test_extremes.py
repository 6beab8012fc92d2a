"""Logs at the edge of what charts were made for: values of 10⁸ beside small ones, a hundred runs on one chart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.__main__ import main
from tests.browser.conftest import DESK
from tests.browser.reading import DRAWN, chart, run_key
from tests.browser.test_boxes import boxes
from tests.unit.components.present.boards import GRAD, KL, calm, write_log

pytestmark = pytest.mark.browser


def opened(chromium: Browser, folder: Path, runs: Mapping[str, Mapping[str, Mapping[int, float]]]) -> Page:
    """The board of some logs as one file, opened without a server."""
    for name, cells in runs.items():
        write_log(folder / "logs", name, cells)
    out = folder / "board.html"
    arguments = ["--logs", str(folder / "logs"), "--cache-dir", str(folder / "cache"), "--out", str(out)]
    assert main(["export", *arguments]) == 0
    page = chromium.new_page(viewport=DESK, locale="en-US")
    page.goto(f"{out.as_uri()}?tab=2b&lang=en")
    page.wait_for_function(DRAWN)
    return page


def test_a_spike_of_ten_to_the_eighth_leaves_the_rest_readable(chromium: Browser, tmp_path: Path) -> None:
    wild = {GRAD: calm(60, 0.2), KL: calm(60, 2e-5, s30=5000.0), "actor/pg_clipfrac": calm(60, 0.001)}
    tame = {GRAD: calm(60, 0.3), KL: calm(60, 3e-5), "actor/pg_clipfrac": calm(60, 0.002)}
    page = opened(chromium, tmp_path, {"e1_grpo_2b": wild, "e2_dapo_2b": tame})
    try:
        one, two = (run_key(page, label, "2b") for label in ("E1", "E2"))
        assert any("5.00e8" in word for word in chart(page, f"run-{one}-ppo_kl").words)
        ticks = page.locator(f'figure[data-chart="run-{one}-ppo_kl"] .ytick text').all_text_contents()
        assert ticks[-1] in ("500M", "400M")
        found = boxes(page)
        assert (found["cut"], found["overlaps"], found["wide"]) == ([], [], 0)
        high = "(id) => document.querySelector(`figure[data-chart='${id}'] .js-plotly-plot`)._fullLayout.yaxis"
        chart(page, f"run-{two}-ppo_kl")
        assert page.evaluate(f"(id) => ({high})(id).range[1]", f"run-{two}-ppo_kl") < 10, "its own range"
        page.evaluate("() => rlboard.set({ yscale: 'log' })")
        page.wait_for_function("() => rlboard.ready")
        chart(page, f"run-{one}-ppo_kl")
        assert page.evaluate(f"(id) => ({high})(id).type", f"run-{one}-ppo_kl") == "log"
        page.evaluate("() => rlboard.set({ yscale: 'robust' })")
        page.wait_for_function("() => rlboard.ready")
        chart(page, f"run-{one}-ppo_kl")
        assert page.evaluate(f"(id) => ({high})(id).range[1]", f"run-{one}-ppo_kl") < 10
    finally:
        page.close()


MOVES = """async (moves) => {
  const area = document.querySelector('figure[data-chart="cmp-grad_norm"] .nsewdrag'), box = area.getBoundingClientRect();
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  for (let n = 0; n < moves; n++) {
    const at = { clientX: box.left + box.width * (0.2 + (n % 10) * 0.07), clientY: box.top + box.height / 2, bubbles: true, pointerType: 'mouse' };
    area.dispatchEvent(new PointerEvent('pointermove', at));
    area.dispatchEvent(new MouseEvent('mousemove', at));
    await frame();
  }
}"""


class Clock:
    """Time that the main thread of a page has computed: what else the machine does, does not count."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def milliseconds(self) -> float:
        found = self.session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def test_c89_a_hundred_lines_answer_the_pointer(chromium: Browser, tmp_path: Path) -> None:
    """C89: 100 lines of 100 points, each move of the pointer answered within 200 ms (plotly/plotly.js#3826)."""
    runs = {f"run{n:03d}_grpo_2b": {GRAD: calm(100, 0.1 + n / 500)} for n in range(100)}
    page = opened(chromium, tmp_path, runs)
    try:
        assert chart(page, "cmp-grad_norm").points == 100 * 100
        page.locator('figure[data-chart="cmp-grad_norm"]').scroll_into_view_if_needed()
        clock, moves = Clock(page), 20
        page.evaluate(MOVES, 2)
        before = clock.milliseconds()
        page.evaluate(MOVES, moves)
        spent = (clock.milliseconds() - before) / moves
        print(f"{spent:.1f} ms of computing per move")
        assert page.locator('figure[data-chart="cmp-grad_norm"] .cursor').is_visible()
        assert 0 < spent < 200
        mode = "() => document.querySelector('figure[data-chart=cmp-grad_norm] .js-plotly-plot')._fullLayout.hovermode"
        assert page.evaluate(mode) == "closest", "no list of a hundred values"
        assert len(chart(page, "cmp-grad_norm").words) <= 30, "names only as far as they fit"
    finally:
        page.close()
