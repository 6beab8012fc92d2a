"""What was read from each file of a run, and what was not: the long form of the reading report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from data_loaders.columns import LogData
from data_loaders.runs import Part, RunView, all_parts, gaps
from data_loaders.schema import BoolArray, IntArray, LogFacts

Steps = tuple[tuple[int, int], ...]
"""Inclusive ranges."""


class Names(NamedTuple):
    """Keys that stand on the same part of a file's steps."""

    keys: tuple[str, ...]
    seen: int
    """Steps that have them."""
    absent: int
    """Steps of the file that do not."""
    on: Steps
    """The steps that have them; empty where `not_on` is shorter."""
    not_on: Steps


class FileReading(NamedTuple):
    """One file. Steps are those of this run alone: a file may hold several runs."""

    path: str
    facts: LogFacts
    steps: int
    keys: int
    values: int
    """Cells, those that a later line replaced included."""
    duplicates: Steps
    """Steps on more than one line."""
    missing: Steps
    """Steps absent between the first and the last; not what a log of every tenth step leaves out."""
    partial: tuple[Names, ...]
    """Fewest steps first."""


def file_readings(view: RunView) -> tuple[FileReading, ...]:
    """The files of a run, in their order. Reads every column of every file."""
    parts: dict[str, list[Part]] = defaultdict(list)
    for part in all_parts(view):
        parts[str(part.log.path)].append(part)
    facts = dict(zip(view.run.logs, view.run.facts, strict=True))
    return tuple(_reading(path, facts[path], parts[path]) for path in view.run.logs)


def _reading(path: str, facts: LogFacts, parts: Sequence[Part]) -> FileReading:
    if not parts:
        return FileReading(path, facts, 0, 0, 0, (), (), ())
    log = parts[0].log
    step, own = _rows(log, parts)
    steps, times = np.unique(step[own], return_counts=True)
    cells = {key: rows[own[rows]] for key in log.keys if (rows := log.column(key).rows).size}
    logged = {key: rows for key, rows in cells.items() if rows.size}
    return FileReading(
        path=path,
        facts=facts,
        steps=steps.size,
        keys=len(logged),
        values=sum(rows.size for rows in logged.values()),
        duplicates=ranges(steps[times > 1]),
        missing=gaps(steps),
        partial=tuple(_partial({key: np.unique(step[rows]) for key, rows in logged.items()}, steps)),
    )


def _rows(log: LogData, parts: Sequence[Part]) -> tuple[IntArray, BoolArray]:
    """Step of every row of a log, and which rows are the run's (n,)."""
    step = log.lines().step
    own = np.zeros(step.size, np.bool_)
    for part in parts:
        own[part.start : part.stop] = True
    return step, own


def _partial(seen: dict[str, IntArray], steps: IntArray) -> Iterator[Names]:
    """Keys that lack steps, those with the same steps together."""
    alike: dict[bytes, list[str]] = defaultdict(list)
    for key, on in seen.items():
        if on.size < steps.size:
            alike[on.tobytes()].append(key)
    for keys in sorted(alike.values(), key=lambda keys: (seen[keys[0]].size, keys)):
        on = seen[keys[0]]
        off = np.setdiff1d(steps, on)
        few = on.size <= off.size
        yield Names(
            tuple(keys), on.size, off.size, ranges(on) if few else (), () if few else ranges(off)
        )


def ranges(steps: IntArray) -> Steps:
    """Ascending steps as inclusive ranges of consecutive ones."""
    if not steps.size:
        return ()
    parts = np.split(steps, np.flatnonzero(np.diff(steps) > 1) + 1)
    return tuple((int(part[0]), int(part[-1])) for part in parts)
