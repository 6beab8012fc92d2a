from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from data_loaders.derive.trends import trend

STEP = np.arange(1, 151)


def _published(seed: int, start: float, end: float, n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    step = np.arange(1, n + 1)
    noise = np.exp(0.04 * np.random.default_rng(seed).standard_normal(n))
    return step, np.interp(step, [1, n], [start, end]) * noise


@pytest.mark.parametrize(
    ("start", "end", "n", "direction", "change"),
    [
        (0.25, 0.22, 150, "falling", -0.12),
        (0.256, 0.417, 150, "rising", 0.63),
        (0.081, 0.048, 150, "falling", -0.41),
        (0.25, 0.245, 21, "flat", -0.02),
    ],
)
def test_entropy_of_the_published_runs(
    start: float, end: float, n: int, direction: str, change: float
) -> None:
    found = trend(*_published(3, start, end, n))
    assert found is not None
    assert found.direction == direction
    assert found.change == pytest.approx(change, abs=0.06)
    assert found.change_low <= found.change <= found.change_high


def test_slope_interval_and_tau_agree_with_scipy() -> None:
    step, value = _published(7, 0.3, 0.2)
    found = trend(step, value)
    assert found is not None
    sen = stats.theilslopes(value, step, 0.95)
    assert found.slope == pytest.approx(sen.slope)
    # White residuals: at most a small inflation widens the interval.
    assert found.low == pytest.approx(sen.low_slope, rel=0.1)
    assert found.high == pytest.approx(sen.high_slope, rel=0.1)
    assert found.tau == pytest.approx(stats.kendalltau(step, value).statistic)


def test_ties_count_as_in_scipy() -> None:
    value = np.round(np.random.default_rng(0).normal(0, 1, 40))
    found = trend(np.arange(40), value)
    assert found is not None
    expected = stats.kendalltau(np.arange(40), value)
    assert found.tau == pytest.approx(expected.statistic)


def test_p_value_of_white_noise_agrees_with_scipy() -> None:
    value = np.random.default_rng(4).standard_normal(60)
    value -= 0.01 * np.arange(60)
    residual = value - np.median(value)
    assert residual[:-1] @ residual[1:] < 0  # nothing to inflate
    found = trend(np.arange(60), value)
    assert found is not None
    assert found.p == pytest.approx(
        stats.kendalltau(np.arange(60), value, method="asymptotic").pvalue, rel=0.1
    )


def test_correlated_noise_widens_the_interval() -> None:
    rng = np.random.default_rng(5)
    slow = np.repeat(rng.standard_normal(30), 5)
    found, mixed = trend(STEP, 10 + slow), trend(STEP, 10 + rng.permutation(slow))
    assert found is not None
    assert mixed is not None
    assert found.high - found.low > 1.5 * (mixed.high - mixed.low)


def test_a_constant_is_flat() -> None:
    found = trend(STEP, np.full(150, 0.3))
    assert found is not None
    assert (found.direction, found.slope, found.tau, found.p) == ("flat", 0.0, 0.0, 1.0)


def test_non_finite_cells_are_left_out() -> None:
    step, value = _published(1, 0.2, 0.4)
    holed = value.copy()
    holed[::7] = math.nan
    found = trend(step, holed)
    assert found is not None
    assert found.direction == "rising"


def test_few_points_have_no_trend() -> None:
    assert trend(np.arange(7), np.arange(7.0)) is None


def test_a_long_series_is_reduced_and_keeps_its_slope() -> None:
    step = np.arange(5_000)
    found = trend(step, 1 + step / 5_000 + 0.01 * np.random.default_rng(0).standard_normal(5_000))
    assert found is not None
    assert found.slope == pytest.approx(1 / 5_000, rel=0.01)
