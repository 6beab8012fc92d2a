"""OpenRLHF's console lines: `Global step 12: {…}` and `…, global_step 12, eval_metrics: {…}`.

Source: print formats of OpenRLHF's ppo_trainer.
"""

from __future__ import annotations

import re
from functools import partial

from data_loaders.formats.dict_lines import DictLines, Head, Messages
from data_loaders.formats.line_reader import Format

MESSAGES = Messages(
    heads=(
        Head(re.compile(r"\bGlobal step (?P<step>\d{1,15}): (?=\{)")),
        Head(re.compile(r"\bglobal_step (?P<step>\d{1,15}), eval_metrics: (?=\{)"), prefix="eval/"),
    ),
    logger=re.compile(r"^(?:DEBUG|INFO|WARNING|ERROR) \d\d-\d\d [\d:.,]+ [^\s\]]{1,80}\] ?"),
)
FORMAT = Format("openrlhf", partial(DictLines, MESSAGES), console=True, from_source=True)

_SHOWS = re.compile(rb"Global step \d+: \{|global_step \d+, eval_metrics: \{")


def sniff(first: bytes, last: bytes, _name: str) -> bool:
    """Whether the ends of a file hold one of its lines."""
    return any(_SHOWS.search(part) for part in (first, last))
