"""One deployment for all tests: a Redis, two workers, two web processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.redis.processes import Deployment, Spoken, Web, redis_server, web, workers


class Running(NamedTuple):
    """A deployment whose processes are up."""

    board: Deployment
    workers: list[Spoken]
    web: Web


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an empty Redis; tests that need it skip where none is installed."""
    if shutil.which("redis-server") is None:
        pytest.skip("no Redis on this machine")
    with redis_server(tmp_path_factory.mktemp("redis")) as address:
        yield address


@contextmanager
def deployed(broker: str, logs: Path, folder: Path) -> Iterator[Running]:
    """Two workers and two web processes for these logs."""
    board = Deployment(broker, logs, folder / "cache")
    board.cache_dir.mkdir()
    with ExitStack() as stack:
        started = stack.enter_context(workers(board, 2))
        yield Running(board, started, stack.enter_context(web(board)))
