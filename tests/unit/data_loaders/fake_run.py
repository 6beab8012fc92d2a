"""A run held in memory, written down as the cells of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data_loaders.schema import LogFacts, Run, Segment, SegmentPolicy, Series

Cells = Mapping[int, float] | Iterable[float]
"""Step → value, or the values of steps 1, 2, …"""


def facts(**changes: Any) -> LogFacts:
    known: dict[str, Any] = {"format": "verl_console", "kind": "rl", "bytes": 0, "physical_lines": 0}
    return LogFacts(**(known | {"step_lines": 1} | changes))


@dataclass
class FakeRun:
    """Implements `RunData`. `resumed`: cells of a second segment, superseding from its first step."""

    columns: Mapping[str, Cells]
    config: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    logs: tuple[LogFacts, ...] = (facts(),)
    resumed: Mapping[str, Cells] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.segments = [{key: _cells(cells) for key, cells in self.columns.items()}]
        if self.resumed:
            self.segments.append({key: _cells(cells) for key, cells in self.resumed.items()})

    @property
    def restart(self) -> int | None:
        later = [step for column in self.segments[1:] for cells in column.values() for step in cells]
        return min(later, default=None)

    @property
    def run(self) -> Run:
        steps = sorted({step for column in self.segments for cells in column.values() for step in cells})
        spans = [[step for cells in column.values() for step in cells] for column in self.segments]
        return Run(
            id="run",
            label="",
            track="other",
            algorithm="unknown",
            logs=("run.log",) * len(self.logs),
            segments=tuple(Segment(0, at, min(span), max(span), 1) for at, span in enumerate(spans) if span),
            keys=tuple(sorted({key for column in self.segments for key in column})),
            first=steps[0] if steps else None,
            last=steps[-1] if steps else None,
            facts=self.logs,
            config=self.config,
            options=self.options,
        )

    def series(self, key: str, policy: SegmentPolicy = "last") -> Series | None:
        rows = [
            (step, segment, value, segment == 0 and self.restart is not None and step >= self.restart)
            for segment, column in enumerate(self.segments)
            for step, value in column.get(key, {}).items()
        ]
        if policy == "last":
            rows = [row for row in rows if not row[3]]
        if policy == "first":
            rows = list({row[0]: row for row in reversed(rows)}.values())
        if not rows:
            return None
        step, segment, value, superseded = zip(*sorted(rows), strict=True)
        return Series(
            np.array(step, np.int64),
            np.array(value, np.float64),
            np.array(segment, np.int64),
            np.array(superseded, np.bool_),
            np.zeros(len(rows), np.bool_),
        )


def _cells(cells: Cells) -> dict[int, float]:
    return dict(cells) if isinstance(cells, Mapping) else dict(enumerate(cells, start=1))
