"""Statements on the course of a training: entropy, length, gradient, episodes, time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from components import ids
from components.charts import gradient_clip
from components.numbers import number, percent, steps, thousands
from components.present.compared import Member
from components.present.rows import FIRST
from components.present.runs import Points, points
from components.present.statements_rates import listed
from components.text import inside, words
from components.view import Span
from components.view_remarks import Statement, View
from data_loaders.derive.canonical import curve
from data_loaders.derive.settings import aggregation
from data_loaders.derive.trends import FEW, trend
from data_loaders.schema import Curve, Note

SUMMED = "seq-mean-token-sum-norm"


def entropies(track: str, found: Sequence[Member], window: Span | None) -> Iterator[Statement]:
    """Entropy per token at both ends, with the change of its trend and the interval of that."""
    told = []
    for one in found:
        entropy = _inside(points(one.run, "entropy"), window)
        line = trend(entropy.step, entropy.value, FEW)
        if line is None or one.row.entropy_pair is None:
            continue
        told.append(
            words(
                f"said.entropy.{line.direction}", run=one.mark,
                start=number(one.row.entropy_pair.start), end=number(one.row.entropy_pair.end),
                change=number(100 * line.change, 0, plus=True),
                low=number(100 * line.change_low, 0, plus=True),
                high=number(100 * line.change_high, 0, plus=True),
            )
        )  # fmt: skip
    if told:
        view = View(track, chart=ids.chart("cmp", "entropy"))
        yield Statement("entropies", Note("said.entropies", {"runs": listed(told)}), view)


def entropy_units(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """What the logged entropy of a run summed over a fixed length would suggest."""
    plain = [one for one in found if (how := aggregation(one.run.view.run)) and how.mode == "token-mean"]
    for one in found:
        token, logged = curve(one.run.view, "entropy"), curve(one.run.view, "entropy", units="logged")
        if not isinstance(token, Curve) or not isinstance(logged, Curve):
            continue
        if token.derived is None or not plain:
            continue
        beside = points(plain[0].run, "entropy")
        values = {
            "run": one.mark, "other": plain[0].mark, "logged": number(float(logged.value[0]), 3),
            "token": number(float(token.value[0]), 3), "beside": number(float(beside.value[0]), 3),
        }  # fmt: skip
        view = View(track, (one.name, plain[0].name), chart=ids.chart("cmp", "entropy"))
        yield Statement("entropy_units", Note("said.entropy_units", values), view)


def lengths(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Growth of responses, largest first: an order of quantities, not of merit."""
    known = [(one, pair) for one in found if (pair := one.row.length_pair) is not None and _long(one)]
    if not known:
        return
    known.sort(key=lambda entry: entry[1].start - entry[1].end)
    told = []
    for one, pair in known:
        grown = thousands(pair.end - pair.start, plus=True)
        text = f"{one.mark} {thousands(pair.start)} → {thousands(pair.end)} ({grown})"
        told.append((text, text))
    view = View(track, chart=ids.chart("cmp", "response_length"))
    yield Statement("lengths", Note("said.lengths", {"runs": listed(told)}), view)


def gradients(track: str, found: Sequence[Member], window: Span | None) -> Iterator[Statement]:
    """How much of a low gradient norm the divisor of the loss explains by itself."""
    plain = [one for one in found if (how := aggregation(one.run.view.run)) and how.mode == "token-mean"]
    for one in found:
        how = aggregation(one.run.view.run)
        if how is None or how.mode != SUMMED or not how.horizon or not plain:
            continue
        length = _inside(points(one.run, "response_length"), window).value
        mine, theirs = one.row.grad_median, plain[0].row.grad_median
        if not mine or not theirs or not np.isfinite(length).any():
            continue
        values = {
            "run": one.mark, "other": plain[0].mark, "mine": number(mine), "theirs": number(theirs),
            "ratio": number(mine / theirs), "scale": number(float(np.nanmean(length)) / how.horizon),
            "horizon": how.horizon,
        }  # fmt: skip
        view = View(track, (one.name, plain[0].name), chart=ids.chart("cmp", "grad_norm"))
        yield Statement("gradients", Note("said.gradients", values), view)


def episodes(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Steps at which several metrics left their baselines, and whether length explains the entropy."""
    for one in found:
        for episode in one.run.episodes:
            if episode.severity < 2:
                continue
            moved = listed([inside(words(f"metric.{name}")) for name in episode.metrics])
            values = {
                "run": one.mark, "steps": steps(episode.start, episode.end), "moved": moved,
                "end": Note("said.recovered" if episode.recovered else "said.not_recovered"),
                "length": _length_beside(one, episode.start, episode.end, episode.metrics),
            }  # fmt: skip
            view = View(track, (one.name,), episode=f"{one.info.id}:{episode.start}")
            yield Statement("episodes", Note("said.episodes", values), view)


def spikes(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Single steps of a high gradient norm, and which of them the clip reached."""
    for one in found:
        clip = gradient_clip(one.run.view.run)
        events = [
            event
            for episode in one.run.episodes
            if episode.severity == 1
            for event in episode.events
            if event.metric == "grad_norm" and math.isfinite(event.value)
        ]
        if not events or clip is None:
            continue
        told = [
            words(
                "said.spike.clipped" if event.value > clip else "said.spike.below",
                value=number(event.value), step=event.peak, ratio=number(event.ratio, 1),
            )
            for event in events
        ]  # fmt: skip
        first, last = min(e.peak for e in events), max(e.peak for e in events)
        view = View(track, (one.name,), (max(first - 8, 1), last + 8), chart=ids.chart("cmp", "grad_norm"))
        values = {"run": one.mark, "told": listed(told), "clip": clip}
        yield Statement("spikes", Note("said.spikes", values), view)


def hours(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Wall clock of the runs that did equally many steps, shortest first."""
    last = max((one.row.last or 0 for one in found), default=0)
    known = sorted(
        ((one.row.hours, one) for one in found if one.row.hours is not None and one.row.last == last),
        key=lambda entry: entry[0],
    )
    if len(known) < 2:
        return
    told = [(f"{one.mark} {number(spent, 1)} h",) * 2 for spent, one in known]
    view = View(track, chart=ids.chart("cmp", "hours"))
    yield Statement("hours", Note("said.hours", {"steps": last, "runs": listed(told)}), view)


def _long(one: Member) -> bool:
    return points(one.run, "response_length").step.size >= 4 * FIRST


def _inside(series: Points, window: Span | None) -> Points:
    if window is None:
        return series
    inside = (series.step >= window[0]) & (series.step <= window[1])
    return Points(series.step[inside], series.value[inside], series.notes)


def _length_beside(one: Member, first: int, last: int, moved: Sequence[str]) -> tuple[str, str] | Note:
    """How far the length moved while the entropy did: with a summed entropy the one could be the other."""
    length = points(one.run, "response_length")
    within = (length.step >= first) & (length.step <= last)
    before = (length.step >= first - 10) & (length.step < first)
    if "entropy" not in moved or not within.any() or not before.any():
        return "", ""
    change = float(np.nanmean(length.value[within]) / np.nanmean(length.value[before])) - 1
    entropy = points(one.run, "entropy")
    low = float(np.nanmin(entropy.value[(entropy.step >= first) & (entropy.step <= last)]))
    base = float(np.nanmedian(entropy.value[(entropy.step >= first - 10) & (entropy.step < first)]))
    values = {"length": percent(change, plus=True), "entropy": percent(low / base - 1, 0, plus=True)}
    return Note("said.length_beside", values)
