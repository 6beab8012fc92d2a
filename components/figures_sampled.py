"""What stays exact of a line of which a chart gets a part of the points, and what the chart says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from components.text import Bilingual, words
from components.view import ChartRun, Selection, Span
from data_loaders.derive.sampling import Sample, sample
from data_loaders.schema import FloatArray, IntArray, Json

MOST_WHOLE = 120_000
"""Cells of a chart up to which it is sent whole; more than its page asks for at once."""


def marks(run: ChartRun) -> list[int]:
    """Steps of a run that are drawn whatever else is: first, last and highest of its episodes."""
    return [step for episode in run.episodes for step in (episode.start, episode.peak, episode.end)]


def kept(step: IntArray, value: FloatArray, asked: Collection[int], selection: Selection) -> Sample:
    """Rows of a line that an answer holds: those its chart needs, or every one."""
    if selection.whole and step.size * selection.lines <= MOST_WHOLE:
        return Sample(np.arange(step.size), 1)
    return sample(step, value, selection.span, asked, selection.lines)


def hover_of_kept(form: str, selection: Selection) -> str:
    """Template of plotly's hover: neighbours of a kept point are not drawn, so it tells its own step."""
    step = "x" if selection.x == "step" else "customdata"
    return f"%{{y:{form}}} @%{{{step}}}<extra>%{{fullData.name}}</extra>"


def described(step: IntArray, value: FloatArray, span: Span | None) -> Json | None:
    """Statistics of all finite cells of a span, in the form of `rl.describe`; None when there is none."""
    low, high = (0, step.size) if span is None else np.searchsorted(step, [span[0], span[1] + 1])
    step, value = step[low:high], value[low:high]
    rows = np.flatnonzero(np.isfinite(value))
    if not rows.size:
        return None
    finite = value[rows]

    def cell(row: int) -> list[float]:
        return [int(step[row]), float(value[row])]

    return {
        "first": cell(rows[0]),
        "last": cell(rows[-1]),
        "mean": float(finite.mean()),
        "min": cell(rows[finite.argmin()]),
        "max": cell(rows[finite.argmax()]),
        "n": rows.size,
        "odd": value.size - rows.size,
    }


def extent(traces: Iterable[Json], selection: Selection) -> Json | None:
    """Which steps a chart holds points of, and how many of them lie behind a kept one; None: all of all."""
    size = max((trace["meta"].get("bucket", 1) for trace in traces), default=1)
    if size == 1 and selection.span is None:
        return None
    return {"size": size, "span": selection.span}


def told(sampled: Json | None, key: str = "sampled") -> list[tuple[Bilingual, Bilingual]]:
    """Short and long form of the remark on a sampled chart; empty for one that holds every point."""
    if sampled is None or sampled["size"] == 1:
        return []
    return [(words(f"{key}.badge", n=sampled["size"]), words(f"{key}.long", n=sampled["size"]))]
