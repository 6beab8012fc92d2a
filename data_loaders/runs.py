"""Logs of one experiment → runs: its segments, its joined columns, and what a resume superseded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from data_loaders.columns import LogData, MemoryLog
from data_loaders.read import LoadedLog
from data_loaders.records import by_format, completed
from data_loaders.restarts import Draft, Stretch, split_runs
from data_loaders.scan import Experiment
from data_loaders.scan.grouping import printable_id
from data_loaders.schema import (
    BoolArray,
    IntArray,
    Recovered,
    Run,
    Segment,
    SegmentPolicy,
    Series,
)


class RawLine(NamedTuple):
    """Where a step line stands. Offset and length are bytes in the decompressed log."""

    path: Path
    offset: int
    length: int
    line: int


class Part(NamedTuple):
    """Rows `start` to `stop` of a log; `shift` turns a row of the log into a row of the run."""

    log: LogData
    start: int
    stop: int
    shift: int


@dataclass(frozen=True, slots=True)
class RunView:
    """A run and its columns, read singly (implements `schema.RunData`).

    A row of the run is one of its step lines, in file order.
    """

    run: Run
    parts: tuple[Part, ...]
    """One per segment."""
    step: IntArray
    segment: IntArray
    superseded: BoolArray
    recovered: Mapping[str, Series]
    """Per key, the recovered cells that may stand in for logged ones."""
    records: tuple[RunView, ...] = ()
    """Other records of the same training, the first before the second; see `data_loaders.records`."""

    def series(self, key: str, policy: SegmentPolicy = "last") -> Series | None:
        """Cells of a key, logged or recovered; None when the run has none."""
        cells = self._logged(key)
        if key in self.recovered:
            cells = _filled(cells, self.recovered[key])
        for record in self.records:
            if (beside := record.series(key)) is not None:
                cells = _filled(cells, self._beside(beside))
        return _chosen(cells, policy) if cells.step.size else None

    def _beside(self, cells: Series) -> Series:
        """Cells of another record, in the segments that stand at their steps."""
        standing = np.flatnonzero(~self.superseded)
        standing = standing[np.argsort(self.step[standing], kind="stable")]
        segment = np.zeros(cells.step.size, np.int64)
        if standing.size:
            at = np.searchsorted(self.step[standing], cells.step, side="right") - 1
            segment = self.segment[standing[np.maximum(at, 0)]]
        size = cells.step.size
        return Series(cells.step, cells.value, segment, np.zeros(size, np.bool_), np.ones(size, np.bool_))

    def steps(self) -> IntArray:
        """Steps that stand in any record of the run, ascending."""
        own = self.step[~self.superseded]
        return np.unique(np.concatenate([own, *(record.steps() for record in self.records)]))

    def _logged(self, key: str) -> Series:
        rows, values = [np.empty(0, np.int64)], [np.empty(0, np.float64)]
        for part in self.parts:
            if key in part.log.keys:
                column = part.log.column(key)
                low, high = np.searchsorted(column.rows, (part.start, part.stop))
                rows.append(column.rows[low:high] + part.shift)
                values.append(column.values[low:high])
        row = np.concatenate(rows)
        return Series(
            step=self.step[row],
            value=np.concatenate(values),
            segment=self.segment[row],
            superseded=self.superseded[row],
            recovered=np.zeros(row.size, np.bool_),
        )


def assemble(
    experiment: Experiment,
    logs: Sequence[LogData | LoadedLog],
    config: Mapping[str, Any] | None = None,
) -> list[RunView]:
    """Runs of an experiment whose logs are given in start order.

    An experiment without a single step line gives one run without steps, so that its logs can be shown.
    """
    first, *others = by_format([_log_data(log) for log in logs]) or [[]]
    runs = _of_one_format(experiment, first, config or {})
    for more in others:
        runs = completed(runs, _of_one_format(experiment, more, config or {}))
    return runs


def _of_one_format(
    experiment: Experiment, logs: Sequence[LogData], config: Mapping[str, Any]
) -> list[RunView]:
    drafts = split_runs(logs)
    recovered = _recovered_cells(logs, drafts)
    return [
        _view(experiment, logs, draft, number, recovered[number], config)
        for number, draft in enumerate(drafts)
    ]


def all_parts(view: RunView) -> tuple[Part, ...]:
    """The parts of a run and of the other records of it."""
    return (*view.parts, *(part for record in view.records for part in all_parts(record)))


def raw_lines(view: RunView, step: int) -> list[RawLine]:
    """Every line of a step, in file order, those of superseded segments and of other records too."""
    found = [line for record in view.records for line in raw_lines(record, step)]
    for part in view.parts:
        lines = part.log.lines()
        for row in np.flatnonzero(lines.step[part.start : part.stop] == step) + part.start:
            offset, length, line = (int(a[row]) for a in (lines.offset, lines.length, lines.line))
            found.append(RawLine(part.log.path, offset, length, line))
    return found


def missing_steps(view: RunView) -> tuple[tuple[int, int], ...]:
    """Steps absent between the first and the last of the run, as inclusive ranges."""
    return gaps(view.steps())


def gaps(present: IntArray) -> tuple[tuple[int, int], ...]:
    """Steps absent between the first and the last of some ascending ones, as inclusive ranges.

    A run that logs every tenth step misses none of those between: gaps are wider than most.
    """
    apart, often = np.unique(np.diff(present), return_counts=True)
    wide = np.flatnonzero(np.diff(present) > apart[np.argmax(often)]) if apart.size else apart
    return tuple((int(present[at]) + 1, int(present[at + 1]) - 1) for at in wide)


def duplicate_steps(view: RunView) -> tuple[int, ...]:
    """Steps that stand on more than one line."""
    steps, times = np.unique(view.step, return_counts=True)
    return tuple(steps[times > 1].tolist())


def _log_data(log: LogData | LoadedLog) -> LogData:
    return MemoryLog(log.path, log.facts, log.lines, log.columns) if isinstance(log, LoadedLog) else log


def _view(
    experiment: Experiment,
    logs: Sequence[LogData],
    draft: Draft,
    number: int,
    recovered: Mapping[str, Series],
    config: Mapping[str, Any],
) -> RunView:
    step, segment, superseded = _rows(logs, draft)
    standing = step[~superseded]
    run = Run(
        id=_id(experiment, draft, number),
        label=experiment.label,
        track=experiment.track,
        algorithm=experiment.algorithm,
        logs=tuple(str(logs[at].path) for at in draft.logs),
        segments=tuple(_segment(logs, draft, stretch) for stretch in draft.stretches),
        keys=tuple(sorted(_keys(logs, draft) | recovered.keys())),
        first=int(standing.min()) if standing.size else None,
        last=int(standing.max()) if standing.size else None,
        facts=tuple(logs[at].facts for at in draft.logs),
        config=config,
        options=experiment.options,
    )
    parts, row = [], 0
    for stretch in draft.stretches:
        parts.append(Part(logs[stretch.log], stretch.start, stretch.stop, row - stretch.start))
        row += stretch.stop - stretch.start
    return RunView(run, tuple(parts), step, segment, superseded, recovered)


def _id(experiment: Experiment, draft: Draft, number: int) -> str:
    if draft.run:
        return f"{experiment.id}/{printable_id(draft.run)}"
    return experiment.id if number == 0 else f"{experiment.id}#{number + 1}"


def _rows(logs: Sequence[LogData], draft: Draft) -> tuple[IntArray, IntArray, BoolArray]:
    """Step, segment and superseded of every row of a run."""
    steps = [logs[stretch.log].lines().step[stretch.start : stretch.stop] for stretch in draft.stretches]
    step = np.concatenate([np.empty(0, np.int64), *steps])
    segment = np.repeat(np.arange(len(steps)), np.array([part.size for part in steps], np.int64))
    superseded: BoolArray = step >= draft.restarts()[segment]
    return step, segment, superseded


def _segment(logs: Sequence[LogData], draft: Draft, stretch: Stretch) -> Segment:
    lines = logs[stretch.log].lines()
    steps = lines.step[stretch.start : stretch.stop]
    return Segment(
        log=draft.logs.index(stretch.log),
        launch=stretch.launch,
        first=int(steps.min()),
        last=int(steps.max()),
        line=int(lines.line[stretch.start]),
    )


def _keys(logs: Sequence[LogData], draft: Draft) -> set[str]:
    """Keys with a logged cell in the run. Only a log that holds other runs too needs a look at columns."""
    keys: set[str] = set()
    for at in {stretch.log for stretch in draft.stretches}:
        log = logs[at]
        own = [stretch for stretch in draft.stretches if stretch.log == at]
        if sum(stretch.stop - stretch.start for stretch in own) == log.lines().step.size:
            keys.update(log.keys)
            continue
        start, stop = own[0].start, own[-1].stop
        for key in set(log.keys) - keys:
            low, high = np.searchsorted(log.column(key).rows, (start, stop))
            if low < high:
                keys.add(key)
    return keys


def _recovered_cells(logs: Sequence[LogData], drafts: Sequence[Draft]) -> list[dict[str, Series]]:
    """Per run and key, the cells recovered from its logs."""
    found: list[dict[str, list[tuple[int, Recovered]]]] = [{} for _ in drafts]
    for at, log in enumerate(logs):
        for cell in log.facts.recovered:
            place = _place(log, at, cell.line, drafts)
            if place:
                found[place[0]].setdefault(cell.key, []).append((place[1], cell))
    cells = []
    for draft, by_key in zip(drafts, found, strict=True):
        restarts = draft.restarts()
        cells.append({key: _recovered_series(placed, restarts) for key, placed in by_key.items()})
    return cells


def _place(log: LogData, at: int, line: int, drafts: Sequence[Draft]) -> tuple[int, int] | None:
    """Run and segment of the step line that lost a cell."""
    for number, draft in enumerate(drafts):
        for segment, stretch in enumerate(draft.stretches):
            if stretch.log == at and np.any(log.lines().line[stretch.start : stretch.stop] == line):
                return number, segment
    return None


def _recovered_series(placed: Sequence[tuple[int, Recovered]], restarts: IntArray) -> Series:
    step = np.array([cell.step for _, cell in placed], np.int64)
    segment = np.array([at for at, _ in placed], np.int64)
    value = np.array([cell.value for _, cell in placed], np.float64)
    superseded: BoolArray = step >= restarts[segment]
    return Series(step, value, segment, superseded, np.ones(step.size, np.bool_))


def _filled(logged: Series, recovered: Series) -> Series:
    """Logged cells and the recovered ones that override none, in order of segments."""
    standing = np.isin(recovered.step, logged.step[~logged.superseded]) & ~recovered.superseded
    pairs = set(zip(logged.segment.tolist(), logged.step.tolist(), strict=True))
    same = [pair in pairs for pair in zip(recovered.segment.tolist(), recovered.step.tolist(), strict=True)]
    new = ~(standing | np.array(same, np.bool_))
    joined = _joined(logged, _taken(recovered, new))
    return _taken(joined, np.argsort(joined.segment, kind="stable"))


def _chosen(cells: Series, policy: SegmentPolicy) -> Series:
    """Cells of a policy, sorted by step. A cell that a later one of its step replaced is superseded.

    With `first` it is the later one that does not count, and so none of those given is superseded.
    """
    order = np.argsort(cells.step, kind="stable")
    cells = _taken(cells, order)
    again = np.zeros(cells.step.size, np.bool_)
    again[:-1] = cells.step[1:] == cells.step[:-1]
    # Within a step, in file order, a cell that stands comes after all that do not.
    cells = Series(cells.step, cells.value, cells.segment, cells.superseded | again, cells.recovered)
    if policy == "first":
        first = _taken(cells, ~np.roll(again, 1))
        return Series(
            first.step, first.value, first.segment, np.zeros_like(first.superseded), first.recovered
        )
    return cells if policy == "all" else _taken(cells, ~cells.superseded)


def _taken(cells: Series, which: BoolArray | IntArray) -> Series:
    if which.dtype == np.bool_:
        which = np.flatnonzero(which)  # one pass over the mask instead of one per field
    return Series(
        cells.step[which],
        cells.value[which],
        cells.segment[which],
        cells.superseded[which],
        cells.recovered[which],
    )


def _joined(first: Series, second: Series) -> Series:
    return Series(
        np.concatenate([first.step, second.step]),
        np.concatenate([first.value, second.value]),
        np.concatenate([first.segment, second.segment]),
        np.concatenate([first.superseded, second.superseded]),
        np.concatenate([first.recovered, second.recovered]),
    )
