"""A run as a row of numbers: what tables say of it, over a window of steps."""

from __future__ import annotations

import numpy as np

from components.present.runs import Points, points
from components.present.times import state_of
from components.view import Count, Pair, RunInfo, RunRow, Span
from data_loaders.board import BoardRun
from data_loaders.derive.hours import hours
from data_loaders.derive.smooth import trailing_mean
from data_loaders.derive.statistics import mean_of_last, mean_over
from data_loaders.derive.status import Status
from data_loaders.derive.validation import Validation, main_validation, validations
from data_loaders.schema import FloatArray, Missing

SPARK_POINTS = 60
"""Points of a sparkline: more than its pixels can show is waste."""
LOWER_BOUNDS = {"note.lower_bound", "note.lower_bound_by"}
FIRST = 5
"""Points averaged where a value is quoted for the start of a run."""


def row(run: BoardRun, info: RunInfo, now: float, window: Span | None) -> RunRow:
    """Everything tables show of a run. `window` bounds means and pairs; None takes all steps."""
    state = state_of(run, now)
    record = run.view.run
    if record.last is None:
        return RunRow(info=info, state=state.state, planned=state.planned, why=state.why)
    rate, length, entropy = (cut(points(run, m), window) for m in ("pass_rate", "response_length", "entropy"))
    whole_rate = points(run, "pass_rate")
    until = window[1] if window else None
    grad = points(run, "grad_norm").value
    grad = grad[np.isfinite(grad)]
    spent = hours(run.view)
    measured = primary(run)
    return RunRow(
        info=info,
        state=state.state,
        last=record.last,
        planned=state.planned,
        why=state.why,
        pass_rate=spark(trailing_mean(rate.step, rate.value)),
        length=spark(length.value),
        entropy=spark(entropy.value),
        first5=mean_over(whole_rate.step, whole_rate.value, *_first(whole_rate))
        if whole_rate.step.size
        else None,
        last10=mean_of_last(whole_rate.step, whole_rate.value, until=until),
        lower_bound=not LOWER_BOUNDS.isdisjoint(whole_rate.notes),
        validation=count(measured, -1),
        best=count(measured, None),
        next_validation=_next(state) if measured is None else None,
        hours=None if isinstance(spent, Missing) else float(spent.total.sum()),
        length_pair=pair(length),
        entropy_pair=pair(entropy),
        grad_median=float(np.median(grad)) if grad.size else None,
        grad_peak=float(grad.max()) if grad.size else None,
        episodes=run.episodes,
    )


def primary(run: BoardRun) -> Validation | None:
    """The validation a run is judged by: what board.toml names if it was logged, else verl's main one."""
    results = validations(run.view)
    wanted = run.view.run.options.get("validation_key")
    return next((one for one in results if wanted in one.keys), None) or main_validation(results)


def count(found: Validation | None, at: int | None) -> Count | None:
    """Right items at one point of a validation; `at` None takes the best. None where items are not known."""
    if found is None or found.correct is None or found.items is None or not found.correct.size:
        return None
    index = int(np.argmax(found.correct)) if at is None else at
    return Count(int(found.correct[index]), found.items, int(found.step[index]))


def cut(series: Points, window: Span | None) -> Points:
    """The part inside a window."""
    if window is None:
        return series
    inside = (series.step >= window[0]) & (series.step <= window[1])
    return Points(series.step[inside], series.value[inside], series.notes)


def pair(series: Points) -> Pair | None:
    """Mean of the first and of the last five finite points."""
    known = series.value[np.isfinite(series.value)]
    return Pair(float(known[:FIRST].mean()), float(known[-FIRST:].mean())) if known.size else None


def spark(value: FloatArray) -> tuple[float, ...]:
    """A series thinned to what a sparkline can show, ends kept."""
    if value.size <= SPARK_POINTS:
        return tuple(value.tolist())
    return tuple(value[np.linspace(0, value.size - 1, SPARK_POINTS).astype(int)].tolist())


def _first(series: Points) -> Span:
    known = series.step[np.isfinite(series.value)]
    return (int(known[0]), int(known[:FIRST][-1])) if known.size else (0, -1)


def _next(state: Status) -> int | None:
    """Step of the next validation."""
    return None if state.next_validation_in is None else state.done + state.next_validation_in
