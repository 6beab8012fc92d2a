"""What every chart is made of: the record of a chart, packed arrays, traces, reasons and badges.

Figures are plain dicts without range, theme or language; the page's scripts add these. Values are already in
the unit of the chart, and arrays hold all steps.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from components.figures_sampled import described, hover_of_kept, kept, marks
from components.numbers import plain
from components.style import uid
from components.text import TEXT, Bilingual, joined, words
from components.view import ChartRun, Selection
from data_loaders.derive.canonical import DIGITS, curve
from data_loaders.derive.hours import BY_NAME, StepHours, hours
from data_loaders.derive.missing import is_sft
from data_loaders.derive.smooth import DECAY, WINDOW
from data_loaders.metrics import aliases_in, unit_name
from data_loaders.schema import BoolArray, Curve, FloatArray, IntArray, Json, Missing, Note, Run

Group = Literal["comparison", "pair", "experiment", "full", "mini"]
SHORT_MARK = 4
"""Characters of a run's name that fit beside a title; `E12` does, the id of an unlabelled run does not."""
ROUNDED = ("note.precision", "note.rounded")
"""Remarks that values have lost digits in the log."""
TICKS, SERIES = 46, 86
LONG_NAMES = 104
"""Pixels beside a plot for ticks of many digits, names of lines of a run, names of runs longer than that."""
MOST_REFERENCES = 2
"""Different values of a reference that a comparison shows; more belong to the runs' own charts."""
Absence = tuple[ChartRun, Note]
"""A run that cannot be drawn, and why."""
Remark = tuple[ChartRun, Note, Literal["tag", "caveat"]]
"""What has to be said of a run in a chart; a caveat limits how far its values can be trusted."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A horizontal line: `value` reads it from a run, None where the run has none."""

    value: Callable[[ChartRun], float | None]
    word: str
    """Message key of its name; `{n}` is the value."""
    include: bool = False
    """Whether the y axis reaches it when all steps are shown."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of one or several runs. Texts: `plot.<name>`, `plot.<name>.caption`, `unit.<unit>`."""

    name: str
    group: Group
    metrics: tuple[str, ...]
    """The first one is what episodes and statistics refer to; others are further lines of the same run."""
    build: Callable[[Chart, Sequence[ChartRun], Selection], Json]
    unit: str
    scale: float = 1.0
    """What values in the metric's own unit are multiplied by."""
    value: str = ".2f"
    """Format of labels, as in d3."""
    tick: str | None = None
    """Format of the y axis, None: decimals follow the distance of the ticks."""
    hover: str = ".6~g"
    smoothing: str = "raw"
    """What `auto` means here."""
    zero: bool = False
    windowed: bool = True
    """Whether a comparison opens on the aligned window; False: on all steps."""
    references: tuple[Reference, ...] = ()
    along_steps: bool = True
    """Whether x is the progress of the training: only then a range has a first, a last and a mean."""
    section: str = ""
    """Of the full version of a run: message key `section.<section>`."""
    tracks: tuple[str, ...] = ()
    """Tracks that show it; empty: every track."""
    optional: bool = False
    """Whether it has a place only where its metric is logged."""
    wide: bool = False
    """Whether it takes two columns."""
    heading: Bilingual | None = None
    """Name of a chart without text of its own."""
    about: str = ""
    """Message key of its caption, where it is not `plot.<name>.caption`."""
    trust: Callable[[Sequence[Line]], list[Json]] = lambda _: []
    """Remarks on the noise of its values."""

    @property
    def metric(self) -> str:
        return self.metrics[0]

    @property
    def title(self) -> str:
        return f"plot.{self.name}"

    def logged_by(self, run: Run) -> bool:
        """Whether the run has a key for any of its metrics."""
        return any(key in run.keys for metric in self.metrics for key in keys_of(metric, run))

    @property
    def named(self) -> Bilingual:
        return self.heading or words(self.title)

    @property
    def caption(self) -> str:
        return self.about or f"{self.title}.caption"


def keys_of(metric: str, run: Run) -> tuple[str, ...]:
    """Keys of a run that a canonical metric is read from; of a logged key itself."""
    named = BY_NAME.get(metric)
    return (metric,) if named is None else aliases_in(named, sft=is_sft(run)) + named.fallbacks


@dataclass(frozen=True, slots=True)
class Line:
    """One metric of one run, ready to be drawn: `x` (n,) in the unit of the axis, `y` (n,) in the chart's."""

    run: ChartRun
    metric: str
    step: IntArray
    x: FloatArray | IntArray
    y: FloatArray
    curve: Curve


def packed(array: IntArray | FloatArray) -> dict[str, str]:
    """An array as plotly reads it: little-endian bytes in base64. NaN and inf survive, as JSON has none."""
    small = np.issubdtype(array.dtype, np.integer) and (not array.size or np.abs(array).max() < 2**31)
    dtype = "<i4" if small else "<f8"
    data = np.ascontiguousarray(array, dtype).tobytes()
    return {"dtype": dtype[1:], "bdata": base64.b64encode(data).decode()}


