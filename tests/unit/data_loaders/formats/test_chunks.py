"""However its bytes arrive, and wherever reading pauses, a log gives the same result."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_loaders.formats import between, verl_console
from tests.unit.data_loaders.formats.reading import assert_same, read, read_in_chunks
from tests.unit.data_loaders.formats.test_cut_lines import BLOCK, LIMIT, line
from tests.unit.data_loaders.formats.test_life_cycle import CRASH, RESUMED, START

PARTS = [
    START,
    CRASH,
    RESUMED.format(4),
    "(TaskRunner pid=5) Training from scratch\n",
    "(TaskRunner pid=5) step:3 - a:1 - b:np.float64(0.5)\n",
    "step:4 - a:2 - b:np.float64(nan)\n",
    "step:4 - a:2 - b:tensor(1)\r\n",
    "step:5 - a:3 - val/a:1.5",
    "(TaskRunner pid=5) step:6 - a:3 - b:np.float64(7.5)(X pid=9) Final validation metrics: {}\n",
    "(TaskRunner pid=5) step:6 - a:3 - b:np.float64(7.5) Training from scratch\n",
    "step:3 - a:1 - b:np.float64(0.5)\rFinal validation metrics: {}\n",
    "step:6 - a:1 step:7 - a:2(X pid=3) step:8 - a:4\n",
    "bar\rbar\rstep:9 - val-core/x:1\n",
    line(1, LIMIT, "z/last:12.5") + "\n",
    line(2, LIMIT - 1, "val/a:12.5") + "\n",
    line(3, LIMIT + 1, "z/last:12.5") + "\n",
    BLOCK + "\n",
    "\"Final validation metrics: {'z/last': 0.75}\"\n",
    "[rank0]: KeyboardInterrupt\n",
    "INFO:2025-08-14 20:00:00,500:saved\n",
    "\x00\xff 模型输出 step:1 and so on\n",
    "ing from scratch\nstep:",
    "noise " * 200 + "\n",
    "\n\n",
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), max_size=12),
    st.lists(st.floats(0, 1, exclude_max=True), max_size=12),
    st.randoms(use_true_random=False),
    st.sampled_from([600, 6000, between.LOOK_BACK]),
)
def test_any_chunking(parts: list[str], places: list[float], chance: random.Random, look_back: int) -> None:
    data = "".join(parts).encode()
    cuts = sorted(int(place * len(data)) for place in places)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(between, "LOOK_BACK", look_back)
        patch.setattr(between, "CLOCK_REACH", look_back // 2)
        assert_same(read_in_chunks(data, cuts, lambda: chance.random() < 0.5), read(data))


def test_byte_by_byte() -> None:
    data = (START + PARTS[4] * 3 + "bar\r" + PARTS[5] + PARTS[7]).encode()
    assert_same(read_in_chunks(data, range(len(data)), lambda: False), read(data))


def test_overlong_lines_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verl_console, "MAX_LINE", 5000)
    data = b"x" * 4990 + b" step:1 - a:1 " + b"y" * 7000 + b"step:3 - a:3\nstep:2 - a:2\n"
    log = read(data)
    assert log.cells("a") == [(2, 2.0)]
    assert log.lines.line.tolist() == [2]
    assert_same(read_in_chunks(data, range(0, len(data), 97), lambda: False), log)


@pytest.mark.corpus
def test_chunks_of_real_logs(corpus: Path) -> None:
    chance = random.Random(11)
    for path in sorted([*corpus.glob("*.log"), *corpus.glob("*.out")]):
        data = path.read_bytes()
        cuts = sorted(chance.sample(range(len(data)), 9))
        assert_same(read_in_chunks(data, cuts, lambda: chance.random() < 0.5), read(data))
