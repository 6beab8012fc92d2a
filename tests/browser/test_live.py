"""A page that stays open while logs grow. `RLBOARD_SECONDS` sets how long the writers write (10)."""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from app.__main__ import main
from tests.browser.conftest import OpenPage
from tests.browser.gestures import settled
from tests.growing import append, line, log_path, pieces, text, value, write
from tests.serving import serving

pytestmark = pytest.mark.browser

SECONDS = float(os.environ.get("RLBOARD_SECONDS", "10"))
CHART = "cmp-entropy"
RUN = "e1_grpo_2b"

CRASH = """Traceback (most recent call last):
  File "main_ppo.py", line 1, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
"""
POINTS = """(run) => {
  const key = Object.keys(rlboard.payload().runs).find((key) => rlboard.payload().runs[key].id === run);
  const record = rlboard.records().find((r) => r.id === 'cmp-entropy');
  const line = key && record && record.data && record.data.find((t) => t.meta && t.meta.run === key && t.meta.role === 'raw');
  return line ? [...line.x].map((x, i) => [x, line.y[i]]) : [];
}"""
"""Steps and values of a run as the entropy chart draws them."""
HELD = """() => {
  const chart = rlboard.payload().charts['cmp-entropy'];
  const line = chart && (chart.data || []).filter((t) => t.meta.role === 'raw').map(rlboard.decode)[0];
  return line ? [...line.x].map((x, i) => [x, line.y[i]]) : [];
}"""
"""The same of the only run as the page has them, whatever part of a long line it draws."""
WATCH = """() => {
  window.seen = [];
  rlboard.onDraw((record) => {
    if (record.id === 'cmp-entropy') window.seen.push({
      state: rlboard.state.range, axis: [...record.plot._fullLayout.xaxis.range].map(Number), scroll: scrollY,
    });
  });
}"""


class Live(NamedTuple):
    """A board over a folder that tests write to."""

    url: str
    log: Path


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """Twenty steps of one run, read already."""
    folder, cache = tmp_path / "archive", tmp_path / "cache"
    cache.mkdir()
    log = write(log_path(folder, RUN), text(1, 20))
    assert main(["episodes", "--logs", str(folder), "--cache-dir", str(cache)]) == 0
    with serving(["--logs", str(folder)], cache) as served:
        yield Live(served.url, log)


@pytest.fixture
def open_live(live: Live, open_page: OpenPage) -> Callable[[str], Page]:
    def opened(query: str = "tab=2b") -> Page:
        page = open_page(f"{live.url}?{query}")
        settled(page)
        page.wait_for_function(
            "() => document.querySelector('figure[data-chart=cmp-entropy] .js-plotly-plot')"
        )
        return page

    return opened


Opened = Callable[[str], Page]


def polled(page: Page, times: int) -> None:
    """Until the page has asked so many times whether there is anything new."""
    for _ in range(times):
        with page.expect_response(lambda answer: '"poll.n_intervals"' in (answer.request.post_data or "")):
            pass


