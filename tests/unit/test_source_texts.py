"""Every message that scanning and board.toml can give has a text."""

from __future__ import annotations

import re
from pathlib import Path

from components.text.sources import TEXT
from data_loaders import board_config, scan
from data_loaders.scan import roots
from data_loaders.scan import tree as walk


def test_every_reason_has_a_text_and_every_text_a_reason() -> None:
    source = "".join(
        Path(module.__file__ or "").read_text("utf-8") for module in (board_config, roots, scan, walk)
    )
    keys = set(re.findall(r'"((?:config|roots?|skip)\.[a-z_]+)"', source))
    assert keys == set(TEXT)
