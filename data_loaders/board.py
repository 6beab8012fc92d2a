"""A board: every run found under the roots, joined, named and examined.

`BoardReader` is the one object that reads. It keeps what was derived for runs whose logs did not change, so a
look at an unchanged folder costs a few `stat` calls.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from data_loaders.board_config import BoardConfig, Problem
from data_loaders.cache import CachedLog, cached, pending, refresh
from data_loaders.cache.column_memory import ColumnMemory
from data_loaders.derive.algorithm import Detected, detect
from data_loaders.derive.config import ConfigSource, resolved
from data_loaders.derive.episodes import Episode
from data_loaders.derive.status import Pace, pace
from data_loaders.episode_store import episodes_of
from data_loaders.remote import Mirror
from data_loaders.runs import RunView, assemble
from data_loaders.scan import Experiment, ScanMemo, ScanResult, scan
from data_loaders.scan.tree import ScanLimits, Skipped
from data_loaders.schema import Note

SMALL = 4 << 20
"""Bytes of new log that a look reads itself; more is a background job."""
COLUMN_MEMORY = 64 << 20
"""Bytes of columns kept in memory."""


@dataclass(frozen=True)
class Source:
    """What a board is made of. `remotes` are addresses (`sftp://…`) of further roots."""

    roots: tuple[Path, ...]
    config: BoardConfig = field(default_factory=BoardConfig)
    problems: tuple[Problem, ...] = ()
    why: str = "roots.given"
    """Message key that says how the roots were chosen."""
    demo: bool = False
    follow_links: bool = False
    remotes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Short name of this set of roots, for files that belong to it."""
        text = "\0".join((*(str(root.absolute()) for root in self.roots), *self.remotes))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True)
class BoardRun:
    """A run with what was found out about it. `version` changes when any of its logs did."""

    view: RunView
    version: str
    detected: Detected
    pace: Pace
    episodes: tuple[Episode, ...]
    modified: float | None
    """Newest change of its logs, epoch seconds; None when none can be read."""

    @property
    def id(self) -> str:
        return self.view.run.id


