"""Many pages poll a board of runs that all train: what the server takes, and whether anything gets lost.

`python -m tests.bench.soak [--minutes 5] [--pages 30] [--runs 20] [--loads 200] [--every 5]`

Pages are HTTP clients that ask as the page's scripts do: the poll each second, then page and figures when the
manifest says that something on their tab is new. Every run logs a step `--every` seconds. One table compares
the first and the last fifth of the time, another one shows memory minute by minute beside the bytes of all
logs, which are what the server has reason to grow with. Nothing here is a pass or a failure but three counts
that must be 0: steps that a page did not get, processes left behind, answers that were errors.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
import urllib.error
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from app.__main__ import main as board
from tests.growing import append, line, log_path, text, write
from tests.redis.page import Page
from tests.serving import serving

FIRST = 40
"""Steps in a log when the pages open."""
POLL = 1.0
"""Seconds from an answer to the next poll, as in a browser."""
Json = dict[str, Any]


class Sample(NamedTuple):
    """One request of a page, or one look at the server."""

    at: float
    kind: str
    value: float


@dataclass
class Soak:
    """What is measured; pages and writer run in threads of their own until `stop`."""

    url: str
    logs: list[Path]
    stop: threading.Event = field(default_factory=threading.Event)
    samples: list[Sample] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    last: dict[int, dict[str, int]] = field(default_factory=dict)
    """Per page, the last step of every run that it was told of."""

    def note(self, kind: str, value: float) -> None:
        self.samples.append(Sample(time.monotonic(), kind, value))


class Client:
    """A page that stays on one tab."""

    def __init__(self, soak: Soak, number: int, tab: str) -> None:
        self.soak, self.number, self.tab = soak, number, tab
        self.page = Page(soak.url)
        self.told, self.key, self.since = "", "", None

    def follow(self) -> None:
        """Poll until the end; what was not told then is asked for once more."""
        while not self.soak.stop.wait(POLL):
            self.turn()
        self.turn()

    def turn(self) -> None:
        try:
            answer = self.asked("poll", "manifest.data", "poll.n_intervals", {"told.data": self.told})
            manifest = answer.get("response", {}).get("manifest", {}).get("data")
            if manifest:
                self.take(manifest)
        except (urllib.error.URLError, OSError, KeyError, AssertionError) as error:
            self.soak.errors.append(f"page {self.number}: {error!r}")

    def take(self, manifest: Json) -> None:
        self.told = manifest["told"]
        self.soak.last[self.number] = {run["id"]: run["last"] for run in manifest["runs"]}
        key = manifest["keys"][self.tab]
        if key == self.key:
            return
        self.key = key
        content = {"tab": self.tab, "ep": None, "pins": [], "steps": None, "key": key}
        content |= {"version": manifest["version"], "since": self.since}
        values = {"content.data": content, "selection.data": {}}
        self.since = self.asked("page", "page-answer.data", "content.data", values)["response"][
            "page-answer"
        ]["data"]["is"]
        self.asked("figures", "figures.data", "content.data", values)

    def asked(self, kind: str, output: str, changed: str, values: Json) -> Json:
        begin = time.monotonic()
        answer = self.page.call(output, changed, values)
        self.soak.note(kind, time.monotonic() - begin)
        return answer


def train(soak: Soak, every: float) -> None:
    """Log a step of every run, spread over `every` seconds, until the end."""
    step = FIRST
    while not soak.stop.is_set():
        step += 1
        for number, log in enumerate(soak.logs):
            append(log, line(step, number))
            if soak.stop.wait(every / len(soak.logs)):
                break


def watch(soak: Soak, server: psutil.Process) -> None:
    """CPU and memory of the server with its jobs, each second."""
    server.cpu_percent()
    while not soak.stop.wait(1.0):
        soak.note("cpu", server.cpu_percent())
        soak.note("memory", server.memory_info().rss / 1e6)
        soak.note("files", server.num_fds())
        soak.note("threads", server.num_threads())
        soak.note("logs", sum(log.stat().st_size for log in soak.logs) / 1e6)


def left_behind(url: str, server: psutil.Process, loads: int) -> int:
    """Processes that are there after so many background readings, every third left by its page."""
    for number in range(loads):
        page = Page(url)
        handles = page.start()
        if number % 3:
            page.finish(handles)
    pause, end = threading.Event(), time.monotonic() + 30
    while server.children(recursive=True) and time.monotonic() < end:
        pause.wait(0.1)
    return len(server.children(recursive=True))


def lost(soak: Soak) -> int:
    """Steps that the logs hold and a page was not told of."""
    missing = 0
    for log in soak.logs:
        final = int(log.read_text().splitlines()[-1].split()[0].removeprefix("step:"))
        missing += sum(max(final - told.get(log.parents[1].name, 0), 0) for told in soak.last.values())
    return missing


class Outcome(NamedTuple):
    soak: Soak
    begin: float
    end: float
    lost: int
    left: int
    files: tuple[int, int]
    """Open files of the server before and after the loads."""


def soaked(minutes: float, pages: int, runs: int, loads: int, every: float) -> Outcome:
    """Run everything."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder, cache = Path(name) / "archive", Path(name) / "cache"
        cache.mkdir()
        tracks = ("2b", "4b")
        logs = [
            write(log_path(folder, f"e{n + 1}_grpo_{tracks[n % 2]}"), text(1, FIRST, n)) for n in range(runs)
        ]
        board(["episodes", "--json", "--logs", str(folder), "--cache-dir", str(cache)])
        with serving(["--logs", str(folder)], cache) as served:
            server, soak = psutil.Process(served.process.pid), Soak(served.url.rstrip("/"), logs)
            tabs = ("2b", "4b", "overview")
            work = [Client(soak, n, tabs[n % 3]).follow for n in range(pages)]
            threads = [threading.Thread(target=each) for each in work]
            threads.append(threading.Thread(target=watch, args=(soak, server)))
            writer = threading.Thread(target=train, args=(soak, every))
            begin = time.monotonic()
            for thread in (*threads, writer):
                thread.start()
            threading.Event().wait(60 * minutes)
            soak.stop.set()
            for thread in (writer, *threads):
                thread.join()
            final = Client(soak, 0, "2b")  # what was written while the last polls were answered
            threading.Event().wait(POLL)
            for number in range(pages):
                final.number, final.told = number, ""
                final.turn()
            end, before = time.monotonic(), server.num_fds()
            left = left_behind(soak.url, server, loads)
            return Outcome(soak, begin, end, lost(soak), left, (before, server.num_fds()))


