"""Canonical series: a metric of a run in its own unit, under whatever names it was logged, or why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from data_loaders.derive.hours import step_times
from data_loaders.derive.joined import Joined, beside, joined, select
from data_loaders.derive.losses import loss_note
from data_loaders.derive.missing import is_sft, verl_before, why_missing
from data_loaders.derive.reward import pass_rate, pass_rate_bound
from data_loaders.derive.settings import aggregation, responses_per_step
from data_loaders.metrics import METRICS, Metric, aliases_in
from data_loaders.schema import (
    BoolArray,
    Curve,
    FloatArray,
    Missing,
    Note,
    RunData,
    SegmentPolicy,
    Series,
)

Units = Literal["token", "logged"]

HIGHEST_ENTROPY = 12.0
"""Nats per token; ln of a vocabulary of 160,000. Above it the logged scale is not what we take it for."""

DIGITS = 3
"""Decimals of logs written by verl up to v0.4.1."""

ROUNDED_WITNESSES = ("timing_s/gen", "timing/gen", "timing_s/step", "actor/grad_norm", "train/time(s)")
"""Keys whose values never are round by chance."""

ENOUGH_STEPS = 5


class Request(NamedTuple):
    """What is asked for."""

    data: RunData
    metric: Metric
    units: Units
    policy: SegmentPolicy


class Recipe(NamedTuple):
    """Values at the cells they are given for, NaN and inf as logged; `keep` drops cells that mean nothing."""

    value: FloatArray
    derived: Note | None = None
    notes: tuple[Note | None, ...] = ()
    keep: BoolArray | None = None


def curve(
    data: RunData, metric: str, *, units: Units = "token", policy: SegmentPolicy = "last"
) -> Curve | Missing:
    """Series of a canonical metric, or of a logged key as logged.

    `units="token"` turns entropy and reference KL into means per token where the loss aggregation has made
    them something else; `logged` leaves them. With policy `all` superseded cells are included.
    """
    named = next((entry for entry in METRICS if entry.name == metric), None)
    if named is None:
        return _as_logged(data, metric, policy)
    request = Request(data, named, units, policy)
    aliases = aliases_in(named, sft=is_sft(data.run))
    cells = joined(data, aliases, policy) or joined(data, named.fallbacks, policy)
    if cells is None:
        return why_missing(data.run, named)
    recipe = RECIPES.get(named.name, _plain)(request, cells)
    if isinstance(recipe, Note):
        return Missing(named.name, recipe)
    keep = np.ones(recipe.value.size, np.bool_) if recipe.keep is None else recipe.keep
    series, value = select(cells.series, keep), recipe.value[keep]
    if _too_coarse(data, named, value):
        return Missing(named.name, Note("missing.precision", {"digits": DIGITS, "key": cells.keys[0]}))
    notes = (*recipe.notes, *_general_notes(request, cells, series, value))
    return Curve(
        metric=named.name,
        step=series.step,
        value=value,
        source=cells.keys[0],
        derived=recipe.derived,
        notes=tuple(note for note in notes if note is not None),
        recovered=series.recovered,
        segment=series.segment,
        superseded=series.superseded,
    )


def _as_logged(data: RunData, key: str, policy: SegmentPolicy) -> Curve | Missing:
    series = data.series(key, policy)
    if series is None:
        return Missing(key, Note("missing.not_logged", {"key": key}))
    return Curve(
        metric=key,
        step=series.step,
        value=series.value,
        source=key,
        recovered=series.recovered,
        segment=series.segment,
        superseded=series.superseded,
    )


# -- Recipes: logged values to canonical ones ----------------------------------------------------------


def _plain(_: Request, cells: Joined) -> Recipe:
    return Recipe(cells.series.value)


def _pass_rate(request: Request, cells: Joined) -> Recipe | Note:
    found = pass_rate(request.data, cells.series, cells.keys[0])
    return found if isinstance(found, Note) else Recipe(found.value, found.derived, found.notes)


def _per_token(request: Request, cells: Joined) -> Recipe:
    """Undo of the loss aggregation: H per token = logged × horizon / mean response length.

    Source: verl aggregates entropy and KL with the loss aggregation mode (issue 3986).
    """
    logged = cells.series.value
    how = aggregation(request.data.run)
    if how is None:
        fixed = verl_before(request.data.run) in ALWAYS_TOKEN_MEAN
        return Recipe(logged, notes=(None if fixed else Note("note.aggregation_unknown"),))
    if how.mode not in PER_SEQUENCE:
        return Recipe(logged, notes=(_mode_note(how.mode),))
    scaled = Note("note.not_per_token", {"mode": how.mode})
    if request.units == "logged":
        return Recipe(logged, notes=(scaled,))
    horizon = how.horizon if PER_SEQUENCE[how.mode] else 1.0
    if horizon is None:
        return Recipe(logged, notes=(scaled, Note("note.no_horizon")))
    length = beside(cells.series, request.data.series("response_length/mean", request.policy), request.policy)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = logged * horizon / length
    known = length > 0
    if not known.any():
        return Recipe(logged, notes=(scaled, Note("note.no_length")))
    finite = value[known & np.isfinite(value)]
    if finite.size and np.median(finite) > HIGHEST_ENTROPY:
        return Recipe(logged, notes=(scaled, Note("note.token_implausible")))
    lost = int((~known & np.isfinite(logged)).sum())
    words = {"mode": how.mode, "horizon": horizon, "from": how.horizon_from, "key": cells.keys[0]}
    return Recipe(
        value,
        Note("derived.token_level", words),
        (Note("note.steps_without_length", {"n": lost}) if lost else None,),
        known,
    )


ALWAYS_TOKEN_MEAN = ("v0.2", "v0.3", "v0.4")
"""Logs older than these were written before verl had aggregation modes."""

PER_SEQUENCE: Mapping[str, bool] = {"seq-mean-token-sum-norm": True, "seq-mean-token-sum": False}
"""Aggregations that sum over a sequence; True where the sum is divided by the horizon."""


def _mode_note(mode: str) -> Note | None:
    notes = {"token-mean": None, "seq-mean-token-mean": Note("note.sequence_mean")}
    return notes.get(mode, Note("note.not_per_token", {"mode": mode}))


def _pass_rate_bound(request: Request, cells: Joined) -> Recipe | Note:
    found = pass_rate_bound(request.data, cells.series, request.policy)
    return found if isinstance(found, Note) else Recipe(found.value, found.derived, found.notes)


def _loss_scale(request: Request, cells: Joined) -> Recipe:
    how = aggregation(request.data.run)
    scaled = Note("note.loss_scale", {"mode": how.mode}) if how and how.mode != "token-mean" else None
    return Recipe(cells.series.value, notes=(scaled,))


def _deviation(_: Request, cells: Joined) -> Recipe | Note:
    """1 − correlation. verl returns exactly 0 when the two sides have different shapes."""
    correlation = cells.series.value
    keep = correlation != 0
    words = {"n": int((~keep).sum()), "step": _first(cells.series, ~keep)}
    if not keep.any():
        return Note("missing.correlation_zero", words)
    note = None if keep.all() else Note("note.correlation_zero", words)
    return Recipe(1 - correlation, Note("derived.deviation"), (note,), keep)


def _utilisation(_: Request, cells: Joined) -> Recipe | Note:
    """A utilisation of 0 throughout means verl knows no flops of this model or GPU; above 1 is impossible."""
    value = cells.series.value
    if not np.any(value[np.isfinite(value)]):
        return Note("missing.mfu_unsupported", {"key": cells.keys[0]})
    wrong = value > 1
    words = {"n": int(wrong.sum()), "highest": float(np.nanmax(value)), "step": _first(cells.series, wrong)}
    if wrong.any() and not np.any(value <= 1):
        return Note("missing.above_one", words)
    return Recipe(value, notes=(Note("note.above_one", words) if wrong.any() else None,), keep=~wrong)


def _length(request: Request, cells: Joined) -> Recipe:
    alike = _all_alike(request, cells, "response_length", "note.equal_lengths")
    return Recipe(cells.series.value, notes=(alike,))


def _score(request: Request, cells: Joined) -> Recipe:
    alike = _all_alike(request, cells, "critic/score", "note.equal_scores")
    return Recipe(cells.series.value, notes=(alike,))


def _all_alike(request: Request, cells: Joined, prefix: str, key: str) -> Note | None:
    """Steps at which all responses have one value: the smallest is the largest."""
    if responses_per_step(request.data.run) == 1:
        return None
    low, high = (
        beside(cells.series, request.data.series(f"{prefix}/{end}", request.policy), request.policy)
        for end in ("min", "max")
    )
    alike = low == high
    value = float(low[alike][0]) if alike.any() else None
    words = {"n": int(alike.sum()), "step": _first(cells.series, alike), "value": value}
    return Note(key, words) if alike.any() else None


def _step_time(request: Request, _: Joined) -> Recipe:
    times = step_times(request.data, request.policy)
    assert times is not None, "cells come from the same times"
    subtracted = np.any(times.training < times.series.value)
    how = "derived.stage_sum" if times.summed else "derived.step_time" if subtracted else ""
    return Recipe(times.training, Note(how) if how else None)


RECIPES: Mapping[str, Callable[[Request, Joined], Recipe | Note]] = {
    "pass_rate": _pass_rate,
    "pass_rate_bound": _pass_rate_bound,
    "entropy": _per_token,
    "kl_loss": _per_token,
    "response_length": _length,
    "score_mean": _score,
    "loss": _loss_scale,
    "pg_loss": _loss_scale,
    "grad_norm": _loss_scale,
    "deviation": _deviation,
    "mfu": _utilisation,
    "mfu_infer": _utilisation,
    "mfu_critic": _utilisation,
    "step_time": _step_time,
}
"""Metrics that are not simply as logged."""


# -- Remarks every metric can need ---------------------------------------------------------------------


def _general_notes(
    request: Request, cells: Joined, series: Series, value: FloatArray
) -> tuple[Note | None, ...]:
    data, metric = request.data, request.metric
    finite = value[np.isfinite(value)]
    meant = loss_note(data.run, metric.name)
    return (
        _stand_in(metric, cells.keys[0]),
        meant,
        Note("note.renamed", {"keys": ", ".join(cells.keys)}) if len(cells.keys) > 1 else None,
        _rounding(data, metric, finite) or (None if meant else _zero(metric, finite)),
        _not_finite(series, value),
        _cut(data, series),
        _completed(data, cells.keys, series),
    )


def _stand_in(metric: Metric, key: str) -> Note | None:
    """Remark when a related quantity is shown because the metric's own key was not logged."""
    if key not in metric.fallbacks:
        return None
    return Note(f"note.fallback.{metric.name}", {"key": key, "wanted": metric.aliases[0]})


