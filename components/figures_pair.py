"""Two runs side by side: what the page's script needs to subtract one from the other, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from components.figures import Absence, Chart, Line, empty, layout, lines, meta, packed
from components.figures_meaning import meaning_badges
from components.style import uid
from components.text import words
from components.view import ChartRun, Selection
from data_loaders.derive.comparability import Shown
from data_loaders.derive.pairing import CONDITIONS, order_of
from data_loaders.derive.sampling import WHOLE, bucket_size, bucket_sums
from data_loaders.schema import FloatArray, IntArray, Json, Note


def pair_chart(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    """Values of every run at steps that all runs share, and what the order of their prompts depends on.

    Long runs are given as means of equally many steps, so that a mean of differences stays what it is.
    """
    along = Selection(units=selection.units, policy="last" if selection.policy == "all" else selection.policy)
    drawn, missing = lines(chart, runs, along)
    if len(drawn) < 2:
        return empty(chart.named, missing or _alone(drawn))
    size = _size(drawn)
    exact = [line for line in drawn if not _is_bound(line)]
    shown = [(line.run, Shown(line.run.data, line.metric, line.curve)) for line in drawn]
    return {
        "data": [_values(line, size) for line in drawn],
        "layout": layout(chart, runs),
        "meta": meta(chart, runs, "pair", meaning_badges(shown))
        | {
            "size": "comparison",
            "default": "window",
            "along": "step",
            "pairs": True,
            "longest": [line.run.info.key for line in longest(exact if len(exact) > 1 else drawn)],
            "csv": [],
            "bucket": size,
            "bounds": [line.run.info.key for line in drawn if _is_bound(line)],
            "unit": list(words(f"unit.{chart.unit}")),
            "order": {line.run.info.key: order_of(line.run.data.run) for line in drawn},
            "conditions": {
                one.id: {
                    "name": list(words(f"pair.condition.{one.id}")),
                    "why": list(words(f"pair.{one.id}")),
                }
                for one in CONDITIONS
            },
            "unknown": list(words("pair.unknown")),
        },
    }


def longest(drawn: Sequence[Line]) -> tuple[Line, Line]:
    """The two lines with the most common steps, of several such pairs the first."""
    spans = [(int(line.step.min()), int(line.step.max())) if line.step.size else (0, -1) for line in drawn]

    def most(pair: tuple[int, int]) -> int:
        (a, b), (c, d) = (spans[at] for at in pair)
        sizes = (drawn[at].step.size for at in pair)
        return min(*sizes, max(min(b, d) - max(a, c) + 1, 0))

    best, found = -1, (0, 1)
    for pair in sorted(combinations(range(len(drawn)), 2), key=most, reverse=True):
        if most(pair) <= best:
            break
        one, other = (drawn[at].step for at in pair)
        if (n := np.intersect1d(one, other).size) > best:
            best, found = n, pair
    return drawn[found[0]], drawn[found[1]]


def _is_bound(line: Line) -> bool:
    """Whether its values are lower bounds: then so is, or neither exact nor a bound, what is left of it."""
    return any(note.key.startswith("note.lower_bound") for note in line.curve.notes)


def _alone(drawn: Sequence[Line]) -> list[Absence]:
    return [(line.run, Note("pair.alone")) for line in drawn]


def _size(drawn: Sequence[Line]) -> int:
    """Steps per value: 1 unless a run is longer than a line may be."""
    spans = [(int(line.step[0]), int(line.step[-1])) for line in drawn if line.step.size]
    longest = max((line.step.size for line in drawn), default=0)
    if longest <= WHOLE or not spans:
        return 1
    return bucket_size(min(first for first, _ in spans), max(last for _, last in spans), WHOLE)


def _values(line: Line, size: int) -> Json:
    step, value = _means(line.step, line.y, size)
    return {
        "type": "scatter",
        "uid": uid(line.run.info, "raw"),
        "x": packed(step),
        "y": packed(value),
        "meta": {"run": line.run.info.key, "role": "raw", "window": 1, "series": ""},
    }


def _means(step: IntArray, value: FloatArray, size: int) -> tuple[IntArray, FloatArray]:
    """First step and mean of every bucket of finite values (m,)."""
    finite = np.isfinite(value)
    step, value = step[finite], value[finite]
    if size == 1:
        return step, value
    starts, sums = bucket_sums(step, value, size)
    _, counts = bucket_sums(step, np.ones(step.size), size)
    return starts // size * size, sums / counts
