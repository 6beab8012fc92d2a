"""What the page of an episode shows, already computed: records in, layout out.

Values are in the metric's own unit (`metrics.METRICS`); charts say how they are scaled. NaN and inf stand as
logged, None means that there is no such value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from components.figures import Chart
from components.view import Bilingual, RunInfo, Sentence, Span
from data_loaders.derive.health import Event
from data_loaders.raw_log import RawExcerpt
from data_loaders.rollout_samples import StepSamples
from data_loaders.schema import Note


@dataclass(frozen=True, slots=True)
class MovedMetric:
    """One excursion of one metric."""

    chart: Chart
    key: str
    """Logged key the values come from."""
    event: Event
    difference: bool
    """Judged by its difference to the baseline, not by a ratio."""
    curve: tuple[float, ...] = ()
    """Values over the window of the charts, for the sparkline; NaN where nothing was logged."""
    band: tuple[float, float] = (0.0, 1.0)
    """Where the excursion lies in the sparkline, as shares of its width."""


class Cell(NamedTuple):
    """A value of the step table."""

    value: float | None
    ratio: float | None
    """To the baseline; None for metrics judged by difference."""
    outside: bool
    """Outside the baseline by the detector's own rule."""
    peak: bool


class StepRow(NamedTuple):
    """A step of the table. Steps the run never logged have cells without value."""

    step: int
    inside: bool
    """In the episode, not in the steps of context around it."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class StepTable:
    """Steps × metrics."""

    charts: tuple[Chart, ...]
    rows: tuple[StepRow, ...]
    hidden: tuple[Span, ...] = ()
    """Stretches of steps left out of a long episode."""
    absent: tuple[tuple[Chart, Sentence], ...] = ()
    """Metrics without a column, and why."""
    derived: tuple[tuple[Chart, Note], ...] = ()
    """Columns that are not as logged, and how they were computed."""


@dataclass(frozen=True, slots=True)
class OtherRun:
    """The same steps in another run of the track."""

    info: RunInfo
    state: Literal["inside", "left", "none"]
    text: Sentence
    data: Sentence
    """Whether both runs take the same prompts at a step."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A quantity before and after the episode, as text."""

    name: Sentence
    before: str
    after: str
    unit: Bilingual = ("", "")


class Piece(NamedTuple):
    """Part of a raw line; `moved` marks the value of a metric that left its baseline."""

    text: str
    moved: bool = False


@dataclass(frozen=True, slots=True)
class RawPart:
    """A raw line as items worth seeing; a warning is one piece."""

    line: int
    step: int | None
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """The page of an episode, or of a range of steps a user chose."""

    id: str
    info: RunInfo
    track_title: Bilingual
    model: str
    span: Span
    peak: int | None
    """Step of the largest excursion; None when nothing left its baseline."""
    detected: bool
    severity: int
    moved: tuple[MovedMetric, ...]
    window: int
    """Points in the window of the running median."""
    facts: tuple[tuple[Sentence, Sentence], ...]
    """Name and value."""
    sentences: tuple[Sentence, ...]
    charts: tuple[Chart, ...]
    captions: Mapping[str, Sentence]
    """Chart name → what to see in it; charts without entry keep their own caption."""
    table: StepTable
    others: tuple[OtherRun, ...]
    followed: tuple[Followed, ...]
    raw: tuple[tuple[RawExcerpt, tuple[RawPart, ...]], ...]
    """Whole lines of the table's steps, and the ones around the peak in parts; per log."""
    samples: tuple[tuple[str, StepSamples], ...] = ()
    """Message key of the kind, and the answers of one step."""
    index: int = 0
    """Place among the run's episodes, from 1; 0 for a range a user chose."""
    count: int = 0
    previous: str = ""
    next: str = ""
    """Ids of the neighbouring episodes of the run."""
    csv: str = ""
    """Address of the step table as CSV, relative to the page."""
