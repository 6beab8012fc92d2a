"""What the drawer of a run shows, already computed: records in, layout out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from components.view import RunInfo, Sentence, Span
from data_loaders.metrics import Metric
from data_loaders.raw_log import RawExcerpt
from data_loaders.schema import Note

Kind = Literal["", "name", "path", "secret"]


class Setting(NamedTuple):
    """A value of a configuration as text; secrets are masked."""

    text: str
    kind: Kind = ""
    cut: int = 0
    """Characters that are not in `text`."""


class PartView(NamedTuple):
    """A piece of an algorithm and whether it is on."""

    name: Sentence
    state: str
    """Message key `part_state.<state>`."""


@dataclass(frozen=True, slots=True)
class DetectionView:
    """What the run trains with, and how that is known."""

    name: str
    variant: Sentence | None
    confidence: str
    """Message key `confidence.<confidence>`."""
    estimator: str = ""
    parts: tuple[PartView, ...] = ()
    remarks: tuple[Sentence, ...] = ()
    warnings: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfigView:
    """The configuration of one run."""

    source: Sentence
    detection: DetectionView
    settings: tuple[tuple[str, Setting], ...] = ()
    """Dotted path and value, in order of paths."""

    @property
    def secrets(self) -> int:
        return sum(setting.kind == "secret" for _, setting in self.settings)


class Difference(NamedTuple):
    """A path that is not equal in all runs: a value per run, or a message key `value.*` for none."""

    path: str
    cells: tuple[Setting | Literal["value.absent", "value.unstated"], ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class DifferencesView:
    """The settings in which runs differ."""

    runs: tuple[RunInfo, ...]
    rows: tuple[Difference, ...]
    same: int = 0
    """Settings that are equal."""
    without: tuple[RunInfo, ...] = ()
    """Runs without config."""
    partial: tuple[RunInfo, ...] = ()
    """Runs of which only the command line is known."""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A logged key of one run."""

    key: str
    metric: Metric | None
    """What the key means as logged; None for a key of one's own."""
    family: str
    """Message key of what keys with this prefix are; empty when nothing is known."""
    sources: tuple[Metric, ...]
    """Metrics that are computed from it."""
    last: float | None
    last_step: int | None
    count: int
    """Values in the logs, superseded ones included."""
    seen: int
    """Training steps that stand and have a value."""
    not_finite: Note | None = None
    decimals: int | None = None
    """Decimals a log of an old verl has printed it with; None where it has every digit."""


@dataclass(frozen=True, slots=True)
class MetricsView:
    """Every logged key of a run, by prefix."""

    steps: int
    groups: tuple[tuple[str, tuple[MetricRow, ...]], ...] = ()

    @property
    def count(self) -> int:
        return sum(len(rows) for _, rows in self.groups)


class Tail(NamedTuple):
    """The last lines of a log; None when it cannot be read."""

    path: Path
    lines: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class RawView:
    """The logs of a run as text."""

    chosen: Span | None
    """Step range in force; None: the last steps."""
    steps: int
    """Steps whose lines are shown."""
    excerpts: tuple[RawExcerpt, ...] = ()
    tails: tuple[Tail, ...] = ()
