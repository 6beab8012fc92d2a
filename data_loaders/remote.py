"""Remote roots: logs behind an address are copied below the cache folder, and the copy is scanned.

Of a file that grew only the new bytes are fetched, after its first bytes and the last ones before them were
found to be the same; anything else is fetched anew and replaces the copy. The copy stays when the server does
not answer. One process fetches at a time, and every process can say what it is doing.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import orjson

from data_loaders.cache.locks import HeldLock, LockLostError, file_lock
from data_loaders.log_bytes import SAMPLE
from data_loaders.remote_files import SINGLE, RemoteError, RemoteFile, RemoteFolder, shown_url
from data_loaders.scan.tree import ScanLimits, Skipped, error_text
from data_loaders.schema import Json, Note

EVERY = 5.0
"""Seconds between two looks at a server that answers."""
AFTER_ERROR = 20.0
"""Seconds before a server that did not answer is asked again."""
CHUNK = 4 << 20
TELL_EVERY = 0.5
MOST_SKIPPED = 200
BUILDING = ".building-"


class _BusyError(Exception):
    """Another process or thread is fetching."""


@dataclass
class MirrorState:
    """What is known of a copy; kept as JSON beside it."""

    checked: float = 0.0
    """Epoch seconds at which the server was last asked."""
    good: float = 0.0
    """Epoch seconds at which it last answered."""
    error: Json | None = None
    """Key and values of the message that says why it did not."""
    done: int = 0
    total: int = 0
    """Bytes fetched of the bytes to fetch; equal when nothing is being fetched."""
    tags: dict[str, str] = field(default_factory=dict)
    """Tags of complete files, by local path below the copy."""
    skipped: list[Json] = field(default_factory=list)


class Mirror:
    """The local copy of one address. Safe to call from several threads and processes."""

    def __init__(self, url: str, cache_dir: Path) -> None:
        self.url = url
        self.shown = shown_url(url)
        name = hashlib.sha256(url.encode()).hexdigest()[:16]
        self.folder = cache_dir.resolve() / "remote" / name
        # The copy has the names of the original folders: experiments are named by them.
        self.root = self.folder.joinpath("files", *_folder_names(url))
        self._state = self.folder / "state.json"
        self._connections: dict[int, RemoteFolder] = {}
        """By process: a forked child must not use its parent's."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Look at the server in a thread of its own, when the last look is long enough ago. Never waits."""
        busy = self._thread is not None and self._thread.is_alive()
        if busy or not _due(self.state()):
            return
        self._thread = threading.Thread(target=self.refresh, kwargs={"wait": False}, daemon=True)
        self._thread.start()

    def refresh(self, *, wait: bool = True) -> None:
        """Bring the copy up to date. What goes wrong is kept for `note`; raises nothing.

        While another process fetches, `wait` decides between waiting for it and doing nothing.
        """

        def pause() -> None:
            if not wait:
                raise _BusyError
            time.sleep(0.1)

        try:
            for private in (self.folder.parent, self.folder):
                private.mkdir(parents=True, exist_ok=True, mode=0o700)
            with file_lock(self.folder / "lock", pause) as lock:
                if _due(self.state()):
                    self._sync(lock)
        except (_BusyError, LockLostError):
            return  # somebody else fetches
        except Exception as error:  # a thread that raises tells nobody
            key = "remote.unwritable" if isinstance(error, OSError) else "remote.unknown"
            state = self.state()
            state.error = {"key": key, "values": {"error": error_text(error)}}
            state.checked, state.done, state.total = time.time(), 0, 0
            with suppress(OSError):
                self._write(state)

    def state(self) -> MirrorState:
        """What is known of the copy, by whichever process learnt it."""
        try:
            return MirrorState(**orjson.loads(self._state.read_bytes()))
        except (OSError, ValueError, TypeError):
            return MirrorState()

    def note(self) -> Note | None:
        """What there is to say: fetching, or why the server cannot be read; None when all is well."""
        state = self.state()
        if state.error:
            told = Note(state.error["key"], {**state.error["values"], "path": self.shown})
            since = datetime.fromtimestamp(state.good).strftime("%Y-%m-%d %H:%M:%S") if state.good else ""
            kept = Note("remote.kept", {"since": since}) if since else Note("remote.nothing_kept")
            return Note("remote.failed", {"what": told, "kept": kept})
        if state.done < state.total:
            sizes = {"done": f"{state.done / 1e6:.1f}", "total": f"{state.total / 1e6:.1f}"}
            return Note("remote.fetching", {"path": self.shown, **sizes})
        return None if state.good else Note("remote.looking", {"path": self.shown})

    def skipped(self) -> list[Skipped]:
        """Entries of the server that were left out."""
        return [Skipped(**each) for each in self.state().skipped]

    def _sync(self, lock: HeldLock) -> None:
        for left in self.folder.glob(f"{BUILDING}*"):  # by a process that was killed
            left.unlink(missing_ok=True)
        state = self.state()
        while True:
            old = os.getpid() in self._connections
            try:
                self._copy(state, lock)
                state.error, state.good = None, time.time()
            except RemoteError as error:
                state.error = {"key": error.note.key, "values": dict(error.note.values)}
                if connection := self._connections.pop(os.getpid(), None):
                    connection.close()
                if old:  # it may have ended while nobody used it
                    continue
            break
        state.done = state.total = 0
        state.checked = time.time()
        self._write(state)

    def _copy(self, state: MirrorState, lock: HeldLock) -> None:
        """Fetch what is new, and forget what is gone."""
        remote = self._connections.get(os.getpid()) or RemoteFolder(self.url)
        self._connections[os.getpid()] = remote
        skipped: list[Skipped] = []
        files = remote.files(ScanLimits(), skipped)
        wanted = [file for file in files if not self._has(file, state)]
        state.done, state.total = 0, sum(file.size - self._kept_bytes(file) for file in wanted)
        count = self._counter(state, lock)
        for file in wanted:
            state.tags.setdefault(_name(file), "")
            try:
                self._fetch(remote, file, count)
            except RemoteError as error:
                if error.note.key not in SINGLE:
                    raise
                where = "/".join((self.shown.rstrip("/"), *file.place))
                skipped.append(Skipped(where, "skip.unreadable", error.note.values))
            else:
                state.tags[_name(file)] = file.tag
        state.skipped = [
            {"path": s.path, "reason_key": s.reason_key, "values": s.values} for s in skipped[:MOST_SKIPPED]
        ]
        self._forget(files, skipped, state)

    def _counter(self, state: MirrorState, lock: HeldLock) -> Callable[[int], None]:
        """Called before bytes are written: only the owner of the lock may write."""
        told = 0.0

        def count(size: int) -> None:
            nonlocal told
            lock.check()
            lock.beat()
            state.done += size
            if time.monotonic() - told >= TELL_EVERY:
                told = time.monotonic()
                self._write(state)

        return count

    def _fetch(self, remote: RemoteFolder, file: RemoteFile, count: Callable[[int], None]) -> None:
        """Extend the copy of a file that is new or grew; make it anew when it is another file now."""
        path, kept = self._path(file), self._kept_bytes(file)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists() or (kept and _continues(remote, file, path, kept)):
            _write_rest(remote, file, path, count)
            return
        with self._building(path) as building:
            _write_rest(remote, file, building, count)

    def _has(self, file: RemoteFile, state: MirrorState) -> bool:
        return self._size(file) == file.size and state.tags.get(_name(file)) == file.tag

    def _kept_bytes(self, file: RemoteFile) -> int:
        """Bytes that need not be fetched if the file only grew; 0 when it did something else."""
        size = self._size(file)
        return size if 0 < size < file.size else 0

    def _size(self, file: RemoteFile) -> int:
        try:
            return self._path(file).stat().st_size
        except OSError:
            return -1

    def _path(self, file: RemoteFile) -> Path:
        return self.root.joinpath(*file.place)

    def _forget(self, files: list[RemoteFile], skipped: list[Skipped], state: MirrorState) -> None:
        """Remove copies of files that are gone. After a listing with holes nothing is known to be gone."""
        if any(skip.reason_key in ("skip.unreadable", "skip.too_many_files") for skip in skipped):
            return
        there = {_name(file) for file in files}
        for name in [name for name in state.tags if name not in there]:
            self.root.joinpath(*name.split("/") if name else ()).unlink(missing_ok=True)
            del state.tags[name]

    def _write(self, state: MirrorState) -> None:
        with self._building(self._state) as building:
            building.write_bytes(orjson.dumps(state))

    @contextmanager
    def _building(self, path: Path) -> Iterator[Path]:
        """A file that takes the place of `path` when the block ends well; outside of what is scanned."""
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=BUILDING)
        os.close(handle)
        try:
            yield Path(name)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _write_rest(remote: RemoteFolder, file: RemoteFile, path: Path, count: Callable[[int], None]) -> None:
    """Append what a copy lacks, and give it the time of the original: that tells whether a run is live."""
    with path.open("ab", buffering=0) as copy:
        start = copy.seek(0, os.SEEK_END)
        while start < file.size and (data := remote.read(file, start, min(start + CHUNK, file.size))):
            count(len(data))
            copy.write(data)
            start += len(data)
    if file.modified is not None:
        os.utime(path, (file.modified, file.modified))


def _continues(remote: RemoteFolder, file: RemoteFile, path: Path, kept: int) -> bool:
    """Whether a file still begins with what was fetched of it, as far as the ends of that tell."""
    with path.open("rb") as copy:
        for start, end in ((0, min(SAMPLE, kept)), (max(kept - SAMPLE, 0), kept)):
            copy.seek(start)
            if remote.read(file, start, end) != copy.read(end - start):
                return False
    return True


def _name(file: RemoteFile) -> str:
    return "/".join(file.place)


def _folder_names(url: str) -> tuple[str, ...]:
    """Host and folders of an address, as names of local folders."""
    parts = urlsplit(url)
    path = re.sub(r"[\0\\]", "_", unquote(parts.path))
    names = [parts.hostname or parts.scheme, *path.split("/")]
    return tuple(name for name in names if name not in ("", ".", ".."))


def _due(state: MirrorState) -> bool:
    age = time.time() - state.checked
    return not 0 <= age < (AFTER_ERROR if state.error else EVERY)
