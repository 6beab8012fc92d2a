"""Axes that spikes cannot ruin: clipped points at the edge, their number, the full range by one press; log axes."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.browser.harness import payload
from tests.browser.harness.hands import Open, axis, bring, drawn, plot, settle

pytestmark = pytest.mark.browser

E3 = payload.RUNS[2]
GRAD = f"run-{E3.key}-grad_norm"


def far_out(values: np.ndarray) -> np.ndarray:
    """Rows above the upper fence three quartile distances away; quartiles at the nearest rank."""
    ranked = np.sort(values)
    low, high = (ranked[round(share * (values.size - 1))] for share in (0.25, 0.75))
    return np.flatnonzero(values > high + 3 * (high - low))


def clip_traces(page: Page, name: str) -> list[dict]:  # type: ignore[type-arg]
    return [trace for trace in drawn(page, name) if "_clip_" in trace["uid"]]


def test_spikes_stand_at_the_edge_with_their_number_and_one_press_shows_all(sketch: Open) -> None:
    page = sketch("tab=2b&yscale=robust&lang=en&win=all&smooth=raw")
    bring(page, GRAD)
    value = payload.series(E3, "grad_norm")
    out = far_out(value)
    assert out.size
    (marks,) = clip_traces(page, GRAD)
    assert marks["x"] == E3.steps[out].tolist()
    top = axis(page, GRAD, "y")[1]
    assert top < value.max()
    assert set(marks["y"]) == {top}
    button = page.locator(f"{plot(GRAD)} .clip-n")
    assert button.inner_text() == f"{out.size} above"
    told = page.eval_on_selector(plot(GRAD), "el => el.data.find(t => t.uid.includes('_clip_')).customdata[0]")
    assert (float(told[0]), told[1]) == (pytest.approx(value[out[0]], rel=1e-2), E3.steps[out[0]])
    button.click()
    settle(page)
    assert axis(page, GRAD, "y")[1] > value.max()
    assert clip_traces(page, GRAD) == []
    assert button.inner_text() == "Robust range again"
    assert "yscale=robust" in page.url
    button.click()
    settle(page)
    assert axis(page, GRAD, "y")[1] == top


def test_an_episode_that_fills_the_view_is_never_clipped(sketch: Open) -> None:
    page = sketch("tab=2b&yscale=robust&steps=125-148")
    bring(page, GRAD)
    assert axis(page, GRAD, "y")[1] > payload.series(E3, "grad_norm")[(E3.steps >= 125) & (E3.steps <= 148)].max()
    assert page.locator(f"{plot(GRAD)} .clip-n").count() == 0


def test_nothing_is_clipped_unless_it_is_asked_for(sketch: Open) -> None:
    page = sketch("tab=2b")
    bring(page, GRAD)
    assert axis(page, GRAD, "y")[1] > payload.series(E3, "grad_norm").max()


def test_a_log_axis_only_where_values_are_positive(sketch: Open) -> None:
    page = sketch("tab=2b&yscale=log&lang=en")
    kind = "el => el._fullLayout.yaxis.type"
    assert page.eval_on_selector(plot("cmp-grad_norm"), kind) == "log"
    found = page.evaluate("[rlboard.logAxis(true, [1, 2, 3]), rlboard.logAxis(true, [1, -2, 3]), rlboard.logAxis(false, [1])]")
    assert [one["log"] for one in found] == [True, False, False]
    assert page.evaluate("rlboard.logAxis(true, [0, ...Array(30).fill(2)])") == {"log": True, "lost": 1}
