"""A run as a row of numbers: what tables say of it, over a window of steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from components.present.runs import Points, points
from components.present.times import state_of
from components.view import Count, Pair, RunInfo, RunRow, Span
from data_loaders.board import BoardRun
from data_loaders.derive.episodes import Episode
from data_loaders.derive.hours import hours
from data_loaders.derive.reward import is_accuracy
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


def row(run: BoardRun, info: RunInfo, now: float, window: Span | None, steps: Span | None = None) -> RunRow:
    """Everything tables show of a run. `window` bounds means and pairs; None takes all steps.

    With `steps` every number speaks of these steps alone, the whole run is left out of account.
    """
    state = state_of(run, now)
    record = run.view.run
    if record.last is None:
        return RunRow(info=info, state=state.state, planned=state.planned, why=state.why)
    inside = steps or window
    whole = cut(points(run, "pass_rate"), steps)
    rate, length, entropy = (cut(points(run, m), inside) for m in ("pass_rate", "response_length", "entropy"))
    grad = cut(points(run, "grad_norm"), steps).value
    grad = grad[np.isfinite(grad)]
    measured = _measured(primary(run), steps)
    return RunRow(
        info=info,
        state=state.state,
        last=record.last,
        planned=state.planned,
        why=state.why,
        pass_rate=spark(trailing_mean(rate.step, rate.value)),
        length=spark(length.value),
        entropy=spark(entropy.value),
        part=_part((record.first or 1, record.last), inside, state.planned),
        first5=mean_over(whole.step, whole.value, *_first(whole)) if whole.step.size else None,
        last10=mean_of_last(whole.step, whole.value, until=inside[1] if inside else None),
        lower_bound=not LOWER_BOUNDS.isdisjoint(whole.notes),
        validation=count(measured, -1),
        accuracy=_accuracy(run, measured),
        best=count(measured, None),
        next_validation=_next(state) if measured is None and steps is None else None,
        hours=_hours(run, steps),
        length_pair=pair(length),
        entropy_pair=pair(entropy),
        grad_median=float(np.median(grad)) if grad.size else None,
        grad_peak=float(grad.max()) if grad.size else None,
        episodes=_touched(run, steps),
    )


def _touched(run: BoardRun, steps: Span | None) -> tuple[Episode, ...]:
    """Episodes with at least one step in common with the range."""
    return tuple(e for e in run.episodes if steps is None or (e.start <= steps[1] and e.end >= steps[0]))


def _hours(run: BoardRun, steps: Span | None) -> float | None:
    spent = hours(run.view)
    if isinstance(spent, Missing):
        return None
    inside = slice(None) if steps is None else (spent.step >= steps[0]) & (spent.step <= steps[1])
    return float(spent.total[inside].sum())


def _measured(found: Validation | None, steps: Span | None) -> Validation | None:
    """The part of a validation inside the steps; None where nothing is."""
    if found is None or steps is None:
        return found
    inside = (found.step >= steps[0]) & (found.step <= steps[1])
    return replace(
        found,
        step=found.step[inside],
        value=found.value[inside],
        recovered=found.recovered[inside],
        correct=None if found.correct is None else found.correct[inside],
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


def _accuracy(run: BoardRun, found: Validation | None) -> tuple[float, int] | None:
    if found is None or not found.step.size or not is_accuracy(run.view, found):
        return None
    return float(found.value[-1]), int(found.step[-1])


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


def _part(logged: Span, inside: Span | None, planned: int | None) -> tuple[float, float]:
    """Logged steps as shares of those asked for, else of those planned: a short run has a short curve."""
    first, last = inside or (logged[0], max(logged[1], planned or 0))
    begin, end = ((min(max(step, first), last) - first) / max(last - first, 1) for step in logged)
    return begin, end


def _first(series: Points) -> Span:
    known = series.step[np.isfinite(series.value)]
    return (int(known[0]), int(known[:FIRST][-1])) if known.size else (0, -1)


def _next(state: Status) -> int | None:
    """Step of the next validation."""
    return None if state.next_validation_in is None else state.done + state.next_validation_in
