"""Runs every suite this machine allows, then says which did not run and why.

With RLBOARD_ALL_SUITES set, a suite that cannot run counts as a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Suite(NamedTuple):
    name: str
    command: Sequence[str]
    lacks: str
    """Why it cannot run here; empty when it can."""


def _lacks_command(names: Sequence[str], what: str) -> str:
    return "" if any(shutil.which(name) for name in names) else f"no {what} on this machine"


def suites() -> list[Suite]:
    pytest = [sys.executable, "-m", "pytest"]
    no_corpus = (
        "" if (ROOT.parent / "shared" / "corpus").is_dir() else "no folder of real logs beside the checkout"
    )
    no_chromium = _lacks_command(("chromium", "chromium-browser", "google-chrome"), "Chromium")
    no_redis = _lacks_command(("redis-server",), "Redis")
    return [
        Suite("lint", [sys.executable, "-m", "ruff", "check", "."], ""),
        Suite("types", [sys.executable, "-m", "mypy"], ""),
        Suite("unit", [*pytest, "-n", "2", "-m", "not browser and not corpus and not redis"], ""),
        Suite("real logs", [*pytest, "-n", "2", "-m", "corpus and not browser and not redis"], no_corpus),
        Suite("redis", [*pytest, "-m", "redis"], no_redis),
        Suite("browser", [*pytest, "-n", "2", "-m", "browser"], no_chromium),
    ]


def main() -> int:
    failed: list[str] = []
    skipped: list[str] = []
    for suite in suites():
        if suite.lacks:
            skipped.append(f"suite not run: {suite.name} ({suite.lacks})")
            continue
        print(f"== {suite.name}", flush=True)
        if subprocess.run(suite.command, cwd=ROOT, check=False).returncode:
            failed.append(suite.name)
    print("== summary")
    for line in skipped:
        print(line)
    for name in failed:
        print(f"suite failed: {name}")
    if not failed:
        print("every suite that ran passed")
    return 1 if failed or (skipped and os.environ.get("RLBOARD_ALL_SUITES")) else 0


if __name__ == "__main__":
    sys.exit(main())
