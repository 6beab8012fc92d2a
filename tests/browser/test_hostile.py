"""Whatever lies in the folder: every file is named with what is wrong with it, and the good ones are shown."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from app.__main__ import main
from tests.browser.conftest import OpenPage
from tests.browser.gestures import settled
from tests.growing import line, log_path, text, write
from tests.serving import serving

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror=alert(1)>"
HUGE = 5 << 20


class Hostile(NamedTuple):
    url: str
    folder: Path
    cache: Path


def hostile_folder(folder: Path) -> None:
    """A good run, and beside it everything a folder of logs may hold besides."""
    write(log_path(folder, "e1_grpo_2b"), text(1, 20))
    good = log_path(folder, "e2_dapo_2b")
    write(good, text(1, 12) + "step:13 - actor/entropy:1.2 - actor/grad_no")
    write(log_path(folder, "e3_drgrpo_2b"), text(1, 5) + "x" * HUGE + "\n" + text(6, 9))
    write(log_path(folder, f"e4_{EVIL.replace('/', '')}_2b"), text(1, 4))
    write(log_path(folder, "..e5..%2e%2e_2b"), text(1, 3))
    log_path(folder, "e6_rloo_2b").with_name("train_bin.log").write_bytes(bytes(range(256)) * 4000)
    write(log_path(folder, "e7_grpo_4b"), "")
    packed = gzip.compress(text(1, 400).encode())
    log_path(folder, "e8_grpo_4b").with_suffix(".log.gz").write_bytes(packed[: len(packed) // 2])
    write(log_path(folder, "e9_grpo_4b"), f"'experiment_name': '../../../etc/passwd{EVIL}',\n" + text(1, 6))
    (folder / "broken.log").symlink_to(folder / "nowhere")
    (folder / "outside.log").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe.log")
    denied = write(log_path(folder, "e10_grpo_4b"), text(1, 5))
    denied.chmod(0)


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Hostile]:
    folder, cache = tmp_path / "archive", tmp_path / "cache"
    cache.mkdir()
    hostile_folder(folder)
    assert main(["episodes", "--logs", str(folder), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(folder)], cache) as served:
        yield Hostile(served.url, folder, cache)


def report_of(page: Page) -> str:
    page.locator("#page footer [data-act=report]").last.click()
    table = page.locator("dialog#report table")
    expect(table).to_be_visible()
    return table.inner_text()


def test_every_file_is_named_and_the_good_ones_are_shown(hostile: Hostile, open_page: OpenPage) -> None:
    page = open_page(f"{hostile.url}?tab=2b&lang=en")
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    settled(page)
    last = page.evaluate(
        "() => Object.fromEntries(Object.values(rlboard.payload().runs).map((r) => [r.id, r.last]))"
    )
    assert last["e1_grpo_2b"] == 20
    assert last["e2_dapo_2b"] == 13  # what stands before the cut
    assert last["e3_drgrpo_2b"] == 9
    assert any("onerror" in run and count == 4 for run, count in last.items())
    assert page.locator("#page img").count() == 0
    told = report_of(page)
    for name, why in (
        ("train_bin.log", "not a training log of a known format"),
        ("broken.log", "link"),
        ("outside.log", "--logs"),
        ("pipe.log", "regular file"),
        ("train_20260701_080000.log.gz", "the gzip data end early"),
        ("e7_grpo_4b", "the file is empty"),
    ):
        assert name in told, name
        assert why in told
    if os.geteuid():
        assert "Permission denied" in told
    page.locator("dialog#report [data-act=close]").click()
    page.locator("[role=tab][data-value='4b']").click()
    page.wait_for_function("() => rlboard.payload().tab === '4b'")
    expect(page.locator("#page [data-of-run]")).to_have_count(4)
    assert page.locator("#page img").count() == 0


def test_a_log_that_vanishes_and_comes_back(hostile: Hostile, open_page: OpenPage) -> None:
    page = open_page(f"{hostile.url}?tab=2b")
    settled(page)
    path = log_path(hostile.folder, "e1_grpo_2b")
    away = path.rename(hostile.folder / "away.bin")
    page.wait_for_function(
        "() => !Object.values(rlboard.payload().runs).some((run) => run.id === 'e1_grpo_2b')"
    )
    away.rename(path)
    with path.open("a") as file:
        file.write(line(21))
    page.wait_for_function(
        "() => Object.values(rlboard.payload().runs).some((run) => run.id === 'e1_grpo_2b' && run.last === 21)"
    )


def test_a_damaged_cache_is_mended_and_said(hostile: Hostile, open_page: OpenPage) -> None:
    for record in (hostile.cache / "logs").rglob("record.json"):
        record.write_bytes(b"\0" * 50)
    for part in (hostile.cache / "logs").rglob("*.npz"):
        part.write_bytes(b"no archive")
    page = open_page(f"{hostile.url}?tab=2b&lang=en")
    page.wait_for_function(
        "() => rlboard.payload() && Object.values(rlboard.payload().runs).some((r) => r.last === 20)"
    )
    expect(page.locator("#banners")).to_contain_text("were damaged and have been read again")
