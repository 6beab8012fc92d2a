"""What a browser fetches to open the 2B page of the demo: the first time, and again with what it kept.

Bytes are those on the wire, compressed where they are. The file that `export` writes stands beside it.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, sync_playwright

from app.__main__ import main as board
from tests.browser.conftest import CHROMIUM, DESK, QUIET
from tests.browser.gestures import settled
from tests.serving import serving

KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("plotly.js", lambda path: path.endswith("plotly.min.js")),
    ("Bootstrap", lambda path: path.endswith("bootstrap.min.css")),
    ("Dash's scripts", lambda path: "_dash-component-suites" in path),
    ("own scripts and styles", lambda path: path.endswith(("board.js", "board.css"))),
    ("answers", lambda path: "_dash-" in path),
    ("document, icon", lambda _: True),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        cache, out = Path(place), Path(place) / "board.html"
        board(["export", "--demo", "--cache-dir", place, "--out", str(out)])
        with serving(["--demo"], cache) as served, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
            context = browser.new_context(viewport=DESK)
            visits = [_visit(context, f"{served.url}?tab=2b") for _ in range(2)]
            browser.close()
        print(f"{'':24}{'first visit':>22}{'second visit':>22}")
        for kind in [*(name for name, _ in KINDS), "together"]:
            cells = (f"{requests[kind]:>4} × {size[kind] / 1e3:>10,.1f} kB" for requests, size in visits)
            print(f"{kind:24}" + "".join(f"{cell:>22}" for cell in cells))
        print(f"exported file: {out.stat().st_size / 1e6:.1f} MB, 1 request, none to a network")


def _visit(context: BrowserContext, url: str) -> tuple[Counter[str], Counter[str]]:
    """Requests and bytes by kind until all charts in view are drawn; what the browser kept costs nothing."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    paths: dict[str, str] = {}
    requests, size = Counter[str](), Counter[str]()

    def count(event: dict[str, object]) -> None:
        path = paths.get(str(event["requestId"]), "")
        kind = next(name for name, is_kind in KINDS if is_kind(path))
        for total in (kind, "together"):
            requests[total] += 1
            size[total] += int(float(str(event["encodedDataLength"])))

    session.on(
        "Network.requestWillBeSent",
        lambda e: paths.setdefault(e["requestId"], urlsplit(e["request"]["url"]).path),
    )
    session.on("Network.requestServedFromCache", lambda e: paths.pop(e["requestId"], None))
    session.on("Network.loadingFinished", lambda e: count(e) if e["requestId"] in paths else None)
    session.send("Network.enable")
    page.goto(url)
    settled(page)
    session.detach()
    page.close()
    return requests, size


if __name__ == "__main__":
    main()
