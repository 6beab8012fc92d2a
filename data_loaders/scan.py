"""Roots → experiments: which logs there are, which belong together, and what each experiment is."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data_loaders import catalog
from data_loaders.board_config import BoardConfig
from data_loaders.grouping import Group, Log, group, is_train_log, name_time, natural, printable_id
from data_loaders.probe import Probe, probe_log
from data_loaders.walk import Candidate, Listing, ScanLimits, Skipped, Skips, error_text, resolve_roots, walk


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment and its logs. Label, track and algorithm come from board.toml, names, then contents."""

    id: str
    """Printable and unique; never a path."""
    root: Path
    logs: tuple[Path, ...]
    """In start order, without links."""
    label: str = ""
    track: str = catalog.OTHER
    algorithm: str = catalog.UNKNOWN
    """First guess; the resolved config decides where a log shows one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """`BoardConfig.options`."""
    evidence: Mapping[str, str] = field(default_factory=dict)
    """What `label`, `track` and `algorithm` were taken from: `config` (board.toml), or as in `Recognised`."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What roots hold."""

    experiments: tuple[Experiment, ...]
    """By track, label, id."""
    skipped: tuple[Skipped, ...] = ()
    """The first `ScanLimits.listed`; `counts` has all."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Entries left out, by reason key; also files without the name of a log (`skip.other_name`)."""
    roots_missing: tuple[Skipped, ...] = ()
    """Roots that do not exist or cannot be read; reason keys `root.*`."""
    unmatched: tuple[str, ...] = ()
    """Experiments of board.toml for which there is no log."""


@dataclass(slots=True)
class ScanMemory:
    """What a scan leaves for the next one, so that only changed folders and files are looked at again."""

    listings: dict[str, Listing] = field(default_factory=dict)
    probes: dict[Path, tuple[Candidate, Probe]] = field(default_factory=dict)


def scan(
    roots: Sequence[Path],
    config: BoardConfig,
    *,
    limits: ScanLimits | None = None,
    memory: ScanMemory | None = None,
    probe: Callable[[Path], Probe] = probe_log,
) -> ScanResult:
    """Find the experiments under roots (folders or files). Raises nothing for what it meets there."""
    limits = limits or ScanLimits()
    memory = memory if memory is not None else ScanMemory()
    resolved, missing = resolve_roots(roots)
    skips = Skips(limits.listed)
    files = list(walk(resolved, limits, skips, memory.listings))
    memory.probes = dict(_probe_all(files, memory.probes, probe, skips))
    logs = _logs(memory.probes, skips)
    hints = {path: found.hints for path, (_, found) in memory.probes.items()}

    experiments, named = [], set()
    for found in group(logs):
        entry = next((n for n in (found.id, printable_id(found.name)) if n in config.experiments), found.id)
        named.add(entry)
        if entry in config.experiments and config.experiments[entry].hidden:
            skips.add(found.id, "skip.hidden_by_config")
        else:
            experiments.append(_experiment(found, entry, _merged(hints[path] for path in found.logs), config))
    order = {track.id: place for place, track in enumerate(config.tracks)}
    experiments.sort(
        key=lambda e: (order.get(e.track, len(order)), not e.label, natural(e.label), natural(e.id))
    )
    return ScanResult(
        experiments=tuple(experiments),
        skipped=tuple(skips.named),
        counts=dict(skips.counts),
        roots_missing=tuple(missing),
        unmatched=tuple(id_ for id_ in config.experiments if id_ not in named),
    )


def _probe_all(
    files: Iterable[Candidate],
    known: Mapping[Path, tuple[Candidate, Probe]],
    probe: Callable[[Path], Probe],
    skips: Skips,
) -> Iterable[tuple[Path, tuple[Candidate, Probe]]]:
    """Look into files that are new or have changed in a way that may change what they are."""
    for file in files:
        before, found = known.get(file.path, (None, None))
        if before is None or found is None or not _same(before, file, found):
            try:
                found = probe(file.path) if file.size else Probe(None)
            except (OSError, EOFError, ValueError, zlib.error) as error:
                skips.add(file.path, "skip.unreadable", error=error_text(error))
                continue
        yield file.path, (file, found)


def _same(before: Candidate, now: Candidate, found: Probe) -> bool:
    """A log that grows stays a log; anything else that changes is looked at again."""
    if before.inode != now.inode:
        return False
    grown = found.format is not None and now.size >= before.size
    return grown or (before.size, before.mtime_ns) == (now.size, now.mtime_ns)


def _logs(probes: Mapping[Path, tuple[Candidate, Probe]], skips: Skips) -> list[Log]:
    """Files that are logs, and files named `train_…` that have nothing to show yet beside them."""
    log_folders = {path.parent for path, (_, found) in probes.items() if found.format is not None}
    logs = []
    for path, (file, found) in probes.items():
        starting = is_train_log(path.name) and (not file.size or path.parent in log_folders)
        plain = probes.get(path.with_suffix("")) if path.suffix.lower() == ".gz" else None
        if found.format is None and not starting:
            skips.add(path, "skip.no_format" if file.size else "skip.empty")
        elif plain is not None and plain[1].format is not None:
            skips.add(path, "skip.twin")
        else:
            logs.append(Log(file, found.hints.get("experiment", ""), _start(file, found)))
    return logs


def _start(file: Candidate, found: Probe) -> float:
    """When a log started: by its name, else by its first time stamp, else by its last change.

    All three are wall clock read as UTC, so that they can be compared.
    """
    by_name = name_time(file.path.name)
    if by_name is not None:
        return by_name
    if found.clock is not None:
        return found.clock
    changed = file.mtime_ns / 1e9
    try:
        return datetime.fromtimestamp(changed).replace(tzinfo=UTC).timestamp()
    except (OSError, OverflowError, ValueError):  # a time stamp beyond all calendars
        return changed


def _merged(hints: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Hints of several logs; the earliest log that says something is believed."""
    merged: dict[str, str] = {}
    for some in hints:
        merged = {**some, **merged}
    return merged


def _experiment(found: Group, entry: str, hints: Mapping[str, str], config: BoardConfig) -> Experiment:
    tracks = [track.track for track in config.tracks]
    told = catalog.recognise(found.name, hints, folders=found.folders, tracks=tracks)
    said = config.experiments.get(entry)
    values = {what: getattr(said, what, None) for what in ("label", "track", "algorithm")}
    given = {what: value for what, value in values.items() if value is not None}
    label, track = given.get("label", told.label), given.get("track", told.track)
    return Experiment(
        id=found.id,
        root=found.root,
        logs=found.logs,
        label=label,
        track=track,
        algorithm=given.get("algorithm", told.algorithm),
        options=config.options(track, entry, label),
        evidence={**told.evidence, **dict.fromkeys(given, "config")},
    )
