"""What the pages show, already computed: records in, layout out.

Whoever fills these has read the logs; the components only lay out and format. Rates are fractions of 1,
lengths are tokens, entropy is in nats, times are hours, and NaN or inf stand as logged. None means that there
is no such value, which is shown as a dash. Sentences are `Note`s (message key and values, texts in
`components.text`) or, when they come from board.toml or the catalogue, ready pairs (Chinese, English).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from components.report_view import FileReport
from components.view_remarks import Agreement, RuleNote, Statement
from data_loaders.annotations import Annotation
from data_loaders.derive.episodes import Episode
from data_loaders.derive.statistics import Mean
from data_loaders.schema import Note, RunData, SegmentPolicy

Bilingual = tuple[str, str]
SHORT = 12
"""Characters of a run's id that stand where there is little room."""
Sentence = Note | Bilingual
XKind = Literal["step", "tokens", "hours"]
Units = Literal["token", "logged"]
Span = tuple[int, int]
"""First and last step, both included."""


def short(run_id: str) -> str:
    """The end of a long id."""
    return run_id if len(run_id) <= SHORT + 2 else f"…{run_id[-SHORT:]}"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """How a run is named and drawn everywhere. Made by `style.run_info`."""

    key: str
    """`r` and five hex digits; part of element ids and trace uids."""
    id: str
    label: str
    """`E3`, or empty."""
    name: str
    """Of the algorithm."""
    slot: int
    """Hue 1 to 5."""
    dash: int
    """0 solid, 1 dashed, 2 dotted."""
    track: str
    algorithm: str = "unknown"
    twin: str = ""
    """What tells it from another run of its label on the same track; empty when there is none."""

    @property
    def title(self) -> str:
        """What the run is called: its label, else its id."""
        return f"{self.label} {self.twin}".strip() or self.id

    @property
    def mark(self) -> str:
        """What the run is called where there is little room: of an id the end, as ids begin alike."""
        return f"{self.label} {self.twin}".strip() or short(self.id)


