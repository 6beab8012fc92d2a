"""Sentences of an open episode: rule and numbers, no cause."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.charts import gradient_clip
from components.episode_view import MovedMetric, OtherRun
from components.figures import Chart
from components.figures_episode import episode_charts
from components.numbers import number, steps
from components.present.episode_context import charts_by_metric, names
from components.present.episode_found import Opened
from components.present.watched import RULES, Watched
from components.quantities import change, change_of, quoted
from components.text import TEXT
from components.view import ChartRun, Sentence
from data_loaders.derive.events import K_ON
from data_loaders.derive.robust import NARROWEST, window
from data_loaders.derive.settings import config_of
from data_loaders.schema import Note

Fact = tuple[Sentence, Sentence]


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
    values = {"limit": number(limit, 1), "steps": ", ".join(map(str, beyond[:4].tolist()))}
    return Note("clip.reached" if beyond.size else "clip.not_reached", values)


def sentences(
    found: Opened, moved: Sequence[MovedMetric], others: Sequence[OtherRun]
) -> tuple[Sentence, ...]:
    """What left its baseline by which rule, what the other runs did, and what stayed."""
    return tuple(text for text in (_rule(found, moved), _others(others), _stayed(found)) if text)


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
    starts = [event.start for event in episode.events]
    values |= {"starts": steps(min(starts), max(starts)), "end": _end(found)}
    if len(moved) == 1:
        event = moved[0].event
        values |= {"metric": Note(moved[0].chart.title), "change": change_of(moved[0].chart, event)}
        odd = "rule.nonfinite" if event.kind == "nonfinite" else "rule.one"
        return Note(odd, {**values, "value": number(event.value), "step": event.peak})
    return Note("rule.some", values)


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


def _stayed(found: Opened) -> Sentence | None:
    """Metrics with a chart that have a baseline and did not leave it."""
    span = found.episode.start, found.episode.end
    stayed = [
        Note(chart.title)
        for chart in episode_charts(())
        if isinstance(one := found.watched.get(chart.metric), Watched)
        and one.judged
        and one.between(*span).step.size
        and not any(e.start <= span[1] and e.end >= span[0] for e in one.events)
    ]
    return Note("episode.stayed", {"metrics": names(stayed)}) if stayed else None


def caption(chart: Chart, found: Opened, run: ChartRun) -> Sentence | None:
    """What to see in a chart: its peak, or how far one that stayed came; None where nothing is watched."""
    series = found.known().get(chart.metric)
    if series is None or chart.metric not in RULES:
        return None
    mine = [event for event in found.episode.events if event.metric == chart.metric]
    if mine:
        event = max(mine, key=lambda event: abs(event.value - event.baseline))
        values = {"value": quoted(chart, event.value), "step": event.peak, "change": change_of(chart, event)}
        text = Note("peak.up" if event.direction == "up" else "peak.down", values)
        return _beside(chart, run, event.value, text)
    part = series.between(found.episode.start, found.episode.end)
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
