"""What the lines of a log gave so far: rows, launches, faults and the end. Shared by the readers of formats
whose lines are read one at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from data_loaders.columns import LINE_FIELDS
from data_loaders.schema import Batch, Column, Json, Launch, LogFacts, Rejected, StepLines

MAX_FAULTS = 200
MAX_TEXT = 300
HIGHEST_STEP = 10**15
_RL = (
    "actor/", "critic/", "response_length", "rollout", "val-", "val/test_score/", "test_score/",
    "reward", "train/reward", "kl", "train/kl", "completion", "train/completion", "advantage",
    "policy_loss", "train/pg_loss", "train/ppo_kl", "return", "accuracy", "Training Results/Avg",
    "Training Results/Generation",
)  # fmt: skip
"""Starts of keys that supervised training does not log. `accuracy` stands in logs of preference training."""
_SFT = ("loss", "train/loss", "eval_loss", "eval/loss", "train_loss", "val/loss")


def shortened(text: str) -> str:
    """The beginning of a text of the log; a mark says that there is more."""
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


class Place(NamedTuple):
    """Where something stands: bytes in the decompressed log, and its physical line."""

    offset: int
    length: int
    line: int


class Row(NamedTuple):
    step: int
    place: Place
    launch: int
    cells: dict[str, float]


@dataclass(slots=True)
class Findings:
    rows: list[Row] = field(default_factory=list)
    """Those that were not drained."""
    count: int = 0
    """All rows there were."""
    launches: list[Launch] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    rejected_count: int = 0
    cut: list[int] = field(default_factory=list)
    planned: int | None = None
    end: Literal["", "finished", "stopped", "crashed"] = ""
    end_line: int | None = None
    end_text: str = ""
    remarks: list[str] = field(default_factory=list)
    """Message keys, as `LogFacts.remarks`."""
    clock: list[float] = field(default_factory=list)
    """Epoch seconds of the first and the last time stamp."""
    kinds: list[str] = field(default_factory=list)

    def add(self, step: int, cells: Mapping[str, float], place: Place) -> None:
        """A new row; one without cells is none."""
        if not cells:
            return
        self.rows.append(Row(step, place, len(self.launches) - 1, dict(cells)))
        self.count += 1
        if "rl" not in self.kinds and any(key.startswith(_RL) for key in cells):
            self.kinds.append("rl")
        if "sft" not in self.kinds and any(key in cells for key in _SFT):
            self.kinds.append("sft")

    def launch(self, line: int, run: str = "") -> None:
        """The program starts anew: what was said of its end was said of the one before."""
        self.launches.append(Launch(line, "fresh", run=run))
        self.end, self.end_line, self.end_text = "", None, ""

    def reject(self, line: int, text: str, why: str = "rejected.no_number") -> None:
        self.rejected_count += 1
        if len(self.rejected) < MAX_FAULTS:
            self.rejected.append(Rejected(line, shortened(text), why))

    def remark(self, key: str) -> None:
        if key not in self.remarks:
            self.remarks.append(key)

    def finish(self, how: Literal["finished", "stopped", "crashed"], line: int, text: str) -> None:
        self.end, self.end_line, self.end_text = how, line, shortened(text.strip())

    def tick(self, seconds: float) -> None:
        """A time stamp of the log."""
        self.clock = [min([seconds, *self.clock]), max([seconds, *self.clock])]

    @property
    def kind(self) -> Literal["rl", "sft", "none"]:
        if not self.count:
            return "none"
        return "sft" if self.kinds == ["sft"] else "rl"

    def facts(self, form: str, size: int, lines: int, clock: Sequence[float] = ()) -> LogFacts:
        """What is to be told of a log of the format `form` with so many bytes and physical lines.

        `clock` stands in where no time stamp was found in the rows.
        """
        seconds = clock or self.clock
        return LogFacts(
            format=form,
            kind=self.kind,
            bytes=size,
            physical_lines=lines,
            step_lines=self.count,
            cut_lines=tuple(self.cut),
            rejected=tuple(self.rejected),
            rejected_count=self.rejected_count,
            launches=tuple(self.launches),
            planned_steps=self.planned,
            end=self.end,
            end_line=self.end_line,
            end_text=self.end_text,
            clock_start=seconds[0] if seconds else None,
            clock_end=seconds[1] if seconds else None,
            no_step_reason="" if self.count else self._no_step(size),
            remarks=tuple(self.remarks),
        )

    def _no_step(self, size: int) -> str:
        if not size:
            return "reason.empty"
        reasons = {"crashed": "reason.crashed", "stopped": "reason.stopped"}
        return reasons.get(self.end, "reason.starting")

    def drain(self) -> Batch:
        """The rows that were not drained yet, as columns."""
        batch = as_batch(self.count - len(self.rows), self.rows)
        self.rows = []
        return batch

    def to_json(self) -> Json:
        """Everything but the rows."""
        return {
            "count": self.count,
            "launches": [[entry.line, entry.kind, entry.resumed_from, entry.run] for entry in self.launches],
            "rejected": [[entry.line, entry.text, entry.why] for entry in self.rejected],
            "rejected_count": self.rejected_count,
            "cut": list(self.cut),
            "planned": self.planned,
            "end": [self.end, self.end_line, self.end_text],
            "remarks": list(self.remarks),
            "clock": list(self.clock),
            "kinds": list(self.kinds),
        }

    @classmethod
    def from_json(cls, values: Json) -> Findings:
        end, end_line, end_text = values["end"]
        return cls(
            count=values["count"],
            launches=[Launch(*entry) for entry in values["launches"]],
            rejected=[Rejected(*entry) for entry in values["rejected"]],
            rejected_count=values["rejected_count"],
            cut=list(values["cut"]),
            planned=values["planned"],
            end=end,
            end_line=end_line,
            end_text=end_text,
            remarks=list(values["remarks"]),
            clock=list(values["clock"]),
            kinds=list(values["kinds"]),
        )


def as_batch(first: int, rows: Iterable[Row]) -> Batch:
    """Rows as columns; `first` is the row number of the first."""
    rows = tuple(rows)
    fields = [(row.step, *row.place, row.launch) for row in rows]
    lines = np.array(fields, np.int64).reshape(-1, len(LINE_FIELDS))
    cells: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for number, row in enumerate(rows, first):
        for key, value in row.cells.items():
            column = cells[key]
            column[0].append(number)
            column[1].append(value)
    columns = {key: Column(np.array(r, np.int64), np.array(v, np.float64)) for key, (r, v) in cells.items()}
    return Batch(first, StepLines(*np.ascontiguousarray(lines.T)), columns)


def as_step(value: object) -> int | None:
    """A step number as JSON or CSV may give it; None for anything else, also for one out of all reason."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 <= value < HIGHEST_STEP or value != int(value):
        return None
    return int(value)


def as_key(text: str) -> str:
    """A metric's name without what no file and page can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")[:300]
