"""Charts of an episode: every run of the track at the same steps, the metrics that moved first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from components import ids
from components.charts import Place, named, payload
from components.figures import Chart, csv_names
from components.figures_lines import line_chart
from components.view import ChartRun, Selection, Span
from data_loaders.derive.episodes import Episode
from data_loaders.schema import Json

MORE: tuple[Chart, ...] = (
    Chart("kl_loss", "experiment", ("kl_loss",), line_chart, "nats", value=".4f", zero=True),
    Chart("step_time", "experiment", ("step_time",), line_chart, "seconds", value=".0f", zero=True),
)
"""Shown only when their metric moved: further watched metrics beside the charts of an experiment."""


def all_charts() -> tuple[Chart, ...]:
    """Every chart an episode can have. One line per run: further lines of a run would hide the others."""
    return tuple(replace(chart, metrics=chart.metrics[:1]) for chart in (*named("experiment", None), *MORE))


def episode_charts(moved: Iterable[str]) -> tuple[Chart, ...]:
    """Charts of the metrics that moved, in their order, then the rest of an experiment's charts."""
    known = {chart.metric: chart for chart in all_charts()}
    first = [known[metric] for metric in dict.fromkeys(moved) if metric in known]
    rest = [known[chart.metric] for chart in named("experiment", None) if known[chart.metric] not in first]
    return (*first, *rest)


def chart_id(chart: Chart) -> str:
    """Id of a chart of the open episode."""
    return ids.chart("ep", chart.name)


def episode_figures(
    tab: str,
    runs: Sequence[ChartRun],
    focus: ChartRun,
    opened: tuple[str, Episode],
    selection: Selection,
    *,
    window: Span | None = None,
    version: str = "",
) -> Json:
    """The store of figures of an open episode; `opened` is its id and what is known of it."""
    id_, episode = opened
    made = _places(episode_charts(episode.metrics), runs, selection)
    store = payload(tab, runs, selection, made, window=window, version=version)
    if all(entry["id"] != id_ for entry in store["episodes"]):
        store["episodes"].append(_entry(id_, focus, episode))
    return store


def _places(shown: Iterable[Chart], runs: Sequence[ChartRun], selection: Selection) -> Iterator[Place]:
    for chart in shown:
        yield Place(chart_id(chart), partial(_figure, chart, runs, selection), csv_names(chart, selection))


def _figure(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    figure = chart.build(chart, runs, selection)
    if "meta" in figure:
        figure["meta"] |= {"size": "episode", "labels": "both"}
    return figure


def _entry(id_: str, run: ChartRun, episode: Episode) -> Json:
    """A range that the detector did not find, as the scripts know episodes."""
    return {
        "id": id_,
        "run": run.info.key,
        "start": episode.start,
        "end": episode.end,
        "peak": episode.peak,
        "severity": episode.severity,
        "metrics": list(episode.metrics),
    }
