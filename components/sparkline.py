"""A curve the size of a word: an SVG mask over the run's colour, so it follows the theme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from urllib.parse import quote

from dash import html

from components.attributes import HIDDEN
from components.style import look_of
from components.view import RunInfo

WIDTH, HEIGHT = 84, 18
ROOM = 2.5
"""Pixels kept free at each side for the line's width and the end mark."""


def sparkline(
    values: Sequence[float],
    info: RunInfo,
    low: float | None = None,
    high: float | None = None,
    part: tuple[float, float] = (0.0, 1.0),
) -> html.Span:
    """Line with a dot at its end; NaN breaks it. `low` and `high` share a range with other rows.

    `part` is the stretch of the width from first to last value: a run in progress ends early.
    """
    return html.Span(
        className=f"spark e{info.slot}",
        style={"--m": f'url("{_svg(values, low, high, part)}")'},
        **HIDDEN,
        **look_of(info),
    )


def shared_range(series: Sequence[Sequence[float]]) -> tuple[float | None, float | None]:
    """Lowest and highest finite value of several curves."""
    finite = [value for values in series for value in values if math.isfinite(value)]
    return (min(finite), max(finite)) if finite else (None, None)


def _svg(values: Sequence[float], low: float | None, high: float | None, part: tuple[float, float]) -> str:
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E"
    low = min(finite) if low is None else low
    high = max(finite) if high is None else high
    across, down = WIDTH - 2 * ROOM, HEIGHT - 2 * ROOM
    left, each = ROOM + across * part[0], across * (part[1] - part[0]) / max(len(values) - 1, 1)
    places = [
        (left + each * at, ROOM + down * (high - value) / (high - low or 1))
        for at, value in enumerate(values)
        if math.isfinite(value)
    ]
    known = [at for at, value in enumerate(values) if math.isfinite(value)]
    path = "".join(
        f"{'L' if nth and known[nth - 1] == at - 1 else 'M'}{x:.1f} {y:.1f}"
        for nth, (at, (x, y)) in enumerate(zip(known, places, strict=True))
    )
    end = f'<circle cx="{places[-1][0]:.1f}" cy="{places[-1][1]:.1f}" r="1.8"/>'
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<path d="{path}" fill="none" stroke="#000" stroke-width="1.2" stroke-linejoin="round"/>{end}</svg>'
    )
    return f"data:image/svg+xml,{quote(drawn, safe=' =:/')}".replace(" ", "%20")