def crowding() -> float:
    """How many processes want each core of this machine; 1 where there is room."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def points(page: Page, run: str = RUN) -> list[list[float]]:
    found: list[list[float]] = page.evaluate(POINTS, run)
    return found


def until_step(page: Page, step: int, run: str = RUN) -> None:
    """Until the entropy chart draws this step of a run."""
    page.wait_for_function(f"([run, step]) => {{ const at = ({POINTS})(run); return at.length && at.at(-1)[0] >= step; }}",
                           arg=[run, step])  # fmt: skip


def expected(first: int, last: int, seed: int = 0) -> list[list[float]]:
    return [[step, value(step, 0, seed)] for step in range(first, last + 1)]


class TestANewStep:
    def test_is_drawn_soon_and_moves_nothing(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b&steps=5-15")
        page.evaluate(
            "() => { window.figures = [...document.querySelectorAll('figure')]; scrollTo(0, 130); }"
        )
        page.wait_for_function("() => scrollY === 130")
        page.evaluate(WATCH)
        took = []
        for step in (21, 22, 23):
            append(live.log, line(step))
            begin = time.monotonic()
            until_step(page, step)
            took.append(time.monotonic() - begin)
        print("seconds until a new step was drawn:", [round(each, 2) for each in took])
        assert min(took) <= 2.0 * crowding()
        assert points(page) == expected(1, 23)
        assert page.evaluate("() => window.figures.every((figure) => figure.isConnected)")
        seen = page.evaluate("() => window.seen")
        assert {json.dumps(each["state"]) for each in seen} == {"[5, 15]"}
        assert {json.dumps(each["axis"]) for each in seen} == {"[5, 15]"}
        assert {each["scroll"] for each in seen} == {130}
        # The table beside the charts went along.
        expect(page.locator("table.rt").first).to_contain_text("23")

    def test_the_right_edge_follows_only_from_the_end(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b&steps=12-20")
        append(live.log, line(21))
        until_step(page, 21)
        page.wait_for_function("() => JSON.stringify(rlboard.state.range) === '[12,21]'")
        page.evaluate("() => rlboard.set({ range: [12, 18] })")
        append(live.log, line(22))
        until_step(page, 22)
        assert page.evaluate("() => rlboard.state.range") == [12, 18]
        page.evaluate("() => rlboard.set({ range: null })")
        append(live.log, line(23))
        until_step(page, 23)
        settled(page)
        assert page.evaluate("() => rlboard.state.range") is None
        assert (
            page.evaluate(f"() => document.querySelector('figure[data-chart={CHART}]').dataset.range")
            == "1-23"
        )

    def test_open_panels_stay_open(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b")
        page.locator("footer [data-act=report]").click()
        report = page.locator("dialog#report")
        expect(report.locator("table")).to_contain_text("1–20")
        append(live.log, line(21))
        expect(report.locator("table")).to_contain_text("1–21")
        expect(report).to_be_visible()
        page.keyboard.press("Escape")
        page.locator(f'figure[data-chart="{CHART}"]').scroll_into_view_if_needed()
        until_step(page, 21)

    def test_a_chart_under_the_pointer_waits(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b")
        page.locator(f'figure[data-chart="{CHART}"] .plot').hover()
        append(live.log, line(21))
        page.wait_for_function("() => rlboard.payload().steps[1] === 21")
        page.wait_for_timeout(400)
        assert points(page) == expected(1, 20)
        page.mouse.move(2, 2)
        until_step(page, 21)


class TestWhatElseComes:
    def test_new_experiments_tracks_and_segments(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b")
        folder = live.log.parents[2]
        write(log_path(folder, "e2_dapo_2b"), text(1, 9, seed=2))
        expect(page.locator("[data-act=chip]")).to_have_count(2)
        until_step(page, 9, "e2_dapo_2b")
        assert points(page, "e2_dapo_2b") == expected(1, 9, seed=2)
        write(log_path(folder, "e1_grpo_4b"), text(1, 4))
        expect(page.locator("[role=tab][data-value='4b']")).to_be_visible()
        write(log_path(folder, RUN, started="20260702_090000"), text(16, 30, seed=3))
        until_step(page, 30)
        assert points(page) == expected(1, 15) + expected(16, 30, seed=3)
        assert page.evaluate(
            "() => JSON.stringify(rlboard.payload().charts['cmp-entropy'].meta.resumes || {})"
        ).count("16")

    def test_a_crash_is_announced_and_counted_in_the_title(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b")
        page.evaluate("() => Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
        polled(page, 2)
        append(live.log, CRASH)
        page.wait_for_function("() => document.title.startsWith('(1) ')")
        assert "E1" in page.locator("#rl-live").inner_text()
        page.evaluate("() => { Object.defineProperty(document, 'hidden', { value: false, configurable: true });"
                      " document.dispatchEvent(new Event('visibilitychange')); }")  # fmt: skip
        assert not page.title().startswith("(")

    def test_notifications_are_asked_for_by_a_click_and_come_once(
        self, live: Live, open_live: Opened
    ) -> None:
        page = open_live("tab=2b&lang=en")
        page.evaluate("""() => {
          window.shown = []; window.asked = 0;
          window.Notification = class {
            constructor(text, options) { window.shown.push([text, options.tag]); }
            static async requestPermission() { window.asked += 1; return 'granted'; }
          };
        }""")
        polled(page, 2)
        assert page.evaluate("() => window.asked") == 0
        page.locator(".rl-more:has([data-act=notify]) > summary").click()
        button = page.locator("[data-act=notify]")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        append(live.log, CRASH)
        page.wait_for_function("() => window.shown.length === 1")
        append(live.log, "and more words\n")
        polled(page, 3)
        ((text_, tag),) = page.evaluate("() => window.shown")
        assert text_ == "E1 crashed at step 20"
        assert tag.startswith(f"{RUN}:crashed")
        assert page.evaluate("() => window.asked") == 1

    def test_a_missing_root_is_an_alarm(self, live: Live, open_live: Opened) -> None:
        page = open_live("tab=2b")
        folder = live.log.parents[2]
        folder.rename(folder.with_name("away"))
        expect(page.locator("#banners .bad")).to_be_visible()
        folder.with_name("away").rename(folder)
        expect(page.locator("#banners .bad")).to_have_count(0)


def test_nothing_new_is_a_small_request_now_and_then(live: Live, open_live: Opened) -> None:
    page = open_live("tab=2b")
    polled(page, 2)
    answers: list[Response] = []
    page.on("response", lambda response: answers.append(response))
    page.evaluate("() => { window.drawn = 0; rlboard.onDraw(() => { window.drawn += 1; }); }")
    begin = time.monotonic()
    polled(page, 3)
    assert len(answers) >= 3
    assert time.monotonic() - begin >= 0.9 * (len(answers) - 1), "a second lies between two of them"
    for answer in answers:
        assert answer.status == 204
        assert len(answer.request.post_data or "") < 700
    assert page.evaluate("() => window.drawn") == 0


def test_quick_flips_end_on_the_last_choice(live: Live, open_live: Opened) -> None:
    """A selector flipped A, B, A during a reading shows A, with what is new (rookiepeng/sensorview#8)."""
    folder = live.log.parents[2]
    write(log_path(folder, "e1_grpo_4b"), text(1, 4))
    page = open_live("tab=2b")
    chance = random.Random(5)
    for round_ in range(4):
        append(live.log, line(21 + round_))
        for tab in ("4b", "2b", "overview", "4b", "2b"):
            page.locator(f"[role=tab][data-value='{tab}']").click()
            page.wait_for_timeout(chance.randint(0, 120))
        until_step(page, 21 + round_)
        settled(page)
        assert page.evaluate("() => [rlboard.state.tab, rlboard.payload().tab]") == ["2b", "2b"]
        expect(page.locator("#page [data-of-run]")).to_have_count(1)


# ---- a writer that cuts anywhere ----


class Writer:
    """Writes bytes in random pieces, in a thread of its own."""

    def __init__(self, path: Path, data: bytes, seconds: float, seed: int) -> None:
        self.path, self.parts = path, list(pieces(data, seed))
        self.pause = seconds / len(self.parts)
        self.thread = threading.Thread(target=self._write)

    def __enter__(self) -> Writer:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.join()

    def _write(self) -> None:
        waits = threading.Event()
        for part in self.parts:
            with self.path.open("ab") as file:
                file.write(part)
            waits.wait(self.pause)


def collected(page: Page) -> list[list[list[float]]]:
    """What every payload held of the run since `COLLECT`."""
    found: list[list[list[float]]] = page.evaluate("() => window.payloads")
    return found


COLLECT = """() => {
  window.payloads = [];
  rlboard.onPayload((figures) => {
    const chart = figures.charts['cmp-entropy'];
    if (!chart || !chart.data) return;
    const line = chart.data.filter((t) => t.meta.role === 'raw').map(rlboard.decode)[0];
    window.payloads.push(line ? [...line.x].map((x, i) => [x, line.y[i]]) : []);
  });
}"""


def assert_true_at_every_moment(page: Page, final: list[list[float]], seeds: tuple[int, ...]) -> None:
    """Every payload held each step once, in order, with a value the log says; the last one held all."""
    payloads = collected(page)
    assert len(payloads) >= 3
    allowed = [dict(map(tuple, expected(1, 2000, seed))) for seed in seeds]  # type: ignore[arg-type]
    for shown in payloads:
        steps = [step for step, _ in shown]
        assert steps == sorted(set(steps))
        assert any(all(said[step] == value for step, value in shown) for said in allowed)
    assert page.evaluate(HELD) == final


@pytest.fixture
def zoomed(open_live: Opened) -> Page:
    page = open_live("tab=2b&steps=4-9")
    page.evaluate(WATCH)
    page.evaluate(COLLECT)
    return page


def assert_zoom_never_moved(page: Page) -> None:
    seen: list[dict[str, Any]] = page.evaluate("() => window.seen")
    assert seen
    assert {(json.dumps(each["state"]), json.dumps(each["axis"])) for each in seen} == {("[4, 9]", "[4, 9]")}


def test_a_writer_that_cuts_anywhere(live: Live, zoomed: Page) -> None:
    last = 20 + round(SECONDS * 12)
    with Writer(live.log, text(21, last, noise=3).encode(), SECONDS, seed=1):
        pass
    zoomed.wait_for_function(f"(last) => (({HELD})().at(-1) || [0])[0] === last", arg=last)
    assert_true_at_every_moment(zoomed, expected(1, last), (0,))
    assert_zoom_never_moved(zoomed)
    zoomed.evaluate("() => rlboard.set({ range: null })")
    until_step(zoomed, last)
    assert points(zoomed) == expected(1, last)
    steps = [len(shown) for shown in collected(zoomed)]
    assert steps == sorted(steps)  # nothing that was shown is lost again


@pytest.mark.parametrize("how", ["truncate", "rotate"])
def test_a_log_that_is_begun_anew_again_and_again(live: Live, zoomed: Page, how: str) -> None:
    rounds = max(2, round(SECONDS / 5))
    for seed in range(1, rounds + 1):
        if how == "rotate":
            live.log.rename(live.log.with_name(f"{live.log.name}.{seed}"))
        live.log.write_bytes(b"")
        with Writer(live.log, text(1, 12 + 5 * seed, seed, noise=3).encode(), SECONDS / rounds, seed):
            pass
    until_step(zoomed, 12 + 5 * rounds)
    zoomed.wait_for_function(f"(want) => JSON.stringify(({POINTS})('{RUN}')) === want",
                             arg=json.dumps(expected(1, 12 + 5 * rounds, rounds), separators=(",", ":")))  # fmt: skip
    assert_true_at_every_moment(zoomed, expected(1, 12 + 5 * rounds, rounds), tuple(range(rounds + 1)))
    assert_zoom_never_moved(zoomed)


def test_a_server_that_is_started_again_is_found_again(tmp_path: Path, chromium: Browser) -> None:
    """Not a watched page: a request that fails is an error on the browser's console."""
    folder, cache = tmp_path / "archive", tmp_path / "cache"
    cache.mkdir()
    log = write(log_path(folder, RUN), text(1, 20))
    page = chromium.new_page()
    with serving(["--logs", str(folder)], cache) as served:
        port = served.url.split(":")[-1].strip("/")
        page.goto(f"{served.url}?tab=2b&lang=en")
        until_drawn(page, 20)
    expect(page.locator("#rl-lost")).to_have_text(re.compile("The server does not answer"))
    append(log, line(21))
    with serving(["--logs", str(folder), "--port", port], cache):
        until_drawn(page, 21)
        expect(page.locator("#rl-lost")).to_have_count(0)
        page.close()


def until_drawn(page: Page, step: int) -> None:
    page.wait_for_function(
        f"() => window.rlboard && rlboard.payload() && (rlboard.payload().steps || [])[1] === {step}"
    )
