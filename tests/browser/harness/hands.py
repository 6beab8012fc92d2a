"""What a person does on the harness page, and what plotly then holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

Open = Callable[..., Page]
"""`sketch(query, phone=False)`: the harness page, settled."""


def settle(page: Page) -> None:
    """Wait until every chart in view is drawn."""
    page.wait_for_function("window.rlboard && rlboard.ready")


def plot(name: str) -> str:
    return f'[data-chart="{name}"] .plot'


def axis(page: Page, name: str, which: str) -> list[float]:
    return page.eval_on_selector(plot(name), f"el => el.layout.{which}axis.range")  # type: ignore[no-any-return]


def drawn(page: Page, name: str) -> list[dict[str, Any]]:
    """uid, mode, visibility and numbers of what a chart draws, by plotly or as lines of its own."""
    return page.eval_on_selector(  # type: ignore[no-any-return]
        plot(name),
        """el => rlboard.records().find((r) => r.plot === el).data.map(t => ({uid: t.uid, mode: t.mode, width: t.line && t.line.width, opacity: t.opacity,
        x: Array.from(t.x), y: Array.from(t.y, v => Number.isFinite(v) ? v : null), text: t.text}))""",
    )


def uids(page: Page, name: str, role: str) -> set[str]:
    return {trace["uid"] for trace in drawn(page, name) if f"_{role}_" in trace["uid"]}


def drag(page: Page, name: str, first: float, last: float) -> None:
    """Drag from one step to another inside a chart, as a hand does."""
    where = page.eval_on_selector(
        plot(name),
        """(el, steps) => { const box = el.getBoundingClientRect(), s = el._fullLayout._size, a = el._fullLayout.xaxis;
        return [box.left + s.l + a.d2p(steps[0]), box.left + s.l + a.d2p(steps[1]), box.top + s.t + s.h / 2] }""",
        [first, last],
    )
    page.mouse.move(where[0], where[2])
    page.mouse.down()
    page.mouse.move(where[1], where[2] + 3, steps=8)
    page.mouse.up()
    page.wait_for_function("rlboard.state.range !== null")
    settle(page)


def bring(page: Page, name: str) -> None:
    """Scroll to a chart and wait until it is drawn."""
    page.locator(plot(name)).scroll_into_view_if_needed()
    page.locator(f'[data-chart="{name}"][data-drawn]').wait_for()
    settle(page)


def in_view(page: Page) -> list[str]:
    """Charts along steps that are mounted."""
    return page.evaluate(  # type: ignore[no-any-return]
        "rlboard.records().filter(r => r.mounted && (r.chart.meta.kind || 'steps') === 'steps').map(r => r.id)"
    )
