"""The watched metrics of one run: values, baselines, excursions, and the steps that lie outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from data_loaders.derive.canonical import curve
from data_loaders.derive.events import ENOUGH, baseline, events, ratio
from data_loaders.derive.health import HEALTH_METRICS, Event, HealthMetric
from data_loaders.derive.robust import K_OFF
from data_loaders.schema import Curve, FloatArray, IntArray, Missing, Note, RunData

RULES: Mapping[str, HealthMetric] = {metric.name: metric for metric in HEALTH_METRICS}


@dataclass(frozen=True)
class Watched:
    """One metric: steps, values, expected values, all (n,), and their ratio; NaN where it does not judge."""

    metric: str
    source: str
    step: IntArray
    value: FloatArray
    expected: FloatArray
    ratio: FloatArray
    events: tuple[Event, ...]
    derived: Note | None = None
    """How values come from what is logged; None where they are as logged."""

    @property
    def judged(self) -> bool:
        """Whether there are enough points for a baseline."""
        return int(np.isfinite(self.value).sum()) >= ENOUGH

    def between(self, first: int, last: int) -> Watched:
        """The part from step `first` to `last`, with every event."""
        rows = slice(*np.searchsorted(self.step, (first, last + 1)))
        return Watched(
            self.metric, self.source, self.step[rows], self.value[rows], self.expected[rows],
            self.ratio[rows], self.events, self.derived,
        )  # fmt: skip

    def at(self, step: int) -> int | None:
        """Row of a step; None when the metric has no cell there."""
        row = int(np.searchsorted(self.step, step))
        return row if row < self.step.size and self.step[row] == step else None


def watched(data: RunData, metrics: Iterable[str]) -> dict[str, Watched | Missing]:
    """Canonical series with baseline and excursions; a metric without rule has no excursions."""
    return {metric: _watched(data, metric) for metric in metrics}


def touching(found: Iterable[Event], first: int, last: int) -> tuple[Event, ...]:
    """Excursions with at least one step in common; settling in the first steps is none."""
    return tuple(e for e in found if e.start <= last and e.end >= first and e.kind != "startup")


def outside(series: Watched, found: Iterable[Event]) -> frozenset[int]:
    """Steps of these excursions at which the value itself is outside: quiet steps in between are not."""
    steps: set[int] = set()
    for event in found:
        part = series.between(event.start, event.end)
        finite = np.isfinite(part.value)
        scores = np.array(event.scores)
        far = np.abs(scores) >= K_OFF if scores.size == finite.sum() else np.ones(int(finite.sum()), np.bool_)
        steps.update(part.step[finite][far].tolist(), part.step[~finite].tolist())
    return frozenset(steps)


def _watched(data: RunData, metric: str) -> Watched | Missing:
    found = curve(data, metric)
    if not isinstance(found, Curve):
        return found
    expected = baseline(metric, found.step, found.value)
    return Watched(
        metric=metric,
        source=found.source,
        step=found.step,
        value=found.value,
        expected=expected,
        ratio=ratio(metric, found.value, expected),
        events=events(metric, found.step, found.value),
        derived=found.derived,
    )
