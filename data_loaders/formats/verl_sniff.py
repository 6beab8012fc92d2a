"""Recognises verl console logs from the ends of a file."""

from __future__ import annotations

from data_loaders.formats import life_cycle
from data_loaders.formats.noise import Searcher
from data_loaders.formats.step_line import pieces, read_piece

NO_LOG_NAMES = (
    ".py", ".md", ".rst", ".ipynb", ".json", ".jsonl", ".toml", ".yaml", ".yml", ".csv", ".html", ".sh",
)  # fmt: skip


def sniff(first: bytes, last: bytes, name: str) -> bool:
    """True when the ends of a file hold a step line, or words that only verl writes at its start."""
    if name.lower().removesuffix(".gz").endswith(NO_LOG_NAMES):
        return False
    return any(_has_step(part) or life_cycle.is_verl(part) for part in (first, last))


def _has_step(data: bytes) -> bool:
    for at, *_ in Searcher().search(data, 0, len(data)).steps:
        left, right = life_cycle.line_around(data, at, 0, len(data))
        line = data[left:right]
        if any(read_piece(line[low:high]) for low, high in pieces(line)):
            return True
    return False
