"""A board: every run found under the roots, joined, named and examined.

`BoardReader` is the one object that reads. It keeps logs and what was derived from them while they do not
change, so a look at an unchanged folder costs a few `stat` calls.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from data_loaders import reading_state
from data_loaders.annotations import Annotations, read_annotations
from data_loaders.board_config import BoardConfig, Problem
from data_loaders.cache import CachedLog, ChangedError
from data_loaders.derive.algorithm import Detected, detect
from data_loaders.derive.config import HydraConfig
from data_loaders.derive.episodes import Episode
from data_loaders.derive.settings import configured
from data_loaders.derive.status import Pace, pace
from data_loaders.episode_store import episodes_of
from data_loaders.held_logs import Failure, Found, Held, HeldLogs, Progress, Report, content
from data_loaders.hydra_folder import read_hydra
from data_loaders.reading_processes import Elsewhere, nowhere, reading_along
from data_loaders.remote import Mirror
from data_loaders.rule_store import Tested, tested
from data_loaders.runs import RunView, assemble
from data_loaders.scan import Experiment, ScanMemo, ScanResult, scan
from data_loaders.scan.tree import ScanLimits, Skipped
from data_loaders.schema import Note

SMALL = 4 << 20
"""Bytes of new log that a look reads itself; more is a background job."""

__all__ = ["Board", "BoardReader", "BoardRun", "Failure", "Progress", "Report", "Source"]


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
    annotations: Path | None = None
    """File of the notes of people; None where there is no place for one."""
    read_only: bool = False
    """Whether nobody may write notes."""

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
    content: str
    """Changes when its logs say anything new, and not when they only got longer."""
    detected: Detected
    pace: Pace
    episodes: tuple[Episode, ...]
    modified: float | None
    """Newest change of its logs, epoch seconds; None when none can be read."""
    rules: Tested = field(default_factory=Tested)

    @property
    def id(self) -> str:
        return self.view.run.id


@dataclass(frozen=True, eq=False)
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
    annotations: Annotations = field(default_factory=Annotations)
    version: str = ""
    modified: float = 0.0
    """Newest change of any log, epoch seconds; the clock of demo data."""

    def episode_spans(self) -> Iterator[tuple[str, int, int]]:
        """Run id, first and last step of every episode found."""
        for run in self.runs:
            for episode in run.episodes:
                yield run.id, episode.start, episode.end

    def shown(self, path: str) -> str:
        """A path as a reader knows it: the address of what is a copy of something remote."""
        for root, address in self.copies:
            if path.startswith(root):
                return address + path.removeprefix(root)
        return path


HandOver = Callable[[Sequence[Path]], None]


class BoardReader:
    """Reads one source through one cache folder. Safe to call from several threads.

    `hand_over` tells other processes which logs a reading has to read, the one it comes to last first: they
    may take them into the same cache meanwhile.
    """

    def __init__(self, source: Source, cache_dir: Path, hand_over: HandOver | None = None) -> None:
        self.source = source
        self.cache_dir = cache_dir
        self._hand_over = hand_over
        self.note = cache_dir / f"reading-{source.name}.json"
        self._known = cache_dir / f"known-{source.name}"
        self._mirrors = tuple(Mirror(url, cache_dir) for url in source.remotes)
        self._lock = threading.Lock()
        self._memo: ScanMemo = {}
        self._logs = HeldLogs(cache_dir)
        self._derived: dict[str, tuple[tuple[str, ...], list[BoardRun]]] = {}
        self._shared: frozenset[Path] = frozenset()
        self._noted: tuple[object, Annotations] = (None, Annotations())
        self._board: Board | None = None
        self._looked = 0.0

    def anew(self) -> BoardReader:
        """A reader of the same board with nothing shared: a fork must not wait for locks it inherited."""
        return BoardReader(self.source, self.cache_dir, self._hand_over)

    def board(self, version: str = "") -> Board:
        """The board of the latest look; looks when there was none, or when a page knows another version."""
        board = self._board
        return board if board is not None and version in ("", board.version) else self.look()

    def look(self, age: float = 0.0) -> Board:
        """The board now, or the latest one when it is at most `age` seconds old.

        Small appends to a known folder are read at once, anything larger is left unread. Nobody waits: while
        another thread looks, or another process reads a log, the answer is what is known already.
        """
        board = self._board
        if board is not None and time.monotonic() - self._looked < age:
            return board
        for mirror in self._mirrors:
            mirror.start()
        if not self._lock.acquire(blocking=board is None):
            return self.board()
        try:
            found = self._scan()
            logs = self._logs.sort(_paths(found))
            small = sum(size for _, size in logs.waiting.values()) <= SMALL
            self._logs.bring(logs, read=small and self._known.exists(), wait=False)
            return self._made(found, logs)
        finally:
            self._lock.release()

    def read(self, report: Report | None = None) -> Board:
        """Read everything new, however large. `report` may raise to stop; what was read stays read."""
        for mirror in self._mirrors:
            mirror.refresh()
        with self._lock:
            found = self._scan()
            logs = self._logs.sort(_paths(found))
            with self._helped(found, logs) as elsewhere:
                self._logs.bring(logs, read=True, wait=True, report=report, elsewhere=elsewhere)
                with suppress(OSError):
                    self._known.touch()
                return self._made(found, logs)

    @contextmanager
    def _helped(self, found: ScanResult, logs: Found) -> Iterator[Elsewhere]:
        """Other processes read too: those that work is handed over to, else further ones of this machine."""
        unread = {path: size for path, (_, size) in logs.waiting.items() if size}
        if self._hand_over is None:

            def afterwards(number: int, processes: int) -> Iterator[None]:
                return self._ahead(found.experiments[::-1][number::processes], logs)

            with reading_along([*unread], sum(unread.values()), self.cache_dir, afterwards) as elsewhere:
                yield elsewhere
            return
        if len(unread) > 1:
            self._hand_over([*unread][::-1])
        yield nowhere

    def _ahead(self, experiments: Iterable[Experiment], logs: Found) -> Iterator[None]:
        """Examine the runs of experiments that are in the cache: what is found stays in the cache folder."""
        self._logs.bring(logs, read=False, wait=False)
        for experiment in experiments:
            if logs.waiting.keys().isdisjoint(experiment.logs):
                yield from (None for _ in self._runs(experiment, logs.logs))

    def _scan(self) -> ScanResult:
        limits = ScanLimits(follow_links=self.source.follow_links)
        copies = tuple(mirror.root for mirror in self._mirrors if mirror.root.exists())
        found = scan((*self.source.roots, *copies), self.source.config, limits=limits, memo=self._memo)
        self._shared = _shared_folders(found)
        return found

    def _made(self, found: ScanResult, logs: Found) -> Board:
        if (reading := reading_state.read(self.note)) is not None:
            self._logs.tell([Note(key) for key in reading.notices], reading.updated)
        self._derived = {e.id: self._derived[e.id] for e in found.experiments if e.id in self._derived}
        runs = [run for experiment in found.experiments for run in self._runs(experiment, logs.logs)]
        board = Board(
            source=self.source,
            runs=tuple(runs),
            skipped=(*found.skipped, *(skip for mirror in self._mirrors for skip in mirror.skipped())),
            missing_roots=found.roots_missing,
            unread=tuple(logs.waiting),
            failures=tuple(logs.failures),
            notices=self._logs.notices(logs),
            remote=tuple(note for mirror in self._mirrors if (note := mirror.note())),
            copies=tuple((str(mirror.root), mirror.shown.rstrip("/")) for mirror in self._mirrors),
            annotations=self._annotations(),
            modified=max((run.modified for run in runs if run.modified is not None), default=0.0),
        )
        board = replace(board, version=_version(board))
        if self._board is None or (board.version, board.modified) != (
            self._board.version,
            self._board.modified,
        ):
            self._board = board
        self._looked = time.monotonic()
        return self._board

    def _annotations(self) -> Annotations:
        """Notes of people, read again when their file changed."""
        path = self.source.annotations
        if path is None:
            return Annotations()
        try:
            stat = path.stat()
            stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        except OSError as error:
            stamp = (error.errno or 0, 0, 0)
        if self._noted[0] != stamp:
            self._noted = (stamp, read_annotations(path, writable=not self.source.read_only))
        return self._noted[1]

    def _runs(self, experiment: Experiment, logs: dict[Path, Held]) -> Iterator[BoardRun]:
        """Runs of an experiment, derived again only when one of its logs changed."""
        held = [logs[path].log for path in experiment.logs if path in logs]
        if not held:
            return
        version = tuple(log.version for log in held)
        kept = self._derived.get(experiment.id)
        if kept is None or kept[0] != version:
            try:
                kept = (version, self._derive(experiment, held, version, kept[1] if kept else []))
            except ChangedError:  # written anew since it was looked at, and what was read of it is gone
                self._logs.forget(experiment.logs)
                if kept is None:
                    return
            self._derived[experiment.id] = kept
        yield from kept[1]

    def _derive(
        self,
        experiment: Experiment,
        held: Sequence[CachedLog],
        version: Sequence[str],
        before: Sequence[BoardRun],
    ) -> list[BoardRun]:
        told = content(held)
        same = {run.id: run for run in before if run.content == told}
        views = assemble(experiment, held)
        return [
            _longer(same[view.run.id], view, version)
            if view.run.id in same
            else self._examined(view, experiment, version, told, newest=view is views[-1])
            for view in views
        ]

    def _examined(
        self, view: RunView, experiment: Experiment, version: Sequence[str], told: str, *, newest: bool
    ) -> BoardRun:
        view = replace(view, run=configured(view.run, self._hydra(view.run.logs) if newest else None))
        detected = _detected(view, experiment)
        view = replace(view, run=replace(view.run, algorithm=detected.algorithm))
        return BoardRun(
            view=view,
            version=";".join(version),
            content=told,
            detected=detected,
            pace=pace(view),
            episodes=episodes_of(view, told, self.cache_dir),
            rules=tested(view, told, self.cache_dir),
            modified=_modified(view),
        )

    def _hydra(self, logs: Sequence[str]) -> HydraConfig | None:
        """What hydra left beside logs; in a folder of several experiments nobody knows of which."""
        alone = [path for path in map(Path, logs) if path.parent not in self._shared]
        return read_hydra(alone, self.source.roots)


def _longer(before: BoardRun, view: RunView, version: Sequence[str]) -> BoardRun:
    """A run whose logs got longer without saying anything new of it: nothing has to be derived again."""
    run = replace(before.view.run, facts=view.run.facts)
    return replace(
        before,
        view=replace(before.view, run=run),
        version=";".join(version),
        modified=_modified(view),
    )


def _paths(found: ScanResult) -> Iterator[Path]:
    return (path for experiment in found.experiments for path in experiment.logs)


def _shared_folders(found: ScanResult) -> frozenset[Path]:
    """Folders that hold logs of more than one experiment."""
    folders = Counter(folder for e in found.experiments for folder in {path.parent for path in e.logs})
    return frozenset(folder for folder, experiments in folders.items() if experiments > 1)


def _detected(view: RunView, experiment: Experiment) -> Detected:
    """The algorithm; board.toml's word stands before everything."""
    run = view.run
    detected = detect(run.config, " ".join((run.id, *run.logs[:1])), view, source=run.config_source)
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


def _version(board: Board) -> str:
    """Changes whenever anything a page shows could."""
    parts = [f"{run.id}={run.version}" for run in board.runs]
    parts += (
        [str(path) for path in board.unread]
        + [note.key for note in (*board.notices, *board.remote)]
        + [f"{f.path}:{f.why}" for f in board.failures]
    )
    parts += [note.id for note in board.annotations.notes] + [board.annotations.error]
    parts += [f"{s.path}:{s.reason_key}" for s in (*board.skipped, *board.missing_roots)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
