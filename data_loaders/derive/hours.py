"""Time per step: what `timing_s/step` holds differs between verl versions, so it is read from the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data_loaders.derive.joined import Joined, beside, cell_ids, joined
from data_loaders.derive.missing import why_missing
from data_loaders.metrics import METRICS, Metric
from data_loaders.schema import (
    BoolArray,
    FloatArray,
    IntArray,
    Missing,
    Note,
    RunData,
    SegmentPolicy,
    Series,
)

BY_NAME = {metric.name: metric for metric in METRICS}
STEP = BY_NAME["step_time"]
EXTRAS = ("testing_time", "save_time")
"""Stages that only some steps have."""
STAGES = (
    "gen_time", "reward_time", "old_log_prob_time", "ref_time", "values_time", "adv_time",
    "update_critic_time", "update_actor_time", "update_weights_time",
)  # fmt: skip
"""Stages that add up to a step, but for a rest without a timer."""

WITNESSES = ("actor/grad_norm", "response_length/mean", "train/loss")
"""Keys of every training step, to see which steps have no time."""

CHOICES = ((True, True), (True, False), (False, True), (False, False))
"""Whether testing and whether saving are inside the step time."""

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds at each training step (n,), NaN where unknown."""

    series: Series
    """Cells of the logged step time, or of the sum of the stages."""
    keys: tuple[str, ...]
    training: FloatArray
    """Without testing and saving."""
    total: FloatArray
    """With testing and saving."""
    generation: FloatArray
    testing_inside: bool
    saving_inside: bool
    summed: bool
    """The log has no step time; it is the sum of its stages."""


@dataclass(frozen=True, slots=True)
class StepHours:
    """Hours spent at each step (n,), superseded steps included: they were paid for too."""

    step: IntArray
    total: FloatArray
    generation: FloatArray
    """NaN where the log has no generation time."""
    superseded: BoolArray
    untimed: int
    """Training steps whose time is not in the log."""
    notes: tuple[Note, ...] = ()


def hours(data: RunData) -> StepHours | Missing:
    """Hours per step with testing and saving. Time between two launches of the program is not logged."""
    times = step_times(data, "all")
    if times is None:
        return why_missing(data.run, STEP)
    known = np.isfinite(times.total)
    untimed = _untimed(data, times.series)
    superseded = times.series.superseded[known]
    wasted = float(times.total[known][superseded].sum()) / SECONDS_PER_HOUR
    notes = [
        Note("note.untimed_steps", {"n": untimed}) if untimed else None,
        Note("derived.stage_sum") if times.summed else None,
        Note("note.superseded_hours", {"hours": wasted}) if superseded.any() else None,
    ]
    return StepHours(
        step=times.series.step[known],
        total=times.total[known] / SECONDS_PER_HOUR,
        generation=times.generation[known] / SECONDS_PER_HOUR,
        superseded=superseded,
        untimed=untimed,
        notes=tuple(note for note in notes if note),
    )


def step_times(data: RunData, policy: SegmentPolicy = "last") -> StepTimes | None:
    """None when the log has neither a step time nor a time of generation and update."""
    logged = joined(data, STEP.aliases, policy)
    step = logged or _stage_sum(data, policy)
    if step is None:
        return None
    series = step.series
    stages = _stages(data, series, policy)
    testing, saving = (
        np.nan_to_num(beside(series, _series(data, BY_NAME[name], policy), policy)) for name in EXTRAS
    )
    inside = _inside(series.value, stages, testing, saving) if logged else (False, False)
    inner = testing * inside[0] + saving * inside[1]
    return StepTimes(
        series=series,
        keys=step.keys,
        training=series.value - inner,
        total=series.value - inner + testing + saving,
        generation=beside(series, _series(data, BY_NAME["gen_time"], policy), policy),
        testing_inside=inside[0],
        saving_inside=inside[1],
        summed=logged is None,
    )


def _inside(
    step: FloatArray, stages: FloatArray, testing: FloatArray, saving: FloatArray
) -> tuple[bool, bool]:
    """Whether the step time holds testing and saving: the combination that explains the rest best.

    The rest is the step without its stages; at steps with neither testing nor saving it is the usual rest.
    Without stages both are taken to be inside when they never exceed the step (verl up to v0.5).
    """
    extra = (testing > 0) | (saving > 0)
    if not extra.any():
        return False, False
    rest = step - stages
    if not np.isfinite(rest[extra]).any():
        fits = bool(np.all((testing + saving)[extra] <= step[extra]))
        return fits, fits
    plain = rest[~extra & np.isfinite(rest)]
    surplus = rest - (np.median(plain) if plain.size else 0.0)

    def error(choice: tuple[bool, bool]) -> float:
        return float(np.nanmedian(np.abs(surplus - choice[0] * testing - choice[1] * saving)[extra]))

    return min(CHOICES, key=error)


def _stages(data: RunData, series: Series, policy: SegmentPolicy) -> FloatArray:
    """Sum of the stages at the cells of `series`, NaN where no generation time was logged."""
    parts = [beside(series, _series(data, BY_NAME[name], policy), policy) for name in STAGES]
    total: FloatArray = np.sum(np.nan_to_num(parts), axis=0)
    return np.where(np.isfinite(parts[0]), total, np.nan)


def _stage_sum(data: RunData, policy: SegmentPolicy) -> Joined | None:
    """A step time for logs that have stages only (verl v0.1)."""
    update = joined(data, BY_NAME["update_actor_time"].aliases, policy)
    if update is None:
        return None
    series = update.series
    total = _stages(data, series, policy)
    whole = Series(series.step, total, series.segment, series.superseded, series.recovered)
    return Joined(whole, update.keys)


def _series(data: RunData, metric: Metric, policy: SegmentPolicy) -> Series | None:
    found = joined(data, metric.aliases, policy)
    return found.series if found else None


def _untimed(data: RunData, times: Series) -> int:
    seen = [series for key in WITNESSES if (series := data.series(key, "all")) is not None]
    timed = cell_ids(times, "all")[np.isfinite(times.value)]
    every = [cell_ids(series, "all") for series in seen]
    if all(np.array_equal(cells, timed) for cells in every):  # the usual log: every line has all of them
        return 0
    return int(np.setdiff1d(np.concatenate(every), timed).size)
