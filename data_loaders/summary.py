"""The summary file that wandb leaves beside a log: last values, from which cut lines are completed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import orjson

from data_loaders.schema import Column, Json, LogFacts, Recovered, StepLines

SOURCE = "summary"
MOST_BYTES = 16 << 20


def summary_path(log: Path) -> Path | None:
    """`<stem>.summary.json`, or `wandb-summary.json` beside wandb's `output.log`; None for none."""
    name = log.name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    names = [f"{stem}.summary.json", f"{name}.summary.json"]
    if name == "output.log":
        names.append("wandb-summary.json")
    return next((path for path in map(log.with_name, names) if _stands_beside(path)), None)


def _stands_beside(path: Path) -> bool:
    """Whether it is a file of this folder: a link may lead to one that nobody named."""
    return path.is_file() and path.resolve().parent == path.parent.resolve()


def read_summary(log: Path) -> dict[str, float]:
    """Numbers of the summary beside a log; empty when there is none that can be read."""
    path = summary_path(log)
    try:
        if path is None or path.stat().st_size > MOST_BYTES:
            return {}
        values = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return _numbers(values) if isinstance(values, dict) else {}


def _numbers(values: Json) -> dict[str, float]:
    return {
        key: float(value)
        for key, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not key.startswith("_")
    }


def recover(
    summary: Mapping[str, float], facts: LogFacts, lines: StepLines, columns: Mapping[str, Column]
) -> tuple[Recovered, ...]:
    """Cells that only the summary still has.

    A summary holds the last value of each key. Where that is not the last one in the log, it was logged
    later, by a line that lost it: the last cut one, if it stands behind the key's last cell.
    """
    cut = np.flatnonzero(np.isin(lines.line, facts.cut_lines))
    if not cut.size:
        return ()
    row = int(cut[-1])
    step, line = int(lines.step[row]), int(lines.line[row])
    known = {(cell.line, cell.key) for cell in facts.recovered}
    return tuple(
        Recovered(step, key, value, SOURCE, line)
        for key, value in summary.items()
        if (line, key) not in known and _lost(columns.get(key), row, value)
    )


def _lost(column: Column | None, row: int, value: float) -> bool:
    if column is None or not column.rows.size:
        return True
    return int(column.rows[-1]) < row and float(column.values[-1]) != value
