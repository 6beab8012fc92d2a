"""From settings to what is read: the given roots, what lies in the working folder, or the demo data."""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from pathlib import Path

from data_loaders import demo
from data_loaders.board import Source
from data_loaders.board_config import BoardConfig, Problem, read_config
from data_loaders.scan.roots import default_roots

from .settings import Settings

BOARD = "board.toml"


def source(settings: Settings, cwd: Path) -> Source:
    """The source that settings ask for; writes the demo data when that is it."""
    if settings.demo:
        return _demo(settings, "roots.demo_asked")
    config, problems = _config(settings, (*settings.roots, cwd))
    given = settings.roots or settings.remotes
    roots, why = (settings.roots, "roots.given") if given else default_roots(cwd, config)
    if not roots and not settings.remotes:
        return _demo(settings, why)
    return Source(
        tuple(roots), config, problems, why, follow_links=settings.follow_links, remotes=settings.remotes
    )


def _demo(settings: Settings, why: str) -> Source:
    folder = demo_folder(settings)
    config, problems = read_config(settings.config or folder / BOARD)
    return Source((folder,), config, problems, why, demo=True)


def _config(settings: Settings, folders: tuple[Path, ...]) -> tuple[BoardConfig, tuple[Problem, ...]]:
    """The named board.toml, else the first that lies in one of the folders."""
    if settings.config:
        return read_config(settings.config)
    path = next((folder / BOARD for folder in folders if (folder / BOARD).is_file()), None)
    return read_config(path) if path else (BoardConfig(), ())


def demo_folder(settings: Settings) -> Path:
    """Folder of the demo data, written once per version of its source."""
    parts = sorted(Path(demo.__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:12]
    folder = settings.cache_dir / f"demo-{digest}"
    if not folder.is_dir():
        building = settings.cache_dir / f"demo-{digest}.{time.time_ns()}"
        building.mkdir(parents=True, mode=0o700)
        demo.write_demo(building)
        try:
            building.rename(folder)
        except OSError:  # another process was faster
            shutil.rmtree(building)
    if not settings.demo_live:
        return folder
    live = settings.cache_dir / f"demo-live-{time.time_ns()}"
    shutil.copytree(folder, live, copy_function=shutil.copy2)
    threading.Thread(target=demo.follow_demo, args=(live,), daemon=True).start()
    return live
