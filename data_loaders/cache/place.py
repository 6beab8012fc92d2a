"""Where parsed logs are kept when nobody names a place."""

from __future__ import annotations

import os
from pathlib import Path


def default_cache_dir() -> Path:
    """A private folder of this account: the runtime cache is never shared and never in the working folder."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "rl-board"
