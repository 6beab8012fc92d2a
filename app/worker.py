"""A Celery worker of a board: reads logs that web processes ask for."""

from __future__ import annotations

import os

from .assembly import assembled
from .settings import Settings, StartError


def work(settings: Settings, processes: int) -> None:
    """Work until stopped, in so many processes. Raises StartError."""
    if not settings.broker:
        raise StartError("a worker needs --broker, such as redis://127.0.0.1:6379/0")
    board = assembled(settings)
    assert board.celery is not None
    from .celery_app import QUEUE, board_queue

    board.celery.worker_main(
        [
            "worker",
            f"--queues={board_queue(board.reader.source)},{QUEUE}",
            f"--concurrency={processes}",
            f"--hostname=board-{os.getpid()}@%h",
            "--loglevel=INFO",
            "--without-gossip",
            "--without-mingle",
        ]
    )
