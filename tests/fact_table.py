"""The table of published facts, and the numbers its lines speak of, worked out from logged cells alone.

`tests/data/published_facts.csv` holds one line per statement: a statistic of a metric of some runs over some
steps lies within [low, high]. With `against` and `relation` it compares: `difference` and `ratio` of the
statistic to that of each other run (`E1+E3` means their mean), `lead` of the run over the highest other run
at each step, `distance` to the other run at each step. `check:<name>` names a function of the test.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data_loaders.runs import RunView
from data_loaders.schema import FloatArray, IntArray, SegmentPolicy

TABLE = Path(__file__).parent / "data" / "published_facts.csv"


class Fact(NamedTuple):
    """One line of the table."""

    id: str
    run: str
    against: str
    relation: str
    metric: str
    steps: str
    statistic: str
    low: str
    high: str

    @property
    def name(self) -> str:
        return " ".join(part for part in (self.id, self.run, self.metric, self.steps, self.statistic) if part)


def facts() -> Iterator[Fact]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        yield from (Fact(**row) for row in csv.DictReader(file))


SCORE, AIME, TIME = "critic/score/mean", "val-core/aime24/acc/mean@1", ("timing_s/step", "timing_s/testing")


def cells(view: RunView, key: str, policy: SegmentPolicy = "last") -> tuple[IntArray, FloatArray]:
    series = view.series(key, policy)
    assert series is not None, key
    return series.step, series.value


def trailing(step: IntArray, value: FloatArray) -> tuple[IntArray, FloatArray]:
    return step[4:], np.array([value[end - 4 : end + 1].mean() for end in range(4, value.size)])


def spent(view: RunView) -> tuple[IntArray, FloatArray]:
    """Seconds of every step line, superseded ones included."""
    parts = [cells(view, key, "all") for key in TIME if key in view.run.keys]
    return np.concatenate([step for step, _ in parts]), np.concatenate([value for _, value in parts])


def passes(view: RunView, policy: SegmentPolicy = "last") -> tuple[IntArray, FloatArray]:
    step, value = cells(view, SCORE, policy)
    return step, 50 * (value + 1)


def scaled(read: tuple[IntArray, FloatArray], factor: float) -> tuple[IntArray, FloatArray]:
    return read[0], factor * read[1]


METRICS: Mapping[str, Callable[[RunView], tuple[IntArray, FloatArray]]] = {
    "pass": passes,
    "pass first": lambda view: passes(view, "first"),
    "pass5": lambda view: trailing(*passes(view)),
    "length": lambda view: cells(view, "response_length/mean"),
    "entropy": lambda view: cells(view, "actor/entropy"),
    "entropy5": lambda view: trailing(*cells(view, "actor/entropy")),
    "grad_norm": lambda view: cells(view, "actor/grad_norm"),
    "clip_share": lambda view: scaled(cells(view, "actor/pg_clipfrac"), 100),
    "dual_clip": lambda view: cells(view, "actor/pg_clipfrac_lower"),
    "aime": lambda view: scaled(cells(view, AIME), 100),
    "aime_items": lambda view: scaled(cells(view, AIME), 30),
    "minutes": lambda view: scaled(spent(view), 1 / 60),
    "hours": lambda view: scaled(spent(view), 1 / 3600),
}


def growth(value: FloatArray) -> float:
    """From the mean of the first five steps to the mean of the last five."""
    return float(value[-5:].mean() - value[:5].mean())


OF_VALUES: Mapping[str, Callable[[FloatArray], float]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "sd": np.std,
    "sum": np.sum,
    "growth": growth,
    "percentile 1": lambda value: np.percentile(value, 1),
    "percentile 99": lambda value: np.percentile(value, 99),
    "steps at 6": lambda value: float(np.count_nonzero(value >= 6)),
}
OF_STEPS: Mapping[str, Callable[[IntArray, FloatArray], float]] = {
    "count": lambda step, _: np.unique(step).size,
    "last": lambda step, _: step.max(),
    "slope": lambda step, value: np.polyfit(step, value, 1)[0],
    "reaches 55": lambda step, value: step[value >= 55][0],
}


def statistic(name: str, step: IntArray, value: FloatArray) -> float:
    return float(OF_VALUES[name](value) if name in OF_VALUES else OF_STEPS[name](step, value))


def values(view: RunView, fact: Fact) -> tuple[IntArray, FloatArray]:
    step, value = METRICS[fact.metric](view)
    if not fact.steps:
        return step, value
    first, _, last = fact.steps.partition("-")
    inside = (step >= int(first)) & (step <= int(last or first))
    return step[inside], value[inside]


def found(view: RunView, others: Sequence[Sequence[RunView]], fact: Fact) -> Iterator[float]:
    """The numbers that a fact speaks of."""
    step, value = values(view, fact)
    if fact.relation in ("lead", "distance"):
        gap = value - np.max([values(other, fact)[1] for group in others for other in group], axis=0)
        yield statistic(fact.statistic, step, np.abs(gap) if fact.relation == "distance" else gap)
        return
    own = statistic(fact.statistic, step, value)
    for group in others:
        other = np.mean([statistic(fact.statistic, *values(member, fact)) for member in group])
        yield own / float(other) if fact.relation == "ratio" else own - float(other)
    if not others:
        yield own
