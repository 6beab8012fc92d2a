from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from data_loaders.derive.intervals import (
    batch_pass_error,
    best_of,
    clopper_pearson,
    detectable_difference,
    expected_best,
    newcombe,
    recover_count,
    wilson,
)

COUNTS = [(0, 30), (1, 30), (9, 30), (10, 30), (25, 30), (30, 30), (333, 500), (3, 1)]


@pytest.mark.parametrize(
    ("k", "percent"),
    [
        (9, (16.7, 47.9)),
        (10, (19.2, 51.2)),
        (12, (24.6, 57.7)),
        (17, (39.2, 72.6)),
        (19, (45.5, 78.1)),
        (23, (59.1, 88.2)),
        (24, (62.7, 90.5)),
        (25, (66.4, 92.7)),
    ],
)
def test_wilson_of_thirty_items(k: int, percent: tuple[float, float]) -> None:
    assert wilson(k, 30) == pytest.approx([p / 100 for p in percent], abs=5e-4)


@pytest.mark.parametrize(("k", "n"), COUNTS[:-1])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_a_rate_agree_with_scipy(k: int, n: int, level: float) -> None:
    test = stats.binomtest(k, n)
    assert wilson(k, n, level) == pytest.approx(test.proportion_ci(level, "wilson"), abs=1e-12)
    assert clopper_pearson(k, n, level) == pytest.approx(test.proportion_ci(level, "exact"), abs=1e-9)


@pytest.mark.parametrize(("k", "n"), [(3, 1), (-1, 5), (0, 0)])
def test_impossible_counts_are_refused(k: int, n: int) -> None:
    with pytest.raises(ValueError, match="no count"):
        wilson(k, n)


@pytest.mark.parametrize(
    ("one", "other", "points"),
    [
        (12, 9, (-13.6, 32.1)),
        (12, 10, (-16.9, 29.3)),
        (10, 9, (-19.4, 25.6)),
        (23, 19, (-9.7, 34.6)),
        (25, 19, (-2.5, 40.1)),
        (25, 17, (3.4, 46.5)),
    ],
)
def test_difference_of_two_counts_of_thirty(one: int, other: int, points: tuple[float, float]) -> None:
    assert newcombe(one, 30, other, 30) == pytest.approx([p / 100 for p in points], abs=6e-4)


def test_difference_of_newcombes_own_example() -> None:
    # Newcombe 1998, table II (a): 56/70 against 48/80.
    assert newcombe(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=1e-4)


@pytest.mark.parametrize("accuracy", [12 / 30, 0.4, 0.3999999761581421])
def test_a_count_is_recovered_from_its_rate(accuracy: float) -> None:
    assert recover_count(accuracy, 30) == 12


@pytest.mark.parametrize("accuracy", [0.41, 0.4 + 0.02 / 30 + 1e-9, math.nan, math.inf, 1.2, -0.1])
def test_no_count_is_invented(accuracy: float) -> None:
    assert recover_count(accuracy, 30) is None


@pytest.mark.parametrize(
    ("n", "points"),
    [
        (30, (34, 30, 23)),
        (30 * 8, (12.5, 12.1, 10.2, 8.0)),
        (30 * 32, (6.2, 6.2, 5.4, 4.3)),
        (500, (8.7, 8.5, 7.3, 5.8)),
    ],
)
def test_smallest_detectable_rise(n: int, points: tuple[float, ...]) -> None:
    tolerance = 0.6 if n == 30 else 0.11
    for rate, expected in zip((0.35, 0.60, 0.75, 0.85), points, strict=False):
        found = detectable_difference(rate, n)
        assert found is not None
        assert 100 * found == pytest.approx(expected, abs=tolerance)


def test_no_rise_from_a_high_rate_can_be_seen_with_thirty_items() -> None:
    assert detectable_difference(0.85, 30) is None


def test_a_detectable_rise_is_detected_with_the_power_asked_for() -> None:
    rise = detectable_difference(0.5, 500)
    assert rise is not None
    rng = np.random.default_rng(0)
    one, other = rng.binomial(500, 0.5, 20_000) / 500, rng.binomial(500, 0.5 + rise, 20_000) / 500
    error = np.sqrt((one * (1 - one) + other * (1 - other)) / 500)
    assert (np.abs(other - one) > 1.96 * error).mean() == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("rate", "points"),
    [(0.6, (3.1, 6.0, 6.5, 7.0)), (0.8, (2.5, 4.9, 5.3, 5.7)), (0.9, (1.9, 3.7, 4.0, 4.3))],
)
def test_error_of_a_batch_of_32_by_8(rate: float, points: tuple[float, ...]) -> None:
    found = [100 * float(batch_pass_error(rate, correlation=rho)) for rho in (0, 0.4, 0.5, 0.6)]
    assert found == pytest.approx(points, abs=0.06)


def test_error_of_a_batch_keeps_the_shape() -> None:
    assert batch_pass_error(np.array([0.0, 0.5, 1.0])).tolist() == pytest.approx(
        [0.0, 0.06629, 0.0], abs=1e-5
    )


def test_best_names_every_place_and_how_many_were_looked_at() -> None:
    best = best_of([0.7, math.nan, 0.8, 0.8, 0.6])
    assert best is not None
    assert (best.value, best.indices, best.of) == (0.8, (2, 3), 4)
    assert best_of([math.nan]) is None


@pytest.mark.parametrize(
    ("rate", "of_six", "of_24"), [(0.35, 46.2, 52.3), (0.70, 80.3, 85.4), (0.75, 84.7, 89.3)]
)
def test_best_of_constant_accuracy(rate: float, of_six: float, of_24: float) -> None:
    assert 100 * expected_best(rate, 30, 6) == pytest.approx(of_six, abs=0.11)
    assert 100 * expected_best(rate, 30, 24) == pytest.approx(of_24, abs=0.11)


def test_best_of_one_is_no_better_than_the_rate() -> None:
    assert expected_best(0.35, 30, 1) == pytest.approx(0.35)


@pytest.mark.parametrize(("steps", "points"), [(5, (2.9, 2.4, 1.8)), (10, (2.0, 1.7, 1.3))])
def test_error_of_a_mean_of_steps(steps: int, points: tuple[float, ...]) -> None:
    found = [100 * float(batch_pass_error(rate, correlation=0.5)) / steps**0.5 for rate in (0.6, 0.8, 0.9)]
    assert found == pytest.approx(points, abs=0.07)
