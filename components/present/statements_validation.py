"""Statements on validations: last counts, falls between checkpoints, the selected best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from components import ids
from components.numbers import number, wilson_percent
from components.present.compared import Member
from components.present.findings import validation_title
from components.present.rows import primary
from components.present.statements_rates import listed
from components.text import words
from components.view import Span
from components.view_remarks import Statement, View
from data_loaders.derive.intervals import detectable_difference, expected_best, newcombe
from data_loaders.derive.validation import Validation
from data_loaders.schema import IntArray, Note

CHART = ids.chart("cmp", "validation")


class Counted(NamedTuple):
    """A run's validation in right items of `items`."""

    one: Member
    found: Validation
    correct: IntArray
    items: int


def _counted(found: Sequence[Member]) -> list[Counted]:
    """Validations known as counts, of the set most runs share; a mean over samples is none."""
    known = [(one, value) for one in found if (value := primary(one.run)) is not None]
    made = [
        Counted(one, value, value.correct, value.items)
        for one, value in known
        if value.correct is not None and value.items and value.correct.size
    ]
    keys = {(one.found.key, one.items) for one in made}
    return made if len(keys) == 1 else []


def last(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Right items at the last common checkpoint, and whether any two runs differ by more than noise."""
    made = _counted(found)
    if len(made) < 2:
        return
    steps = sorted(set.intersection(*(set(one.found.step.tolist()) for one in made)))
    if not steps:
        return
    counts = [(one, int(one.correct[one.found.step == steps[-1]][0])) for one in made]
    counts.sort(key=lambda entry: -entry[1])
    n = made[0].items
    told = [(f"{one.one.mark} {k}/{n} {wilson_percent(k, n)}",) * 2 for one, k in counts]
    intervals = [newcombe(a, n, b, n) for (_, a), (_, b) in combinations(counts, 2)]
    apart = [one for one in intervals if one.low > 0 or one.high < 0]
    widest = max(intervals, key=lambda one: one.low + one.high)
    rate = float(np.mean([k for _, k in counts])) / n
    rise = detectable_difference(rate, n)
    values = {
        "title": validation_title(made[0].found), "step": steps[-1], "runs": listed(told), "n": n,
        "most": counts[0][1] - counts[-1][1], "low": number(100 * widest.low, 0, plus=True),
        "high": number(100 * widest.high, 0, plus=True),
        "least": words("said.least", points=number(100 * rise, 0)) if rise else words("said.least_none"),
    }  # fmt: skip
    key = "said.validation_apart" if apart else "said.validation_open"
    yield Statement("validation", Note(key, values), View(track, chart=CHART))


def falls(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Every run that lost items between its last two checkpoints, not only the one that lost most."""
    made = [one for one in _counted(found) if one.correct.size >= 2]
    lost = [(one, int(one.correct[-1] - one.correct[-2])) for one in made]
    fell = sorted((entry for entry in lost if entry[1] < 0), key=lambda entry: entry[1])
    if not fell:
        return
    worst = fell[0][0]
    interval = newcombe(int(worst.correct[-1]), worst.items, int(worst.correct[-2]), worst.items)
    told = [(f"{one.one.mark} {number(change, 0)}",) * 2 for one, change in fell]
    values = {
        "runs": listed(told), "n": len(fell), "of": len(made), "run": worst.one.mark,
        "low": number(100 * interval.low, 0, plus=True), "high": number(100 * interval.high, 0, plus=True),
        "verdict": Note("said.settled" if interval.high < 0 else "said.open"),
    }  # fmt: skip
    yield Statement("falls", Note("said.falls", values), View(track, chart=CHART))


def selected(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """The largest of all points, and what the largest of so many would be by chance."""
    made = _counted(found)
    draws = sum(one.correct.size for one in made)
    if draws < 2:
        return
    n = made[0].items
    top = max(int(one.correct.max()) for one in made)
    where = [
        (f"{one.one.mark} @{int(step)}",) * 2
        for one in made
        for step in one.found.step[one.correct == top]
    ]
    rate = float(np.mean([one.correct.mean() for one in made])) / n
    values = {
        "k": top, "n": n, "where": listed(where), "draws": draws, "rate": number(100 * rate, 0),
        "expected": number(100 * expected_best(rate, n, draws), 0), "best": number(100 * top / n, 0),
    }  # fmt: skip
    yield Statement("selected", Note("said.selected", values), View(track, chart=CHART))
