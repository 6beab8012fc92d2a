"""Tables of metrics that wandb, SwanLab, TensorBoard and this board export as CSV.

Wide tables have a column per metric, per run too where it is called `run - metric`; those of one run are read
line by line. Long tables (`run, step, metric, value`) and turned ones (`metric, step_0, step_1, …`) are
understood only as a whole.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from data_loaders.formats.findings import Findings, Place, as_key, as_step
from data_loaders.formats.line_reader import Format, LineReader
from data_loaders.formats.whole_file import WholeFormat, WholeReader
from data_loaders.schema import Batch, Json, LogFacts

NAME = "csv"
STEPS = (
    "step", "_step", "global_step", "steps", "train/global_step", "trainer/global_step",
    "training/global_step", "current_steps", "train_step", "iteration",
)  # fmt: skip
"""Names of the column that holds the step, best first; case does not matter."""
RUNS = ("experiment", "run", "run_name", "run name", "run_id", "exp", "name")
METRICS = ("metric", "metric_name", "key", "tag", "metric name")
VALUES = ("value", "metric_value", "metric value")
TIMES = ("_timestamp", "wall time", "wall_time")
NOT_METRICS = (*TIMES, "_runtime", "_wandb", "", "relative time (process)", "relative time (wall)")
_RANGES = ("__MIN", "__MAX")
_TURNED = re.compile(r"step[ _](\d{1,15})\Z", re.IGNORECASE)
_TAG = re.compile(r"^run-.*?-?tag-(.+?)(?:\.csv)?(?:\.gz)?$", re.IGNORECASE)
LONGEST_LINE = 4 << 20


class Column(NamedTuple):
    """A column of a wide table that holds a metric."""

    at: int
    run: str
    key: str


class Layout(NamedTuple):
    """What the head of a table says."""

    kind: Literal["wide", "long", "turned"]
    step: int = 0
    time: int | None = None
    columns: tuple[Column, ...] = ()
    """Of a wide table."""
    run: int | None = None
    metric: int = 0
    value: int = 0
    """Columns of a long one."""
    steps: tuple[tuple[int, int], ...] = ()
    """Columns of a turned one, and their steps."""

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column.run for column in self.columns))

    @property
    def by_line(self) -> bool:
        return self.kind == "wide" and len(self.runs) == 1


def cells_of(line: bytes) -> list[str]:
    """Fields of one line; none of a line that is no CSV."""
    text = line[:LONGEST_LINE].decode("utf-8", "replace").strip("\r\n").replace("\0", "")
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return []


def layout_of(line: bytes, tag: str = "") -> Layout | None:
    """Read the head of a table; None when it is no table of metrics. `tag` names a column called `Value`."""
    head = [name.strip() for name in cells_of(line.removeprefix(b"\xef\xbb\xbf"))]
    low = [name.lower() for name in head]
    if low[:1] == ["metric"] and (steps := _turned(head)):
        return Layout("turned", steps=steps)
    step = _first(low, STEPS)
    if step is None or len(set(low)) < 2:
        return None
    time = _first(low, TIMES)
    metric, value = _first(low, METRICS), _first(low, VALUES)
    if metric is not None and value is not None:
        return Layout("long", step, time, run=_first(low, RUNS), metric=metric, value=value)
    columns = []
    for at, name in enumerate(head):
        if at == step or low[at] in NOT_METRICS or name.endswith(_RANGES) or _is_stamp(name, head):
            continue
        run, dash, key = name.rpartition(" - ")
        key = tag if tag and low[at] in VALUES else key if dash else name
        columns.append(Column(at, as_key(run.strip()), as_key(key.strip())))
    return Layout("wide", step, time, tuple(columns)) if columns else None


def _turned(head: Sequence[str]) -> tuple[tuple[int, int], ...]:
    found = [(at, _TURNED.match(name)) for at, name in enumerate(head[1:], 1)]
    return tuple((at, int(match[1])) for at, match in found if match)


def _first(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _is_stamp(name: str, head: Sequence[str]) -> bool:
    """SwanLab puts a column of times beside each metric."""
    return name.endswith("_timestamp") and name.removesuffix("_timestamp") in head


def number_of(text: str) -> float | None:
    """Number of a field; None for an empty one and for text."""
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(text.strip().lower())


def step_of(text: str) -> int | None:
    number = number_of(text)
    return None if number is None else as_step(number)


# -- Line by line --------------------------------------------------------------------------------------


class WideLines:
    """Implements `line_reader.Parser` for a wide table of one run."""

    def __init__(self, tag: str, state: Json | None = None) -> None:
        self._tag = tag
        self._head: str = (state or {}).get("head", "")
        self._layout = layout_of(self._head.encode(), tag) if self._head else None

    def state(self) -> Json:
        return {"head": self._head}

    def finish(self, found: Findings) -> None:
        """Nothing is kept back."""

    def line(self, raw: bytes, place: Place, found: Findings) -> None:
        if not raw.strip():
            return
        if self._layout is None:
            self._head = raw.decode("utf-8", "replace")
            self._layout = layout_of(raw, self._tag)
            return
        layout, cells = self._layout, cells_of(raw)
        step = step_of(cells[layout.step]) if len(cells) > layout.step else None
        if step is None:
            found.reject(place.line, raw.decode("utf-8", "replace"), "rejected.no_step")
            return
        _tick(layout, cells, found)
        found.add(step, _wide_cells(layout.columns, cells, place, found), place)


def _wide_cells(
    columns: Sequence[Column], cells: Sequence[str], place: Place, found: Findings
) -> dict[str, float]:
    values: dict[str, float] = {}
    for column in columns:
        text = cells[column.at].strip() if column.at < len(cells) else ""
        number = number_of(text)
        if number is not None:
            values[column.key] = number
        elif text:
            found.remark("report.words")
    if columns and len(cells) <= columns[-1].at:
        found.cut.append(place.line)
    return values


def _tick(layout: Layout, cells: Sequence[str], found: Findings) -> None:
    if layout.time is not None and layout.time < len(cells):
        seconds = number_of(cells[layout.time])
        if seconds is not None and 0 < seconds < 1e11:
            found.tick(seconds)


# -- As a whole ----------------------------------------------------------------------------------------


def read_table(data: bytes, found: Findings, tag: str = "") -> None:
    """Read a table of several runs, a long or a turned one: run after run, each in order of its steps."""
    first, *rest = data.split(b"\n")
    layout = layout_of(first, tag)
    if layout is None:
        return
    take: Callable[[Layout, list[str], Place, Findings, Rows], None]
    take = {"wide": _take_wide, "long": _take_long, "turned": _take_turned}[layout.kind]
    rows: Rows = {}
    offset = len(first) + 1
    for line, raw in enumerate(rest, 2):
        cells = cells_of(raw)
        if any(cells):
            _tick(layout, cells, found)
            take(layout, cells, Place(offset, len(raw), line), found, rows)
        offset += len(raw) + 1
    for run, steps in rows.items():
        if len(rows) > 1:
            found.launch(next(iter(steps.values()))[0].line, run)
        # Cells of a step given once more were logged after a resume.
        for (_, step), (place, values) in sorted(steps.items()):
            found.add(step, values, place)


Rows = dict[str, dict[tuple[int, int], tuple[Place, dict[str, float]]]]
"""Per run, by how often the step was given before and by step: place and cells."""


def _put(rows: Rows, run: str, step: int, values: dict[str, float], place: Place) -> None:
    steps = rows.setdefault(run, {})
    again = 0
    while (again, step) in steps and steps[again, step][1].keys() & values.keys():
        again += 1
    steps.setdefault((again, step), (place, {}))[1].update(values)


def _take_wide(layout: Layout, cells: list[str], place: Place, found: Findings, rows: Rows) -> None:
    step = step_of(cells[layout.step]) if len(cells) > layout.step else None
    if step is None:
        found.reject(place.line, ",".join(cells), "rejected.no_step")
        return
    for run in layout.runs:
        own = [column for column in layout.columns if column.run == run]
        if values := _wide_cells(own, cells, place, found):
            _put(rows, run, step, values, place)


def _take_long(layout: Layout, cells: list[str], place: Place, found: Findings, rows: Rows) -> None:
    wanted = max(layout.step, layout.metric, layout.value, layout.run or 0)
    step = step_of(cells[layout.step]) if len(cells) > layout.step else None
    value = number_of(cells[layout.value]) if len(cells) > wanted else None
    if step is None or value is None:
        why = "rejected.no_step" if step is None else "rejected.no_number"
        found.reject(place.line, ",".join(cells), why)
        return
    run = "" if layout.run is None else as_key(cells[layout.run])
    _put(rows, run, step, {as_key(cells[layout.metric]): value}, place)


def _take_turned(layout: Layout, cells: list[str], place: Place, _found: Findings, rows: Rows) -> None:
    key = as_key(cells[0])
    for at, step in layout.steps:
        number = number_of(cells[at].strip()) if at < len(cells) else None
        if number is not None:
            _put(rows, "", step, {key: number}, place)


# -- The reader ----------------------------------------------------------------------------------------


class CsvReader:
    """Implements `schema.LogReader`. `name` is the file's, which names the metric of a table with one."""

    def __init__(self, state: Json | None = None, *, name: str = "") -> None:
        found = _TAG.match(name)
        self._tag = as_key(found[1]) if found else ""
        self._by_line: bool | None = (state or {}).get("by_line")
        self._head = b""
        self._reader: LineReader | WholeReader = self._made(state)

    def _made(self, state: Json | None) -> LineReader | WholeReader:
        if self._by_line is False:
            return WholeReader(WholeFormat(NAME, partial(read_table, tag=self._tag)))
        inner = (state or {}).get("inner")
        return LineReader(Format(NAME, partial(WideLines, self._tag)), inner)

    def feed(self, data: bytes) -> None:
        if self._by_line is None:
            self._head += data
            end = self._head.find(b"\n")
            if end < 0 and len(self._head) < LONGEST_LINE:
                return
            layout = layout_of(self._head[: end if end >= 0 else None], self._tag)
            self._by_line = layout is None or layout.by_line
            self._reader = self._made(None)
            data = self._head
        self._reader.feed(data)

    def drain(self) -> Batch:
        return self._reader.drain()

    def tail(self) -> Batch:
        return self._settled().tail()

    def facts(self) -> LogFacts:
        return self._settled().facts()

    def _settled(self) -> LineReader | WholeReader:
        """The reader, or one that was given a head without its end."""
        if self._by_line is None and self._head:
            reader = LineReader(Format(NAME, partial(WideLines, self._tag)))
            reader.feed(self._head)
            return reader
        return self._reader

    def state(self) -> Json:
        if self._by_line is None:
            return {"offset": 0, "by_line": None}
        inner = self._reader.state()
        return {"offset": inner["offset"], "by_line": self._by_line, "inner": inner}


def sniff(first: bytes, _last: bytes, name: str) -> bool:
    """Whether the file begins with the head of such a table and a line that fits it."""
    if not name.lower().removesuffix(".gz").endswith(".csv"):
        return False
    head, _, rest = first.partition(b"\n")
    layout = layout_of(head)
    if layout is None:
        return False
    line = cells_of(rest.partition(b"\n")[0])
    if not any(line):
        return True  # no line yet
    if layout.kind == "turned":
        return any(number_of(cell) is not None for cell in line[1:])
    return len(line) > layout.step and step_of(line[layout.step]) is not None
