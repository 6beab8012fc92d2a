"""Values of a log as one pattern reads them: nothing of the product stands between."""

from __future__ import annotations

import re
from pathlib import Path


def logged(folder: Path, run: str, key: str) -> dict[int, float]:
    """Values of a key by step, from the logs of a run; a later line of a step counts."""
    pattern = re.compile(rf"step:(\d+) - .*?\b{re.escape(key)}:([-\d.einf]+)")
    found: dict[int, float] = {}
    for path in sorted(folder.rglob("*.log")):
        if run in str(path):
            text = path.read_text(encoding="utf-8").replace("np.float64(", "")
            found |= {int(step): float(value) for step, value in pattern.findall(text)}
    return found
