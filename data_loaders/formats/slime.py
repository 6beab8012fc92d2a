"""slime's console lines: `step 0: {…}`, `rollout 0: {…}`, `perf 0: {…}`, `eval 0: {…}`, `critic-step 0: {…}`.

Source: print formats of slime's log utilities. Rollouts and training steps are counted separately there;
where several steps are trained on one rollout, both counters stand as they were printed.
"""

from __future__ import annotations

import re
from functools import partial

from data_loaders.formats.dict_lines import DictLines, Head, Messages
from data_loaders.formats.line_reader import Format

MESSAGES = Messages(
    heads=(
        Head(re.compile(r"(?<![\w-])(?:step|rollout|perf|eval) (?P<step>\d{1,15}): (?=\{)")),
        Head(re.compile(r"(?<![\w-])critic-step (?P<step>\d{1,15}): (?=\{)"), prefix="critic-"),
    ),
    logger=re.compile(r"^\[[^\]]{1,60}\] \S{1,80}:\d+ - "),
)
FORMAT = Format("slime", partial(DictLines, MESSAGES), console=True, from_source=True)

_SHOWS = re.compile(
    rb"/slime/(?:utils|ray|backends)/|\.py:\d+ - (?:critic-step|step|rollout|perf|eval) \d+: \{"
)


def sniff(first: bytes, last: bytes, _name: str) -> bool:
    """Whether the ends of a file hold one of its lines, or a path that only slime has."""
    return any(_SHOWS.search(part) for part in (first, last))
