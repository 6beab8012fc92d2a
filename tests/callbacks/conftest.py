"""The demo board, read, and a client of its application."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.factory import create_app
from app.settings import Settings
from app.sources import source
from data_loaders.board import BoardReader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> BoardReader:
    settings = Settings(demo=True, cache_dir=tmp_path_factory.mktemp("cache"))
    reader = BoardReader(source(settings, Path()), settings.cache_dir)
    reader.read()
    return reader


@pytest.fixture(scope="session")
def client(reader: BoardReader) -> FlaskClient:
    return create_app(Settings(demo=True, cache_dir=reader.cache_dir), reader).server.test_client()