def lines(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> tuple[list[Line], list[Absence]]:
    """What can be drawn of the chart's metrics, and why the main metric of a run cannot."""
    drawn: list[Line] = []
    missing: list[Absence] = []
    for run in runs:
        for metric in chart.metrics:
            found = curve(run.data, metric, units=selection.units, policy=selection.policy)
            placed = found if isinstance(found, Missing) else positions(run, found.step, selection)
            if isinstance(found, Missing) or isinstance(placed, Missing) or _too_coarse(chart, found):
                if metric == chart.metric:
                    missing.append((run, _reason(found, placed)))
                continue
            drawn.append(Line(run, metric, found.step, placed, found.value * chart.scale, found))
    return drawn, missing


def _too_coarse(chart: Chart, found: Curve) -> bool:
    """Whether the last digit of a log is above a unit of the chart: ×1e5 would draw nothing but rounding."""
    rounded = any(note.key in ROUNDED for note in found.notes)
    return rounded and chart.scale * 10.0**-DIGITS > 1


def _reason(found: Curve | Missing, placed: FloatArray | IntArray | Missing) -> Note:
    if isinstance(found, Missing):
        return found.why
    if isinstance(placed, Missing):
        return placed.why
    return Note("chart.too_coarse", {"digits": DIGITS, "key": found.source})


def positions(run: ChartRun, step: IntArray, selection: Selection) -> FloatArray | IntArray | Missing:
    """Where steps stand on the chosen x axis: themselves, or hours or tokens spent until their end."""
    if selection.x == "step":
        return step
    spent = hours(run.data) if selection.x == "hours" else curve(run.data, "total_tokens")
    if isinstance(spent, Missing):
        return spent
    amount = spent.total if isinstance(spent, StepHours) else spent.value
    if not amount.size:
        return Missing(selection.x, Note("missing.not_yet"))
    last = last_of_step(spent.step)
    return np.interp(step, spent.step[last], np.nancumsum(amount)[last])


def last_of_step(step: IntArray) -> BoolArray:
    """The last cell of every step (n,); with superseded values asked for, a step has several."""
    last = np.ones(step.shape, dtype=np.bool_)
    last[:-1] = step[1:] != step[:-1]
    return last


def kind_of_smoothing(chart: Chart, selection: Selection) -> str:
    """The smoother in force: the user's choice before the chart's own."""
    return chart.smoothing if selection.smooth == "auto" else selection.smooth


def smoothing_window(kind: str) -> int:
    """Steps after an episode that its values still weigh in the smoothed line."""
    return round(1 / (1 - DECAY)) if kind.startswith("ema") else WINDOW


def trace(chart: Chart, line: Line, role: str, y: FloatArray, selection: Selection, window: int = 1) -> Json:
    """A plotly trace of one line; a further metric of the run is a series of its own."""
    series = "" if line.metric == chart.metric else line.metric
    told: Json = {"run": line.run.info.key, "role": role, "window": window, "series": series}
    found = kept(line.step, y, marks(line.run), selection)
    made: Json = {
        "type": "scatter",
        "mode": "lines",
        "uid": uid(line.run.info, role) + (f"_{series}" if series else ""),
        "x": packed(line.x[found.rows]),
        "y": packed(y[found.rows]),
        "meta": told,
    }
    if selection.x != "step":
        made["customdata"] = packed(line.step[found.rows])
    if found.size > 1:
        made["hovertemplate"] = hover_of_kept(chart.hover, selection)
        told |= {"bucket": found.size, "stats": described(line.step, y, selection.span)}
    return made


def csv_names(chart: Chart, selection: Selection) -> tuple[str, ...]:
    """Names under which the values of the chart stand in a file, as derived as they are drawn."""
    return tuple(unit_name(metric, selection.units) for metric in chart.metrics)


def meta(chart: Chart, runs: Sequence[ChartRun], kind: str, badges: list[Json]) -> Json:
    """What the scripts need to know of a chart besides its traces."""
    return {
        "size": chart.group,
        "kind": kind,
        "metric": chart.metric,
        "csv": list(chart.metrics),
        "smoothing": chart.smoothing,
        "default": "window" if chart.group == "comparison" and chart.windowed else "all",
        "zero": chart.zero,
        "log": False,
        "value": chart.value,
        "tick": chart.tick,
        "hover": chart.hover,
        "labels": _labels(chart, runs),
        "refs": references(chart, runs),
        "run": runs[0].info.key if len(runs) == 1 else "",
        "resumes": {} if chart.group == "mini" else _resumes(runs),
        "badges": badges,
    } | (named(chart) if chart.group == "comparison" else {})


def named(chart: Chart) -> Json:
    """What the quantity of a chart and its unit are called."""
    return {"title": list(chart.named), "of": list(words(f"unit.{chart.unit}"))}


def _labels(chart: Chart, runs: Sequence[ChartRun]) -> str:
    """What stands at the end of a line: long names leave no room for a value."""
    if chart.group != "comparison":
        return "value"
    return "id" if _long_names(runs) else "both"


def layout(chart: Chart, runs: Sequence[ChartRun], side: Literal["l", "r"] = "r") -> Json:
    """Room beside the plot for names of runs, and of several lines of a run: the same in a whole grid."""
    if chart.section:
        return {"margin": {"l": TICKS, side: SERIES}}
    wide = chart.group == "comparison" and _long_names(runs)
    return {"margin": {side: LONG_NAMES}} if wide else {}


def _long_names(runs: Sequence[ChartRun]) -> bool:
    return any(len(run.info.mark) > SHORT_MARK for run in runs)


def references(chart: Chart, runs: Sequence[ChartRun]) -> list[Json]:
    """Reference lines, each value once, in the unit of the chart; none where runs agree on too few."""
    made: list[Json] = []
    for reference in chart.references:
        values = {value for run in runs if (value := reference.value(run)) is not None}
        if len(values) > MOST_REFERENCES:
            continue
        made += [
            {
                "value": value * chart.scale,
                "word": reference.word,
                "values": {"n": plain(value) if value < 1 else f"{value:,.{0 if value >= 10 else 1}f}"},
                "include": reference.include,
                "side": "right" if chart.group == "comparison" else "left",
            }
            for value in sorted(values)
        ]
    return made


def _resumes(runs: Sequence[ChartRun]) -> dict[str, list[int]]:
    """Steps at which the program was started again, by run; a log without steps starts nothing."""
    again = {run.info.key: sorted({segment.first for segment in run.data.run.segments[1:]}) for run in runs}
    return {key: steps for key, steps in again.items() if steps}


def empty(chart_title: Bilingual, reasons: Sequence[Absence]) -> Json:
    """The figure of a chart that has nothing to draw: what is missing, and why."""
    why = [words("empty.of_run", run=run.info.mark, why=note) for run, note in reasons]
    single = [words(note.key, **note.values) for _, note in reasons]
    shown = single[:1] if len(set(single)) == 1 else why
    return {
        "empty": {
            "title": list(words("empty.chart", chart=chart_title)),
            "why": list(joined(shown, "；", "; ") if shown else words("empty.no_runs")),
        }
    }


def badges(found: Iterable[Remark], single: bool) -> list[Json]:
    """Remarks beside the title; those with the same short form `<key>.badge` (`{runs}` in it) are one."""
    grouped: dict[str, list[Remark]] = {}
    for remark in found:
        short = _short(remark[1].key, single)
        grouped.setdefault(short if short in TEXT else "badge.note", []).append(remark)
    made = []
    for short, members in grouped.items():
        marks = list(dict.fromkeys(run.info.mark for run, _, _ in members))
        titles = list(dict.fromkeys(_remark(run, note, single) for run, note, _ in members))
        kind = "tag" if all(kind == "tag" for _, _, kind in members) else "caveat"
        text = words(short, **(members[0][1].values if single else {}), runs="" if single else _few(marks))
        if any(text):
            made.append(badge(kind, text, joined(titles, "\n", "\n")))
    return made


def _short(key: str, single: bool) -> str:
    """The short form of a remark; `<key>.badge.single` where only a chart of one run has room for it."""
    own = f"{key}.badge.single"
    return own if single and own in TEXT else f"{key}.badge"


def badge(kind: str, text: Bilingual, title: Bilingual) -> Json:
    """One remark; a single-run chart leaves the place of the run empty."""
    return {"kind": kind, "text": [part.strip(" :") for part in text], "title": list(title)}


def remarks(drawn: Iterable[Line], missing: Iterable[Absence]) -> Iterator[Remark]:
    """Everything that has to be said about the lines of a chart."""
    for line in drawn:
        if line.curve.derived is not None:
            yield line.run, line.curve.derived, "tag"
        for note in line.curve.notes:
            yield line.run, note, "caveat"
    yield from absent(missing)


def absent(missing: Iterable[Absence]) -> Iterator[Remark]:
    """Remarks that runs are not in a chart; of a run without any step the page speaks by itself."""
    for run, why in missing:
        if run.data.run.first is not None:
            yield run, Note("badge.absent", {"why": why}), "caveat"


def _remark(run: ChartRun, note: Note, single: bool) -> Bilingual:
    text = words(note.key, **note.values)
    return text if single else words("empty.of_run", run=run.info.mark, why=text)


def _few(marks: Sequence[str], most: int = 2) -> Bilingual:
    """Short names of few runs, else how many they are: the tooltip names each."""
    short = len(marks) <= most and all(len(mark) <= SHORT_MARK for mark in marks)
    if short:
        return ("·".join(marks),) * 2
    return words("badge.runs", n=len(marks))
