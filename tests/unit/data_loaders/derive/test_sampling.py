"""A sampled line keeps every extreme, every gap and its ends, and changes only where it grows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_loaders.derive.sampling import BUCKETS, WHOLE, bucket_size, bucket_sums, common, sample

LONG = st.integers(WHOLE + 1, 6 * WHOLE)
ODD = st.lists(st.sampled_from([math.nan, math.inf, -math.inf]), max_size=30)


def series(n: int, seed: int, odd: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Ascending steps with gaps, and values of which some are not finite."""
    rng = np.random.default_rng(seed)
    step = np.cumsum(rng.integers(1, 4, n))
    value = rng.standard_t(2, n).round(3)
    value[rng.choice(n, len(odd), replace=False)] = odd
    return step, value


@settings(max_examples=60, deadline=None)
@given(n=LONG, seed=st.integers(0, 999), odd=ODD)
def test_extremes_gaps_and_ends_are_kept(n: int, seed: int, odd: list[float]) -> None:
    step, value = series(n, seed, odd)
    rows, size = sample(step, value)
    assert np.all(np.diff(rows) > 0)
    assert {0, n - 1} <= set(rows.tolist())
    kept = {bucket: value[rows][step[rows] // size == bucket] for bucket in set((step // size).tolist())}
    for bucket, cells in kept.items():
        every = value[step // size == bucket]
        finite = every[np.isfinite(every)]
        if finite.size:
            assert cells[np.isfinite(cells)].min() == finite.min()
            assert cells[np.isfinite(cells)].max() == finite.max()
        assert np.isfinite(every).all() == np.isfinite(cells).all(), "a gap stays a gap"
    assert len(kept) <= BUCKETS
    assert rows.size <= 2.5 * BUCKETS + 3 * len(odd) + 2


@settings(max_examples=40, deadline=None)
@given(n=LONG, seed=st.integers(0, 999), more=st.integers(1, 9))
def test_new_steps_change_the_last_buckets_alone(n: int, seed: int, more: int) -> None:
    step, value = series(n + more, seed, [])
    before, after = sample(step[:n], value[:n]), sample(step, value)
    if before.size != after.size:
        return  # it outgrew its budget
    edge = step[n - 1] // before.size * before.size
    old, new = (rows[step[rows] < edge] for rows in (before.rows, after.rows))
    assert np.array_equal(old, new)


def test_a_line_within_its_budget_is_whole() -> None:
    step = np.arange(1, WHOLE + 1)
    rows, size = sample(step, np.sin(step))
    assert (rows.size, size) == (WHOLE, 1)
    assert sample(np.empty(0, np.int64), np.empty(0)).rows.size == 0


def test_a_look_at_a_hundred_steps_shows_each_and_where_the_line_comes_from() -> None:
    step = np.arange(1, 10_001)
    rows, size = sample(step, np.cos(step), span=(4_000, 4_099))
    assert size == 1
    assert step[rows].tolist() == list(range(3_999, 4_101))


def test_a_look_at_many_steps_keeps_its_first_and_last() -> None:
    step = np.arange(1, 10_001)
    rows, size = sample(step, np.cos(step), span=(1_234, 8_765), marks=[5_000, 9_999])
    assert size > 1
    assert {1_233, 1_234, 5_000, 8_765, 8_766} <= set(step[rows].tolist())
    assert (step[rows].min(), step[rows].max()) == (1_233, 8_766)


@pytest.mark.parametrize(("last", "size"), [(400, 1), (801, 3), (2_000, 6), (10_000, 32), (10**6, 3072)])
def test_sizes_of_buckets(last: int, size: int) -> None:
    assert bucket_size(1, last) == size


def test_sums_of_buckets_add_up() -> None:
    step = np.array([1, 2, 3, 4, 5, 9])
    first, total = bucket_sums(step, np.array([1.0, 2, 3, 4, 5, 6]), 4)
    assert (first.tolist(), total.tolist()) == ([1, 4, 9], [6.0, 9.0, 6.0])


def test_many_lines_share_the_points_of_a_chart() -> None:
    step = np.arange(1, 10_001)
    alone, among = (sample(step, np.cos(step), lines=lines) for lines in (1, 50))
    assert (alone.size, among.size) == (32, 64)
    assert sample(step[:320], np.cos(step[:320]), lines=50).size == 1


@pytest.mark.parametrize(("size", "every"), [(2, 4), (3, 8), (4, 8), (12, 32), (16, 32), (3072, 8192)])
def test_lines_of_several_runs_keep_the_same_steps_in_common(size: int, every: int) -> None:
    assert common(size) == every


def test_a_shorter_run_keeps_the_common_steps_of_a_longer_one() -> None:
    kept = {}
    for n in (3_000, 9_000):
        step = np.arange(1, n + 1)
        found = sample(step, np.random.default_rng(n).normal(size=n))
        kept[n] = set(step[found.rows].tolist())
        every = common(found.size)
    expected = {step for step in range(1, 3_001) if step % every == 0}
    assert len(expected) > 40
    assert expected <= kept[3_000] & kept[9_000]
