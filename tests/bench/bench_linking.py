"""One step range to every chart in view: the drawing path beside plotly's own relayout of each chart."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from app.__main__ import main as command
from tests.serving import serving

REPEATS = 12
OURS = """async ([first, last]) => {
  const begin = performance.now();
  window.rlboard.set({ range: [first, last] });
  while (!window.rlboard.ready) await new Promise((done) => setTimeout(done, 0));
  return performance.now() - begin;
}"""
RELAYOUT = """async ([first, last]) => {
  const charts = [...document.querySelectorAll('figure[data-chart^=cmp-] .js-plotly-plot')];
  const begin = performance.now();
  for (const chart of charts) await window.Plotly.relayout(chart, { 'xaxis.range': [first, last] });
  return performance.now() - begin;
}"""


def main() -> None:
    """Print medians in milliseconds and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        command(["episodes", "--demo", "--cache-dir", folder])
        with serving(["--demo"], Path(folder)) as board, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{board.url}?tab=2b")
            page.wait_for_function("() => window.rlboard && window.rlboard.ready", timeout=60_000)
            _measure(page)
            browser.close()


def _measure(page: Page) -> None:
    ours, plain = [], []
    for n in range(REPEATS):
        first = 5 + 5 * n
        ours.append(page.evaluate(OURS, [first, first + 60]))
        plain.append(page.evaluate(RELAYOUT, [first + 1, first + 59]))
    mine, theirs = statistics.median(ours), statistics.median(plain)
    drawn = page.evaluate("() => document.querySelectorAll('.js-plotly-plot').length")
    print(f"linked range, {drawn} charts mounted, x and fitted y: {mine:.0f} ms (median of {REPEATS})")
    print(f"plotly relayout of the comparison charts, x only:     {theirs:.0f} ms")
    print(f"ratio {mine / theirs:.2f}")


if __name__ == "__main__":
    main()
