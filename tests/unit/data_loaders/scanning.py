"""Roots of small files that stand for logs, and scans of them."""

from __future__ import annotations

from pathlib import Path

from data_loaders.board_config import BoardConfig
from data_loaders.scan import Experiment, ScanResult, scan
from data_loaders.scan.probe import Probe, content_hints, first_clock
from data_loaders.scan.tree import ScanLimits

STEP = "step:1 - actor/pg_loss:0.5\n"


def look(path: Path) -> Probe:
    """Stands for the real look into a file: a log is what holds a step line or says it starts."""
    text = path.read_bytes().decode("utf-8", "replace")
    known = "step:" in text or "TaskRunner" in text
    return Probe("verl" if known else None, content_hints(text), first_clock(text))


def put(path: Path, text: str = STEP) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def find(*roots: Path, config: BoardConfig | None = None, limits: ScanLimits | None = None) -> ScanResult:
    return scan(roots, config or BoardConfig(), limits=limits, probe=look)


def names(found: ScanResult) -> dict[str, list[str]]:
    """File names by experiment."""
    return {e.id: [log.name for log in e.logs] for e in found.experiments}


def reasons(found: ScanResult) -> dict[str, str]:
    """Reason by last part of the path."""
    return {Path(skipped.path).name: skipped.reason_key for skipped in found.skipped}


def only(found: ScanResult) -> Experiment:
    assert len(found.experiments) == 1
    return found.experiments[0]
