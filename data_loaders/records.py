"""Several records of one training, such as its console log and the JSONL beside it, as one run.

The record that tells of starts and resumes is the run; the others complete it where it has no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from data_loaders.columns import LogData
from data_loaders.formats import LOADERS

if TYPE_CHECKING:
    from data_loaders.runs import RunView

COMPARED_KEYS = 8
"""Shared keys that are looked at to tell whether two records are of one training."""
ALIKE = 0.5
"""Share of equal values from which on they are: a resume may have trained some steps again."""
CLOSE = 1e-3
ROUNDED = 6e-4
"""Relative and absolute difference that printing explains: three decimals, floats of 32 bits."""


def by_format(logs: Sequence[LogData]) -> list[list[LogData]]:
    """Logs of one experiment, a list per format: first the one to build runs on, then those that complete it.

    Files of no known format go with the console logs, as they are read like them.
    """
    order = {loader.name: place for place, loader in enumerate(LOADERS)}
    groups: dict[int, list[LogData]] = {}
    for log in logs:
        groups.setdefault(order.get(log.facts.format, 0), []).append(log)

    def rank(place: int) -> tuple[bool, int]:
        return not any(log.lines().step.size for log in groups[place]), place

    return [groups[place] for place in sorted(groups, key=rank)]


def completed(runs: Sequence[RunView], records: Iterable[RunView]) -> list[RunView]:
    """Runs completed by records of the same training; a record of another training is a run of its own."""
    found = list(runs)
    for record in records:
        if _named(record):
            found.append(record)
            continue
        at = next((at for at in reversed(range(len(runs))) if agree(found[at], record)), None)
        if at is not None:
            found[at] = _completed(found[at], record)
        else:
            first = runs[0].run.id
            found.append(replace(record, run=replace(record.run, id=f"{first}#{len(found) + 1}")))
    return found


def _named(record: RunView) -> bool:
    """Whether its file holds several runs, of which this is one."""
    return any(launch.run for facts in record.run.facts for launch in facts.launches)


def agree(view: RunView, record: RunView) -> bool:
    """Whether two records may be of one training: of the values both have, most are equal as printed."""
    shared = sorted(set(view.run.keys) & set(record.run.keys))[:COMPARED_KEYS]
    same = both = 0
    for key in shared:
        one, other = view.series(key), record.series(key)
        if one is None or other is None:
            continue
        _, left, right = np.intersect1d(one.step, other.step, assume_unique=True, return_indices=True)
        a, b = one.value[left], other.value[right]
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= CLOSE * np.abs(a) + ROUNDED
        same += int((near | (np.isnan(a) & np.isnan(b))).sum())
        both += a.size
    return not both or same >= ALIKE * both


def _completed(view: RunView, record: RunView) -> RunView:
    """The run with the record's files in front, so that its own newest log stays the last."""
    run, more = view.run, record.run
    ends = [step for step in (run.first, run.last, more.first, more.last) if step is not None]
    names = dict.fromkeys(more.keys, Path(more.logs[-1]).name)
    joined = replace(
        run,
        logs=(*more.logs, *run.logs),
        facts=(*more.facts, *run.facts),
        segments=tuple(replace(part, log=part.log + len(more.logs)) for part in run.segments),
        keys=tuple(sorted({*run.keys, *more.keys})),
        first=min(ends, default=None),
        last=max(ends, default=None),
        completed_by={**names, **run.completed_by},
    )
    return replace(view, run=joined, records=(*view.records, record))
