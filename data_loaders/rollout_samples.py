"""Sampled answers of single steps, from the JSONL files verl writes next to a run.

verl's trainer writes `<folder>/<step>.jsonl` with one object per answer (`input`, `output`, `score`, …) when
`trainer.rollout_data_dir` or `trainer.validation_data_dir` is set. A folder counts only when it lies under
one of the roots; nothing else is opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from data_loaders.derive.config import get
from data_loaders.derive.settings import config_of
from data_loaders.raw_log import shown_text
from data_loaders.schema import Run

Kind = Literal["rollout", "validation"]
SETTING: dict[Kind, str] = {
    "rollout": "trainer.rollout_data_dir",
    "validation": "trainer.validation_data_dir",
}
NEAR = 2
"""Folders above a log in which the last part of a name is looked for; higher up it may be another run's."""
MOST_BYTES = 16 << 20
"""Bytes of a file that are read."""
LONGEST = 1 << 20
"""Bytes of one object; a longer one is counted and passed over."""
MOST_SAMPLES = 3
TEXT_LENGTH = 1200
"""Characters of a prompt or an answer."""


class Sample(NamedTuple):
    """One answer. `length` is in characters, of the whole answer."""

    prompt: str
    output: str
    score: float | None
    length: int


@dataclass(frozen=True, slots=True)
class StepSamples:
    """The first answers of one step's file."""

    step: int
    path: Path
    samples: tuple[Sample, ...]
    count: int
    """Answers read."""
    mean_score: float | None
    mean_length: float | None
    """Characters, over the answers read."""
    unreadable: int = 0
    """Lines that are no such object."""
    more_bytes: int = 0
    """Bytes of the file that were not read."""


def samples(
    run: Run, roots: Sequence[Path], steps: Iterable[int], kind: Kind = "rollout"
) -> list[StepSamples]:
    """Samples of the steps whose file exists; none without such a folder under the roots."""
    folder = sample_folder(run, roots, kind)
    if folder is None:
        return []
    found = (_step_samples(folder / f"{step}.jsonl", step, roots) for step in sorted(set(steps)))
    return [one for one in found if one is not None]


def sample_folder(run: Run, roots: Sequence[Path], kind: Kind = "rollout") -> Path | None:
    """The folder that the run's configuration names, or the one of that name beside its logs."""
    named = get(config_of(run), SETTING[kind])
    if not isinstance(named, str) or not named.strip():
        return None
    for place in _places(Path(named.strip()), run):
        folder = _inside(place, roots)
        if folder is not None and folder.is_dir() and any(folder.glob("*.jsonl")):
            return folder
    return None


def _places(named: Path, run: Run) -> Iterator[Path]:
    """Where the folder may be: as named, or under the folders above a log; `_inside` drops what is outside.

    The run may have been trained on another machine, so only the end of an absolute name can be trusted.
    """
    if named.is_absolute():
        yield named
    parts = [part for part in named.parts if part not in (named.anchor, ".", "..")]
    for log in run.logs:
        for above, folder in enumerate(Path(log).parents):
            if not named.is_absolute():
                yield folder / named
            if len(parts) > 1:
                yield folder / parts[-2] / parts[-1]
            if parts and above < NEAR:
                yield folder / parts[-1]


def _inside(path: Path, roots: Sequence[Path]) -> Path | None:
    """The path with all links followed, when it lies under a root."""
    try:
        real = path.resolve(strict=True)
        return real if any(real.is_relative_to(root.resolve()) for root in roots) else None
    except (OSError, RuntimeError, ValueError):
        return None


def _step_samples(path: Path, step: int, roots: Sequence[Path]) -> StepSamples | None:
    real = _inside(path, roots)
    if real is None or not real.is_file():
        return None
    try:
        with real.open("rb") as file:
            data = file.read(MOST_BYTES)
            rest = real.stat().st_size - len(data)
    except OSError:
        return None
    lines = data.split(b"\n")
    if rest > 0:
        lines.pop()  # cut in the middle
    return _summary(real, step, [line for line in lines if line.strip()], max(0, rest))


def _summary(path: Path, step: int, lines: Sequence[bytes], rest: int) -> StepSamples:
    shown: list[Sample] = []
    scores: list[float] = []
    lengths: list[int] = []
    unreadable = 0
    for line in lines:
        entry = _entry(line)
        if entry is None:
            unreadable += 1
            continue
        score = entry.get("score")
        known = float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None
        lengths.append(len(entry["output"]))
        scores += [] if known is None else [known]
        if len(shown) < MOST_SAMPLES:
            shown.append(Sample(_text(entry.get("input")), _text(entry["output"]), known, lengths[-1]))
    return StepSamples(
        step, path, tuple(shown), len(lengths), _mean(scores), _mean(lengths), unreadable, rest
    )


def _entry(line: bytes) -> dict[str, Any] | None:
    if len(line) > LONGEST:
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("output"), str) else None


def _text(value: object) -> str:
    """Start of a text, lines kept, everything unseen removed."""
    if not isinstance(value, str):
        return ""
    lines = value[:TEXT_LENGTH].split("\n")
    shown = "\n".join(shown_text(line.encode("utf-8", "replace")) for line in lines)
    return shown + ("…" if len(value) > TEXT_LENGTH else "")


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
