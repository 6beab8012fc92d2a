"""Downloads: exactly the steps and metrics on screen, cell by cell as the log says, and as the command line prints."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from app.__main__ import main
from tests.browser.conftest import OpenPage
from tests.browser.gestures import drag, settled
from tests.serving import Served

pytestmark = pytest.mark.browser

KEYS = {"grad_norm": "actor/grad_norm", "ppo_kl": "actor/ppo_kl", "clip_share": "actor/pg_clipfrac"}
"""Metrics whose canonical value is the logged one."""


def track(open_page: OpenPage, board: Served, query: str = "", locale: str = "en-US") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale=locale)
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def downloaded(page: Page, link: Locator) -> tuple[str, bytes, str]:
    """Name and bytes of the file a link gives, and the question in its address."""
    address = link.get_attribute("href") or ""
    with page.expect_download() as found:
        link.click()
    return found.value.suggested_filename, Path(found.value.path()).read_bytes(), address


def printed(address: str, capfdbinary: pytest.CaptureFixture[bytes], cache: Path) -> bytes:
    """What the command line prints for the question of a link."""
    asked = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
    options = {"exp": "--experiments", "track": "--track", "steps": "--steps", "metrics": "--metrics",
               "smooth": "--smooth", "units": "--units", "seg": "--seg"}  # fmt: skip
    words = [word for key, value in asked.items() if key in options for word in (options[key], value)]
    words += ["--wide"] if asked.get("wide") else []
    capfdbinary.readouterr()
    assert main(["csv", "--demo", "--cache-dir", str(cache), *words]) == 0
    return capfdbinary.readouterr().out


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def logged(demo: Path, run: str, key: str, steps: range) -> dict[int, float]:
    """Values of a key as a plain search of the log text finds them, the later line winning."""
    found: dict[int, float] = {}
    for path in sorted(demo.rglob("*.log")):
        if run not in str(path):
            continue
        for line in path.read_text("utf-8").splitlines():
            step = re.search(r"\bstep:(\d+) - ", line)
            value = re.search(rf" - {re.escape(key)}:(?:np\.float64\()?([-+.\deE]+|nan|inf)", line)
            if step and value and int(step[1]) in steps:
                found[int(step[1])] = float(value[1])
    return found


def test_the_table_of_an_episode(
    open_page: OpenPage, board: Served, demo: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    page = open_page(f"{board.url}?tab=2b&ep=e3_drgrpo_2b:133", locale="en-US")
    link = page.locator("aside.epi-p h3 a[href*=csv]")
    expect(link).to_be_visible()
    settled(page)
    steps = [int(row.get_attribute("data-step") or 0) for row in page.locator("aside tr[data-step]").all()]
    name, data, address = downloaded(page, link)
    table = rows(data)
    assert [int(row["step"]) for row in table] == steps
    assert name.startswith("rl-board_e3_drgrpo_2b_131-142")
    shown = page.locator("aside tr[data-step]").locator("xpath=ancestor::table[1]//thead//th").count() - 1
    assert len(table[0]) == 5 + shown
    for metric, key in KEYS.items():
        expected = logged(demo, "e3_drgrpo_2b", key, range(131, 143))
        assert {int(row["step"]): float(row[metric]) for row in table} == expected, metric
        assert len(expected) == 12
    assert printed(address, capfdbinary, tmp_path) == data


def test_the_page_over_a_chosen_range(
    open_page: OpenPage, board: Served, demo: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    page = track(open_page, board, "&steps=133-140&exp=E3")
    name, data, address = downloaded(page, page.locator("a.csv"))
    found = rows(data)
    metrics = page.evaluate(
        "() => [...new Set(Object.values(rlboard.payload().charts).flatMap((c) => (c.meta || {}).csv || []))]"
    )
    assert {row["experiment"] for row in found} == {"e3_drgrpo_2b"}
    assert {row["metric"] for row in found} <= set(metrics)
    assert {int(row["step"]) for row in found} == set(range(133, 141))
    for metric, key in KEYS.items():
        cells = {int(row["step"]): float(row["value"]) for row in found if row["metric"] == metric}
        assert cells == logged(demo, "e3_drgrpo_2b", key, range(133, 141)), metric
    assert name == "rl-board_e3_drgrpo_2b_133-140.csv"
    assert printed(address, capfdbinary, tmp_path) == data


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_one_chart_is_what_it_draws(
    open_page: OpenPage, board: Served, demo: Path, tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes], locale: str,
) -> None:  # fmt: skip
    page = track(open_page, board, "&exp=E1,E3", locale)
    link = page.locator('figure[data-chart="cmp-grad_norm"] a[data-act=csv]')
    expect(link).to_have_attribute("aria-label", re.compile("CSV"))
    assert "as CSV" in (link.get_attribute("aria-label") or "") or locale == "zh-CN"
    _, data, address = downloaded(page, link)
    found = rows(data)
    assert list(found[0])[-1] == "value"
    for run in ("e1_grpo_2b", "e3_drgrpo_2b"):
        cells = {int(row["step"]): float(row["value"]) for row in found if row["experiment"] == run}
        assert cells == logged(demo, run, "actor/grad_norm", range(1, 130)), "the aligned window is in view"
    drawn = page.evaluate(
        """() => { const { data } = rlboard.records().find((r) => r.id === 'cmp-grad_norm');
          return data.filter((t) => (t.meta || {}).role === 'raw').flatMap((t) => [...t.y].filter(
            (y, i) => t.x[i] >= 1 && t.x[i] <= 129)).sort((a, b) => a - b); }"""
    )
    assert sorted(float(row["value"]) for row in found) == drawn
    assert printed(address, capfdbinary, tmp_path) == data


def test_a_smoothed_chart_gives_its_smoothed_line_too(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, "&exp=E1&steps=20-80")
    _, data, address = downloaded(page, page.locator('figure[data-chart="cmp-pass_rate"] a[data-act=csv]'))
    assert "smooth=mean5" in address
    drawn = page.evaluate(
        """() => { const { data } = rlboard.records().find((r) => r.id === 'cmp-pass_rate');
          return data.filter((t) => (t.meta || {}).role === 'ma').map((t) => [...t.y].filter(
            (y, i) => t.x[i] >= 20 && t.x[i] <= 80)); }"""
    )
    assert [100 * float(row["smoothed"]) for row in rows(data)] == pytest.approx(drawn[0], rel=1e-12)


def test_links_follow_the_view(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    link = page.locator('figure[data-chart="cmp-entropy"] a[data-act=csv]')
    expect(link).to_have_attribute("href", re.compile("steps=1-129"))
    expect(link).to_have_attribute("href", re.compile("metrics=entropy_per_token(&|$)"))
    drag(page, "cmp-entropy", 0.4, 0.7)
    page.wait_for_function("() => window.rlboard.state.range !== null")
    first, last = page.evaluate("() => window.rlboard.state.range")
    expect(link).to_have_attribute("href", re.compile(f"steps={first}-{last}&"))
    page.locator('.chip[data-value="E1"]').click()
    expect(link).not_to_have_attribute("href", re.compile("e1_grpo_2b"))


def test_a_range_of_ones_own_is_inspected(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board)
    button = page.locator('section.exp [data-act=inspect][data-value="e3_drgrpo_2b"]')
    expect(button).to_be_hidden()
    drag(page, "cmp-grad_norm", 0.5, 0.6)
    page.wait_for_function("() => window.rlboard.state.range !== null")
    first, last = page.evaluate("() => window.rlboard.state.range")
    expect(button).to_have_text(f"Inspect {first}–{last}")
    button.click()
    panel = page.locator("aside.epi-p")
    expect(panel).to_contain_text(f"E3 · {first}–{last}")
    expect(panel).to_contain_text("chosen range")
    expect(page).to_have_url(re.compile(rf"ep=e3_drgrpo_2b:{first}-{last}(&|$)"))


def test_a_press_on_a_band_opens_its_episode(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, "&win=all&exp=E3")
    area = page.locator('figure[data-chart="cmp-grad_norm"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    low, high = page.evaluate(
        "() => document.querySelector('figure[data-chart=cmp-grad_norm] .js-plotly-plot')._fullLayout.xaxis.range"
    )
    x = box["x"] + box["width"] * (136 - low) / (high - low)
    page.mouse.move(x, box["y"] + box["height"] * 0.6)
    expect(page.locator('figure[data-chart="cmp-grad_norm"] .plot.on-band')).to_be_visible()
    page.mouse.click(x, box["y"] + box["height"] * 0.6)
    expect(page.locator("aside.epi-p")).to_be_visible()
    expect(page).to_have_url(re.compile("ep=e3_drgrpo_2b:133"))
    settled(page)


def test_a_double_click_on_a_band_is_a_reset(open_page: OpenPage, board: Served) -> None:
    page = track(open_page, board, "&steps=120-150&exp=E3")
    area = page.locator('figure[data-chart="cmp-grad_norm"] .nsewdrag').first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] * 16.5 / 30, box["y"] + box["height"] * 0.6)
    page.wait_for_function("() => window.rlboard.state.range === null")
    settled(page)
    assert page.evaluate("() => window.rlboard.state.ep") is None


def test_the_table_of_runs_gives_the_rows_it_shows(open_page: OpenPage, board: Served) -> None:
    page = open_page(f"{board.url}?tab=overview&steps=10-12", locale="en-US")
    settled(page)
    link = page.locator("a[data-act=csv][data-value=rows]")
    page.locator("[data-run-find] input").fill("dr.grpo 2b")
    shown = page.locator("table.runs tr[data-nth]:visible")
    expect(shown).to_have_count(1)
    expect(link).to_have_attribute("href", re.compile("exp=e3_drgrpo_2b&"))
    _, data, _ = downloaded(page, link)
    found = rows(data)
    assert {row["experiment"] for row in found} == {"e3_drgrpo_2b"}
    assert {row["metric"] for row in found} == {"pass_rate", "response_length", "entropy", "grad_norm"}
    assert {int(row["step"]) for row in found} == {10, 11, 12}


@pytest.mark.parametrize("tab", ["overview", "2b"])
def test_the_list_of_episodes_is_searched_and_leads_to_them(
    open_page: OpenPage, board: Served, tab: str
) -> None:
    page = open_page(f"{board.url}?tab={tab}", locale="en-US")
    settled(page)
    fold = page.locator("details[data-find-in]")
    fold.locator("summary").click()
    listed = fold.locator("tr[data-row]:visible")
    expect(listed.first).to_contain_text("133–140")
    expect(listed.first).to_contain_text("recovered")
    expect(listed.first).to_contain_text("4 metrics")
    fold.locator("input").fill("e3 133")
    expect(listed).to_have_count(1)
    listed.first.locator("a[data-act=episode]").click()
    expect(page.locator("aside.epi-p")).to_be_visible()
    expect(page).to_have_url(re.compile("ep=e3_drgrpo_2b:133"))
    settled(page)