def _zero(metric: Metric, finite: FloatArray) -> Note | None:
    constant = finite.size >= ENOUGH_STEPS and not finite.any()
    return Note(metric.zero) if constant and metric.zero else None


def _rounding(data: RunData, metric: Metric, finite: FloatArray) -> Note | None:
    """Rounding that could be seen: half a print step above a hundredth of the usual value."""
    if not finite.size or not has_three_decimals(finite) or not is_rounded(data):
        return None
    if metric.fine:
        return Note("note.precision", {"digits": DIGITS})
    half_step = 0.5 * 10.0**-DIGITS
    coarse = half_step > 0.01 * float(np.median(np.abs(finite)))
    return Note("note.rounded", {"digits": DIGITS}) if coarse else None


def _too_coarse(data: RunData, metric: Metric, value: FloatArray) -> bool:
    """Nothing but zeros of a small metric in a log with three decimals: the values are not known to be 0."""
    finite = value[np.isfinite(value)]
    return metric.fine and finite.size > 0 and not finite.any() and is_rounded(data)


def is_rounded(data: RunData) -> bool:
    """Whether the log prints every value with three decimals."""
    witnesses = (data.series(key) for key in ROUNDED_WITNESSES if key in data.run.keys)
    found = (series.value[np.isfinite(series.value)] for series in witnesses if series is not None)
    return any(has_three_decimals(value) and bool(np.any(value != np.round(value))) for value in found)


