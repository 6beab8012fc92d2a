"""Records shared by every layer: what a log gave, and how logs join into runs.

Arrays are one-dimensional numpy arrays. Nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

Json = dict[str, Any]
SegmentPolicy = Literal["last", "first", "all"]


@dataclass(frozen=True, slots=True)
class StepLines:
    """One entry per step line, in file order. Offsets are bytes in the decompressed log."""

    step: IntArray
    offset: IntArray
    length: IntArray
    line: IntArray
    """1-based number of the physical line (split at newlines only)."""
    launch: IntArray
    """Index into `LogFacts.launches`."""


@dataclass(frozen=True, slots=True)
class Column:
    """Cells of one logged key, in file order; `rows` index into the log's step lines."""

    rows: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive step lines. `first_row` is the row number of the first; columns use absolute rows."""

    first_row: int
    lines: StepLines
    columns: dict[str, Column]


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of the training program inside a log."""

    line: int
    kind: Literal["fresh", "resume"]
    resumed_from: int | None = None
    """Checkpoint step named by the log, when it names one."""
    run: str = ""
    """Name of the run, where one file holds several."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """An item of a step line that is not `key:number`."""

    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """A value that stands in a validation block or summary file because its step line lost it."""

    step: int
    key: str
    value: float
    source: str
    line: int
    """Line number of that step line."""


@dataclass(frozen=True, slots=True)
class LogFacts:
    """Everything a log says besides its cells. Small, and representable as JSON."""

    format: str
    kind: Literal["rl", "sft", "none"]
    bytes: int
    physical_lines: int
    step_lines: int
    cut_lines: tuple[int, ...] = ()
    """Line numbers of step lines that lost their end."""
    rejected: tuple[Rejected, ...] = ()
    """At most the first 200; `rejected_count` counts all."""
    rejected_count: int = 0
    blocks: tuple[int, ...] = ()
    """Steps whose values stand in a printed validation block alone: their step line never came."""
    launches: tuple[Launch, ...] = ()
    recovered: tuple[Recovered, ...] = ()
    config_text: str = ""
    """The resolved config as logged, prefixes removed, foreign lines still inside; bounded to 256 KB."""
    overrides: tuple[str, ...] = ()
    """`key=value` words of the logged command line, bounded."""
    planned_steps: int | None = None
    """Total training steps announced by the log."""
    end: Literal["", "finished", "stopped", "crashed"] = ""
    end_line: int | None = None
    end_text: str = ""
    """The line that shows how the log ended, as text."""
    clock_start: float | None = None
    """Epoch seconds of the first time stamp in the log, read as UTC, when it has one."""
    clock_end: float | None = None
    no_step_reason: str = ""
    """Message key that says why the log gave no step: `reason.*`; empty when it gave some."""
    damage: str = ""
    """Message key that says why the file was not read to its end: `damage.*`; empty when it was."""
    remarks: tuple[str, ...] = ()
    """Message keys `report.*`: what else a reader of the values has to know of how they were read."""


class LogReader(Protocol):
    """Reads one log from bytes alone. Any chunking of the same bytes gives the same result."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the decompressed log."""

    def drain(self) -> Batch:
        """Rows completed since the last call."""

    def tail(self) -> Batch:
        """Cells that may still change: the unterminated last line, and last items whose cut is undecided."""

    def facts(self) -> LogFacts:
        """What has been read so far, counting `tail()` as read."""

    def state(self) -> Json:
        """JSON from which `Loader.resume` continues at byte `state()["offset"]`, not holding drained rows."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one run between two starts of the program."""

    log: int
    """Index into `Run.logs`."""
    launch: int
    first: int
    last: int
    """First and last step logged in this segment."""
    line: int
    """Line number of its first step line."""


@dataclass(frozen=True, slots=True)
class Run:
    """One training run: one or more logs, joined in start order."""

    id: str
    label: str
    """Experiment label such as `E3`; empty when nothing names one."""
    track: str
    """Id of a track in `catalog.TRACKS` or board.toml; `other` when none fits."""
    algorithm: str
    """Id of an entry in `catalog.ALGORITHMS`; `unknown` when nothing tells."""
    logs: tuple[str, ...]
    segments: tuple[Segment, ...]
    keys: tuple[str, ...]
    """Every logged key, sorted."""
    first: int | None
    last: int | None
    facts: tuple[LogFacts, ...]
    """One per log."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Resolved config as nested mapping; empty when nothing shows one."""
    config_source: str = ""
    """`derive.config.ConfigSource`; empty before anything was looked for."""
    config_file: str = ""
    """File the config stands in; empty for none."""
    completed_by: Mapping[str, str] = field(default_factory=dict)
    """Per key, the name of a file beside the run's own logs that has values of it too."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What board.toml says of this run's track or of the run (response cap, reward scale, …)."""


@dataclass(frozen=True, slots=True)
class Series:
    """Cells of one key of one run, sorted by step. With policy `all` a step may occur several times."""

    step: IntArray
    value: FloatArray
    segment: IntArray
    superseded: BoolArray
    recovered: BoolArray


class RunData(Protocol):
    """A run together with access to its columns, read singly."""

    @property
    def run(self) -> Run: ...

    def series(self, key: str, policy: SegmentPolicy = "last") -> Series | None:
        """Cells of a logged key; None when the run never logged it."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark to be shown beside a value: a message key and its numbers."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Curve:
    """A canonical series of one run, in the metric's own unit (`metrics.METRICS`), sorted by step."""

    metric: str
    step: IntArray
    value: FloatArray
    source: str
    """Logged key the values come from."""
    derived: Note | None = None
    """How the values were computed, None when they are as logged."""
    notes: tuple[Note, ...] = ()
    recovered: BoolArray | None = None
    segment: IntArray | None = None
    superseded: BoolArray | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a canonical series cannot be given. `why.key` starts with `missing.`."""

    metric: str
    why: Note
