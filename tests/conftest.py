"""Fixtures shared by every suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# Machines are shared: how long an example takes says nothing about the code.
settings.register_profile("board", deadline=None)
settings.load_profile("board")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of real public logs beside the checkout; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared" / "corpus"
    if not folder.is_dir():
        pytest.skip("no folder of real logs beside the checkout")
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Demo logs and their board.toml, written once per session."""
    from data_loaders.demo import write_demo

    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder)
    return folder
