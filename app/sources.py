"""From settings to what is read: the given roots, what lies in the working folder, or the demo data."""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from pathlib import Path

from data_loaders import demo
from data_loaders.annotations import FILE
from data_loaders.board import Source
from data_loaders.board_config import BoardConfig, read_config
from data_loaders.scan.roots import default_roots

from .settings import Settings

BOARD = "board.toml"


def source(settings: Settings, cwd: Path) -> Source:
    """The source that settings ask for; writes the demo data when that is it."""
    if settings.demo:
        return _demo(settings, "roots.demo_asked")
    file = _config_file(settings, (*settings.roots, cwd))
    config, problems = read_config(file) if file else (BoardConfig(), ())
    given = settings.roots or settings.remotes
    roots, why = (settings.roots, "roots.given") if given else default_roots(cwd, config)
    if not roots and not settings.remotes:
        return _demo(settings, why)
    return Source(
        tuple(roots),
        config,
        problems,
        why,
        follow_links=settings.follow_links,
        remotes=settings.remotes,
        annotations=_beside(file, tuple(roots), cwd) / FILE,
        read_only=settings.read_only,
    )


def _beside(config: Path | None, roots: tuple[Path, ...], cwd: Path) -> Path:
    """Folder of what belongs to a board: that of its board.toml, else its first root."""
    if config:
        return config.parent
    return next((root if root.is_dir() else root.parent for root in roots if root.exists()), cwd)


def _demo(settings: Settings, why: str) -> Source:
    folder = demo_folder(settings)
    config, problems = read_config(settings.config or folder / BOARD)
    return Source(
        (folder,),
        config,
        problems,
        why,
        demo=True,
        annotations=_beside(settings.config, (folder,), folder) / FILE,
        read_only=settings.read_only,
    )


def _config_file(settings: Settings, folders: tuple[Path, ...]) -> Path | None:
    """The named board.toml, else the first that lies in one of the folders."""
    if settings.config:
        return settings.config
    return next((folder / BOARD for folder in folders if (folder / BOARD).is_file()), None)


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
