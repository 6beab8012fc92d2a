"""Runs of ten thousand steps: extremes of every few steps at first, and every point where one looks closely."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.__main__ import main
from tests.bench.workloads import log_lines
from tests.browser.conftest import OpenPage
from tests.browser.gestures import settled
from tests.serving import Served, serving

pytestmark = pytest.mark.browser

STEPS = 10_000
NORM, LENGTH = "actor/grad_norm", "response_length/mean"
POINTS = """(id) => Object.fromEntries(rlboard.records().find((r) => r.id === id).chart.lines
  .filter((line) => line.role === 'raw').map((line) => [line.run.id, [[...line.steps], [...line.y]]]))"""


def values(nth: int) -> dict[str, np.ndarray]:
    """A calm run with one spike and one NaN."""
    rng = np.random.default_rng(nth)
    norm = 0.2 + 0.01 * rng.standard_normal(STEPS)
    norm[4_321 - 1] = 2.5
    norm[7_000 - 1] = np.nan
    return {NORM: norm, LENGTH: 5_000 + 100 * rng.standard_normal(STEPS)}


@pytest.fixture(scope="module")
def long_board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    logs, cache = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("cache")
    for nth in range(2):
        folder: Path = logs / f"sweep_{nth}"
        folder.mkdir()
        (folder / "train.log").write_text("".join(log_lines(values(nth))), encoding="ascii")
    assert main(["episodes", "--logs", str(logs), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(logs)], cache) as served:
        yield served


def test_a_sampled_line_keeps_spike_and_gap_and_says_so(open_page: OpenPage, long_board: Served) -> None:
    page = open_page(f"{long_board.url}?tab=other&lang=en")
    settled(page)
    steps, drawn = page.evaluate(POINTS, "cmp-grad_norm")["sweep_0"]
    assert len(steps) < 2_000
    assert {1, 4_321, 7_000, STEPS} <= set(steps)
    kept = dict(zip(steps, drawn, strict=True))
    assert kept[4_321] == pytest.approx(2.5)
    assert kept[7_000] is None or np.isnan(kept[7_000])
    assert "sampled, 32 steps" in page.locator("[data-chart=cmp-grad_norm] .badges").inner_text()


def test_a_hundred_steps_show_every_logged_point_with_one_request(
    open_page: OpenPage, long_board: Served
) -> None:
    page = open_page(f"{long_board.url}?tab=other&lang=en")
    settled(page)
    asked: list[dict[str, object]] = []
    page.on(
        "request",
        lambda r: asked.append(json.loads(r.post_data or "{}")) if r.url.endswith("/charts") else None,
    )
    page.evaluate("rlboard.set({ range: [4301, 4400] })")
    settled(page)
    for nth in range(2):
        steps, drawn = page.evaluate(POINTS, "cmp-grad_norm")[f"sweep_{nth}"]
        inside = [at for at, step in enumerate(steps) if 4_301 <= step <= 4_400]
        assert [steps[at] for at in inside] == list(range(4_301, 4_401))
        assert [drawn[at] for at in inside] == values(nth)[NORM][4_300:4_400].tolist()
    assert [one["steps"] for one in asked if "ahead" not in one] == [[4301, 4400]]
    assert "sampled" not in page.locator("[data-chart=cmp-grad_norm] .badges").inner_text()
    page.evaluate("rlboard.set({ range: [4310, 4390] })")
    settled(page)
    assert len([one for one in asked if "ahead" not in one]) == 1, "what is there is not asked for again"


def test_a_page_at_rest_fetches_its_lines_whole_and_a_zoom_asks_for_nothing(
    open_page: OpenPage, long_board: Served
) -> None:
    page = open_page(f"{long_board.url}?tab=other&lang=en")
    settled(page)
    page.wait_for_function(
        "() => rlboard.records().find((r) => r.id === 'cmp-grad_norm').looks?.some((look) => look.ahead)"
    )
    asked: list[str] = []
    page.on(
        "request",
        lambda r: asked.append(r.post_data or "")
        if r.url.endswith("/charts") and '"cmp-grad_norm"' in (r.post_data or "")
        else None,
    )
    assert "sampled" in page.locator("[data-chart=cmp-grad_norm] .badges").inner_text()
    page.evaluate("rlboard.set({ range: [4301, 4400] })")
    settled(page)
    steps, drawn = page.evaluate(POINTS, "cmp-grad_norm")["sweep_1"]
    assert steps == list(range(1, STEPS + 1))
    assert drawn[4_300:4_400] == values(1)[NORM][4_300:4_400].tolist()
    assert "sampled" not in page.locator("[data-chart=cmp-grad_norm] .badges").inner_text()
    assert asked == []


def test_statistics_of_a_sampled_range_are_those_of_all_points(
    open_page: OpenPage, long_board: Served
) -> None:
    page = open_page(f"{long_board.url}?tab=other&lang=en&steps=1001-8000")
    settled(page)
    page.locator("[data-chart=cmp-grad_norm] [data-act=stats]").click()
    row = page.locator("[data-chart=cmp-grad_norm] .rs tbody tr").first.inner_text().split()
    part = values(0)[NORM][1_000:8_000]
    expected = [part[0], part[-1], np.nanmean(part), np.nanmin(part), np.nanmax(part)]
    numbers = [float(word) for word in row if word.replace(".", "", 1).isdigit()]
    assert numbers[-5:] == pytest.approx(expected, abs=6e-4)
    assert f"@{int(np.nanargmin(part)) + 1_001}" in row
