"""Real logs read in pieces through the cache give what one whole reading gives."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from data_loaders import cache
from data_loaders.columns import LINE_FIELDS
from data_loaders.read import read_log

NAMES = (
    "agent_opd__20251129_191857-8g5bqf9b.log",
    "agent_opd__20251203_214315-cr3q4lay.log",
    "cluster_verl__train.out",
    "logic_rl__samples_between_steps.log",
    "verl_data__gemma2b_gsm8k_0.640.log",
)


@pytest.mark.corpus
@pytest.mark.parametrize("name", NAMES)
def test_pieces_give_what_the_whole_gives(corpus: Path, tmp_path: Path, name: str) -> None:
    source, path, folder = corpus / name, tmp_path / name, tmp_path / "cache"
    summary = source.with_suffix(".summary.json")
    if summary.exists():
        shutil.copy(summary, tmp_path)
    data = source.read_bytes()
    draw = random.Random(name)
    before = 0
    for end in [*sorted(draw.randrange(len(data)) for _ in range(4)), len(data)]:
        with path.open("ab") as file:
            file.write(data[before:end])
        before = end
        log = cache.refresh(path, folder)
    whole = read_log(path)
    assert log.facts == whole.facts
    assert log.keys == tuple(sorted(whole.columns))
    for field in LINE_FIELDS:
        np.testing.assert_array_equal(getattr(log.lines(), field), getattr(whole.lines, field))
    for key, expected in whole.columns.items():
        np.testing.assert_array_equal(log.column(key).rows, expected.rows)
        np.testing.assert_array_equal(log.column(key).values, expected.values)
