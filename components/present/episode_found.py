"""Which episode, or which range of steps, a link names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from components.present.watched import RULES, Watched, touching, watched
from data_loaders.board import Board, BoardRun
from data_loaders.derive.episodes import GRAVITY, Episode
from data_loaders.derive.health import Event
from data_loaders.schema import Missing

NAMED = re.compile(r"(?P<run>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")


class Opened(NamedTuple):
    """A run, the steps in question and what is known of every watched metric."""

    run: BoardRun
    episode: Episode
    """As detected; of a range a user chose: the excursions that touch it."""
    detected: bool
    watched: Mapping[str, Watched | Missing]

    @property
    def id(self) -> str:
        return f"{self.run.id}:{self.episode.id}"

    def known(self) -> dict[str, Watched]:
        """Watched metrics the run has a series of."""
        return {name: series for name, series in self.watched.items() if isinstance(series, Watched)}


def opened(board: Board, name: str) -> Opened | None:
    """What `<run id>:<start>` (an episode) or `<run id>:<first>-<last>` (a range) stands for.

    A start at which no episode begins (any more) is a range of that one step. None when there is no such run,
    or when the run has no step there.
    """
    found = NAMED.fullmatch(name)
    run = next((run for run in board.runs if found and run.id == found["run"]), None)
    if found is None or run is None or run.view.run.first is None or run.view.run.last is None:
        return None
    series = watched(run.view, RULES)
    first, last = sorted((int(found["first"]), int(found["last"] or found["first"])))
    detected = None if found["last"] else next((e for e in run.episodes if e.start == first), None)
    if detected is not None:
        return Opened(run, detected, True, series)
    if last < run.view.run.first or first > run.view.run.last:
        return None
    known = [one for one in series.values() if isinstance(one, Watched)]
    moved = [event for one in known for event in touching(one.events, first, last)]
    id_ = f"{first}-{last}" if found["last"] else str(first)
    return Opened(run, _range(id_, first, last, moved), False, series)


def weight(event: Event) -> float:
    """How far out an excursion is, in robust standard deviations; what is not a number is furthest."""
    return max((abs(score) for score in event.scores), default=math.inf)


def _range(id_: str, first: int, last: int, moved: Iterable[Event]) -> Episode:
    order = list(RULES)
    events = tuple(sorted(moved, key=lambda event: (order.index(event.metric), event.start)))
    peak = max(events, key=weight).peak if events else first
    return Episode(
        id=id_,
        start=first,
        end=last,
        peak=min(max(peak, first), last),
        severity=len({event.metric for event in events}),
        kind=next((kind for kind in GRAVITY if any(e.kind == kind for e in events)), "episode"),
        recovered=all(event.recovered_at is not None for event in events),
        events=events,
    )
