"""Runs without a log: every column is made when it is asked for and forgotten again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from data_loaders.schema import LogFacts, Run, Segment, SegmentPolicy, Series

FACTS = LogFacts("verl_console", "rl", 0, 0, 1)


@dataclass(frozen=True)
class LazyRun:
    """Implements `RunData`: `steps` values of full precision for each of `metrics` keys."""

    name: str
    steps: int
    metrics: int

    @property
    def run(self) -> Run:
        return Run(
            id=self.name,
            label="",
            track="other",
            algorithm="unknown",
            logs=("run.log",),
            segments=(Segment(0, 0, 1, self.steps, 1),),
            keys=tuple(f"actor/metric_{nth:02d}" for nth in range(self.metrics)),
            first=1,
            last=self.steps,
            facts=(FACTS,),
        )

    def series(self, key: str, policy: SegmentPolicy = "last") -> Series | None:  # noqa: ARG002
        """A random walk of its own per key."""
        walk = np.random.default_rng(crc32(f"{self.name} {key}".encode())).normal(size=self.steps).cumsum()
        nothing = np.zeros(self.steps, np.bool_)
        step = np.arange(1, self.steps + 1)
        return Series(step, walk, np.zeros(self.steps, np.int64), nothing, nothing)


def lazy_runs(runs: int, steps: int, metrics: int) -> Iterator[LazyRun]:
    """Runs of equal size."""
    return (LazyRun(f"run_{nth:03d}", steps, metrics) for nth in range(runs))
