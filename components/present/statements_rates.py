"""Statements on pass rates: start, end, crossings, leads, swings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from components import ids
from components.numbers import number, percent, steps
from components.present.compared import Member, bounded, gap, ranked
from components.present.runs import points
from components.text import Bilingual, joined, words
from components.view import Span
from components.view_remarks import Statement, View
from data_loaders.derive.algorithm import read_setup
from data_loaders.derive.config import get
from data_loaders.derive.intervals import batch_pass_error
from data_loaders.derive.settings import config_of
from data_loaders.derive.settings import number as numeric
from data_loaders.derive.smooth import trailing_mean
from data_loaders.derive.statistics import Mean, step_error
from data_loaders.schema import FloatArray, IntArray, Note

CHART = ids.chart("cmp", "pass_rate")
LEVEL = 5.0
"""Levels that are asked for are multiples of this many percent."""
SHORT = 40
"""Runs of fewer steps are judged by their swings."""


def listed(parts: Sequence[Bilingual]) -> Bilingual:
    """Several values in one sentence."""
    return joined(list(parts), "，", ", ")


def names(found: Sequence[Member]) -> tuple[str, ...]:
    """Runs as a link names them."""
    return tuple(one.name for one in found)


def ends(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Mean of the last ten steps of every run; neighbours that cannot be told apart are joined by ≈."""
    everybody = ranked(found)
    if not everybody:
        return
    last = max(mean.last for _, mean in everybody)
    order = [(one, mean) for one, mean in everybody if mean.last == last]
    span = (order[0][1].first, last)
    behind = [
        words("said.behind", run=_valued(one, mean), steps=steps(mean.first, mean.last))
        for one, mean in everybody
        if mean.last != last
    ]
    text = words("said.order", order=_ordered(order))
    lower = [words("finding.bound", run=one.mark, rate=percent(one.row.last10.value))
             for one in bounded(found) if one.row.last10]  # fmt: skip
    parts = [text, *behind, *([words("said.bounds", runs=listed(lower))] if lower else [])]
    yield Statement(
        "ends",
        Note("said.ends", {"steps": steps(*span), "told": joined(parts, "；", "; ")}),
        View(track, (), span, chart=CHART),
    )


def starts(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Mean of the first five steps, and why the very first step alone says nothing."""
    order = ranked(found, "first5")
    if len(order) < 2:
        return
    span = (order[0][1].first, order[0][1].last)
    one, mean = max(((m, _at(m, span[0])) for m, _ in order), key=lambda entry: entry[1])
    lower = [words("finding.bound", run=m.mark, rate=percent(m.row.first5.value))
             for m in bounded(found) if m.row.first5]  # fmt: skip
    values = {
        "steps": steps(*span),
        "order": _ordered(order),
        "bounds": words("said.and_bounds", runs=listed(lower)) if lower else ("", ""),
        "first": span[0],
        "run": one.mark,
        "rate": percent(mean),
        "error": number(100 * _batch_error(one, mean), 1),
    }
    yield Statement("starts", Note("said.starts", values), View(track, (), span, chart=CHART))


def crossings(track: str, found: Sequence[Member], window: Span | None) -> Iterator[Statement]:
    """Step at which the trailing mean first reaches a level half way up."""
    smooth = {one.mark: _smooth(one, window) for one in found}
    finite = [rate[np.isfinite(rate)] for _, rate in smooth.values()]
    known = [rate for rate in finite if rate.size >= SHORT]
    if len(known) < 2:
        return
    low, high = float(np.median([rate[0] for rate in known])), float(np.median([rate[-1] for rate in known]))
    level = LEVEL * np.ceil(100 * (low + high) / 2 / LEVEL)
    reached = []
    for one in found:
        step, rate = smooth[one.mark]
        above = step[rate >= level / 100]
        if above.size:
            reached.append((int(above[0]), one))
    if high - low < LEVEL / 100 or len(reached) < 2:
        return
    reached.sort(key=lambda entry: entry[0])
    told = [(f"{'≤ ' * one.row.lower_bound}{one.mark} {at}",) * 2 for at, one in reached]
    span = (max(reached[0][0] - 10, 1), reached[-1][0] + 10)
    values = {"level": number(level, 0), "runs": listed(told)}
    yield Statement("crossings", Note("said.crossings", values), View(track, (), span, chart=CHART))


def leads(track: str, found: Sequence[Member], window: Span | None) -> Iterator[Statement]:
    """Largest lead of the run that ends highest over the best other, in trailing means."""
    order = ranked(found)
    if len(order) < 2:
        return
    best = order[0][0]
    step, rate = _smooth(best, window)
    others = [_smooth(one, window) for one, _ in order[1:]]
    if any(not np.array_equal(step, other) for other, _ in others) or not np.isfinite(rate).any():
        return
    lead = rate - np.max([other for _, other in others], axis=0)
    at = int(np.nanargmax(lead))
    error = step_error(points(best.run, "pass_rate").value) * 2**0.5 / 5**0.5
    values = {
        "run": best.mark, "points": number(100 * lead[at], 1), "step": int(step[at]),
        "error": number(100 * error, 1),
    }  # fmt: skip
    span = (max(int(step[at]) - 12, 1), int(step[at]) + 12)
    yield Statement("leads", Note("said.leads", values), View(track, (), span, chart=CHART))


def swings(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Whether the range of a short run is what batches of that size give by chance."""
    for one in found:
        rate = points(one.run, "pass_rate")
        known = rate.value[np.isfinite(rate.value)]
        if not 8 <= known.size < SHORT:
            continue
        error = _batch_error(one, float(known.mean()))
        values = {
            "run": one.mark, "n": known.size, "low": percent(known.min(), 0), "high": percent(known.max(), 0),
            "measured": number(100 * float(known.std(ddof=1)), 1), "error": number(100 * error, 1),
        }  # fmt: skip
        view = View(track, (one.name,), chart=ids.chart("run", "pass_rate", one.info.key))
        yield Statement("swings", Note("said.swings", values), view)


def _ordered(order: Sequence[tuple[Member, Mean]]) -> Bilingual:
    """`E3 67.9 ±1.7 > E4 64.4 ±1.8 ≈ E1 62.8 ±1.7`."""
    text = _valued(*order[0])
    for (one, mean), (other, value) in pairwise(order):
        same = (mean.first, mean.last) == (value.first, value.last)
        found = gap(one.run, other.run, (mean.first, mean.last)) if same else None
        sign = ">" if found and found.mean.settled else "≈"
        text += f" {sign} {_valued(other, value)}"
    return text, text


def _valued(one: Member, mean: Mean) -> str:
    half = f" ±{number(100 * mean.half, 1)}" if np.isfinite(mean.half) else ""
    return f"{one.mark} {percent(mean.value)}{half}"


def _smooth(one: Member, window: Span | None) -> tuple[IntArray, FloatArray]:
    rate = points(one.run, "pass_rate")
    smooth = trailing_mean(rate.step, rate.value)
    inside = np.ones(rate.step.shape, np.bool_)
    if window is not None:
        inside = (rate.step >= window[0]) & (rate.step <= window[1])
    return rate.step[inside], smooth[inside]


def _at(one: Member, step: int) -> float:
    rate = points(one.run, "pass_rate")
    at = rate.value[rate.step == step]
    return float(at[0]) if at.size and np.isfinite(at[0]) else -np.inf


def _batch_error(one: Member, rate: float) -> float:
    config = config_of(one.run.view.run)
    prompts = numeric(get(config, "data.train_batch_size"))
    samples = read_setup(config).group_size if prompts else 8
    return float(batch_pass_error(rate, int(prompts or 32), samples))