@dataclass(frozen=True, slots=True)
class ChartRun:
    """One run as the chart builders take it; everything they draw is read from `data`."""

    info: RunInfo
    data: RunData
    episodes: tuple[Episode, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    """Notes of people on its steps."""


SlopeForm = Literal["tokens", "points", "percent", "hours"]


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """One question asked of one track: a value per label, and the order of all that are not `unranked`."""

    name: str
    """Message keys `slope.<name>.title`, `.unit`."""
    track: Bilingual
    form: SlopeForm
    values: Mapping[str, float]
    order: str
    unranked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Slope:
    """One question asked of two tracks: per experiment a value on the left and one on the right."""

    name: str
    """Message keys `slope.<name>.title`, `.unit`."""
    values: tuple[tuple[RunInfo, float, float], ...]
    """A run of the left track, its value and that of its counterpart on the right, in the chart's unit."""
    form: SlopeForm
    finding: Sentence
    zero: float | None = None
    """Reference line."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What of the browser's state changes figures."""

    smooth: str = "auto"
    """`auto` or a kind of `derive.smooth.SMOOTHERS`."""
    units: Units = "token"
    policy: SegmentPolicy = "last"
    x: XKind = "step"
    pins: tuple[str, ...] = ()
    """Canonical or logged names of metrics put on the page."""
    span: Span | None = None
    """Steps that are looked at closely; None: all."""
    only: frozenset[str] | None = None
    """Ids of the charts asked for; None: all."""
    room: int | None = None
    """Characters of arrays after which charts of one run are left for later; None: no limit."""
    whole: bool = False
    """Whether every point of a chart is asked for, before someone looks at it closely."""
    lines: int = 1
    """Lines that share the points of a chart."""


# ---- numbers in tables ----


@dataclass(frozen=True, slots=True)
class Count:
    """k right of n items at a step; components add the interval."""

    k: int
    n: int
    step: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A value at the start and at the end of a run."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the status table and in the table of all runs."""

    info: RunInfo
    state: str
    """Status id; message key `state.<id>`."""
    last: int | None = None
    planned: int | None = None
    why: Sentence | None = None
    """What there is to say instead of numbers, or about a state that is not good."""
    pass_rate: tuple[float, ...] = ()
    """Smoothed, for the sparkline; NaN breaks the line."""
    length: tuple[float, ...] = ()
    entropy: tuple[float, ...] = ()
    part: tuple[float, float] = (0.0, 1.0)
    """Where the curves begin and end within the planned steps, as shares."""
    first5: Mean | None = None
    last10: Mean | None = None
    lower_bound: bool = False
    """Whether the pass rates are lower bounds."""
    validation: Count | None = None
    accuracy: tuple[float, int] | None = None
    """Last validation as a share, and its step: right items are not always known."""
    best: Count | None = None
    next_validation: int | None = None
    """Step of the first validation, when none was reached yet."""
    hours: float | None = None
    length_pair: Pair | None = None
    entropy_pair: Pair | None = None
    grad_median: float | None = None
    grad_peak: float | None = None
    episodes: tuple[Episode, ...] = ()


# ---- pages ----


@dataclass(frozen=True, slots=True)
class Finding:
    """The headline: clauses are kept whole when the line breaks, the body follows in plain sentences."""

    clauses: tuple[Sentence, ...]
    body: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A log of an experiment."""

    name: str
    coverage: tuple[Span, ...] = ()
    """Stretches of steps it holds; empty when it holds none."""
    notes: tuple[Sentence, ...] = ()
    """Why it holds no step, cut lines, missing steps."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Things that a run does not show, and the one reason."""

    titles: tuple[str, ...]
    """Message keys."""
    why: Sentence


@dataclass(frozen=True, slots=True)
class ExperimentView:
    """A run's own section. With `empty` set, its charts are replaced by that reason."""

    info: RunInfo
    character: Sentence | None = None
    """One line beside the name."""
    paragraphs: tuple[Sentence, ...] = ()
    markdown: Bilingual | None = None
    """Notes of board.toml."""
    sources: tuple[SourceFile, ...] = ()
    config_from: Sentence | None = None
    metric_count: int = 0
    episodes: tuple[Episode, ...] = ()
    empty: Sentence | None = None
    state: str = ""
    charts: tuple[str, ...] | None = None
    """Names of its charts that have something to draw or a reason of their own; None: those of every run."""
    absent: tuple[Absent, ...] = ()
    """Charts without a place, by the reason they share."""
    full: tuple[str, ...] = ()
    """Names of the charts of its full version."""
    without: tuple[Absent, ...] = ()
    """Sections of the full version that its log does not hold."""
    row: RunRow | None = None
    """Of a run in progress."""
    progress: Sentence | None = None
    """How far it is, how long it took, what comes next."""
    rules: tuple[RuleNote, ...] = ()
    """Health rules that fired."""
    rules_tested: int = 0


@dataclass(frozen=True, slots=True)
class TrackView:
    """A track page."""

    id: str
    heading: Bilingual
    model: str = ""
    facts: tuple[Sentence, ...] = ()
    """Hardware, mode, cap, batch, seeds."""
    log_count: int = 0
    finding: Finding | None = None
    rows: tuple[RunRow, ...] = ()
    steps: Span | None = None
    window: Span | None = None
    window_notes: tuple[Sentence, ...] = ()
    experiments: tuple[ExperimentView, ...] = ()
    notes: Bilingual | None = None
    """Markdown of board.toml."""
    stepless: tuple[SourceFile, ...] = ()
    """Files that gave no step and belong to no run, with their reason."""
    validation_title: str = ""
    unmeasured: str = ""
    """Data set of the validation that board.toml names and no run has logged."""
    validation_key: str = ""
    """Its key."""
    charts: tuple[str, ...] | None = None
    """Names of its comparison charts; None: those of every track."""
    accepts: tuple[str, ...] = ()
    """Words by which a run is recognised as one of this track."""
    statements: tuple[Statement, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    """What runs of one model say at their first step."""


@dataclass(frozen=True, slots=True)
class Attention:
    """A line of the attention list. `action` is a message key; `episode` or `tab` is where it leads."""

    kind: Literal["live", "metrics", "metric", "config", "late", "stalled", "crashed"]
    runs: tuple[RunInfo, ...]
    where: Bilingual
    """Names of the tracks."""
    text: Sentence
    action: str = "action.inspect"
    tab: str = ""
    episode: str = ""
    count: int = 0
    """Metrics that moved."""


@dataclass(frozen=True, slots=True)
class TrackGroup:
    """The rows of one track in the table of all runs."""

    id: str
    title: Bilingual
    facts: tuple[Sentence, ...]
    rows: tuple[RunRow, ...]


@dataclass(frozen=True, slots=True)
class OverviewView:
    """The overview page."""

    facts: tuple[Sentence, ...]
    attention: tuple[Attention, ...] = ()
    findings: tuple[Finding, ...] = ()
    statements: tuple[tuple[Bilingual, tuple[Statement, ...]], ...] = ()
    """By track."""
    groups: tuple[TrackGroup, ...] = ()
    slopes: tuple[Slope, ...] = ()
    slope_tracks: tuple[Bilingual, Bilingual] | None = None
    scale: tuple[ScaleRow, ...] = ()


@dataclass(frozen=True, slots=True)
class AlgorithmRow:
    """An algorithm and its runs. Texts by id: `algorithm.<id>.…`; formula: `formulas.FORMULAS`."""

    info: RunInfo
    """Of the experiment that stands for it; only mark, name and colour are used."""
    cells: Mapping[str, Sentence] = field(default_factory=dict)
    """Row of the comparison table → what the resolved config says; see `algorithms_page.COMPARED`."""
    tracks: tuple[tuple[str, Bilingual, RunInfo | None, Sentence | None], ...] = ()
    """Track id, its name, the run there, or the reason why it cannot be drawn."""
    cautions: tuple[Sentence, ...] = ()
    """What these runs' configs and logs add, such as dynamic sampling that never ran."""


@dataclass(frozen=True, slots=True)
class AlgorithmsView:
    """The algorithms page."""

    rows: tuple[AlgorithmRow, ...] = ()
    others: tuple[RunInfo, ...] = ()
    """Further estimators and losses verl knows; texts `algorithm.<id>.short`."""


# ---- shell ----


@dataclass(frozen=True, slots=True)
class TabView:
    """A tab as the header shows it."""

    id: str
    title: Bilingual
    live: int = 0


@dataclass(frozen=True, slots=True)
class Chip:
    """A toggle of the filter bar: a label, or the id of a run that has none."""

    value: str
    info: RunInfo
    state: str = ""
    """Shown when it is not an ordinary one: `live`, `crashed`, …"""


@dataclass(frozen=True, slots=True)
class Banner:
    """A line above the header."""

    noun: Sentence
    text: Sentence
    link: tuple[str, Sentence] | None = None
    """Value of `data-act`, and words."""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class ShellView:
    """Everything around the page."""

    title: Bilingual
    tabs: tuple[TabView, ...]
    active: str
    lang: str = "zh-CN"
    clock: str = ""
    """`14:32:08`, empty before the first reading."""
    live: bool = False
    banners: tuple[Banner, ...] = ()
    chips: tuple[Chip, ...] = ()
    reports: tuple[FileReport, ...] = ()
    version: str = ""
