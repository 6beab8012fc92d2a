"""A board of runs whose names, notes and logs try to become markup."""

from __future__ import annotations

import json
import os
from pathlib import Path

EVIL_RUN = "<img src=x onerror=alert(1)>_2b"
EVIL_TITLE = "</script><script>alert(2)</script>"
EVIL_NOTE = "<svg onload=alert(3)> [go](javascript:alert(4)) ![p](https://tracker.example/p.png) **kept**"
EVIL_LINE = "Traceback <!-- <script>alert(5)</script>\n"


def write_hostile_board(root: Path) -> None:
    """Two runs of one track, one of them hostile, and a file whose name is no Unicode."""
    for name in (EVIL_RUN, "e1_grpo_2b"):
        (root / name).mkdir()
        (root / name / "train.log").write_text(_log(12), encoding="utf-8")
    Path(os.fsdecode(os.fsencode(root) + b"/bad_\xff_name.log")).write_text(EVIL_LINE, encoding="utf-8")
    (root / "board.toml").write_text(
        f"title = {_quoted(EVIL_TITLE)}\n[experiments.{_quoted(EVIL_RUN)}]\nnotes = {_quoted(EVIL_NOTE)}\n"
        f"title = {_quoted(EVIL_TITLE)}\n",
        encoding="utf-8",
    )


def _log(steps: int) -> str:
    line = "step:{n} - actor/entropy:{e:.4f} - actor/grad_norm:0.31 - response_length/mean:900.0\n"
    return EVIL_LINE + "".join(line.format(n=n, e=0.5 - n / 100) for n in range(1, steps + 1))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
