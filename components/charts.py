"""Every chart of the board, in page order, and the store of figures a tab is answered with.

A new chart is one more entry in `CHARTS` and its texts (`plot.<name>`, `plot.<name>.caption`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from components import ids
from components.charts_full import FULL, SECTIONS
from components.figures import Chart, Group, Reference, csv_names
from components.figures_advantage import SIZES, advantage_chart
from components.figures_hours import hours_chart
from components.figures_lines import line_chart
from components.figures_noise import batch_noise_badges
from components.figures_pair import pair_chart
from components.figures_phase import PHASE, phase_figure
from components.figures_slope import slope_chart
from components.figures_validation import validation_chart
from components.text import Bilingual
from components.view import ChartRun, RunInfo, Selection, Slope, Span
from data_loaders.catalog import OTHER
from data_loaders.derive.config import get
from data_loaders.derive.settings import ACTOR, config_of, number, response_cap
from data_loaders.derive.variants import Variant, variants
from data_loaders.schema import Json, Run

PREFIX: dict[Group, str] = {
    "comparison": "cmp", "pair": "pair", "experiment": "run", "full": "full", "mini": "mini",
}  # fmt: skip


def gradient_clip(run: Run) -> float | None:
    """Gradient norm above which verl scales the update down; the name moved between versions."""
    config = config_of(run)
    places = (f"{ACTOR}.optim.clip_grad", f"{ACTOR}.grad_clip", f"{ACTOR}.optim.grad_clip")
    return next((value for place in places if (value := number(get(config, place)))), None)


CAP = Reference(lambda run: response_cap(run.data.run), "ref.cap", include=True)
CLIP = Reference(lambda run: gradient_clip(run.data.run), "ref.clip")

CHARTS: tuple[Chart, ...] = (
    Chart(
        "pass_rate", "comparison", ("pass_rate",), line_chart, "percent",
        scale=100, value=".1f", smoothing="mean5", trust=batch_noise_badges,
    ),
    Chart(
        "response_length", "comparison", ("response_length",), line_chart, "tokens",
        value="~s", tick="~s", hover=",.1f", references=(CAP,),
    ),
    Chart("entropy", "comparison", ("entropy",), line_chart, "nats", zero=True),
    Chart("grad_norm", "comparison", ("grad_norm",), line_chart, "l2", references=(CLIP,)),
    Chart(
        "validation", "comparison", ("validation",), validation_chart, "percent",
        scale=100, value=".1f", windowed=False,
    ),
    Chart(
        "hours", "comparison", ("hours",), hours_chart, "hours",
        value=".1f", windowed=False, along_steps=False,
    ),
    Chart(
        "prompt_length", "comparison", ("prompt_length",), line_chart, "tokens",
        value=",.0f", tracks=("multimodal",), optional=True,
    ),
    Chart(
        "reward_accuracy", "comparison", ("reward_accuracy",), line_chart, "percent",
        scale=100, value=".1f", optional=True,
    ),
    Chart(
        "reward_format", "comparison", ("reward_format",), line_chart, "percent",
        scale=100, value=".1f", optional=True,
    ),
    Chart(
        "pass_rate", "experiment", ("pass_rate", "pass_rate_bound"), line_chart, "percent",
        scale=100, value=".1f", smoothing="mean5", trust=batch_noise_badges,
    ),
    Chart(
        "response_length", "experiment", ("response_length",), line_chart, "tokens",
        value="~s", tick="~s", hover=",.1f", references=(CAP,),
    ),
    Chart("entropy", "experiment", ("entropy",), line_chart, "nats", value=".3f", zero=True),
    Chart(
        "grad_norm", "experiment", ("grad_norm",), line_chart, "l2",
        zero=True, references=(replace(CLIP, include=True),),
    ),
    Chart("loss", "experiment", ("loss",), line_chart, "none", value=".3f"),
    Chart("ppo_kl", "experiment", ("ppo_kl",), line_chart, "e_minus_5", scale=1e5, value=".1f"),
    Chart(
        "clip_share", "experiment", ("clip_share", "dual_clip_share"), line_chart, "percent",
        scale=100, zero=True,
    ),
    Chart(
        "deviation", "experiment", ("deviation",), line_chart, "deviation",
        scale=1e4, value=".1f", zero=True,
    ),
    Chart("sft_loss", "experiment", ("sft_loss",), line_chart, "nats", value=".3f", optional=True),
    Chart("sft_val_loss", "experiment", ("sft_val_loss",), line_chart, "nats", value=".3f", optional=True),
    *FULL,
    Chart(
        "pass_rate", "pair", ("pass_rate",), pair_chart, "points",
        scale=100, value="+.1f", about="pair.caption",
    ),
    Chart(
        "response_length", "pair", ("response_length",), pair_chart, "tokens",
        value="+,.0f", about="pair.caption",
    ),
    Chart("entropy", "pair", ("entropy",), pair_chart, "nats", value="+.3f", about="pair.caption"),
    Chart(
        "pass_rate", "mini", ("pass_rate",), line_chart, "percent",
        scale=100, value=".1f", smoothing="mean5",
    ),
)  # fmt: skip


def charts(group: Group) -> tuple[Chart, ...]:
    """The charts of one group, in page order."""
    return tuple(chart for chart in CHARTS if chart.group == group)


def placed(group: Group, runs: Iterable[Run], track: str = "") -> tuple[Chart, ...]:
    """Those of a group that have a place on the page of these runs."""
    known = tuple(runs)
    return tuple(
        chart
        for chart in charts(group)
        if (not chart.tracks or track in chart.tracks)
        and (any(chart.logged_by(run) for run in known) if chart.optional or chart.section else True)
    )


def named(group: Group, names: Collection[str] | None) -> tuple[Chart, ...]:
    """Charts of a group by name; None: those that every page has."""
    found = charts(group)
    if names is None:
        return tuple(chart for chart in found if not (chart.optional or chart.tracks or chart.section))
    return tuple(chart for chart in found if chart.name in names)


def sections(names: Collection[str]) -> Iterator[tuple[str, tuple[Chart, ...]]]:
    """Sections of the full version that hold any of the named charts, in page order."""
    shown = named("full", names)
    order = dict.fromkeys((*SECTIONS, *(chart.section for chart in shown)))
    for section in order:
        if members := tuple(chart for chart in shown if chart.section == section):
            yield section, members


def chart_id(chart: Chart, info: RunInfo | None = None) -> str:
    """Id of a chart; of one run where `info` is given."""
    return ids.chart(PREFIX[chart.group], chart.name, info.key if info else "")


class Place(NamedTuple):
    """A chart on a page, which need not be made now. `csv` names its metrics."""

    id: str
    build: Callable[[], Json]
    csv: tuple[str, ...] = ()
    waits: bool = False
    """Whether it may be left for later: a chart of one run."""


def comparison_places(
    runs: Sequence[ChartRun], selection: Selection, pinned: Sequence[Chart] = (), track: str = ""
) -> Iterator[Place]:
    """Charts with a line per run: those of metrics put on the page, those of the track, pairs of runs."""
    known = [run.data.run for run in runs]
    for chart in (*pinned, *placed("comparison", known, track), *placed("pair", known)):
        build = partial(chart.build, chart, runs, selection)
        yield Place(chart_id(chart), build, csv_names(chart, selection))


def run_places(runs: Sequence[ChartRun], group: Group, selection: Selection) -> Iterator[Place]:
    """Charts of one run each."""
    for run in runs:
        for chart in placed(group, [run.data.run]):
            build = partial(chart.build, chart, [run], selection)
            yield Place(chart_id(chart, run.info), build, csv_names(chart, selection), waits=True)


def figures(
    tab: str,
    runs: Sequence[ChartRun],
    selection: Selection,
    *,
    pinned: Sequence[Chart] = (),
    full: Collection[str] | None = (),
    window: Span | None = None,
    pair: Sequence[str] | None = None,
    version: str = "",
) -> Json:
    """Figures of a track page, which opens on a `pair` of runs.

    The full version is for the runs with a key in `full`, None: for all of them.
    """
    unfolded = [run for run in runs if full is None or run.info.key in full]
    made = [
        *comparison_places(runs, selection, pinned, tab),
        Place(PHASE, phase_figure),
        *run_places(runs, "experiment", selection),
        *run_places(unfolded, "full", selection),
    ]
    return payload(tab, runs, selection, made, window=window, pair=pair, version=version)


def overview_figures(
    tab: str,
    runs: Sequence[ChartRun],
    slopes: Iterable[Slope],
    ends: tuple[Bilingual, Bilingual],
    selection: Selection,
    *,
    version: str = "",
) -> Json:
    """Figures of the overview page; `ends` are the names of the two tracks."""
    made = [Place(ids.chart("slope", slope.name), partial(slope_chart, slope, ends)) for slope in slopes]
    return payload(tab, runs, selection, made, version=version)


def algorithm_figures(
    tab: str, runs: Sequence[ChartRun], infos: Sequence[RunInfo], selection: Selection, *, version: str = ""
) -> Json:
    """Figures of the algorithms page: the advantage by group size, and a small curve per run."""
    made = [Place(ids.chart("advantage", str(size)), partial(advantage_chart, infos, size)) for size in SIZES]
    made += run_places(runs, "mini", selection)
    return payload(tab, runs, selection, made, more=infos, version=version)


def payload(
    tab: str,
    runs: Sequence[ChartRun],
    selection: Selection,
    made: Iterable[Place],
    *,
    window: Span | None = None,
    pair: Sequence[str] | None = None,
    more: Iterable[RunInfo] = (),
    version: str = "",
) -> Json:
    """The store of figures: what the charts share, and the charts by id.

    Those for which there is no room are named in `later`, with their metrics.
    """
    spans = [(run.data.run.first, run.data.run.last) for run in runs]
    known = [(first, last) for first, last in spans if first is not None and last is not None]
    hull = [min(first for first, _ in known), max(last for _, last in known)] if known else None
    charts, later = _filled(made, selection)
    differing = variants([run.data.run for run in runs])
    named = {info.key: _run(info) for info in more}
    named |= {run.info.key: _run(run.info, run, one) for run, one in zip(runs, differing.runs, strict=True)}
    return {
        "tab": tab,
        "version": version,
        "xkind": selection.x,
        "steps": hull,
        "window": list(window) if window else None,
        "pair": list(pair) if pair else None,
        "unrelated": tab == OTHER,
        "runs": named,
        "settings": {"keys": list(differing.keys), "left": differing.left},
        "episodes": [episode for run in runs for episode in _episodes(run)],
        "notes": [note for run in runs for note in _notes(run)],
        "charts": charts,
        "later": later,
    }


def _filled(made: Iterable[Place], selection: Selection) -> tuple[dict[str, Json], dict[str, list[str]]]:
    charts: dict[str, Json] = {}
    later: dict[str, list[str]] = {}
    taken = 0
    for place in made:
        if selection.only is not None and place.id not in selection.only:
            continue
        if place.waits and selection.room is not None and taken > selection.room:
            later[place.id] = list(place.csv)
            continue
        charts[place.id] = place.build()
        taken += _weight(charts[place.id])
    return charts, later


def _weight(figure: Json) -> int:
    """Characters of the arrays of a figure."""
    arrays = (trace.get(axis) for trace in figure.get("data", ()) for axis in ("x", "y"))
    return sum(len(array.get("bdata", "")) for array in arrays if isinstance(array, dict))


def _run(info: RunInfo, run: ChartRun | None = None, variant: Variant | None = None) -> Json:
    """A run as the scripts know it; without `variant` it stands for an algorithm."""
    return {
        "id": info.id,
        "label": info.label,
        "short": info.mark,
        "name": info.name,
        "slot": info.slot,
        "dash": info.dash,
        "track": info.track,
        "first": run.data.run.first if run else None,
        "last": run.data.run.last if run else None,
        **(variant._asdict() if variant else {}),
    }


def _episodes(run: ChartRun) -> Iterator[Json]:
    for episode in run.episodes:
        yield {
            "id": f"{run.info.id}:{episode.start}",
            "run": run.info.key,
            "start": episode.start,
            "end": episode.end,
            "peak": episode.peak,
            "severity": episode.severity,
            "metrics": list(episode.metrics),
        }


def _notes(run: ChartRun) -> Iterator[Json]:
    for note in run.annotations:
        yield {
            "id": note.id,
            "run": run.info.key,
            "start": note.start,
            "end": note.end,
            "text": note.text,
            "written": note.written,
        }
