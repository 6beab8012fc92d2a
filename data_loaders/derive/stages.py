"""What the time of a step goes to: stages that follow each other, and the rest without a timer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from data_loaders.derive.hours import BY_NAME, EXTRAS, STAGES, STEP, StepTimes, step_times
from data_loaders.derive.joined import beside, joined
from data_loaders.derive.missing import why_missing
from data_loaders.schema import BoolArray, FloatArray, IntArray, Missing, Note, RunData, SegmentPolicy

SLACK = 1e-3
"""Share of a step by which its stages may exceed it before they count as overlapping: timers are rounded."""


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Seconds of each stage at each timed step (n,); parts and rest add up to `total`."""

    step: IntArray
    total: FloatArray
    """Testing and saving included."""
    parts: Mapping[str, FloatArray]
    """By metric name, in the order of the step; only stages that were logged. 0 where a step lacks one."""
    rest: FloatArray
    superseded: BoolArray
    notes: tuple[Note, ...] = ()


def stage_times(data: RunData, policy: SegmentPolicy = "last") -> StageTimes | Missing:
    """Stages that follow each other; timers nested inside one of them are not among them.

    Where stages overlap (generation beside training), their sum exceeds the step: they are shrunk to fit it,
    and a note says at how many steps.
    """
    times = step_times(data, policy)
    if times is None:
        return why_missing(data.run, STEP)
    known = np.isfinite(times.total)
    logged = _logged(data, times, policy)
    parts = {name: np.nan_to_num(value, posinf=0, neginf=0)[known] for name, value in logged.items()}
    if not parts:
        return Missing("stages", Note("missing.no_stages"))
    total = times.total[known]
    spent: FloatArray = np.sum(list(parts.values()), axis=0)
    over = spent > total * (1 + SLACK)
    fit = np.where(spent > total, total / np.where(spent > 0, spent, 1.0), 1.0)
    notes = [
        Note("derived.stage_sum") if times.summed else None,
        Note("note.stages_overlap", {"n": int(over.sum())}) if over.any() else None,
    ]
    return StageTimes(
        step=times.series.step[known],
        total=total,
        parts={name: value * fit for name, value in parts.items()},
        rest=np.maximum(total - spent, 0.0),
        superseded=times.series.superseded[known],
        notes=tuple(note for note in notes if note),
    )


def _logged(data: RunData, times: StepTimes, policy: SegmentPolicy) -> dict[str, FloatArray]:
    """Logged stages at the cells of the step time, NaN where a step has none; all-zero ones are left out."""
    found: dict[str, FloatArray] = {}
    for name in (*STAGES, *EXTRAS):
        cells = joined(data, BY_NAME[name].aliases, policy)
        if cells is None:
            continue
        value = beside(times.series, cells.series, policy)
        if np.any(value > 0):
            found[name] = value
    return found
