"""Chromium and running boards for the browser suite.

Every page is watched: a console message, an uncaught error or a foreign request fails the test.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect, sync_playwright

from app.__main__ import main
from data_loaders.demo import write_demo
from tests.browser.harness.hands import Open, settle
from tests.browser.harness.page import write
from tests.browser.harness.serve import served as served_folder
from tests.serving import Served, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

OpenPage = Callable[..., Page]

expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the session."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The demo board, its logs read already."""
    yield from _read_and_served(["--demo"], tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def demo_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of the demo board in a folder of their own, to be read without its code."""
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder)
    return folder


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo board as a file."""
    out = tmp_path_factory.mktemp("export") / "board.html"
    cache = str(tmp_path_factory.mktemp("cache"))
    assert main(["export", "--demo", "--cache-dir", cache, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def corpus_board(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A board of real logs, read already."""
    yield from _read_and_served(["--logs", str(corpus)], tmp_path_factory.mktemp("cache"))


def _read_and_served(arguments: list[str], cache: Path) -> Iterator[Served]:
    assert main(["episodes", *arguments, "--cache-dir", str(cache)]) == 0
    with serving(arguments, cache) as served:
        yield served


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Opens watched pages: `open_page(url, viewport=…, locale=…)`."""
    opened: list[tuple[Page, list[str], str]] = []

    def open_(
        url: str,
        viewport: ViewportSize = DESK,
        locale: str = "zh-CN",
        scheme: str = "light",
        touch: bool = False,
    ) -> Page:
        context = chromium.new_context(
            viewport=viewport,
            locale=locale,
            color_scheme=scheme,
            has_touch=touch,  # type: ignore[arg-type]
        )
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda request: _check_origin(request, url, said))
        opened.append((page, said, url))
        page.goto(url)
        return page

    yield open_
    complaints = [line for _, said, _ in opened for line in said]
    for page, _, _ in opened:
        page.context.close()
    assert not complaints


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the static page with synthetic runs."""
    folder = tmp_path_factory.mktemp("harness")
    write(folder)
    with served_folder(folder) as url:
        yield url


@pytest.fixture
def sketch(open_page: OpenPage, harness: str) -> Open:
    """Opens the static page with a query, settled: `sketch("tab=2b", phone=True)`."""

    def opened(query: str = "tab=2b", phone: bool = False) -> Page:
        page = open_page(f"{harness}?{query}", viewport=PHONE if phone else DESK, touch=phone)
        settle(page)
        return page

    return opened


def _check_origin(request: Request, url: str, said: list[str]) -> None:
    target, home = urlsplit(request.url), urlsplit(url)
    if target.scheme in ("http", "https", "ws", "wss") and target.netloc != home.netloc:
        said.append(f"foreign request: {request.url}")
