"""What a person does to charts, and what a person sees on them."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, Request

SHOWN = """() => [...document.querySelectorAll('figure[data-chart]')]
  .filter((figure) => figure.querySelector('.js-plotly-plot'))
  .map((figure) => {
    const gd = figure.querySelector('.js-plotly-plot');
    const lines = rlboard.records().find((record) => record.figure === figure).data;
    return {
      id: figure.dataset.chart,
      x: gd._fullLayout.xaxis.range.map(Number),
      y: gd._fullLayout.yaxis.range.map(Number),
      traces: lines.map((t) => ({ x: [...t.x], y: [...t.y], ...{ role: (t.meta || {}).role, run: (t.meta || {}).run } })),
    };
  })"""


DRAWN = """() => {
  const rl = window.rlboard, reach = innerHeight + 160;
  if (!rl || !rl.ready) return false;
  const plots = [...document.querySelectorAll('figure[data-chart] .plot')];
  const near = (plot) => plot.offsetParent && plot.getBoundingClientRect().top < reach;
  return document.body.dataset.drawn > 0 || (plots.length > 0 && !plots.some(near));
}"""


def settled(page: Page) -> None:
    """Until every chart in view is drawn; a page may have all of its charts further down."""
    page.wait_for_function(DRAWN)


def charts(page: Page) -> list[dict[str, Any]]:
    """The mounted charts: id, axis ranges as plotly holds them, and the traces that are drawn."""
    settled(page)
    found: list[dict[str, Any]] = page.evaluate(SHOWN)
    return found


def step_charts(page: Page) -> list[dict[str, Any]]:
    """Mounted charts whose x axis is the training step."""
    return [
        chart for chart in charts(page) if not chart["id"].endswith(("hours",)) and "slope" not in chart["id"]
    ]


def drag(page: Page, chart: str, start: float, end: float) -> None:
    """Drag across a chart, from one share of its plot width to another."""
    area = page.locator(f'figure[data-chart="{chart}"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + (start + end) / 2 * box["width"], y + 2, steps=6)
    page.mouse.move(box["x"] + end * box["width"], y, steps=6)
    page.mouse.up()


def callback_outputs(requests: list[Request]) -> list[str]:
    """Outputs asked for by callbacks among some requests; the poll for new data is no part of a gesture."""
    asked = [
        json.loads(r.post_data or "{}").get("output", "")
        for r in requests
        if "_dash-update-component" in r.url
    ]
    return [output for output in asked if "poll" not in output and not _is_poll(output)]


def _is_poll(output: str) -> bool:
    return output.startswith("..manifest.data") and "load.data" in output
