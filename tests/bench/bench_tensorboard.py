"""Eight charts over all runs of a sweep: this board beside TensorBoard, in one Chromium and turn by turn.

`python -m tests.bench tensorboard [S M L]`; RLBOARD_BENCH_SCALE=0.1 shortens L. Times are seconds from an
action until the charts look as they look in the end. The board's logs were read before, as TensorBoard has
loaded its files before it is measured. TensorBoard keeps 1,000 points of a line, drawn at random.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.screen import Done, watched
from tests.bench.sides import TALL, Board, Side, TensorBoard
from tests.bench.table import Row, table
from tests.bench.workloads import CHARTS, L, M, S, Workload, append_step, scaled, write_events, write_logs

REPEATS = int(os.environ.get("RLBOARD_BENCH_REPEATS", "3"))
Times = dict[str, list[float]]


def main() -> None:
    """Measure the workloads named on the command line, or all, and print a table of each."""
    named = {workload.name: workload for workload in (S, M, L)}
    asked = [named[word] for word in sys.argv if word in named] or list(named.values())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for workload in asked:
            if workload is L:
                _large(browser, scaled(L, float(os.environ.get("RLBOARD_BENCH_SCALE", "1"))))
            else:
                _beside(browser, workload)
        browser.close()


def _beside(browser: Browser, workload: Workload) -> None:
    write_logs(workload)
    write_events(workload)
    with tempfile.TemporaryDirectory() as folder:
        sides: list[Side] = [Board(workload, Path(folder)), TensorBoard(workload, Path(folder))]
        found: dict[str, Times] = {side.name: {} for side in sides}
        assert isinstance(sides[0], Board)
        found["board"]["first reading of all files"] = [sides[0].read()]
        try:
            for side in sides:
                found[side.name]["start to first answer"] = [side.start()]
            time.sleep(3 if workload is S else 12)  # TensorBoard loads its files behind its first answer
            for nth in range(REPEATS):
                for side in sides:
                    with side.page(browser) as page:
                        _visit(side, page, found[side.name], nth)
            for side in sides:
                found[side.name]["server memory, MB"] = [side.memory()]
            for nth, side in enumerate(sides, 1):
                with side.page(browser) as page:
                    _appended(side, page, found[side.name], workload.steps + nth)
        finally:
            for side in sides:
                side.stop()
            shutil.rmtree(workload.folder)
        print(
            f"\n{workload.name}: {workload.runs} runs x {workload.steps:,} steps x {workload.metrics}", end=""
        )
        print(f" metrics = {workload.values:,} values, {len(CHARTS)} charts, median of {REPEATS}")
        print(table(_rows(workload, found)), flush=True)


def _visit(side: Side, page: Page, times: Times, nth: int) -> None:
    """One page: opened, zoomed, smoothed, a run switched off."""

    def took(name: str, act: Callable[[], object]) -> Done:
        done = watched(page, act, lambda: side.boxes(page)[:8], lambda: side.ready(page))
        times.setdefault(name, []).append(done.last)
        return done

    opened = took("eight charts", lambda: page.goto(side.address(), wait_until="commit"))
    times.setdefault("first chart", []).append(opened.first)
    times.setdefault("longest block", []).append(_longest(page))
    if isinstance(side, Board):
        took("zoom of all eight", side.drag(page, side.boxes(page)[0], 0.2, 0.6))
    else:
        single = [took("zoom of one", side.drag(page, box, 0.2, 0.6)).last for box in side.boxes(page)[:8]]
        times.setdefault("zoom of all eight", []).append(sum(single))
    side.zoomed(page)
    page.mouse.move(5, 5)
    page.wait_for_timeout(3000)
    took("smoothing", lambda: side.smooth(page, True))
    took("smoothing", lambda: side.smooth(page, False))
    took("run off", lambda: side.toggle(page))
    took("run on", lambda: side.toggle(page))
    times.setdefault("longest block, gestures", []).append(_longest(page))


def _opened(side: Side, page: Page) -> float:
    """Seconds from the address until eight charts stand there."""
    return watched(
        page,
        lambda: page.goto(side.address(), wait_until="commit"),
        lambda: side.boxes(page)[:8],
        lambda: side.ready(page),
    ).last


def _longest(page: Page) -> float:
    blocks: list[float] = page.evaluate("() => window.blocks.splice(0)")
    return max(blocks, default=0.0) / 1000


def _appended(side: Side, page: Page, times: Times, step: int) -> None:
    """From the write of one more step until it is on the screen; a page that does not ask is asked to."""
    page.goto(side.address())
    while not side.ready(page):
        page.wait_for_timeout(100)
    page.wait_for_timeout(4000)
    done = watched(
        page,
        lambda: append_step(side.workload, step),
        lambda: side.boxes(page)[:8],
        lambda: side.ready(page),
        lambda: side.refresh(page),
        quiet=6.0,
    )
    times["appended step on screen"] = [done.first]


def _large(browser: Browser, workload: Workload) -> None:
    """L has no counterpart: what is measured is what the board does with it."""
    write_logs(workload)
    cache = workload.folder
    side = Board(workload, cache)
    begin = time.perf_counter()
    for log in sorted(workload.logs.glob("*/train.log")):
        with log.open("rb") as file:
            while block := file.read(1 << 20):
                block.count(b"step:")
    scanned = time.perf_counter() - begin
    read = side.read()
    times: Times = {}
    start = side.start()
    try:
        with side.page(browser, TALL) as page:
            fresh = _opened(side, page)
        for _ in range(REPEATS):
            with side.page(browser, TALL) as page:
                _visit(side, page, times, 0)
                page.evaluate("rlboard.set({ range: [4001, 4100], exp: null })")
                page.wait_for_function("rlboard.ready")
                script = "() => rlboard.records().find((r) => r.id === 'cmp-entropy').chart.lines.filter((l) => l.role === 'raw').map((l) => { const [a, b] = rlboard.span(l.steps, 4001, 4100); return b - a })"  # noqa: E501
                points = page.evaluate(script)
        memory = side.memory()
    finally:
        side.stop()
    print(
        f"\n{workload.name}: {workload.runs} runs x {workload.steps:,} steps x {workload.metrics} metrics",
        end="",
    )
    print(f" = {workload.values:,} values, board alone, median of {REPEATS}")
    rows = [Row(name, statistics.median(values), None, None) for name, values in times.items()]
    rows[:0] = [
        Row("every byte counted once", scanned, None, None),
        Row("first reading of all files", read, None, 3 * scanned + workload.values / 4e6),
        Row("start to first answer", start, None, 3.0),
        Row("eight charts, first page after a start", fresh, None, 3.0),
    ]
    limits = {"eight charts": 3.0}
    rows = [row._replace(limit=limits.get(row.name, row.limit)) for row in rows]
    rows.append(Row("server memory, MB", memory, None, None))
    rows.append(Row("points of 100 steps, fewest of all runs", float(min(points)), None, None))
    print(table(rows), flush=True)


SHARES = {
    "S": {"eight charts": 0.5, "zoom of all eight": 0.5, "run off": 0.3, "run on": 0.3, "smoothing": 0.3},
    "M": {
        "eight charts": 0.5, "zoom of all eight": 0.1, "run off": 0.3, "run on": 0.3, "smoothing": 0.3,
        "server memory, MB": 1.0,
    },
}  # fmt: skip
"""What is aimed at, as shares of TensorBoard's."""
LIMITS = {
    "S": {"start to first answer": 3.0, "appended step on screen": 2.0, "server memory, MB": 200.0},
    "M": {
        "start to first answer": 3.0, "appended step on screen": 2.0, "longest block": 0.5,
        "longest block, gestures": 0.5,
    },
}  # fmt: skip
"""What is aimed at, in the unit of the row."""


def _rows(workload: Workload, found: dict[str, Times]) -> list[Row]:
    ours, theirs = found["board"], found["TensorBoard"]
    rows = []
    for name in dict.fromkeys([*ours, *theirs]):
        mine, other = (statistics.median(side[name]) if name in side else None for side in (ours, theirs))
        limit = LIMITS[workload.name].get(name)
        share = SHARES[workload.name].get(name)
        rows.append(Row(name, mine, other, limit, share))
    return rows


if __name__ == "__main__":
    main()
