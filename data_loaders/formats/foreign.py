"""Text that is no verl console log: which format it is, so that the reader can say so."""

from __future__ import annotations

import re

BINARY = "binary"
_SAMPLE = 1 << 18
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1b\x08"))

FORMATS = (
    ("hf_trainer_state", re.compile(rb'"log_history"\s*:')),
    ("llamafactory", re.compile(rb'^\{"current_steps":', re.MULTILINE)),
    ("verl_jsonl", re.compile(rb'^\{"step":\s*\d+,\s*"data":\s*\{', re.MULTILINE)),
    ("trl", re.compile(rb"\{'(?:loss|train_runtime)': [^}\n]*'epoch': ")),
    ("openrlhf", re.compile(rb"Global step \d+: \{")),
    ("slime", re.compile(rb"/slime/(?:utils|ray|backends)/|\.py:\d+ - (?:step|rollout|perf|eval) \d+: \{")),
    ("roll", re.compile(rb'"system/step":|metrics_tag: \{"step"')),
    ("nemo_rl", re.compile(rb"=+ Step \d+/\d+ =+")),
)
"""Name of a format and a line that shows it, most telling first."""


def recognise(data: bytes) -> str:
    """Name of the format of some bytes of a file; `binary` for no text, empty for any other text."""
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > 0.05 * len(sample):
        return BINARY
    return next((name for name, shows in FORMATS if shows.search(sample)), "")
