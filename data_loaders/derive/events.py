"""Excursions of one metric from its own baseline."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from data_loaders.derive.health import HEALTH_METRICS, SIDES, Event, HealthMetric, Kind
from data_loaders.derive.levels import RATIO, LevelChange, level_changes
from data_loaders.derive.robust import K_OFF, Reference, reference
from data_loaders.schema import BoolArray, FloatArray, IntArray

K_ON = 5.0
"""Score that one point of an excursion must reach; it ends where the score falls below `K_OFF`."""
GAP = 2
"""Missing or quiet steps that do not end an excursion."""
WARM_UP = 5
"""Steps at the start of a series in which an excursion counts as settling."""
ENOUGH = 12
"""Fewest finite points that make a baseline."""
RECOVERY = 8
"""Points compared before and after an excursion."""


def events(metric: str, step: IntArray, value: FloatArray) -> tuple[Event, ...]:
    """Excursions of a canonical series, by start; none for a metric outside `HEALTH_METRICS`.

    `step` (n,) ascending, `value` (n,) in the canonical unit. NaN and ±inf are events of their own: leave out
    cells that were never logged. Time is `step_time` without validation and checkpoints.
    """
    rule = _rule(metric)
    if rule is None:
        return ()
    finite = np.isfinite(value)
    found = _nonfinite(rule, step, value, finite)
    if int(finite.sum()) >= ENOUGH:
        found += _departures(rule, step[finite], value[finite])
    return tuple(sorted(found, key=lambda event: (event.start, event.end)))


def baseline(metric: str, step: IntArray, value: FloatArray) -> FloatArray:
    """Expected value at each step (n,), in the canonical unit; NaN where the cell itself is not finite.

    A metric that is not watched gets the plain running median.
    """
    out = np.full(np.shape(step), np.nan)
    finite = np.isfinite(value)
    if finite.any():
        rule = _rule(metric)
        log, floor = (rule.log, rule.floor) if rule else (False, np.zeros_like)
        ref = reference(value[finite], log, floor)
        out[finite] = ref.scale.back(ref.baseline)
    return out


def ratio(metric: str, value: FloatArray, expected: FloatArray) -> FloatArray:
    """value / expected (n,) for metrics judged by ratio; NaN for others and where nothing is expected."""
    rule = _rule(metric)
    out = np.full(value.shape, np.nan)
    if rule is not None and rule.log:
        np.divide(value, expected, out=out, where=expected > 0)
    return out


def _rule(metric: str) -> HealthMetric | None:
    return next((rule for rule in HEALTH_METRICS if rule.name == metric), None)


def _nonfinite(rule: HealthMetric, step: IntArray, value: FloatArray, finite: BoolArray) -> list[Event]:
    usual = float(np.median(value[finite])) if finite.any() else math.nan
    found = []
    for rows in _runs(np.flatnonzero(~finite), step):
        later = step[rows[-1] + 1 :]
        peak = value[rows[0]]
        found.append(
            Event(
                metric=rule.name,
                start=int(step[rows[0]]),
                end=int(step[rows[-1]]),
                peak=int(step[rows[0]]),
                value=float(peak),
                baseline=usual,
                ratio=math.nan,
                direction="down" if peak == -math.inf else "up",
                kind="nonfinite",
                recovered_at=int(later[0]) if later.size else None,
                scores=(),
            )
        )
    return found


def _departures(rule: HealthMetric, step: IntArray, value: FloatArray) -> list[Event]:
    """Excursions and level changes of a finite series. What a level change explains is not told twice."""
    ref = reference(value, rule.log, rule.floor)
    spans = [span for side in SIDES[rule.direction] for span in _excursions(rule, step, ref, side)]
    calm = np.ones(step.shape, dtype=np.bool_)
    calm[[row for rows in spans for row in rows]] = False
    kinds = [_kind(rows, step, ref, calm) for rows in spans]
    back = np.zeros(step.shape, dtype=np.bool_)
    for rows, kind in zip(spans, kinds, strict=True):
        back[rows[0] : rows[-1] + 1] |= kind == "episode"
    changes = _levels(rule, ref, back)
    told = [
        _excursion_event(rule, step, ref, rows, kind)
        for rows, kind in zip(spans, kinds, strict=True)
        if kind == "episode" or not any(_touch(step, rows, change) for change in changes)
    ]
    return told + [_level_event(rule, step, ref, change) for change in changes]


def _excursions(rule: HealthMetric, step: IntArray, ref: Reference, side: Literal[1, -1]) -> list[IntArray]:
    """Row numbers of the points beyond `K_OFF` on one side, one array per excursion that is large enough."""
    score, away = side * ref.score, side * (ref.z - ref.baseline)
    natural = np.abs(ref.value - ref.scale.back(ref.baseline))
    effect = math.log(rule.effect) if rule.log else rule.effect
    strong = (score >= K_ON) & (away >= effect) & (natural >= rule.least)
    beyond = np.flatnonzero(score >= K_OFF)
    # A weak point past a quiet step is noise: only pieces that hold a strong point are joined over one.
    cuts = np.union1d(_breaks(beyond, 1), _breaks(step[beyond], GAP + 1))
    pieces = [part for part in np.split(beyond, cuts) if strong[part].any()]
    return _runs(np.concatenate(pieces), step) if pieces else []


def _runs(rows: IntArray, step: IntArray) -> list[IntArray]:
    """`rows` split where more than `GAP` steps lie between neighbours."""
    return [part for part in np.split(rows, _breaks(step[rows], GAP + 1)) if part.size]


def _breaks(position: IntArray, reach: int) -> IntArray:
    """Indices at which ascending `position` has moved on by more than `reach`."""
    return np.flatnonzero(np.diff(position) > reach) + 1


def _kind(rows: IntArray, step: IntArray, ref: Reference, calm: BoolArray) -> Kind:
    """Kind of the excursion `rows`; `calm` (n,) marks the points outside every excursion."""
    first, last = int(rows[0]), int(rows[-1])
    if last == step.size - 1:
        return "open"
    if step[first] < step[0] + WARM_UP:
        return "startup"
    before, after = ref.z[:first][calm[:first]][-RECOVERY:], ref.z[last + 1 :][calm[last + 1 :]][:RECOVERY]
    peak = float(np.abs(ref.z - ref.baseline)[rows].max())
    moved = before.size and after.size and abs(np.median(after) - np.median(before)) > peak / 2
    return "level" if moved or last + 1 - first > step.size / 3 else "episode"


def _excursion_event(rule: HealthMetric, step: IntArray, ref: Reference, rows: IntArray, kind: Kind) -> Event:
    span = np.arange(rows[0], rows[-1] + 1)
    peak = int(rows[np.abs(ref.z - ref.baseline)[rows].argmax()])
    back = kind in ("episode", "startup")
    return Event(
        metric=rule.name,
        start=int(step[rows[0]]),
        end=int(step[rows[-1]]),
        peak=int(step[peak]),
        **_size(rule, ref, peak, float(ref.baseline[peak])),
        direction="up" if ref.z[peak] > ref.baseline[peak] else "down",
        kind=kind,
        recovered_at=int(step[rows[-1] + 1]) if back else None,
        scores=tuple(ref.score[span].tolist()),
    )


def _levels(rule: HealthMetric, ref: Reference, ignored: BoolArray) -> list[LevelChange]:
    effect = math.log(max(rule.effect, RATIO)) if rule.log else rule.effect
    sides = SIDES["both" if rule.joins else rule.direction]
    return [
        change
        for change in level_changes(ref, ignored, K_ON, effect)
        if math.copysign(1, change.after - change.before) in sides
        and abs(float(np.diff(ref.scale.back(np.array([change.before, change.after])))[0])) >= rule.least
    ]


def _touch(step: IntArray, rows: IntArray, change: LevelChange) -> bool:
    return bool(step[rows[0]] - GAP <= step[change.end] and step[change.start] <= step[rows[-1]] + GAP)


def _level_event(rule: HealthMetric, step: IntArray, ref: Reference, change: LevelChange) -> Event:
    span = np.arange(change.start, change.end + 1)
    return Event(
        metric=rule.name,
        start=int(step[change.start]),
        end=int(step[change.end]),
        peak=int(step[change.end]),
        **_size(rule, ref, change.end, change.before),
        direction="up" if change.after > change.before else "down",
        kind="level",
        recovered_at=None,
        scores=tuple(((ref.z[span] - change.before) / ref.sigma[span]).tolist()),
    )


def _size(rule: HealthMetric, ref: Reference, row: int, expected: float) -> dict[str, float]:
    value, base = float(ref.value[row]), float(ref.scale.back(np.array([expected]))[0])
    return {"value": value, "baseline": base, "ratio": value / base if rule.log and base > 0 else math.nan}
