"""LLaMA-Factory's `trainer_log.jsonl`: `{"current_steps": 1, "total_steps": 5100, "loss": 0.6, …}` a step."""

from __future__ import annotations

import re
from functools import partial

from data_loaders.formats.json_lines import JsonLines, Records
from data_loaders.formats.line_reader import Format

RECORDS = Records(r'\{"current_steps":', "current_steps", planned="total_steps")
FORMAT = Format("llamafactory", partial(JsonLines, RECORDS))

_SHOWS = re.compile(rb'^\{"current_steps":\s*\d', re.MULTILINE)


def sniff(first: bytes, _last: bytes, _name: str) -> bool:
    """Whether the file begins with such a record."""
    return _SHOWS.search(first) is not None