def has_three_decimals(value: FloatArray) -> bool:
    """Whether every value is a whole number of thousandths."""
    return bool(value.size and np.all(np.abs(value - np.round(value, DIGITS)) <= 1e-9 * (1 + np.abs(value))))


def _not_finite(series: Series, value: FloatArray) -> Note | None:
    wrong = ~np.isfinite(value)
    if not wrong.any():
        return None
    return Note("note.not_finite", {"n": int(wrong.sum()), "step": _first(series, wrong)})


def _cut(data: RunData, series: Series) -> Note | None:
    """A log that lost the ends of lines, and a series with gaps."""
    cut = sum(len(facts.cut_lines) for facts in data.run.facts)
    if not cut or not series.step.size:
        return None
    steps = np.unique(series.step)
    return Note("note.cut_lines", {"n": cut}) if steps[-1] - steps[0] + 1 > steps.size else None


def _completed(data: RunData, keys: Sequence[str], series: Series) -> Note | None:
    """Values that another record of the training has where the run's own logs have none."""
    files = [name for key in keys if (name := data.run.completed_by.get(key))]
    count = int(series.recovered.sum())
    return Note("note.completed", {"n": count, "file": files[0]}) if files and count else None


def _first(series: Series, rows: BoolArray) -> int | None:
    return int(series.step[rows][0]) if rows.any() else None
