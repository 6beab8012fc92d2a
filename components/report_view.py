"""What the reading report shows of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from components.text import Sentence


class PartialNames(NamedTuple):
    """Keys that stand on the same part of a file's steps."""

    keys: tuple[str, ...]
    seen: int
    steps: int
    """Of the file."""
    where: Sentence
    """The steps that have them, or those that do not."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """What was read from one file, and what was not."""

    path: str
    format: str = ""
    bytes: int | None = None
    """None: the file was not read, and the notes say why."""
    steps: int = 0
    keys: int = 0
    spans: tuple[tuple[int, int], ...] = ()
    cut: int = 0
    rejected: int = 0
    examples: tuple[tuple[int, str, Sentence], ...] = ()
    """Line number, text, why: at most a few rejected items."""
    notes: tuple[Sentence, ...] = ()
    """Reason for no steps, recovered values, resumes, a link that was not followed."""
    values: int | None = None
    """Cells; None where they were not counted."""
    more: tuple[Sentence, ...] = ()
    """What only the report of a single run says: where lines were cut, steps twice and steps missing."""
    partial: tuple[PartialNames, ...] = ()
