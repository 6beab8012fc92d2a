"""Where the step lines of one experiment's logs begin a new run, and where they resume one.

A log says it by launch markers (`LogFacts.launches`), or only by its step numbers falling back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from data_loaders.columns import LogData
from data_loaders.schema import BoolArray, IntArray, Launch, LogFacts

NOT_TRAINING = ("val-core/", "val-aux/", "val/", "test_score/", "rollouter/", "fully_async/rollouter/")
"""Keys that a line may carry for a step already passed without the training having gone back."""

NEVER = int(np.iinfo(np.int64).max)


class Stretch(NamedTuple):
    """Consecutive rows of one log from one start of the training on."""

    log: int
    """Index into the logs given."""
    start: int
    stop: int
    """Rows `start` to `stop` (exclusive)."""
    launch: int
    """Index into the launches of the log."""
    kind: Literal["fresh", "resume", "fall", ""]
    """`fall`: the steps fell back inside a launch; empty: the log does not tell."""
    opening: int
    """Step of the first row."""
    top: int
    """Highest step."""
    restart: int
    """First step trained here: what earlier stretches of the run say from it on is superseded."""
    run: str = ""
    """Name of the run, where the log holds several."""


@dataclass(slots=True)
class Draft:
    """The stretches of one run, and every log that belongs to it, with step lines or without."""

    stretches: list[Stretch] = field(default_factory=list)
    logs: list[int] = field(default_factory=list)
    top: int = -1
    """Highest step so far."""

    @property
    def run(self) -> str:
        """Name of the run, where its log holds several."""
        return self.stretches[0].run if self.stretches else ""

    def add(self, stretch: Stretch) -> None:
        if not stretch.kind and stretch.restart >= self.top:
            # A log that only goes on: a second line of the last step completes the first.
            stretch = stretch._replace(restart=NEVER)
        self.stretches.append(stretch)
        self.top = max(self.top, stretch.top)

    def restarts(self) -> IntArray:
        """Per stretch, the first step that a later one trained again, `NEVER` when none did."""
        later = np.array([stretch.restart for stretch in self.stretches[1:]] + [NEVER], np.int64)
        return np.minimum.accumulate(later[::-1])[::-1][: len(self.stretches)]


def split_runs(logs: Sequence[LogData]) -> list[Draft]:
    """At least one draft. A log without step lines goes with the next that has some, else with the last."""
    drafts = [Draft()]
    waiting: list[int] = []
    for at, log in enumerate(logs):
        waiting.append(at)
        for stretch in stretches(at, log):
            if drafts[-1].stretches and _starts_run(stretch, drafts[-1]):
                drafts.append(Draft())
            draft = drafts[-1]
            draft.add(stretch)
            draft.logs.extend(waiting or ([] if at in draft.logs else [at]))
            waiting = []
    drafts[-1].logs.extend(waiting)
    return drafts


def stretches(at: int, log: LogData) -> Iterator[Stretch]:
    """Stretches of one log in file order; `at` is its place among the logs of the experiment."""
    lines = log.lines()
    count = lines.step.size
    if not count:
        return
    starts = [0, *(np.flatnonzero(np.diff(lines.launch)) + 1).tolist(), count]
    for start, stop in pairwise(starts):
        launch = _launch(log.facts, int(lines.launch[start]))
        falls = _falls(log, lines.step, start, stop)
        for first, end in zip([start, *falls], [*falls, stop], strict=True):
            fell = first != start
            steps = lines.step[first:end]
            yield Stretch(
                log=at,
                start=first,
                stop=end,
                launch=int(lines.launch[first]),
                kind="fall" if fell else launch.kind if launch else "",
                opening=int(steps[0]),
                top=int(steps.max()),
                restart=_restart(log, steps, first, None if fell else launch),
                run=launch.run if launch else "",
            )


def _launch(facts: LogFacts, launch: int) -> Launch | None:
    return facts.launches[launch] if 0 <= launch < len(facts.launches) else None


def _starts_run(stretch: Stretch, before: Draft) -> bool:
    """Training that begins at step 0 or 1 was not resumed: no checkpoint stands before step 1."""
    if stretch.run != before.run:
        return True
    if stretch.opening > 1 or stretch.kind == "resume":
        return False
    return stretch.kind == "fresh" or stretch.opening < before.top


def _restart(log: LogData, steps: IntArray, first: int, launch: Launch | None) -> int:
    """First step trained. A line of validation alone may repeat the checkpoint's step before it."""
    resumed = launch is not None and launch.kind == "resume"
    if launch and resumed and launch.resumed_from is not None:
        lowest = int(steps.min())
        return launch.resumed_from + 1 if lowest >= launch.resumed_from else lowest
    trained = np.flatnonzero(_training_rows(log, first, first + steps.size, at_least=1))
    if trained.size:
        return int(steps[trained[0]])
    return int(steps[0]) + 1 if resumed else NEVER


def _training_rows(log: LogData, start: int, stop: int, at_least: int) -> BoolArray:
    """Which rows carry a training key. Stops reading columns when the first `at_least` rows all do."""
    trained = np.zeros(stop - start, np.bool_)
    for key in log.keys:
        if trained[:at_least].all():
            break
        if not key.startswith(NOT_TRAINING):
            rows = log.column(key).rows
            low, high = np.searchsorted(rows, (start, stop))
            trained[rows[low:high] - start] = True
    return trained


def _falls(log: LogData, step: IntArray, start: int, stop: int) -> list[int]:
    """Rows inside one launch at which the training went back to an earlier step."""
    steps = step[start:stop]
    if np.all(steps[1:] >= np.maximum.accumulate(steps)[:-1]):
        return []
    trained = _training_rows(log, start, stop, at_least=stop - start).tolist()
    again = _logged_later(log, step, start, stop).tolist()
    values = steps.tolist()
    falls: list[int] = []
    peak, opened = -1, 0
    for row in (row for row, trains in enumerate(trained) if trains):
        if again[row] and values[row] < peak:
            first = row
            # Validation just before the training that went back belongs to the new stretch.
            while first - 1 > opened and not trained[first - 1] and values[first - 1] <= values[row]:
                first -= 1
            falls.append(start + first)
            peak, opened = -1, row
        peak = max(peak, values[row])
    return falls


def _logged_later(log: LogData, step: IntArray, start: int, stop: int) -> BoolArray:
    """Which rows hold a key that stood at a later step before. Keys may count apart: rollouts and updates."""
    later = np.zeros(stop - start, np.bool_)
    for key in log.keys:
        if not key.startswith(NOT_TRAINING):
            rows = log.column(key).rows
            low, high = np.searchsorted(rows, (start, stop))
            rows = rows[low:high]
            steps = step[rows]
            later[rows[1:][steps[1:] < np.maximum.accumulate(steps)[:-1]] - start] = True
    return later
