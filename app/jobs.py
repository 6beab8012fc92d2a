"""Background readings as processes of this machine, none of which outlives its end.

What they say goes through a store in the cache folder. One that is damaged or gone is begun anew, and the
board's pages say so: what a page waits for is then told by its next poll.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import diskcache
import psutil
from dash import DiskcacheManager
from multiprocess import get_context  # type: ignore[import-untyped]

from data_loaders import reading_state
from data_loaders.cache.locks import file_lock

from .kept_file import kept

MOST_BYTES = 32 << 20
"""Of answers that no page came back for."""

Answer = TypeVar("Answer")


class JobManager(DiskcacheManager):
    """Dash's manager, with every process waited for: its own keeps what ended, and the pipes to it.

    `note` is where the board's readings leave their state.
    """

    def __init__(self, folder: Path, note: Path) -> None:
        self.folder, self.note = folder, note
        super().__init__(self._opened())  # type: ignore[no-untyped-call]

    def call_job_fn(self, key: str, job_fn: Callable[..., None], args: Any, context: Any) -> int:
        # Forked, as a job is a function inside a function; it makes readers and locks of its own.
        progress_key = self._make_progress_key(key)  # type: ignore[no-untyped-call]
        process = get_context("fork").Process(
            target=_answer, args=(job_fn, key, progress_key, args, context), daemon=True
        )
        process.start()
        pid: int = process.pid
        threading.Thread(target=_reap, args=(process,), daemon=True).start()
        return pid

    def get_progress(self, key: str) -> Any:
        return self._asked(lambda: DiskcacheManager.get_progress(self, key), None)

    def get_result(self, key: str, job: str | int | None) -> Any:
        return self._asked(lambda: DiskcacheManager.get_result(self, key, job), self.UNDEFINED)

    def get_updated_props(self, key: str) -> Any:
        return self._asked(lambda: DiskcacheManager.get_updated_props(self, key), {})

    def get_or_create_signing_secret(self, generate: Callable[[], bytes]) -> bytes:
        """Secret by which processes know their own pages; Dash's manager keeps it in the store."""
        return kept(self.note.with_name("page-secret"), generate)

    def terminate_job(self, job: str | int | None) -> None:
        """Kill a job; whoever started it waits for it."""
        with suppress(psutil.NoSuchProcess):
            if job is not None:
                psutil.Process(int(job)).kill()

    def job_running(self, job: str | int | None) -> bool:
        """Whether a job goes on. Dash's own raises for one that ends while it is asked."""
        try:
            return job is not None and psutil.Process(int(job)).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def _asked(self, ask: Callable[[], Answer], nothing: Answer) -> Answer:
        """What the store says; `nothing` while it cannot be used.

        Files are given back each time: else every thread of the server keeps some of its own.
        """
        try:
            return ask()
        except sqlite3.DatabaseError:
            self.handle.close()
            return self._asked_again(ask, nothing)
        finally:
            self.handle.close()

    def _asked_again(self, ask: Callable[[], Answer], nothing: Answer) -> Answer:
        """The same of a store that was mended, once for all threads and processes; its folder may be gone."""
        try:
            self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with file_lock(self.folder.with_name("jobs.lock")):
                try:
                    return ask()  # another one may have mended it
                except sqlite3.DatabaseError as error:
                    self.handle.close()
                    if not isinstance(error, sqlite3.OperationalError):
                        self._empty(error)
                    _store(self.folder).close()
                    return ask()
        except (sqlite3.DatabaseError, OSError) as error:
            print(f"{self.folder} cannot be used: {error}", file=sys.stderr)
            return nothing

    def _opened(self) -> diskcache.Cache:
        """The store. Raises OSError, sqlite3.OperationalError."""
        try:
            return _store(self.folder)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            self._empty(error)
            return _store(self.folder)

    def _empty(self, error: Exception) -> None:
        """Throw a damaged store away, and say so where the board's pages look."""
        print(f"{self.folder} was damaged and has been emptied: {error}", file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)
        before = reading_state.read(self.note) or reading_state.Reading("done")
        if before.state != "reading":
            told = before._replace(notices=("cache.damaged",), updated=time.time())
            with suppress(OSError):
                reading_state.write(self.note, told)


def _store(folder: Path) -> diskcache.Cache:
    """Private to the account, as diskcache unpickles what it finds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = diskcache.Cache(str(folder), size_limit=MOST_BYTES)
    store.get("probe")
    return store


def _answer(job_fn: Callable[..., None], key: str, *more: Any) -> None:
    """Run a job. One whose answer the store does not take ends: its page is told by the next poll."""
    try:
        job_fn(key, *more)
    except sqlite3.DatabaseError as error:
        print(f"a reading could not leave its answer: {error}", file=sys.stderr)


def _reap(process: Any) -> None:
    process.join()
    process.close()
