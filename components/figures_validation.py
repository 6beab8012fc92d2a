"""Accuracy on a validation set: every measurement with its 95 % interval, and its count of right answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from components.figures import (
    Absence,
    Chart,
    Remark,
    absent,
    badge,
    badges,
    empty,
    layout,
    meta,
    packed,
    positions,
)
from components.figures_meaning import meaning_badges
from components.figures_noise import validation_badges
from components.numbers import number
from components.style import uid
from components.text import words
from components.view import ChartRun, Selection
from data_loaders.derive.comparability import Shown
from data_loaders.derive.intervals import newcombe, wilson
from data_loaders.derive.reward import is_accuracy
from data_loaders.derive.validation import Validation, main_validation, validations
from data_loaders.schema import FloatArray, Json, Missing, Note, RunData, SegmentPolicy


def validation_chart(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    """Marks with Wilson intervals; runs are set side by side by the page's script."""
    known: list[tuple[ChartRun, Validation]] = []
    missing: list[Absence] = []
    for run in runs:
        found = primary(run.data, selection.policy)
        if found is None:
            missing.append((run, Note(_why(run))))
        elif is_accuracy(run.data, found):
            known.append((run, found))
        else:
            missing.append((run, _score(found)))
    if not known:
        return empty(words(chart.title), missing)
    said: list[Remark] = [(run, note, "caveat") for run, validation in known for note in validation.notes]
    said += absent(missing)
    notes = badges(said, len(runs) == 1)
    if within_noise([validation for _, validation in known]):
        notes.insert(0, badge("caveat", words("badge.noise"), words("badge.noise.long")))
    notes += validation_badges([validation for _, validation in known])
    if len(runs) > 1:
        notes += meaning_badges((run, Shown(run.data, chart.metric, None, one)) for run, one in known)
    return {
        "data": [_trace(run, validation, chart.scale, selection) for run, validation in known],
        "layout": layout(chart, runs),
        "meta": meta(chart, runs, "steps", notes) | {"csv": sorted({k for _, v in known for k in v.keys})},
    }


def primary(data: RunData, policy: SegmentPolicy = "last") -> Validation | None:
    """The validation shown of a run: what board.toml names, else the main one."""
    everything = validations(data, "last" if policy == "all" else policy)
    named = data.run.options.get("validation_key")
    return next((one for one in everything if named in one.keys), None) or main_validation(everything)


def within_noise(shown: Sequence[Validation]) -> bool:
    """Whether no pair of last counts can be told apart; False when there is no pair."""
    counts = [
        (int(one.correct[-1]), one.items)
        for one in shown
        if one.correct is not None and one.correct.size and one.items
    ]
    intervals = [newcombe(*one, *other) for one, other in combinations(counts, 2)]
    return bool(intervals) and all(low <= 0 <= high for low, high in intervals)


def _why(run: ChartRun) -> str:
    return "missing.no_steps" if run.data.run.first is None else "missing.validation"


def _score(found: Validation) -> Note:
    known = found.value[np.isfinite(found.value)]
    return Note("missing.validation_score", {"low": number(known.min()), "high": number(known.max())})


def _trace(run: ChartRun, validation: Validation, scale: float, selection: Selection) -> Json:
    placed = positions(run, validation.step, selection)
    made: Json = {
        "type": "scatter",
        "mode": "lines+markers",
        "uid": uid(run.info, "val"),
        "x": packed(validation.step if isinstance(placed, Missing) else placed),
        "y": packed(validation.value * scale),
        "meta": {"run": run.info.key, "role": "val", "window": 1, "series": ""},
    }
    if validation.correct is not None and validation.items:
        made["text"] = [f"{k}/{validation.items}" for k in validation.correct.tolist()]
        low, high = _errors(validation.correct.tolist(), validation.items)
        made["error_y"] = {"type": "data", "array": packed(high * scale), "arrayminus": packed(low * scale)}
    if selection.x != "step":
        made["customdata"] = packed(validation.step)
    return made


def _errors(correct: Sequence[int], items: int) -> tuple[FloatArray, FloatArray]:
    """Distance of the Wilson bounds from the rates, below and above (n,)."""
    rate = np.array(correct) / items
    bounds = np.array([wilson(k, items) for k in correct]).reshape(-1, 2)
    return rate - bounds[:, 0], bounds[:, 1] - rate
