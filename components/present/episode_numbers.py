"""The numbers of an open episode: what moved, and the table of steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from components.episode_view import Cell, MovedMetric, StepRow, StepTable
from components.figures_episode import episode_charts
from components.present.episode_found import Opened
from components.present.watched import RULES, Watched, outside, touching
from components.view import Span
from data_loaders.schema import Missing

CONTEXT = 2
"""Steps of context on each side in the table."""
SPARK = 8
"""Steps of context on each side in a sparkline, as in the charts."""
ENDS, MIDDLE = 14, 6
"""Rows at each end of a long episode, and on each side of its peak."""


def moved_metrics(found: Opened) -> tuple[MovedMetric, ...]:
    """One entry per excursion, by metric."""
    charts = {chart.metric: chart for chart in episode_charts(found.episode.metrics)}
    known = found.known()
    return tuple(
        MovedMetric(
            chart=charts[event.metric],
            key=known[event.metric].source,
            event=event,
            difference=not RULES[event.metric].log,
            curve=_spark(known[event.metric], found.episode.start, found.episode.end),
            band=_band(event.start, event.end, found.episode.start, found.episode.end),
        )
        for event in found.episode.events
        if event.metric in charts and event.metric in known
    )


def step_table(found: Opened) -> StepTable:
    """Every step of the episode with two around it; of a long one the ends and what is near the peak."""
    episode, run = found.episode, found.run.view.run
    charts = [chart for chart in episode_charts(episode.metrics) if chart.metric in RULES]
    series = found.known()
    shown = tuple(chart for chart in charts if chart.metric in series)
    first = max(episode.start - CONTEXT, run.first or episode.start)
    last = min(episode.end + CONTEXT, run.last or episode.end)
    steps = _steps(first, last, episode.peak)
    columns = [_column(series[chart.metric], found, steps) for chart in shown]
    rows = tuple(
        StepRow(step, episode.start <= step <= episode.end, tuple(column[at] for column in columns))
        for at, step in enumerate(steps)
    )
    absent = tuple(
        (chart, missing.why)
        for chart in charts
        if isinstance(missing := found.watched[chart.metric], Missing)
    )
    derived = tuple((chart, how) for chart in shown if (how := series[chart.metric].derived) is not None)
    return StepTable(shown, rows, _hidden(steps), absent, derived)


def _column(series: Watched, found: Opened, steps: Sequence[int]) -> list[Cell]:
    events = touching(series.events, steps[0], steps[-1]) if steps else ()
    marked = outside(series, events)
    peaks = {event.peak for event in found.episode.events if event.metric == series.metric}
    return [_cell(series, step, step in marked, step in peaks) for step in steps]


def _cell(series: Watched, step: int, marked: bool, peak: bool) -> Cell:
    row = series.at(step)
    if row is None:
        return Cell(None, None, False, False)
    ratio = float(series.ratio[row])
    return Cell(float(series.value[row]), ratio if math.isfinite(ratio) else None, marked, peak)


def _steps(first: int, last: int, peak: int) -> list[int]:
    if last - first + 1 <= 2 * (ENDS + MIDDLE):
        return list(range(first, last + 1))
    kept = {*range(first, first + ENDS), *range(last - ENDS + 1, last + 1)}
    kept |= set(range(max(peak - MIDDLE, first), min(peak + MIDDLE, last) + 1))
    return sorted(kept)


def _hidden(steps: Iterable[int]) -> tuple[Span, ...]:
    return tuple((before + 1, after - 1) for before, after in pairwise(steps) if after > before + 1)


def _spark(series: Watched, first: int, last: int) -> tuple[float, ...]:
    """One value per step of the window; a long window is thinned by the sparkline's own width."""
    low, high = first - SPARK, last + SPARK
    part = series.between(low, high)
    values = np.full(high - low + 1, np.nan)
    values[part.step - low] = np.where(np.isfinite(part.value), part.value, np.nan)
    if values.size > 4 * SPARK * SPARK:
        values = values[np.linspace(0, values.size - 1, 4 * SPARK * SPARK).astype(int)]
    return tuple(values.tolist())


def _band(start: int, end: int, first: int, last: int) -> tuple[float, float]:
    low, width = first - SPARK - 0.5, last - first + 2 * SPARK + 1
    left, right = ((edge - low) / width for edge in (start - 0.5, end + 0.5))
    return max(0.0, left), min(1.0, right)