class Failure(NamedTuple):
    """A log that could not be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True)
class Board:
    """Immutable picture of the roots at one look."""

    source: Source
    runs: tuple[BoardRun, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    missing_roots: tuple[Skipped, ...] = ()
    unread: tuple[Path, ...] = ()
    """Logs that hold more new bytes than a look may read."""
    failures: tuple[Failure, ...] = ()
    notices: tuple[Note, ...] = ()
    """What went wrong with the cache."""
    remote: tuple[Note, ...] = ()
    """What there is to say of remote roots."""
    copies: tuple[tuple[str, str], ...] = ()
    """Local copies of remote roots, and their addresses."""
    version: str = ""
    modified: float = 0.0
    """Newest change of any log, epoch seconds; the clock of demo data."""

    def shown(self, path: str) -> str:
        """A path as a reader knows it: the address of what is a copy of something remote."""
        for root, address in self.copies:
            if path.startswith(root):
                return address + path.removeprefix(root)
        return path


class Progress(NamedTuple):
    """Bytes read of the bytes to read, and the log in hand."""

    done: int
    total: int
    file: str


Report = Callable[[Progress], None]


class BoardReader:
    """Reads one source through one cache folder. Safe to call from several threads."""

    def __init__(self, source: Source, cache_dir: Path) -> None:
        self.source = source
        self.cache_dir = cache_dir
        self.note = cache_dir / f"reading-{source.name}.json"
        self._known = cache_dir / f"known-{source.name}"
        self._mirrors = tuple(Mirror(url, cache_dir) for url in source.remotes)
        self._lock = threading.Lock()
        self._memo: ScanMemo = {}
        self._memory = ColumnMemory(COLUMN_MEMORY)
        self._logs: dict[Path, CachedLog] = {}
        self._derived: dict[str, tuple[str, list[BoardRun]]] = {}
        self._board: Board | None = None

    def board(self) -> Board:
        """The board of the latest look; looks when there was none."""
        return self._board or self.look()

    def look(self) -> Board:
        """The board now. Small appends to a known folder are read at once, anything larger is left unread."""
        for mirror in self._mirrors:
            mirror.start()
        with self._lock:
            found = self._scan()
            waiting = self._waiting(found)
            small = self._known.exists() and sum(waiting.values()) <= SMALL
            return self._made(found, waiting, read=small, report=None)

    def read(self, report: Report | None = None) -> Board:
        """Read everything new, however large. `report` may raise to stop; what was read stays read."""
        for mirror in self._mirrors:
            mirror.refresh()
        with self._lock:
            found = self._scan()
            board = self._made(found, self._waiting(found), read=True, report=report)
            with suppress(OSError):
                self._known.touch()
            return board

    def _scan(self) -> ScanResult:
        limits = ScanLimits(follow_links=self.source.follow_links)
        copies = tuple(mirror.root for mirror in self._mirrors if mirror.root.exists())
        return scan((*self.source.roots, *copies), self.source.config, limits=limits, memo=self._memo)

    def _waiting(self, found: ScanResult) -> dict[Path, int]:
        """Bytes to read by log, of logs that changed since they were read; 0 for one that cannot be read."""
        waiting = {}
        for path in _paths(found):
            try:
                if size := pending(path, self.cache_dir):
                    waiting[path] = size
            except OSError:
                waiting[path] = 0
        return waiting

    def _made(
        self, found: ScanResult, waiting: dict[Path, int], *, read: bool, report: Report | None
    ) -> Board:
        logs: dict[Path, CachedLog] = {}
        failures: list[Failure] = []
        total, before = sum(waiting.values()), 0
        for path in _paths(found):
            try:
                log = self._log(path, read, _counter(report, before, total, path))
            except OSError as error:
                failures.append(Failure(path, error.strerror or str(error)))
            else:
                if log is not None:
                    logs[path] = log
            before += waiting.get(path, 0)
        self._logs = logs
        failed = {failure.path for failure in failures}
        runs = [run for experiment in found.experiments for run in self._runs(experiment, logs)]
        board = Board(
            source=self.source,
            runs=tuple(runs),
            skipped=(*found.skipped, *(skip for mirror in self._mirrors for skip in mirror.skipped())),
            missing_roots=found.roots_missing,
            unread=() if read else tuple(path for path in waiting if path not in failed),
            failures=tuple(failures),
            notices=tuple({note.key: note for log in logs.values() for note in log.notices}.values()),
            remote=tuple(note for mirror in self._mirrors if (note := mirror.note())),
            copies=tuple((str(mirror.root), mirror.shown.rstrip("/")) for mirror in self._mirrors),
            modified=max((run.modified for run in runs if run.modified is not None), default=0.0),
        )
        self._board = replace(board, version=_version(board))
        return self._board

    def _log(self, path: Path, read: bool, progress: Callable[[int, int], None] | None) -> CachedLog | None:
        """The log as it is now if it may be read, else as it was when it was read last."""
        found = cached(path, self.cache_dir, self._memory)
        if found is not None:
            return found
        held = self._logs.get(path)
        if not read:
            return held
        if held is not None and held.notices and held.facts.bytes == path.stat().st_size:
            return held  # the cache cannot be written: what was read stays in memory
        return refresh(path, self.cache_dir, progress, memory=self._memory)

    def _runs(self, experiment: Experiment, logs: dict[Path, CachedLog]) -> Iterator[BoardRun]:
        """Runs of an experiment, derived again only when one of its logs changed."""
        held = [logs[path] for path in experiment.logs if path in logs]
        if not held:
            return
        version = ";".join(log.version for log in held)
        kept = self._derived.get(experiment.id)
        if kept is None or kept[0] != version:
            runs = [self._examined(view, experiment, version) for view in assemble(experiment, held)]
            self._derived[experiment.id] = kept = (version, runs)
        yield from kept[1]

    def _examined(self, view: RunView, experiment: Experiment, version: str) -> BoardRun:
        config, source = resolved(view.run.facts)
        detected = _detected(view, experiment, config, source)
        run = replace(view.run, config=config, algorithm=detected.algorithm)
        view = replace(view, run=run)
        return BoardRun(
            view=view,
            version=version,
            detected=detected,
            pace=pace(view),
            episodes=episodes_of(view, version, self.cache_dir),
            modified=_modified(view),
        )


def _paths(found: ScanResult) -> Iterator[Path]:
    return (path for experiment in found.experiments for path in experiment.logs)


def _detected(
    view: RunView, experiment: Experiment, config: dict[str, object], source: ConfigSource
) -> Detected:
    """The algorithm; board.toml's word stands before everything."""
    detected = detect(config, " ".join((view.run.id, *view.run.logs[:1])), view, source=source)
    told = experiment.evidence.get("algorithm") == "config"
    return replace(detected, algorithm=experiment.algorithm) if told else detected


def _modified(view: RunView) -> float | None:
    times = []
    for log in view.run.logs:
        try:
            times.append(Path(log).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=None)


def _counter(report: Report | None, before: int, total: int, path: Path) -> Callable[[int, int], None] | None:
    """Progress of one log as part of the whole reading."""
    if report is None:
        return None

    def count(done: int, _size: int) -> None:
        report(Progress(before + done, total, path.name))

    return count


def _version(board: Board) -> str:
    """Changes whenever anything a page shows could."""
    parts = [f"{run.id}={run.version}" for run in board.runs]
    parts += (
        [str(path) for path in board.unread]
        + [note.key for note in (*board.notices, *board.remote)]
        + [f"{f.path}:{f.why}" for f in board.failures]
    )
    parts += [f"{s.path}:{s.reason_key}" for s in (*board.skipped, *board.missing_roots)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
