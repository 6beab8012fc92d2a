"""Episodes of a run, found once per content of its logs and kept on disk."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from data_loaders.derive.canonical import curve
from data_loaders.derive.episodes import Episode, detect
from data_loaders.derive.health import HEALTH_METRICS, Event
from data_loaders.run_store import derived_once
from data_loaders.schema import Curve, Json, RunData

METHOD = "1"
"""Counts up whenever the detector gives other episodes for the same series."""
EPISODE_FIELDS = ("id", "start", "end", "peak", "severity", "kind", "recovered")


def episodes_of(data: RunData, version: str, cache_dir: Path) -> tuple[Episode, ...]:
    """Episodes of a run whose logs have this `version`; a store that fails is passed over."""
    made_by = METHOD, version
    return derived_once(
        data.run, cache_dir / "episodes", made_by, lambda: find_episodes(data), _entries, _episodes
    )


def find_episodes(data: RunData) -> tuple[Episode, ...]:
    """Episodes from the canonical series of the watched metrics."""
    series = {}
    for metric in HEALTH_METRICS:
        found = curve(data, metric.name)
        if isinstance(found, Curve):
            series[metric.name] = (found.step, found.value)
    return detect(series)


def _entries(episodes: tuple[Episode, ...]) -> Json:
    return {"episodes": [_stored(asdict(episode)) for episode in episodes]}


def _episodes(stored: Json) -> tuple[Episode, ...]:
    return tuple(_loaded(entry) for entry in stored["episodes"])


def _stored(value: object) -> object:
    """JSON has no NaN: non-finite numbers become their text."""
    if isinstance(value, dict):
        return {key: _stored(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_stored(item) for item in value]
    if isinstance(value, float) and value - value != 0:
        return repr(value)
    return value


def _loaded(entry: dict[str, object]) -> Episode:
    events = tuple(_event(event) for event in entry["events"])  # type: ignore[attr-defined]
    return Episode(**{name: entry[name] for name in EPISODE_FIELDS}, events=events)  # type: ignore[arg-type]


def _event(entry: dict[str, object]) -> Event:
    numbers = {name: float(entry[name]) for name in ("value", "baseline", "ratio")}  # type: ignore[arg-type]
    scores = tuple(float(score) for score in entry["scores"])  # type: ignore[attr-defined]
    return Event(**{**entry, **numbers, "scores": scores})  # type: ignore[arg-type]
