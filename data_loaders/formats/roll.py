"""ROLL's console lines: a JSON dict with `system/step`, and `metrics_tag: {"step": 3, "metrics": {…}}`.

Source: print formats of ROLL's pipelines and of its stdout tracker.
"""

from __future__ import annotations

import re
from functools import partial

from data_loaders.formats.dict_lines import DictLines, End, Head, Messages
from data_loaders.formats.line_reader import Format

MESSAGES = Messages(
    heads=(
        Head(re.compile(r"""\bmetrics_tag: (?=\{\s*["']step["'])"""), step_key="step", inside="metrics/"),
        Head(
            re.compile(r"""(?<!metrics": )(?<!metrics': )(?=\{[^{}]{0,4000}["']system/step["']:)"""),
            step_key="system/step",
        ),
    ),
    ends=(End(re.compile(r"\bpipeline complete!"), "finished"),),
    logger=re.compile(r"^\[[^\]]{1,60}\] \[[^\]]{1,80}\] \[\w{1,10}\] (?:\[[^\]]{1,60}\] ?)*"),
)
FORMAT = Format("roll", partial(DictLines, MESSAGES), console=True, from_source=True)

_SHOWS = re.compile(rb'["\']system/step["\']:|\bmetrics_tag: \{\s*["\']step["\']')


def sniff(first: bytes, last: bytes, _name: str) -> bool:
    """Whether the ends of a file hold one of its lines."""
    return any(_SHOWS.search(part) for part in (first, last))
