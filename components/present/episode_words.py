"""Sentences of an open episode: rule and numbers, no cause."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from components.charts import gradient_clip
from components.episode_view import MovedMetric, OtherRun
from components.figures import Chart
from components.figures_episode import episode_charts
from components.numbers import number, steps
from components.present.episode_context import charts_by_metric, event_note, names
from components.present.episode_found import Opened, weight
from components.present.watched import RULES, Watched, touching
from components.quantities import change, change_of, quoted
from components.text import TEXT, joined, listing, said
from components.view import ChartRun, Sentence
from data_loaders.derive.events import K_ON
from data_loaders.derive.robust import NARROWEST, window
from data_loaders.derive.settings import config_of
from data_loaders.schema import Note

Fact = tuple[Sentence, Sentence]
FEW = 3
"""Steps named one by one."""


def width(found: Opened) -> int:
    """Points in the window of the running median, of the metric with most points; 0: all points at once."""
    points = [int(np.isfinite(one.value).sum()) for one in found.known().values()]
    most = max(points, default=0)
    return window(most) if most >= NARROWEST else 0


def facts(found: Opened) -> tuple[Fact, ...]:
    """Peak, return, gradient clip."""
    episode = found.episode
    shown: list[Fact] = []
    if episode.events:
        shown.append((Note("episode.peak"), _plain(episode.peak)))
        shown.append((Note("episode.recovered"), _recovered(found)))
    clip = _clip(found)
    return (*shown, *([(Note("episode.clip"), clip)] if clip else []))


def _plain(value: int) -> Sentence:
    return str(value), str(value)


def _recovered(found: Opened) -> Sentence:
    back = [event.recovered_at for event in found.episode.events if event.recovered_at is not None]
    return _plain(max(back)) if found.episode.recovered and back else Note("episode.not_recovered")


def _clip(found: Opened) -> Sentence | None:
    """Whether the gradient norm reached the value above which the update is scaled down."""
    series = found.known().get("grad_norm")
    if series is None:
        return None
    limit = gradient_clip(found.run.view.run)
    if limit is None:
        return Note("clip.not_set" if config_of(found.run.view.run) else "clip.unknown")
    part = series.between(found.episode.start, found.episode.end)
    beyond = part.step[np.nan_to_num(part.value, nan=-np.inf) >= limit]
    values = {"limit": number(limit, 1), "steps": listing(map(str, beyond[:4].tolist()))}
    return Note("clip.reached" if beyond.size else "clip.not_reached", values)


def sentences(
    found: Opened, moved: Sequence[MovedMetric], others: Sequence[OtherRun]
) -> tuple[Sentence, ...]:
    """What left its baseline by which rule, what the other runs did, and what stayed."""
    told = (_rule(found, moved), _others(others), _also(found), _stayed(found))
    return tuple(text for text in told if text)


def _rule(found: Opened, moved: Sequence[MovedMetric]) -> Sentence:
    episode, points = found.episode, width(found)
    values = {
        "n": len(episode.metrics),
        "span": steps(episode.start, episode.end),
        "median": Note("rule.window", {"n": points}) if points else Note("rule.whole"),
        "score": number(K_ON, 0),
    }
    if not episode.events:
        return Note("rule.nothing", values)
    starts = sorted({event.start for event in episode.events})
    few = listing(map(str, starts)) if len(starts) <= FEW else (steps(starts[0], starts[-1]),) * 2
    values |= {"starts": few, "end": _end(found)}
    if len(episode.metrics) > 1 or not moved:
        return Note("rule.some", values)
    heaviest = max(moved, key=lambda one: weight(one.event))
    event = heaviest.event
    values |= {"metric": Note(heaviest.chart.title), "change": change_of(heaviest.chart, event)}
    key = "rule.nonfinite" if event.kind == "nonfinite" else "rule.one"
    return Note(key, {**values, "value": number(event.value), "step": event.peak})


def _end(found: Opened) -> Sentence:
    """When the last of them was back, or which are not."""
    events, charts = found.episode.events, charts_by_metric()
    out = [Note(charts[event.metric].title) for event in events if event.recovered_at is None]
    if out:
        return Note("rule.still_out", {"metrics": names(out, inside=True), "last": found.run.view.run.last})
    return Note("rule.back", {"step": max(event.recovered_at or 0 for event in events)})


def _others(others: Sequence[OtherRun]) -> Sentence | None:
    """The other runs in one sentence; their table says which left what."""
    inside = [other for other in others if other.state == "inside"]
    left = [other for other in others if other.state == "left"]
    if not inside and not left:
        return Note("others.none") if others else None
    same = {other.data.key for other in (*inside, *left) if isinstance(other.data, Note)} == {"prompts.same"}
    kind = "all_inside" if not left else "all_left" if not inside else "both"
    values = {
        "inside": names([(other.info.mark,) * 2 for other in inside]),
        "left": names([(other.info.mark,) * 2 for other in left]),
        "data": Note("others.same" if same else "others.maybe"),
    }
    return Note(f"others.{kind}", values)


def _also(found: Opened) -> Sentence | None:
    """Excursions that make no episode, such as those of the pass rate, at the same steps."""
    charts, span = charts_by_metric(), (found.episode.start, found.episode.end)
    events = [
        event
        for metric, series in found.known().items()
        if metric in charts and metric not in found.episode.metrics
        for event in touching(series.events, *span)
    ]
    told = joined([said(event_note(event)) for event in events], "；", "; ")
    return Note("episode.also", {"events": told}) if events else None


def _stayed(found: Opened) -> Sentence | None:
    """Metrics with a chart that have a baseline and did not leave it."""
    stayed = [
        Note(chart.title)
        for chart in episode_charts(())
        if isinstance(one := found.watched.get(chart.metric), Watched) and _stayed_inside(one, found)
    ]
    return Note("episode.stayed", {"metrics": names(stayed)}) if stayed else None


def _stayed_inside(series: Watched, found: Opened) -> bool:
    """Whether a metric has a baseline and cells here, and none of its excursions, settling included."""
    first, last = found.episode.start, found.episode.end
    here = any(event.start <= last and event.end >= first for event in series.events)
    return series.judged and bool(series.between(first, last).step.size) and not here


def caption(chart: Chart, found: Opened, run: ChartRun) -> Sentence | None:
    """What to see in a chart: its peak, or how far one that stayed came; None where nothing is watched."""
    series = found.known().get(chart.metric)
    if series is None or chart.metric not in RULES:
        return None
    mine = touching(series.events, found.episode.start, found.episode.end)
    if mine:
        event = max(mine, key=weight)
        if not math.isfinite(event.value):
            return Note("peak.nonfinite", {"value": number(event.value), "step": event.peak})
        values = {"value": quoted(chart, event.value), "step": event.peak, "change": change_of(chart, event)}
        text = Note("peak.up" if event.direction == "up" else "peak.down", values)
        return _beside(chart, run, event.value, text)
    part = series.between(found.episode.start, found.episode.end)
    if not _stayed_inside(series, found):
        return None
    away = np.where(np.isfinite(part.expected), np.abs(part.value - part.expected), -1.0)
    if not away.size or away.max() < 0:
        return None
    row = int(away.argmax())
    value, expected, ratio = (float(a[row]) for a in (part.value, part.expected, part.ratio))
    values = {
        "value": quoted(chart, value), "step": int(part.step[row]),
        "change": change(chart, value, expected, ratio),
    }  # fmt: skip
    return Note("peak.inside", values)


def _beside(chart: Chart, run: ChartRun, value: float, text: Note) -> Sentence:
    """With where the peak stands to the first reference line of the chart."""
    limits = [(ref, limit) for ref in chart.references if (limit := ref.value(run)) is not None]
    if not limits:
        return text
    reference, limit = limits[0]
    key = "peak.below" if value < limit else "peak.above"
    named = Note(reference.word, {"n": number(limit, 0 if limit >= 10 else 1)})
    return Note(key, {"text": text, "line": named}) if reference.word in TEXT else text
