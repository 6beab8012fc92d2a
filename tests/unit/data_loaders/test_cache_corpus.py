"""Real logs read in pieces through the cache give what one whole reading gives."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders import cache
from data_loaders.columns import LINE_FIELDS
from data_loaders.read import LoadedLog, read_log

EXAMPLES = int(os.environ.get("RLBOARD_EXAMPLES", "3"))
"""Ways in which each log is cut."""
NAMES = (
    "agent_opd__20251129_190044-bccr12wl.log",
    "agent_opd__20251129_191857-8g5bqf9b.log",
    "agent_opd__20251129_221801-i80f2v90.log",
    "agent_opd__20251130_025406-dq9a4cex.log",
    "agent_opd__20251203_213214-dsx6uos2.log",
    "agent_opd__20251203_214315-cr3q4lay.log",
    "agent_opd__20251206_135812-3h3y3nvn.log",
    "chrisytz__no_step_tpu.log",
    "cluster_verl__train.out",
    "logic_rl__init_only.log",
    "logic_rl__samples_between_steps.log",
    "slime__failed_launch.log",
    "verl_data__gemma2b_gsm8k_0.640.log",
    "verl_data__qwen05b_gsm8k_0.567.log",
    "verl_maze__crash_before_step1.log",
)
PLACES = st.lists(st.floats(0, 1, exclude_max=True), max_size=6)
"""Where a log is cut, as parts of its length."""


@pytest.mark.corpus
def test_every_log_is_among_them(corpus: Path) -> None:
    assert {path.name for path in [*corpus.glob("*.log"), *corpus.glob("*.out")]} == set(NAMES)


@pytest.mark.corpus
@pytest.mark.parametrize("name", NAMES)
def test_any_pieces_give_what_the_whole_gives(corpus: Path, name: str) -> None:
    source = corpus / name
    data, whole = source.read_bytes(), read_log(source)

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(PLACES)
    def check(places: list[float]) -> None:
        cuts = [*sorted(int(place * len(data)) for place in places), len(data)]
        with tempfile.TemporaryDirectory() as folder:
            assert_same(in_pieces(source, data, cuts, Path(folder)), whole)

    check()


def in_pieces(source: Path, data: bytes, cuts: list[int], folder: Path) -> cache.CachedLog:
    """A log that grew from cut to cut, read each time."""
    path = folder / source.name
    summary = source.with_suffix(".summary.json")
    if summary.exists():
        shutil.copy(summary, folder)
    before = 0
    for end in cuts:
        with path.open("ab") as file:
            file.write(data[before:end])
        before = end
        log = cache.refresh(path, folder / "cache", patience=0.0)
        assert log.notices == ()
    return log


def assert_same(log: cache.CachedLog, whole: LoadedLog) -> None:
    assert log.facts == whole.facts
    assert log.keys == tuple(sorted(whole.columns))
    for field in LINE_FIELDS:
        np.testing.assert_array_equal(getattr(log.lines(), field), getattr(whole.lines, field))
    for key, expected in whole.columns.items():
        np.testing.assert_array_equal(log.column(key).rows, expected.rows)
        np.testing.assert_array_equal(log.column(key).values, expected.values)
