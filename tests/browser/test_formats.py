"""One run of each format on one board: each stands under its tab with its metrics, in both languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, _read_and_served
from tests.browser.reading import DRAWN, chart, language
from tests.browser.test_boxes import boxes
from tests.serving import Served
from tests.unit.data_loaders.formats.foreign_logs import FILES

pytestmark = pytest.mark.browser

CHARTS = {
    "verl_jsonl": "loss",
    "tensorboard": "loss",
    "hf_trainer_state": "loss",
    "llamafactory": "sft_loss",
    "openrlhf": "response_length",
    "slime": "grad_norm",
    "roll": "loss",
    "nemo_rl": "response_length",
    "trl": "entropy",
    "csv": "loss",
}
FROM_SOURCE = ("openrlhf", "slime", "roll", "nemo_rl")


@pytest.fixture(scope="module")
def formats_board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("formats")
    for path, data in FILES.values():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_bytes(data)
    yield from _read_and_served(["--logs", str(root)], tmp_path_factory.mktemp("cache"))


def key_of(page: Page, id_: str) -> str:
    key: str = page.evaluate(
        "(id) => Object.entries(rlboard.payload().runs).find(([, run]) => run.id === id)[0]", id_
    )
    return key


def test_runs_of_every_format_stand_under_their_tab(open_page: OpenPage, formats_board: Served) -> None:
    page = open_page(f"{formats_board.url}?tab=other&lang=en")
    page.wait_for_function(DRAWN)
    for name, (path, _) in FILES.items():
        key = key_of(page, path.partition("/")[0])
        section = page.locator(f"#exp-{key}")
        section.scroll_into_view_if_needed()
        assert chart(page, f"run-{key}-{CHARTS[name]}").points == 4, name
        told = section.get_by_text("no real log of it was seen")
        expect(told).to_have_count(1 if name in FROM_SOURCE else 0)


def test_all_metrics_of_a_run_are_listed_under_their_own_names(
    open_page: OpenPage, formats_board: Served
) -> None:
    page = open_page(f"{formats_board.url}?tab=other&lang=en")
    page.wait_for_function(DRAWN)
    section = page.locator(f"#exp-{key_of(page, 'nemo_run')}")
    section.get_by_text("all 8 metrics").click()
    expect(page.get_by_text("Validation Results/Accuracy").first).to_be_visible()


def test_the_page_is_readable_in_both_languages(open_page: OpenPage, formats_board: Served) -> None:
    page = open_page(f"{formats_board.url}?tab=other")
    page.wait_for_function(DRAWN)
    for lang in ("zh", "en"):
        language(page, lang)
        found = boxes(page)
        assert found == {"small": [], "overlaps": [], "cut": [], "wide": found["wide"]}, lang
        assert found["wide"] <= 0, lang
