"""A board whose cache is on a disk that gets full: `python -m tests.callbacks.full_disk FOLDER`.

Needs the right to mount, as in a namespace of its own (`unshare --map-root-user --mount`). Prints what pages
were told as one JSON object.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.growing import append, line, log_path, text, write
from tests.redis.page import Page, get
from tests.serving import serving

ROOM = "3m"
Json = dict[str, Any]


def fill(disk: Path) -> Path:
    """A file that takes whatever is left."""
    path = disk / "filler"
    with path.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue
    return path


def eventually(found: Callable[[], Any]) -> Any:
    """The first true answer, or the last one when there is none in a minute."""
    pause, end = threading.Event(), time.monotonic() + 60
    while not (answer := found()) and time.monotonic() < end:
        pause.wait(0.05)
    return answer


def said(url: str) -> bool:
    """Whether a page that opens now says that the disk is full."""
    return "disk is full" in get(f"{url}/_dash-layout").decode()


def last(page: Page) -> list[int]:
    """Last step of each run as a page is told that knows nothing."""
    answer = page.call("manifest.data", "poll.n_intervals", {"poll.n_intervals": 1})
    return [run["last"] for run in answer["response"]["manifest"]["data"]["runs"]]


def main(folder: Path) -> Json:
    disk, logs = folder / "disk", folder / "archive"
    told: Json = {}
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "none", disk], check=True)
    log = write(log_path(logs), text(1, 400))
    with serving(["--logs", str(logs)], disk) as served:
        url = served.url.rstrip("/")
        filler = fill(disk)
        page = Page(url)
        handles = page.start()
        told["request ended"] = eventually(
            lambda: not page.call("reading.data", "load.data", page.asked(), **handles)
        )
        told["first banner"] = said(url)
        filler.unlink()
        told["next try"] = [run["last"] for run in Page(url).read()["runs"]]
        told["banner after it"] = said(url)
        filler = fill(disk)
        append(log, line(401))
        told["followed in memory"] = eventually(lambda: last(page) == [401])
        told["second banner"] = eventually(lambda: said(url))
        other = Page(url)
        other.start()
        filler.unlink()
        append(log, line(402))
        told["followed again"] = eventually(lambda: last(page) == [402])
        told["banner at the end"] = not eventually(lambda: not said(url))
        told["another reading"] = [run["last"] for run in Page(url).read()["runs"]]
        told["server"] = served.process.poll()
    return told


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
