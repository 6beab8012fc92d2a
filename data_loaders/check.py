"""What was read from a file, and what was not: the entries of `check`. See `check_log`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from data_loaders.read import LoadedLog, read_log
from data_loaders.schema import Column, FloatArray, IntArray, Json, StepLines

MOST_MISSING = 1_000_000
"""A gap between two steps that is wider is not listed step by step."""

MOST_SHOWN = 5
"""Rejected items that `describe` lists."""

REASONS = {
    "reason.empty": "the file is empty",
    "reason.binary": "this is no text file",
    "reason.other_format": "format not supported: {format}",
    "reason.crashed": "crashed before the first step: {end_text}",
    "reason.stopped": "stopped before the first step: {end_text}",
    "reason.starting": "started, no step line yet",
    "reason.not_a_log": "no step line, and nothing that verl writes when it starts",
}
REJECTED = {
    "rejected.no_colon": "no colon",
    "rejected.no_number": "no number",
    "rejected.no_step": "no step number",
    "rejected.no_record": "no record of this format",
}
REMARKS = {
    "report.from_source": "format read from source code: no real log of it was seen",
    "report.steps_inferred": "the lines name no step: steps are counted, or taken from the progress bar",
    "report.words": "values that are no numbers were left out",
    "report.events_damaged": "a damaged record: what stands behind it was not read",
    "report.too_long": "the file is too long for this format and was not read to its end",
}
DAMAGES = {
    "damage.gzip_truncated": "the gzip data end early",
    "damage.gzip_corrupt": "the gzip data are damaged",
    "damage.unreadable": "the file could not be read to its end",
}


def check_log(path: Path) -> Json:
    """Entry of one file for `check --json`. Never raises: an unreadable file gives its reason.

    Metrics carry raw names. `n` and `values` count non-finite cells too, `max` and `sum` leave them out.
    """
    try:
        return _entry(read_log(path))
    except (OSError, MemoryError) as error:
        return _unreadable(path, error)


def describe(entry: Json) -> str:
    """Entry of `check_log` in words, over several lines."""
    lines = [f"{entry['path']}: {entry['reason'] or _steps_in_words(entry)}"]
    if entry["step_lines"]:
        lines.append(f"  {entry['keys']} keys, {entry['values']} values; {_end_in_words(entry)}")
    notes = (
        (entry["cut_lines"], "step lines lost their end; what stood there is missing, not 0"),
        (entry["rejected_count"], "items are no key:number"),
        (len(entry["duplicate_steps"]), "steps stand on more than one line"),
        (len(entry["missing_steps"]), "steps are missing between the first and the last"),
        (max(len(entry["segments"]) - 1, 0), "times the program started again or its step number fell"),
    )
    lines += [f"  {count} {text}" for count, text in notes if count]
    for item in entry["rejected"][:MOST_SHOWN]:
        lines.append(f"    line {item['line']}: {item['text']!r} ({item['why']})")
    lines += [f"  {remark}" for remark in entry["remarks"]]
    return "\n".join([*lines, *([f"  {entry['damage']}"] if entry["damage"] else [])])


def _steps_in_words(entry: Json) -> str:
    lines, steps = entry["step_lines"], entry["steps"]
    return f"{steps} steps, {entry['first']} to {entry['last']}, from {lines} step lines ({entry['format']})"


def _end_in_words(entry: Json) -> str:
    return "the log does not say how it ended" if entry["status"] == "open" else str(entry["status"])


def _unreadable(path: Path, error: Exception) -> Json:
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    entry: Json = {
        "path": str(path),
        "format": "",
        "bytes": 0,
        "status": "unreadable",
        "reason": f"cannot be read: {words}",
        "rejected": [],
        "rejected_count": 0,
        "cut_lines": 0,
        "damage": "",
        "remarks": [],
    }
    return entry | _counts(StepLines(*(np.empty(0, np.int64) for _ in range(5))), {})


def _entry(log: LoadedLog) -> Json:
    facts = log.facts
    reason = REASONS.get(facts.no_step_reason, facts.no_step_reason).format(**asdict(facts))
    entry: Json = {
        "path": str(log.path),
        "format": facts.format,
        "bytes": facts.bytes,
        "status": facts.no_step_reason.removeprefix("reason.") or facts.end or "open",
        "reason": reason,
        "rejected": [
            {"line": item.line, "text": item.text, "why": REJECTED.get(item.why, item.why)}
            for item in facts.rejected
        ],
        "rejected_count": facts.rejected_count,
        "cut_lines": len(facts.cut_lines),
        "damage": DAMAGES.get(facts.damage, facts.damage),
        "remarks": [REMARKS.get(key, key) for key in facts.remarks],
    }
    return entry | _counts(log.lines, log.columns)


def _counts(lines: StepLines, columns: Mapping[str, Column]) -> Json:
    steps, times = np.unique(lines.step, return_counts=True)
    metrics = {key: _metric(lines.step, column) for key, column in sorted(columns.items())}
    return {
        "step_lines": lines.step.size,
        "steps": steps.size,
        "first": int(steps[0]) if steps.size else None,
        "last": int(steps[-1]) if steps.size else None,
        "keys": len(metrics),
        "values": sum(metric["n"] for metric in metrics.values()),
        "duplicate_steps": steps[times > 1].tolist(),
        "missing_steps": _missing(steps),
        "segments": _segments(lines),
        "metrics": metrics,
    }


def _missing(steps: IntArray) -> list[int]:
    gaps = [(low, high) for low, high in pairwise(steps.tolist()) if 1 < high - low <= MOST_MISSING]
    return [step for low, high in gaps for step in range(low + 1, high)]


def _segments(lines: StepLines) -> list[list[int]]:
    """First step, last step and first line between two starts or falls of the step number."""
    if not lines.step.size:
        return []
    new = np.flatnonzero((np.diff(lines.launch) != 0) | (np.diff(lines.step) < 0)) + 1
    step, line = lines.step.tolist(), lines.line.tolist()
    bounds = [0, *new.tolist(), len(step)]
    return [[step[low], step[high - 1], line[low]] for low, high in pairwise(bounds)]


def _metric(step_of_row: IntArray, column: Column) -> Json:
    step, value = _latest(step_of_row[column.rows], column.values)
    finite = np.flatnonzero(np.isfinite(value))
    top = finite[np.argmax(value[finite])] if finite.size else None
    return {
        "n": step.size,
        "first": [int(step[0]), _number(value[0])],
        "last": [int(step[-1]), _number(value[-1])],
        "max": None if top is None else [int(step[top]), float(value[top])],
        "sum": _sum(value[finite]),
    }


def _sum(value: FloatArray) -> float | str:
    """Exact; of values too large for one `inf` or `-inf`."""
    try:
        return math.fsum(value.tolist())
    except OverflowError:
        with np.errstate(over="ignore"):
            return _number(value.sum())


def _latest(step: IntArray, value: FloatArray) -> tuple[IntArray, FloatArray]:
    """Cells in order of steps; of several cells of a step the last."""
    order = np.argsort(step, kind="stable")
    step, value = step[order], value[order]
    last = np.append(step[1:] != step[:-1], True)
    return step[last], value[last]


def _number(value: np.float64) -> float | str:
    """JSON has no words for non-finite numbers: `nan`, `inf`, `-inf`."""
    return float(value) if math.isfinite(value) else str(float(value))
