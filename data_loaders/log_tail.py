"""The last lines of a log as text: how a run ended, or why it never began."""

from __future__ import annotations

import zlib
from pathlib import Path

from data_loaders.log_bytes import opened
from data_loaders.raw_log import shown_text

TAIL = 32 << 10
"""Bytes before the end that are looked at."""
MOST_LINES = 40
LONGEST = 1000
"""Characters kept of a line."""


def last_lines(path: Path, size: int, most: int = MOST_LINES) -> tuple[str, ...] | None:
    """The last `most` lines of a log of `size` decompressed bytes; None when it cannot be read.

    A line of which only the end was looked at, and what exceeds `LONGEST`, is marked with an ellipsis.
    """
    start = max(size - TAIL, 0)
    try:
        with opened(path) as log:
            log.stream.seek(start)
            data = log.stream.read(TAIL)
    except (OSError, EOFError, zlib.error):
        return None
    lines = [_bounded(shown_text(line)) for line in data.rstrip(b"\r\n\0").split(b"\n")]
    if start and lines:
        lines[0] = "…" + lines[0]
    return tuple(lines[-most:]) if data.strip(b"\r\n\0") else ()


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
