"""Episodes of a run, found once per content of its logs and kept on disk."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import orjson

from data_loaders.derive.canonical import curve
from data_loaders.derive.episodes import Episode, detect
from data_loaders.derive.health import HEALTH_METRICS, Event
from data_loaders.schema import Curve, RunData

METHOD = "1"
"""Counts up whenever the detector gives other episodes for the same series."""
EPISODE_FIELDS = ("id", "start", "end", "peak", "severity", "kind", "recovered")


def episodes_of(data: RunData, version: str, cache_dir: Path) -> tuple[Episode, ...]:
    """Episodes of a run whose logs have this `version`; a store that fails is passed over.

    One file per run, which the next version replaces: a run that grows for days leaves no trail.
    """
    logs = "\0".join((data.run.id, *data.run.logs))
    name = hashlib.sha256(logs.encode("utf-8", "surrogatepass")).hexdigest()
    path = cache_dir / "episodes" / f"{name[:32]}.json"
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored = orjson.loads(path.read_bytes())
        if (stored["method"], stored["version"]) == (METHOD, version):
            return tuple(_loaded(entry) for entry in stored["episodes"])
    found = find_episodes(data)
    with suppress(OSError):
        _store(path, version, found)
    return found


def find_episodes(data: RunData) -> tuple[Episode, ...]:
    """Episodes from the canonical series of the watched metrics."""
    series = {}
    for metric in HEALTH_METRICS:
        found = curve(data, metric.name)
        if isinstance(found, Curve):
            series[metric.name] = (found.step, found.value)
    return detect(series)


def _store(path: Path, version: str, episodes: tuple[Episode, ...]) -> None:
    entries = [_stored(asdict(episode)) for episode in episodes]
    replace_file(path, orjson.dumps({"method": METHOD, "version": version, "episodes": entries}))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file of the cache at once, for the owner alone. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


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
