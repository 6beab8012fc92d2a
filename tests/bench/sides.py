"""The two pages that are measured, driven alike: this board, and TensorBoard with its released package."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psutil
from playwright.sync_api import Browser, Page, ViewportSize

from tests.bench.screen import Box
from tests.bench.workloads import CHARTS, Workload
from tests.serving import ROOT, free_port

VIEW: ViewportSize = {"width": 1680, "height": 1900}
TALL: ViewportSize = {"width": 1680, "height": 3800}
"""Room for a table of fifty runs and the eight charts below it."""
READY_SECONDS = 180.0
LONG_TASKS = """window.blocks = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.blocks.push(entry.duration);
}).observe({ type: 'longtask', buffered: true });"""


class Side(ABC):
    """One product: its server, and what a person does on its page with eight charts."""

    name: str

    def __init__(self, workload: Workload, folder: Path) -> None:
        self.workload = workload
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """Starts the server."""

    @abstractmethod
    def address(self) -> str:
        """Of the page with the eight charts."""

    @abstractmethod
    def boxes(self, page: Page) -> Sequence[Box]:
        """Places of the eight charts."""

    @abstractmethod
    def ready(self, page: Page) -> bool:
        """Whether the page says that all eight are drawn."""

    @abstractmethod
    def toggle(self, page: Page) -> None:
        """Hide or show the first run."""

    @abstractmethod
    def smooth(self, page: Page, strong: bool) -> None:
        """Change the smoothing of every chart."""

    @abstractmethod
    def zoomed(self, page: Page) -> None:
        """Back to all steps, before the next zoom."""

    def refresh(self, page: Page) -> None:  # noqa: B027
        """Ask for new data, where a page does not do so by itself."""

    def start(self) -> float:
        """Seconds until the server answers its first request."""
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            self.command(), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while time.perf_counter() - begin < READY_SECONDS and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5) as answer:
                    if answer.status == 200:
                        return time.perf_counter() - begin
            except OSError:
                time.sleep(0.02)
        raise TimeoutError(f"{self.name} does not answer")

    def stop(self) -> None:
        """End the server and what it started."""
        if self.process is not None:
            for child in psutil.Process(self.process.pid).children(recursive=True):
                child.terminate()
            self.process.terminate()
            self.process.wait(20)

    def memory(self) -> float:
        """MB that the server's processes have for themselves (USS)."""
        assert self.process is not None
        own = psutil.Process(self.process.pid)
        return sum(one.memory_full_info().uss for one in (own, *own.children(recursive=True))) / 1e6

    @contextmanager
    def page(self, browser: Browser, view: ViewportSize = VIEW) -> Iterator[Page]:
        """A fresh page, not yet opened."""
        context = browser.new_context(viewport=view, bypass_csp=True, locale="en-US")
        page = context.new_page()
        page.add_init_script(LONG_TASKS)
        yield page
        context.close()

    def drag(self, page: Page, box: Box, start: float, end: float) -> Callable[[], None]:
        """Select a part of a chart's width; the returned function lets the button go."""
        left, top = box.x + 0.15 * box.width, box.y + 0.45 * box.height
        page.mouse.move(left + start * 0.6 * box.width, top)
        page.mouse.down()
        page.mouse.move(left + (start + end) / 2 * 0.6 * box.width, top + 2, steps=4)
        page.mouse.move(left + end * 0.6 * box.width, top + 60, steps=4)
        return page.mouse.up


class Board(Side):
    """This board, its logs read before."""

    name = "board"

    def command(self) -> list[str]:
        logs, cache = str(self.workload.logs), str(self.folder / "cache")
        return [sys.executable, "-m", "app", "--port", str(self.port), "--logs", logs, "--cache-dir", cache]

    def read(self) -> float:
        """Seconds of the first reading of all logs."""
        begin = time.perf_counter()
        logs, cache = str(self.workload.logs), str(self.folder / "cache")
        command = [sys.executable, "-m", "app", "episodes", "--logs", logs, "--cache-dir", cache]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        return time.perf_counter() - begin

    def address(self) -> str:
        pins = ",".join(list(CHARTS.values())[4:])
        return f"http://127.0.0.1:{self.port}/?tab=other&lang=en&pin={pins}"

    def ids(self) -> list[str]:
        metrics = list(CHARTS.values())
        return [f"cmp-{name}" for name in metrics[:4]] + [f"cmp-pin-{name}" for name in metrics[4:]]

    def boxes(self, page: Page) -> Sequence[Box]:
        script = "(id) => { const b = document.querySelector(`[data-chart='${id}'] .plot`).getBoundingClientRect(); return [b.x, b.y, b.width, b.height] }"  # noqa: E501
        return [Box(*page.evaluate(script, id_)) for id_ in self.ids()]

    def ready(self, page: Page) -> bool:
        script = "(ids) => Boolean(window.rlboard && rlboard.ready && ids.every((id) => document.querySelector(`[data-chart='${id}'] .trace`)))"  # noqa: E501
        return bool(page.evaluate(script, self.ids()))

    def toggle(self, page: Page) -> None:
        page.locator("[data-act=chip]").first.click()

    def smooth(self, page: Page, strong: bool) -> None:
        page.locator("select[data-act=smooth]").first.select_option("ema0.9" if strong else "raw")

    def zoomed(self, page: Page) -> None:
        page.evaluate("rlboard.set({ range: null })")


class TensorBoard(Side):
    """TensorBoard as released, which reads new events every second; its page reloads on request."""

    name = "TensorBoard"

    def command(self) -> list[str]:
        program = shutil.which("tensorboard", path=str(Path(sys.executable).parent))
        assert program, "pip install -e .[bench]"
        return [
            program, "--logdir", str(self.workload.events), "--port", str(self.port),
            "--reload_interval", "1",
        ]  # fmt: skip

    def address(self) -> str:
        tags = "^(" + "|".join(re.escape(key) for key in CHARTS) + ")$"
        return f"http://127.0.0.1:{self.port}/?darkMode=false&tagFilter={quote(tags)}#timeseries"

    def boxes(self, page: Page) -> Sequence[Box]:
        script = "() => [...document.querySelectorAll('line-chart')].map((el) => { const b = el.getBoundingClientRect(); return [b.x, b.y, b.width, b.height] })"  # noqa: E501
        return [Box(*rect) for rect in page.evaluate(script)]

    def ready(self, page: Page) -> bool:
        script = "() => document.querySelectorAll('line-chart').length >= 8 && !document.querySelector('scalar-card mat-spinner')"  # noqa: E501
        return bool(page.evaluate(script))

    def toggle(self, page: Page) -> None:
        page.locator("runs-data-table input[type=checkbox]").nth(1).click()

    def smooth(self, page: Page, strong: bool) -> None:
        box = page.locator("input[type=number][aria-labelledby=scalars-smoothing-label]")
        box.fill("0.9" if strong else "0.6")
        box.press("Enter")

    def zoomed(self, page: Page) -> None:
        for box in self.boxes(page):
            page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2)

    def refresh(self, page: Page) -> None:
        page.locator(".reload-button").click()
