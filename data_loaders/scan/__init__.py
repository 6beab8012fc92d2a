"""Roots → experiments: which logs there are, which belong together, and what each experiment is."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from data_loaders import catalog
from data_loaders.board_config import BoardConfig
from data_loaders.scan.grouping import Group, Log, group, is_train_log, name_time, natural, printable_id
from data_loaders.scan.probe import Probe, probe_log
from data_loaders.scan.tree import (
    RECORD_NAME,
    Candidate,
    Listing,
    ScanLimits,
    Skipped,
    Skips,
    error_text,
    resolve_roots,
    walk,
)

STATE = "trainer_state.json"
CHECKPOINT = re.compile(r"checkpoint-(\d{1,15})")


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


class Known(NamedTuple):
    """A file as it was when it was looked into."""

    file: Candidate
    probe: Probe


ScanMemo = dict[Path, Listing | Known]
"""What a scan leaves for the next one: only folders and files that changed since are looked into again."""


def scan(
    roots: Sequence[Path],
    config: BoardConfig,
    *,
    limits: ScanLimits | None = None,
    memo: ScanMemo | None = None,
    probe: Callable[[Path], Probe] = probe_log,
) -> ScanResult:
    """Find the experiments under roots (folders or files). Raises nothing for what it meets there.

    `memo` is a dictionary that is kept between scans; `probe` looks into a file and may raise OSError.
    """
    limits = limits or ScanLimits()
    memo = {} if memo is None else memo
    resolved, missing = resolve_roots(roots)
    skips = Skips(limits.listed)
    listings = {path: seen for path, seen in memo.items() if isinstance(seen, Listing)}
    files = walk(resolved, limits, skips, listings)
    known = {path: seen for path, seen in memo.items() if isinstance(seen, Known)}
    looked = {now.file.path: now for now in _look(files, known, probe, skips)}
    memo.clear()
    memo.update(listings)
    memo.update(looked)
    experiments, unmatched = _experiments(group(_logs(looked, skips)), looked, config, skips)
    return ScanResult(
        experiments=experiments,
        skipped=tuple(skips.named),
        counts=dict(skips.counts),
        roots_missing=tuple(missing),
        unmatched=unmatched,
    )


def _experiments(
    groups: Iterable[Group], looked: Mapping[Path, Known], config: BoardConfig, skips: Skips
) -> tuple[tuple[Experiment, ...], tuple[str, ...]]:
    """Experiments in page order, and those of board.toml that have no log."""
    experiments, named = [], set()
    for found in groups:
        entry = next((n for n in (found.id, printable_id(found.name)) if n in config.experiments), found.id)
        named.add(entry)
        if entry in config.experiments and config.experiments[entry].hidden:
            skips.add(found.id, "skip.hidden_by_config")
        else:
            hints = _merged(looked[path].probe.hints for path in found.logs)
            experiments.append(_experiment(found, entry, hints, config))
    place = {track.id: i for i, track in enumerate(config.tracks)}
    experiments.sort(
        key=lambda e: (place.get(e.track, len(place)), not e.label, natural(e.label), natural(e.id))
    )
    return tuple(experiments), tuple(id_ for id_ in config.experiments if id_ not in named)


def _look(
    files: Iterable[Candidate],
    known: Mapping[Path, Known],
    probe: Callable[[Path], Probe],
    skips: Skips,
) -> Iterator[Known]:
    """Look into files that are new, or have changed in a way that may change what they are."""
    for file in files:
        before = known.get(file.path)
        if before is not None and _same(before, file):
            yield Known(file, before.probe)
            continue
        try:
            yield Known(file, probe(file.path) if file.size else Probe(None))
        except OSError as error:
            skips.add(file.path, "skip.unreadable", error=error_text(error))


def _same(before: Known, now: Candidate) -> bool:
    """A log that grows stays a log; anything else that changes is looked at again."""
    then = before.file
    grown = before.probe.format is not None and now.size >= then.size
    return then.inode == now.inode and (grown or (then.size, then.mtime_ns) == (now.size, now.mtime_ns))


def _logs(looked: Mapping[Path, Known], skips: Skips) -> list[Log]:
    """Files that are logs, and files named `train_…` that have nothing to show yet beside them."""
    older = _older_states(looked)
    log_folders = {path.parent for path, seen in looked.items() if seen.probe.format is not None}
    logs = []
    for path, (file, probe) in looked.items():
        starting = is_train_log(file.name) and (not file.size or path.parent in log_folders)
        plain = looked.get(path.with_suffix("")) if path.suffix.lower() == ".gz" else None
        if probe.format is None and RECORD_NAME.fullmatch(file.name):
            skips.count("skip.other_name", 1)  # JSON and CSV are used for much else
        elif path in older:
            skips.add(path, "skip.older_state")
        elif probe.format is None and not starting:
            skips.add(path, "skip.no_format" if file.size else "skip.empty")
        elif plain is not None and plain.probe.format is not None:
            skips.add(path, "skip.twin")
        else:
            told = probe.hints.get("experiment", "")
            logs.append(Log(_unnumbered(file), told, _start(file, probe), probe.format or ""))
    return logs


def _older_states(looked: Mapping[Path, Known]) -> set[Path]:
    """Trainer states of checkpoints of which a later one holds all they say."""
    latest: dict[Path, tuple[float, Path]] = {}
    older = set()
    for path, seen in looked.items():
        if path.name != STATE or seen.probe.format is None:
            continue
        numbered = CHECKPOINT.fullmatch(path.parent.name)
        folder = path.parent.parent if numbered else path.parent
        state = (float(numbered[1]) if numbered else math.inf), path
        if folder in latest:
            older.add(min(latest[folder], state)[1])
        latest[folder] = max(latest.get(folder, state), state)
    return older


def _unnumbered(file: Candidate) -> Candidate:
    """A trainer state in the folder of a checkpoint tells of the training whose folder holds that folder."""
    if file.name == STATE and file.folders and CHECKPOINT.fullmatch(file.folders[-1]):
        return replace(file, folders=file.folders[:-1])
    return file


def _start(file: Candidate, probe: Probe) -> float:
    """When a log started: by its name, else by its first time stamp, else by its last change.

    All three are wall clock read as UTC, so that they can be compared.
    """
    by_name = name_time(file.path.name)
    if by_name is not None:
        return by_name
    if probe.clock is not None:
        return probe.clock
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
