"""When a page stopped changing, as a viewer sees it: frames of the browser, compared with the last one."""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image
from playwright.sync_api import Page

SCALE = 0.5
"""Frames are taken at this share of the page's size."""
QUIET = 2.5
"""Seconds without a change after which a page is done."""
PUMP_MS = 20
BLINK = 2e-4
"""Share of a page that may change and it still counts as quiet: a light, a clock."""
DIFFERENT = 24
"""Levels of 256 by which a pixel has to differ: frames are JPEG."""


class Box(NamedTuple):
    """A rectangle of the page in pixels."""

    x: float
    y: float
    width: float
    height: float


class Done(NamedTuple):
    """Seconds from the start of an action until each box had its final picture, ascending."""

    boxes: tuple[float, ...]

    @property
    def first(self) -> float:
        return self.boxes[0]

    @property
    def last(self) -> float:
        return self.boxes[-1]


def watched(
    page: Page,
    act: Callable[[], Any],
    boxes: Callable[[], Sequence[Box]],
    ready: Callable[[], bool] = lambda: True,
    every_second: Callable[[], object] = lambda: None,
    quiet: float = QUIET,
    most: float = 45.0,
) -> Done:
    """Do something and watch until the page is `ready` and nothing on it changed for a while.

    `every_second` is done meanwhile, for a page that has to be asked for what is new.
    """
    session = page.context.new_cdp_session(page)
    frames: list[tuple[float, bytes]] = []

    def keep(event: dict[str, Any]) -> None:
        frames.append((event["metadata"]["timestamp"], base64.b64decode(event["data"])))
        session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    session.on("Page.screencastFrame", keep)
    size = page.viewport_size
    assert size is not None
    most_pixels = {"maxWidth": int(size["width"] * SCALE), "maxHeight": int(size["height"] * SCALE)}
    session.send("Page.startScreencast", {"format": "jpeg", "quality": 60, **most_pixels})
    start = time.time()
    act()
    seen, last_change, asked = 0, time.time(), time.time()
    before: npt.NDArray[np.int16] | None = None
    while time.time() - start < most:
        page.wait_for_timeout(PUMP_MS)
        if time.time() - asked > 1:
            every_second()
            asked = time.time()
        if len(frames) != seen:
            seen, small = len(frames), _small(frames[-1][1])
            if before is None or _changed(small, before):
                before, last_change = small, time.time()
        if time.time() - last_change > quiet and ready():
            break
    session.send("Page.stopScreencast")
    session.detach()
    return Done(_completed(frames, boxes(), start))


def _changed(small: npt.NDArray[np.int16], before: npt.NDArray[np.int16]) -> bool:
    """The first frames of a page can have another size."""
    return small.shape != before.shape or bool((np.abs(small - before) > DIFFERENT).mean() > BLINK)


def _small(data: bytes) -> npt.NDArray[np.int16]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("L").reduce(2), np.int16)


def _completed(
    frames: Sequence[tuple[float, bytes]], boxes: Sequence[Box], start: float
) -> tuple[float, ...]:
    """Per box the time of the first frame from which on it stays as it is in the last one."""
    if not frames:
        return tuple(0.0 for _ in boxes)
    times = [moment for moment, _ in frames]
    final = _cut(frames[-1][1], boxes)
    changing, done = set(range(len(boxes))), [0.0] * len(boxes)
    for nth in range(len(frames) - 2, -1, -1):
        if not changing:
            break
        parts = _cut(frames[nth][1], boxes)
        for box in sorted(changing):
            if _differs(parts[box], final[box]):
                done[box] = max(times[nth + 1] - start, 0.0)
                changing.discard(box)
    return tuple(sorted(done))


def _cut(data: bytes, boxes: Sequence[Box]) -> list[npt.NDArray[np.int16]]:
    image = np.asarray(Image.open(io.BytesIO(data)).convert("L"), np.int16)

    def scaled(length: float) -> int:
        return int(length * SCALE)

    return [
        image[scaled(box.y) : scaled(box.y + box.height), scaled(box.x) : scaled(box.x + box.width)]
        for box in boxes
    ]


def _differs(one: npt.NDArray[np.int16], other: npt.NDArray[np.int16]) -> bool:
    return one.shape != other.shape or int((np.abs(one - other) > DIFFERENT).sum()) > 2
