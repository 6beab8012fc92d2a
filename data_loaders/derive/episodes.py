"""Events of several metrics that fall together form one episode of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from data_loaders.derive.events import GAP, events
from data_loaders.derive.health import HEALTH_METRICS, Event, Kind
from data_loaders.schema import FloatArray, IntArray, Json

GRAVITY: tuple[Kind, ...] = ("nonfinite", "level", "open", "episode")
"""An episode is of the first of these kinds that one of its events has."""


@dataclass(frozen=True, slots=True)
class Episode:
    """Events of one run within `GAP` steps of each other; steps are logged steps, both ends included."""

    id: str
    """Unique within the run: the first step."""
    start: int
    end: int
    peak: int
    severity: int
    """Number of metrics: 1 a note, 2 to be watched, 3 and more an instability."""
    kind: Kind
    recovered: bool
    events: tuple[Event, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics with an event in it, in the order of `HEALTH_METRICS`."""
        touched = {event.metric for event in self.events}
        return tuple(metric.name for metric in HEALTH_METRICS if metric.name in touched)


def detect(series: Mapping[str, tuple[IntArray, FloatArray]]) -> tuple[Episode, ...]:
    """Episodes of a run from its canonical series, metric → (step, value); only watched metrics matter."""
    return episodes({metric: events(metric, step, value) for metric, (step, value) in series.items()})


def episodes(events_by_metric: Mapping[str, Iterable[Event]]) -> tuple[Episode, ...]:
    """Episodes by start. Start-up transients and metrics that do not join (pass rate, time) make none."""
    joining = {metric.name for metric in HEALTH_METRICS if metric.joins}
    counted = sorted(
        (
            event
            for found in events_by_metric.values()
            for event in found
            if event.metric in joining and event.kind != "startup"
        ),
        key=lambda event: (event.start, event.end, event.metric),
    )
    groups: list[list[Event]] = []
    reached = 0
    for event in counted:
        if groups and event.start <= reached + GAP:
            groups[-1].append(event)
            reached = max(reached, event.end)
        else:
            groups.append([event])
            reached = event.end
    return tuple(_episode(group) for group in groups)


def as_json(experiment: str, track: str, episode: Episode) -> Json:
    """Entry of the episodes listing; non-finite numbers become "nan", "inf", "-inf"."""
    return {
        "experiment": experiment,
        "track": track,
        "start": episode.start,
        "end": episode.end,
        "peak": episode.peak,
        "severity": episode.severity,
        "kind": episode.kind,
        "recovered": episode.recovered,
        "metrics": [
            {
                "metric": event.metric,
                "start": event.start,
                "end": event.end,
                "peak": event.peak,
                "value": _number(event.value),
                "baseline": _number(event.baseline),
                "direction": event.direction,
            }
            for event in episode.events
        ],
    }


def _episode(group: list[Event]) -> Episode:
    order = [metric.name for metric in HEALTH_METRICS]
    group = sorted(group, key=lambda event: (order.index(event.metric), event.start))
    start = min(event.start for event in group)
    return Episode(
        id=str(start),
        start=start,
        end=max(event.end for event in group),
        peak=max(group, key=_weight).peak,
        severity=len({event.metric for event in group}),
        kind=next(kind for kind in GRAVITY if any(event.kind == kind for event in group)),
        recovered=all(event.recovered_at is not None for event in group),
        events=tuple(group),
    )


def _weight(event: Event) -> float:
    """How far out an event is; what is not a number is furthest."""
    return max((abs(score) for score in event.scores), default=math.inf)


def _number(x: float) -> float | str:
    return x if math.isfinite(x) else str(x)
