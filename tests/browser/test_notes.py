"""Notes on steps of runs: written in the page, seen on every chart, in links and in the exported file."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.__main__ import main
from data_loaders.annotations import FILE, annotate, read_annotations
from tests.browser.conftest import DESK, OpenPage
from tests.browser.gestures import settled
from tests.serving import Served, serving

pytestmark = pytest.mark.browser

E3 = "e3_drgrpo_2b"
FLAGS = """() => Object.fromEntries(rlboard.records().filter((r) => r.mounted).map((r) => [r.id,
  (r.plot._fullLayout.annotations || []).filter((a) => /^note:/.test(a.name || '')).map((a) => a.x)]))"""


@pytest.fixture(scope="module")
def folder(demo_logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Demo logs in a folder of their own."""
    return shutil.copytree(demo_logs, tmp_path_factory.mktemp("noted") / "logs")


@pytest.fixture(scope="module")
def noted(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    cache = tmp_path_factory.mktemp("cache")
    assert main(["episodes", "--logs", str(folder), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(folder)], cache) as served:
        yield served


@pytest.fixture(autouse=True)
def no_notes(folder: Path) -> None:
    (folder / FILE).unlink(missing_ok=True)


def opened(open_page: OpenPage, board: Served, query: str = "", locale: str = "zh-CN") -> Page:
    page = open_page(f"{board.url}?tab=2b{query}", locale=locale)
    expect(page.locator('figure[data-chart="cmp-pass_rate"] .js-plotly-plot')).to_be_visible()
    settled(page)
    return page


def flags(page: Page, chart: str) -> list[float]:
    settled(page)
    found: dict[str, list[float]] = page.evaluate(FLAGS)
    return found[chart]


def test_a_note_is_written_with_the_keyboard_and_stands_on_every_chart(
    open_page: OpenPage, noted: Served, folder: Path
) -> None:
    page = opened(open_page, noted, locale="en-US")
    page.locator("body").press("n")
    dialog = page.get_by_role("dialog", name="Notes")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Run").select_option(E3)
    dialog.get_by_label("Step or steps").fill("133-140")
    dialog.get_by_label("Note", exact=True).fill("<img src=x onerror=alert(1)> lr halved")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator(".rl-noted-row")).to_have_count(1)
    expect(dialog.locator(".rl-noted-text")).to_have_text("<img src=x onerror=alert(1)> lr halved")
    page.keyboard.press("Escape")
    page.evaluate("() => rlboard.set({ win: 'all' })")
    settled(page)
    for chart in ("cmp-pass_rate", "cmp-entropy", "cmp-grad_norm"):
        assert flags(page, chart) == [133]
    expect(page.locator('[data-act="notes-open"]')).to_have_text("Notes 1")
    (note,) = read_annotations(folder / FILE).notes
    assert (note.run, note.start, note.end) == (E3, 133, 140)


def test_a_link_opens_a_note_and_hidden_notes_stay_away(
    open_page: OpenPage, noted: Served, folder: Path
) -> None:
    note = annotate(folder / FILE, E3, 120, 120, "看这里")
    page = opened(open_page, noted, f"&note={note.id}")
    expect(page.locator("#rl-note")).to_contain_text("看这里")
    assert flags(page, "cmp-entropy") == [120]
    page.locator("#rl-note").get_by_role("button").click()
    expect(page.locator("#rl-note")).to_have_count(0)
    assert "note=" not in page.url
    page = opened(open_page, noted, "&notes=hidden")
    assert flags(page, "cmp-entropy") == []


def test_the_list_leads_to_the_steps_and_follows_the_chosen_runs(
    open_page: OpenPage, noted: Served, folder: Path
) -> None:
    note = annotate(folder / FILE, E3, 60, 62, "first")
    annotate(folder / FILE, "e1_grpo_2b", 20, 20, "second")
    page = opened(open_page, noted)
    expect(page.locator('[data-act="notes-open"]')).to_have_text("笔记 2")
    page.locator('.chip[data-value="E1"]').click()
    expect(page.locator('[data-act="notes-open"]')).to_have_text("笔记 1")
    page.locator('[data-act="notes-open"]').click()
    page.locator(".rl-noted-row").get_by_role("button", name=re.compile("60–62")).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page).to_have_url(re.compile(rf"steps=52-70.*note={note.id}"))
    assert flags(page, "cmp-entropy") == [60]


def test_a_note_is_taken_back(open_page: OpenPage, noted: Served, folder: Path) -> None:
    annotate(folder / FILE, E3, 60, 60, "wrong")
    page = opened(open_page, noted)
    page.locator('[data-act="notes-open"]').click()
    page.get_by_role("button", name="撤回").click()
    expect(page.locator(".rl-noted-row")).to_have_count(0)
    assert read_annotations(folder / FILE).notes == ()


def test_wrong_steps_are_told_and_nothing_is_lost(open_page: OpenPage, noted: Served, folder: Path) -> None:
    page = opened(open_page, noted)
    page.locator('[data-act="notes-open"]').click()
    page.get_by_label("步或步范围").fill("abc")
    page.get_by_label("内容").fill("kept words")
    page.get_by_role("button", name="保存").click()
    expect(page.get_by_role("alert").filter(has_text="133-140")).to_be_visible()
    expect(page.get_by_label("内容")).to_have_value("kept words")
    assert not (folder / FILE).exists()


def test_a_read_only_board_offers_no_form(open_page: OpenPage, folder: Path, tmp_path: Path) -> None:
    annotate(folder / FILE, E3, 60, 60, "seen")
    cache = tmp_path / "cache"
    assert main(["episodes", "--logs", str(folder), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(folder), "--read-only"], cache) as served:
        page = opened(open_page, served, locale="en-US")
        page.locator('[data-act="notes-open"]').click()
        expect(page.locator(".rl-noted-text")).to_have_text("seen")
        expect(page.locator("#rl-notes form")).to_have_count(0)
        expect(page.get_by_role("button", name="Take back")).to_have_count(0)
        expect(page.get_by_text("read-only")).to_be_visible()


def test_the_exported_file_carries_notes(chromium: Browser, folder: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(folder, logs)
    note = annotate(logs / FILE, E3, 60, 60, "in the file")
    out = tmp_path / "board.html"
    arguments = ["export", "--logs", str(logs), "--cache-dir", str(tmp_path / "cache"), "--out", str(out)]
    assert main(arguments) == 0
    context = chromium.new_context(viewport=DESK, locale="en-US", offline=True)
    page = context.new_page()
    page.goto(f"{out.as_uri()}?tab=2b&note={note.id}")
    settled(page)
    expect(page.locator("#rl-note")).to_contain_text("in the file")
    assert flags(page, "cmp-entropy") == [60]
    page.locator('[data-act="notes-open"]').click()
    expect(page.locator(".rl-noted-text")).to_have_text("in the file")
    expect(page.locator("#rl-notes form")).to_have_count(0)
    context.close()
