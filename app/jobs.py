"""Background readings as processes of this machine, none of which outlives its end."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import diskcache
import psutil
from dash import DiskcacheManager
from multiprocess import get_context  # type: ignore[import-untyped]

MOST_BYTES = 32 << 20
"""Of answers that no page came back for."""


class JobManager(DiskcacheManager):
    """Dash's manager, with every process waited for: its own keeps what ended, and the pipes to it."""

    def call_job_fn(self, key: str, job_fn: Callable[..., None], args: Any, context: Any) -> int:
        # Forked, as a job is a function inside a function; it makes readers and locks of its own.
        progress_key = self._make_progress_key(key)  # type: ignore[no-untyped-call]
        process = get_context("fork").Process(
            target=job_fn, args=(key, progress_key, args, context), daemon=True
        )
        process.start()
        pid: int = process.pid
        threading.Thread(target=_reap, args=(process,), daemon=True).start()
        return pid

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


def job_manager(cache_dir: Path) -> JobManager:
    """The manager with its store in the cache folder; a damaged store is begun anew, and that is said."""
    folder = cache_dir / "jobs"
    try:
        return JobManager(_store(folder))  # type: ignore[no-untyped-call]
    except sqlite3.DatabaseError as error:
        print(f"{folder} was damaged and has been emptied: {error}", file=sys.stderr)
        shutil.rmtree(folder)
        return JobManager(_store(folder))  # type: ignore[no-untyped-call]


def _store(folder: Path) -> diskcache.Cache:
    """Private to the account, as diskcache unpickles what it finds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = diskcache.Cache(str(folder), size_limit=MOST_BYTES)
    store.get("probe")
    return store


def _reap(process: Any) -> None:
    process.join()
    process.close()
