"""A Redis for the tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.redis.processes import redis_server


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an empty Redis; tests that need it skip where none is installed."""
    if shutil.which("redis-server") is None:
        pytest.skip("no Redis on this machine")
    with redis_server(tmp_path_factory.mktemp("redis")) as address:
        yield address