def table(outcome: Outcome) -> str:
    """First and last fifth of the time, side by side; then every minute."""
    span = (outcome.end - outcome.begin) / 5
    parts = [(outcome.begin, outcome.begin + span), (outcome.end - span, outcome.end)]
    rows = [f"{'':34}{'first fifth':>14}{'last fifth':>14}"]

    def row(name: str, kind: str, of: Any, unit: str) -> None:
        cells = []
        for low, high in parts:
            values = within(outcome.soak, kind, low, high)
            cells.append(f"{of(values):.3g} {unit}" if values else "–")
        rows.append(f"{name:34}{cells[0]:>14}{cells[1]:>14}")

    row("server CPU, mean (100 = one core)", "cpu", statistics.fmean, "%")
    for kind in ("poll", "page", "figures"):
        row(f"{kind}: answers", kind, len, "")
        row(f"{kind}: median", kind, lambda v: 1000 * statistics.median(v), "ms")
        row(f"{kind}: 95th percentile", kind, lambda v: 1000 * sorted(v)[int(0.95 * len(v))], "ms")
    rows += [
        "",
        *minutes(outcome),
        "",
        f"steps a page did not get: {outcome.lost}",
        f"answers that were errors: {len(outcome.soak.errors)}",
        f"processes left behind: {outcome.left}",
        f"open files before and after the loads: {outcome.files[0]}, {outcome.files[1]}",
    ]
    return "\n".join([*rows, *outcome.soak.errors[:5]])


def minutes(outcome: Outcome) -> list[str]:
    """Medians of each minute, and how fast memory and logs grow once everything was in use."""
    columns = {"memory": "memory MB", "logs": "logs MB", "files": "open files", "threads": "threads"}
    rows = [f"{'minute':>8}" + "".join(f"{title:>12}" for title in columns.values())]
    for minute in range(int((outcome.end - outcome.begin) // 60)):
        low = outcome.begin + 60 * minute
        found = [within(outcome.soak, kind, low, low + 60) for kind in columns]
        cells = [f"{statistics.median(values):>12.4g}" if values else f"{'–':>12}" for values in found]
        rows.append(f"{minute + 1:>8}" + "".join(cells))
    memory, logs = (per_minute(outcome, kind) for kind in ("memory", "logs"))
    if memory is not None and logs is not None:
        rows.append(f"per minute of the second half: memory {memory:+.2f} MB, logs {logs:+.3f} MB")
    return rows


def within(soak: Soak, kind: str, low: float, high: float) -> list[float]:
    return [sample.value for sample in soak.samples if sample.kind == kind and low <= sample.at < high]


def per_minute(outcome: Outcome, kind: str) -> float | None:
    """Slope of a least-squares line through the second half; None when that is less than a minute."""
    begin = (outcome.begin + outcome.end) / 2
    points = [(s.at / 60, s.value) for s in outcome.soak.samples if s.kind == kind and s.at >= begin]
    if not points or points[-1][0] - points[0][0] < 1:
        return None
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--loads", type=int, default=200)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two steps of a run")
    args = parser.parse_args(argv)
    outcome = soaked(args.minutes, args.pages, args.runs, args.loads, args.every)
    print(f"{args.pages} pages, {args.minutes:g} minutes, {args.runs} runs, a step every {args.every:g} s")
    print(table(outcome))
    return 1 if outcome.lost or outcome.left or outcome.soak.errors else 0


if __name__ == "__main__":
    sys.exit(main())
