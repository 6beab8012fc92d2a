"""verl's `file` logger: `{"step": 2, "data": {…}}` per call. Source: verl's file logger, v0.6 to v0.9.

nan and inf stand there as null. A resumed run begins the file anew.
"""

from __future__ import annotations

import re
from functools import partial

from data_loaders.formats.json_lines import JsonLines, Records
from data_loaders.formats.line_reader import Format

RECORDS = Records(r'\{"step":\s*\d+,\s*"data":\s*\{', "step", inside="data", null=True)
FORMAT = Format("verl_jsonl", partial(JsonLines, RECORDS))

_SHOWS = re.compile(rb'^\{"step":\s*\d+,\s*"data":\s*\{', re.MULTILINE)


def sniff(first: bytes, _last: bytes, _name: str) -> bool:
    """Whether the file begins with such a record."""
    return _SHOWS.search(first) is not None
