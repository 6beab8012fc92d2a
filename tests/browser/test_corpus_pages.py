"""Real public logs: every page renders without an error, readable, with old names on the right charts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, OpenPage
from tests.browser.reading import DRAWN, chart, language, open_tab, texts
from tests.browser.test_boxes import boxes
from tests.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.corpus]

TABS = ("overview", "algorithms", "2b", "4b", "multimodal", "other")


def _run(page: Page, id_: str) -> str:
    key: str = page.evaluate(
        "(id) => Object.entries(rlboard.payload().runs).find(([, run]) => run.id === id)[0]", id_
    )
    return key


@pytest.mark.parametrize("width", ["desk", "phone"])
def test_every_page_renders_and_is_readable(width: str, open_page: OpenPage, corpus_board: Served) -> None:
    """`open_page` fails on any console message or uncaught error."""
    page = open_page(f"{corpus_board.url}?tab={TABS[0]}", viewport=DESK if width == "desk" else PHONE)
    page.wait_for_function(DRAWN)
    for tab in TABS:
        open_tab(page, tab)
        for lang in ("zh", "en"):
            language(page, lang)
            found = boxes(page)
            assert found == {"small": [], "overlaps": [], "cut": [], "wide": found["wide"]}, (tab, lang)
            assert found["wide"] <= 0, (tab, lang)


def test_old_names_stand_on_the_charts_of_today(open_page: OpenPage, corpus_board: Served) -> None:
    page = open_page(f"{corpus_board.url}?tab=other&lang=en")
    page.wait_for_function(DRAWN)
    old = _run(page, "logic_rl__samples_between_steps")
    assert chart(page, f"run-{old}-entropy").points == 9, "actor/entropy_loss"
    assert chart(page, f"run-{old}-response_length").points == 9
    rounded = chart(page, f"run-{old}-ppo_kl")
    assert rounded.points == 0
    assert "precision too low" in rounded.empty
    assert "pearson_corr" in chart(page, f"run-{old}-deviation").empty


def test_fine_tuning_logs_are_told_in_one_line(open_page: OpenPage, corpus_board: Served) -> None:
    page = open_page(f"{corpus_board.url}?tab=other&lang=en")
    page.wait_for_function(DRAWN)
    key = _run(page, "agent_opd__20251130_025406-dq9a4cex")
    section = page.locator(f"#exp-{key}")
    (told,) = section.locator(".empty").all_inner_texts()
    assert told.startswith("Not drawn: pass rate, response length, entropy")
    assert "fine-tuning" in told
    assert chart(page, f"run-{key}-sft_loss").points == 372


def test_crashed_and_silent_runs_come_first(open_page: OpenPage, corpus_board: Served) -> None:
    page = open_page(f"{corpus_board.url}?tab=overview&lang=en")
    page.wait_for_function(DRAWN)
    expect(page.locator(".row1").first).to_contain_text("crashed")
    kinds = [line.split(" ")[0] for line in texts(page, ".row1")]
    assert kinds == sorted(kinds, key=["crashed", "stalled", "late", "live"].index)
    assert kinds[:2] == ["crashed", "crashed"]
    assert {"stalled", "late"} & set(kinds)


def test_crowded_comparisons_name_lines_where_there_is_room_and_count_their_remarks(
    open_page: OpenPage, corpus_board: Served
) -> None:
    page = open_page(f"{corpus_board.url}?tab=other&lang=en")
    page.wait_for_function(DRAWN)
    shown = chart(page, "cmp-entropy")
    assert 4 <= len(shown.words) <= 7, "seven lines, most of which end inside the plot"
    assert len(set(shown.words)) == len(shown.words)
    badges = page.locator('figure[data-chart="cmp-entropy"] .badges span')
    assert any("runs: " in text for text in badges.all_inner_texts())
    titles = badges.evaluate_all("(all) => all.map((el) => el.title)")
    assert any(title.count("\n") >= 1 for title in titles), "the tooltip names each run"
