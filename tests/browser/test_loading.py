"""Background readings as people meet them: progress, cancel, retry, two pages, a killed worker."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from playwright.sync_api import Page, expect

from data_loaders import reading_state
from data_loaders.board import BoardReader, Source
from data_loaders.cache.locks import file_lock
from data_loaders.cache.store import entry_folder, prepare
from data_loaders.read import read_log
from data_loaders.reading_state import Reading
from tests.browser.conftest import OpenPage
from tests.growing import log_path, text, write
from tests.redis.page import Page as PlainPage
from tests.serving import Served, serving

pytestmark = pytest.mark.browser

KILLS = int(os.environ.get("RLBOARD_KILLS", "5"))
LOADS = int(os.environ.get("RLBOARD_LOADS", "12"))
WIDTH = 240
"""Keys of a step line where a reading has to take a while."""


class Board(NamedTuple):
    """A board that nobody has read yet."""

    served: Served
    logs: Path
    note: Path

    @property
    def reading(self) -> Reading | None:
        return reading_state.read(self.note)

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """The last log is in the hands of another process: a reading gets as far as that, and waits."""
        last = log_path(self.logs, "e6_grpo_2b").resolve()
        with file_lock(prepare(entry_folder(self.note.parent, last))):
            yield


def wide_log(path: Path, steps: int, seed: int) -> Path:
    """A log of many keys per step."""
    with path.open("w") as file:
        for step in range(1, steps + 1):
            cells = " - ".join(f"actor/metric_{key}:{seed + step * key / 7:.12f}" for key in range(WIDTH))
            file.write(f"step:{step} - actor/entropy:{step / 8} - {cells}\n")
    return path


@contextmanager
def unread(logs: Path, folder: Path) -> Iterator[Board]:
    cache = folder / "cache"
    cache.mkdir()
    with serving(["--logs", str(logs)], cache) as served:
        yield Board(served, logs, BoardReader(Source((logs,)), cache).note)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    """Six short logs."""
    for number in range(1, 7):
        write(log_path(tmp_path / "archive", f"e{number}_grpo_2b"), text(1, 400, seed=number))
    with unread(tmp_path / "archive", tmp_path) as board:
        yield board


@pytest.fixture
def long_board(tmp_path: Path) -> Iterator[Board]:
    """About 60 MB in six logs."""
    for number in range(1, 7):
        wide_log(log_path(tmp_path / "archive", f"e{number}_grpo_2b"), 1400, number)
    with unread(tmp_path / "archive", tmp_path) as board:
        yield board


def wait_for(test: Callable[[], bool], seconds: float = 60.0) -> None:
    pause, end = threading.Event(), time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end
        pause.wait(0.01)


def under_way(board: Board) -> Reading:
    """The reading that goes on, once bytes were read."""
    wait_for(
        lambda: board.reading is not None and board.reading.state == "reading" and board.reading.done > 0
    )
    found = board.reading
    assert found is not None
    return found


def all_read(page: Page) -> None:
    expect(page.locator("#loading")).to_be_hidden()
    page.wait_for_function("() => document.querySelectorAll('[data-act=chip]').length === 6")


def jobs(board: Board) -> list[psutil.Process]:
    return psutil.Process(board.served.process.pid).children(recursive=True)


TELLS = re.compile(r"train_20260701_080000\.log.* of .* · \d+ % · .* per second · .* left")


def test_two_pages_see_one_reading(board: Board, open_page: OpenPage) -> None:
    with board.held_up():
        pages = [open_page(board.served.url, locale="en-US") for _ in range(2)]
        token = under_way(board).token
        for page in pages:
            expect(page.locator("#loading-text")).to_have_text(TELLS)
            # What is read already is shown meanwhile.
            page.wait_for_function("() => document.querySelectorAll('[data-act=chip]').length === 5")
    for page in pages:
        all_read(page)
    end = board.reading
    assert end is not None
    assert (end.state, end.token) == ("done", token)  # nobody read a second time


def test_cancel_and_try_again(board: Board, open_page: OpenPage) -> None:
    with board.held_up():
        pages = [open_page(board.served.url, locale="en-US") for _ in range(2)]
        under_way(board)
        expect(pages[1].locator("#cancel")).to_be_visible()
        pages[1].locator("#cancel").click()  # whichever page started it
        for page in pages:
            expect(page.locator("#loading")).to_contain_text("Reading was cancelled")
        wait_for(lambda: not jobs(board))
    pages[0].locator("#retry").click()
    for page in pages:
        all_read(page)


def test_a_killed_worker_is_said_and_the_next_try_works(board: Board, open_page: OpenPage) -> None:
    with board.held_up():
        page = open_page(board.served.url, locale="en-US")
        os.kill(under_way(board).pid, signal.SIGKILL)
        expect(page.locator("#loading")).to_contain_text("ended unexpectedly")
        expect(page.locator("#cancel")).to_be_hidden()
    page.locator("#retry").click()
    all_read(page)


def test_a_page_that_opens_after_a_cancelled_reading_starts_it_again(
    board: Board, open_page: OpenPage
) -> None:
    with board.held_up():
        open_page(board.served.url)
        under_way(board)
        reading_state.cancel(board.note)
        wait_for(lambda: not jobs(board))
    all_read(open_page(board.served.url))


def test_the_cache_is_right_whenever_the_worker_is_killed(long_board: Board) -> None:
    board, chance, killed = long_board, random.Random(7), 0
    for _ in range(KILLS):
        PlainPage(board.served.url.rstrip("/")).start()
        wait_for(lambda: bool(jobs(board)))
        threading.Event().wait(chance.uniform(0.05, 0.6))
        alive = jobs(board)  # the reading, and the processes that read logs for it
        for job in alive:
            with suppress(psutil.NoSuchProcess):
                job.kill()
        killed += bool(alive)
        wait_for(lambda: not jobs(board))
        assert_cache_is_right(board)
    print(f"{killed} of {KILLS} readings were killed before their end")
    assert killed
    assert len(PlainPage(board.served.url.rstrip("/")).read()["runs"]) == 6
    assert_cache_is_right(board, complete=True)


def assert_cache_is_right(board: Board, complete: bool = False) -> None:
    """Whatever the cache gives says what a log says that is read whole."""
    seen = BoardReader(Source((board.logs,)), board.note.parent).look()
    assert not seen.notices
    assert not complete or len(seen.runs) == 6
    for run in seen.runs:
        whole = read_log(Path(run.view.run.logs[0]))
        for key in ("actor/entropy", "actor/metric_17"):
            series = run.view.series(key)
            assert series is not None
            assert series.step.tolist() == whole.lines.step.tolist()
            assert series.value.tolist() == whole.columns[key].values.tolist()


def test_many_loads_leave_nothing_behind(board: Board) -> None:
    server = psutil.Process(board.served.process.pid)
    PlainPage(board.served.url.rstrip("/")).read()
    wait_for(lambda: not jobs(board))
    files = server.num_fds()
    for number in range(LOADS):
        page = PlainPage(board.served.url.rstrip("/"))
        handles = page.start()
        if number % 3:
            page.finish(handles)  # every third page is closed before its answer came
    wait_for(lambda: not jobs(board))
    wait_for(lambda: server.num_fds() <= files)
