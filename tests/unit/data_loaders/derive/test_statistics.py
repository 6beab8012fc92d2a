from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import signal, stats

from data_loaders.derive.statistics import (
    Mean,
    last_span,
    mean_of_last,
    mean_over,
    paired_difference,
    prompt_correlation,
    step_differences,
    step_error,
    unpaired_difference,
)
from data_loaders.schema import FloatArray

NAN = float("nan")


def _autoregressive(seed: int, n: int, rho: float) -> FloatArray:
    shocks = np.random.default_rng(seed).standard_normal(n + 50) * math.sqrt(1 - rho**2)
    out: FloatArray = signal.lfilter([1.0], [1.0, -rho], shocks)[50:]
    return out


def test_last_ten_finite_points_are_averaged() -> None:
    value = np.arange(30.0)
    value[27] = NAN
    mean = mean_of_last(np.arange(1, 31), value)
    assert mean is not None
    assert (mean.first, mean.last, mean.points) == (20, 30, 10)
    assert mean.value == pytest.approx((sum(range(19, 30)) - 27) / 10)


def test_the_end_of_a_window_may_be_before_the_end_of_the_run() -> None:
    assert last_span(np.arange(1, 151), np.ones(150), until=129) == (120, 129)


def test_a_range_without_a_finite_point_has_no_mean() -> None:
    step, value = np.arange(20), np.full(20, NAN)
    assert mean_over(step, value, 0, 19) is None
    assert mean_of_last(step, value) is None
    assert mean_over(step, np.ones(20), 30, 40) is None


def test_a_short_series_has_a_mean_but_no_interval() -> None:
    mean = mean_of_last(np.arange(8), np.arange(8.0))
    assert mean is not None
    assert mean.value == 3.5
    assert math.isnan(mean.half)
    assert not mean.settled


def test_interval_of_white_noise_is_that_of_independent_points() -> None:
    value = 5 + 0.3 * np.random.default_rng(0).standard_normal(20_000)
    mean = mean_over(np.arange(20_000), value, 100, 109)
    assert mean is not None
    assert mean.effective == 10
    assert mean.half == pytest.approx(1.96 * 0.3 / math.sqrt(10), rel=0.01)


def test_a_trend_is_not_taken_for_noise() -> None:
    noise = _autoregressive(0, 300, 0.0)
    flat = mean_of_last(np.arange(300), noise)
    steep = mean_of_last(np.arange(300), noise + np.arange(300))
    assert flat is not None
    assert steep is not None
    assert steep.half < 3 * flat.half


@pytest.mark.parametrize(
    ("n", "rho", "least", "most"), [(129, 0.0, 0.92, 0.98), (129, 0.3, 0.88, 0.96), (500, 0.5, 0.84, 0.94)]
)
def test_coverage_of_the_mean_of_ten(n: int, rho: float, least: float, most: float) -> None:
    inside = 0
    for seed in range(300):
        mean = mean_of_last(np.arange(n), _autoregressive(seed, n, rho))
        assert mean is not None
        inside += abs(mean.value) <= mean.half
    assert least <= inside / 300 <= most


def test_correlated_points_count_for_less() -> None:
    mean = mean_of_last(np.arange(2000), _autoregressive(1, 2000, 0.5))
    assert mean is not None
    # Three lags of 0.5, 0.25, 0.125 at weights 0.9, 0.8, 0.7; the slow mean hides a part of each.
    assert mean.effective == pytest.approx(10 / (1 + 2 * (0.45 + 0.2 + 0.0875)), rel=0.25)


def test_differences_are_taken_at_common_finite_steps() -> None:
    step, value = step_differences(
        np.array([1, 2, 3, 5]),
        np.array([10.0, 20, NAN, 50]),
        np.array([2, 3, 5, 6]),
        np.array([1.0, 2, 3, 4]),
    )
    assert step.tolist() == [2, 5]
    assert value.tolist() == [19.0, 47.0]


def test_shared_prompt_noise_cancels_in_pairs() -> None:
    rng = np.random.default_rng(2)
    step, shared = np.arange(150), rng.normal(0, 0.06, 150)
    ours = 0.65 + shared + rng.normal(0, 0.015, 150)
    theirs = 0.60 + shared + rng.normal(0, 0.015, 150)
    alone, paired = mean_of_last(step, ours), paired_difference(step, ours, step, theirs)
    assert alone is not None
    assert paired is not None
    assert paired.value == pytest.approx(0.05, abs=0.02)
    assert paired.half < alone.half / 2
    assert paired.settled


def test_pairs_of_a_range() -> None:
    step = np.arange(1, 51)
    value = step.astype(np.float64)
    found = paired_difference(step, value, step[5:], value[5:] / 2, (1, 10))
    assert found is not None
    assert (found.first, found.last, found.points, found.value) == (1, 10, 5, 4.0)


def test_runs_without_a_common_step_have_no_difference() -> None:
    assert paired_difference(np.array([1]), np.array([1.0]), np.array([2]), np.array([1.0])) is None


def test_unpaired_difference_adds_variances() -> None:
    one, other = (Mean(value, half, 1, 10, 10, 10.0) for value, half in ((0.7, 0.03), (0.6, 0.04)))
    found = unpaired_difference(one, other)
    assert found.value == pytest.approx(0.1)
    assert found.half == pytest.approx(0.05)
    assert found.settled


def test_a_detectable_difference_is_detected_in_four_cases_of_five() -> None:
    error = 0.02
    found = Mean(0.0, stats.norm.ppf(0.975) * error, 1, 10, 10, 10.0).detectable
    assert found == pytest.approx((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error)
    power = stats.norm.sf(stats.norm.ppf(0.975) - found / error)
    assert power == pytest.approx(0.8)


def test_scatter_of_a_step_is_that_about_the_slow_mean() -> None:
    noise = 0.06 * np.random.default_rng(5).standard_normal(4000)
    assert step_error(np.linspace(0.3, 0.8, 4000) + noise) == pytest.approx(0.06, rel=0.03)
    assert math.isnan(step_error(np.ones(5)))


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_correlation_within_prompts_is_read_from_the_scatter(rho: float) -> None:
    """Answers to a prompt share its difficulty, drawn from a beta distribution: ρ = 1/(a + b + 1)."""
    rng, prompts, samples, steps = np.random.default_rng(6), 32, 8, 4000
    size = 1e9 if rho == 0 else 1 / rho - 1
    difficulty = rng.beta(0.6 * size, 0.4 * size, (steps, prompts))
    rate = rng.binomial(samples, difficulty).sum(axis=1) / (prompts * samples)
    assert prompt_correlation(rate, prompts, samples) == pytest.approx(rho, abs=0.04)


def test_one_answer_per_prompt_tells_no_correlation() -> None:
    assert math.isnan(prompt_correlation(np.full(50, 0.5), 256, 1))
