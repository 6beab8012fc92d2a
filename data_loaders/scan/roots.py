"""What to read when no root is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from data_loaders.board_config import BoardConfig
from data_loaders.scan import scan
from data_loaders.scan.probe import Probe, probe_log

FOLDERS = ("archive", "logs")


def default_roots(
    cwd: Path, config: BoardConfig | None = None, *, probe: Callable[[Path], Probe] = probe_log
) -> tuple[tuple[Path, ...], str]:
    """Roots to read without `--logs`, and the message key that says why.

    `roots.config`: those of board.toml. `roots.folders`: `archive` and `logs` in the working folder, where
    they hold experiments. `roots.demo`: none, so the demo data is to be shown.
    """
    config = config or BoardConfig()
    if config.logs:
        return config.logs, "roots.config"
    folders = tuple(cwd / name for name in FOLDERS)
    found = tuple(folder for folder in folders if scan([folder], config, probe=probe).experiments)
    return found, "roots.folders" if found else "roots.demo"
