"""Many step lines at once give the values that reading them one by one gives, to the last bit."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.bench_loader import plain_loop
from tests.bench.synthetic_logs import noisy_log, step_lines
from tests.unit.data_loaders.formats.reading import read

STEPS, METRICS = 200, 90


def bits(value: float) -> bytes:
    return struct.pack("d", value)


@pytest.mark.parametrize("numpy_two", [False, True])
def test_values_are_identical_to_the_plain_loop(numpy_two: bool) -> None:
    lines = list(step_lines(STEPS, METRICS, numpy_two=numpy_two))
    log = read("\n".join(lines) + "\n")
    expected = plain_loop(lines)
    assert log.steps == list(range(1, STEPS + 1))
    assert list(log.columns) == list(expected[0])
    for key, column in log.columns.items():
        assert column.rows.tolist() == list(range(STEPS))
        assert [bits(value) for value in column.values] == [bits(row[key]) for row in expected]


def test_noise_changes_nothing() -> None:
    data = b"".join(noisy_log(2_000_000, 40, 50))
    log = read(data)
    lines = [line for line in data.decode().split("\n") if " step:" in line and "critic/score" in line]
    assert len(lines) > 100
    expected = plain_loop(lines)
    assert log.steps == list(range(1, len(lines) + 1))
    assert {key: column.values.tolist() for key, column in log.columns.items()} == {
        key: [row[key] for row in expected] for key in expected[0]
    }
    numbers = [number for number, line in enumerate(data.decode().split("\n"), 1) if line in set(lines)]
    assert log.lines.line.tolist() == numbers


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats() | st.integers(-(10**25), 10**25), min_size=1, max_size=40))
def test_any_number_python_prints(values: list[float]) -> None:
    log = read("".join(f"step:{step} - a:1 - k:{value!r}\n" for step, value in enumerate(values)))
    found = log.columns["k"].values
    assert [repr(value) for value in found.tolist()] == [repr(float(value)) for value in values]


@pytest.mark.parametrize("value", ["-6step:", "1.2.3", "0x10", "--5", "1e", "01", "5 x"])
def test_a_line_is_one_wherever_it_is_read(value: str) -> None:
    """Read on from a saved state, a line counts as it does among lines like it."""
    first, odd = "step:1 - a:-0.5\n", f"step:2 - a:{value}\n"
    assert 2 in read(first + odd).steps or read(odd).steps == []
    assert (2 in read(first + odd).steps) == (2 in read(odd + first).steps)
