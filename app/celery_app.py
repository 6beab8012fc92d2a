"""Reading spread over processes and hosts by Celery, with Redis between them. Needs the extra `celery`.

A page's background reading is one task on the board's own queue. It puts a task per changed log on the queue
`parse`, and reads logs itself meanwhile, from the other end of the list: so it is done even where no other
worker is free, and never waits for a task. Whoever comes to a log second finds it in the cache.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from celery import Celery
from dash import CeleryManager
from dash.exceptions import PreventUpdate
from kombu.exceptions import OperationalError

from data_loaders import reading_state
from data_loaders.board import Source
from data_loaders.cache import refresh

from .kept_file import kept

PARSE = "rlboard.parse"
QUEUE = "parse"
VISIBLE_SECONDS = 600
"""After so long a task of a host that vanished is given to another worker."""
BRIEF = {"max_retries": 2, "interval_start": 0.1, "interval_step": 0.4, "interval_max": 1.0}
"""How often a request tries to reach Redis before it says that it cannot."""

log = logging.getLogger("rlboard.parse")


def celery_app(broker: str, source: Source, cache_dir: Path) -> Celery:
    """The Celery application of one board. Connects to nothing yet."""
    app = Celery("rl-board", broker=broker, backend=broker, set_as_current=False)
    app.conf.update(
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        # Other boards may use the same Redis: pages of this one must not be answered by their workers.
        task_default_queue=board_queue(source),
        task_routes={PARSE: {"queue": QUEUE}},
        task_publish_retry_policy=BRIEF,
        worker_prefetch_multiplier=1,
        worker_redirect_stdouts=False,
        result_expires=3600,
        broker_connection_retry_on_startup=True,
        broker_transport_options={"visibility_timeout": VISIBLE_SECONDS, "socket_connect_timeout": 5.0},
        result_backend_transport_options={"retry_policy": BRIEF},
        redis_socket_connect_timeout=5.0,
    )

    @app.task(name=PARSE, acks_late=True, reject_on_worker_lost=True, ignore_result=True)
    def parse_log(path: str, seal: str, note: str, reading: str) -> None:
        parse(Path(path), cache_dir, seal, cache_dir / note, reading)

    return app


def board_queue(source: Source) -> str:
    """Queue of the readings that pages of this board ask for."""
    return f"board-{source.name}"


def parse(path: Path, cache_dir: Path, seal: str, note: Path, reading: str) -> None:
    """Take what is new in a log into the cache. Doing it twice does no harm; raises SealError.

    `reading` is the token of the reading that asked for it: once that is cancelled, nothing is done.
    """
    if shared_seal(cache_dir) != seal:
        raise SealError(
            f"{cache_dir} on {socket.gethostname()} is not the cache folder of the board: "
            "--cache-dir must be one folder for all web processes and workers"
        )
    now = reading_state.read(note)
    if now is not None and (now.state, now.token) == ("cancelled", reading):
        return
    try:
        refresh(path, cache_dir)
    except OSError as error:  # the page's own reading meets it too, and says it
        log.warning("%s: %s", path, error)


class SealError(Exception):
    """Two hosts use different folders as the cache of one board."""


def shared_seal(cache_dir: Path) -> str:
    """A random word kept in the cache folder: equal where the folder is the same. Raises OSError."""
    return kept(cache_dir / "seal", lambda: secrets.token_hex(8).encode()).decode()


def hand_over(app: Celery, paths: Sequence[Path], cache_dir: Path, note: Path) -> None:
    """Put a task per log on the queue. When Redis cannot be reached, whoever asked reads alone."""
    reading = reading_state.read(note)
    try:
        seal = shared_seal(cache_dir)
        for path in paths:
            app.send_task(PARSE, (os.fspath(path), seal, note.name, reading.token if reading else ""))
    except (OperationalError, OSError) as error:
        log.warning("logs cannot be handed over, so one process reads them all: %s", error)


class BoardCeleryManager(CeleryManager):
    """Dash's manager, with less need of Redis: without it pages are served, and say what is wrong."""

    def __init__(self, app: Celery, note: Path) -> None:
        super().__init__(app)  # type: ignore[no-untyped-call]
        self.note = note

    def get_or_create_signing_secret(self, generate: Callable[[], bytes]) -> bytes:
        """Secret by which web processes know their own pages; Dash's manager keeps it in Redis."""
        return kept(self.note.with_name("page-secret"), generate)

    def call_job_fn(self, key: str, job_fn: Any, args: Any, context: Any) -> Any:
        try:
            return super().call_job_fn(key, job_fn, args, context)  # type: ignore[no-untyped-call]
        except OperationalError as error:
            now = time.time()
            failed = reading_state.Reading("failed", error=f"Redis: {error}", started=now, updated=now)
            reading_state.write(self.note, failed)
            raise PreventUpdate from error
