from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from data_loaders.derive.events import baseline, events, ratio
from data_loaders.derive.health import HEALTH_METRICS
from data_loaders.metrics import METRICS
from data_loaders.schema import FloatArray, IntArray
from tests.bench.synthetic_series import FAMILIES

NAN = float("nan")
STEP = np.arange(1, 151)


def _noisy(seed: int, n: int = 150, level: float = 0.2, sd: float = 0.08) -> FloatArray:
    return level * np.exp(sd * np.random.default_rng(seed).standard_normal(n))


def _family(name: str) -> Callable[[np.random.Generator, int], FloatArray]:
    return next(family.make for family in FAMILIES if family.name == name)


def test_watched_metrics_are_canonical() -> None:
    assert {metric.name for metric in HEALTH_METRICS} <= {metric.name for metric in METRICS}


@pytest.mark.parametrize("seed", range(5))
def test_one_spike(seed: int) -> None:
    value = _noisy(seed)
    value[59] = 1.0
    (event,) = events("grad_norm", STEP, value)
    assert (event.start, event.end, event.peak, event.recovered_at) == (60, 60, 60, 61)
    assert (event.kind, event.direction, event.value) == ("episode", "up", 1.0)
    assert event.baseline == pytest.approx(0.2, rel=0.1)
    assert event.ratio == pytest.approx(5, rel=0.1)
    assert len(event.scores) == 1
    assert event.scores[0] > 10


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "length"), [(150, 3), (150, 8), (150, 10), (50, 8)])
def test_a_long_excursion_within_two_steps(seed: int, n: int, length: int) -> None:
    value = _noisy(seed, n)
    value[n // 2 : n // 2 + length] *= 4
    (event,) = events("grad_norm", np.arange(n), value)
    assert abs(event.start - n // 2) <= 2
    assert abs(event.end - (n // 2 + length - 1)) <= 2
    assert event.kind == "episode"


def test_an_excursion_close_to_another_recovers_all_the_same() -> None:
    value = _noisy(0)
    value[96] *= 4
    value[100:108] *= 6
    found = events("grad_norm", STEP, value)
    assert [(e.start, e.end, e.kind) for e in found] == [(97, 97, "episode"), (101, 108, "episode")]


def test_a_spike_that_ends_on_another_level_did_not_recover() -> None:
    value = _noisy(0)
    value[75:78] *= 8
    value[78:] *= 3
    found = events("grad_norm", STEP, value)
    assert {event.kind for event in found} == {"level"}
    assert {event.recovered_at for event in found} == {None}


def test_an_excursion_over_a_third_of_the_series_is_a_level() -> None:
    value = np.full(20, 0.2137)
    value[6:12] = 1.0531
    assert [event.kind for event in events("grad_norm", np.arange(20), value)] == ["episode"]
    value[12] = 1.0531
    assert [event.kind for event in events("grad_norm", np.arange(20), value)] == ["level"]


def test_tripling_in_noise_of_a_third_is_not_claimed() -> None:
    told = 0
    for seed in range(10):
        value = _noisy(seed, 500, sd=0.35)
        value[250] = 0.6
        told += len(events("grad_norm", np.arange(500), value))
    assert told <= 1


def test_doubling_in_noise_of_a_third_is_no_level() -> None:
    for seed in range(10):
        value = _noisy(seed, sd=0.35) * np.where(STEP < 75, 1, 2.3)
        assert all(event.kind == "episode" for event in events("grad_norm", STEP, value))


def test_a_calm_stretch_does_not_make_the_usual_noise_an_event() -> None:
    value = _noisy(0, sd=0.45)
    value[65:95] = _noisy(1, 30, sd=0.01)
    value[80] = 0.44
    assert events("grad_norm", STEP, value) == ()


def test_an_excursion_may_hold_missing_steps_and_one_quiet_one() -> None:
    value = _noisy(0)
    value[80:90] *= 5
    value[84] = 0.2
    keep = ~np.isin(STEP, (87, 88))
    (event,) = events("grad_norm", STEP[keep], value[keep])
    assert (event.start, event.end) == (81, 90)


def test_excursions_on_both_sides_of_a_long_hole_are_two() -> None:
    value = _noisy(0)
    value[78:82] *= 5
    keep = ~np.isin(STEP, (80, 81, 82))
    step, value = STEP[keep], value[keep]
    value[step == 83] = 1.0
    assert [(e.start, e.end) for e in events("grad_norm", step, value)] == [(79, 79), (83, 83)]


@pytest.mark.parametrize(
    ("metric", "level", "factor", "told"),
    [
        ("grad_norm", 0.2, 1 / 4, False),
        ("entropy", 0.3, 1 / 2, True),
        ("entropy", 0.3, 2, True),
        ("response_length", 5_000, 1 / 2, True),
        ("clip_share", 0.001, 1 / 5, False),
        ("kl_loss", 0.01, 5, True),
        ("deviation", 5e-4, 5, True),
        ("step_time", 300, 3, True),
    ],
)
def test_each_metric_is_watched_in_its_own_direction(
    metric: str, level: float, factor: float, told: bool
) -> None:
    value = _noisy(1, level=level, sd=0.04)
    value[100:104] *= factor
    found = events(metric, STEP, value)
    assert [event.direction for event in found] == (["up" if factor > 1 else "down"] if told else [])


def test_signed_and_bounded_metrics_are_judged_by_difference() -> None:
    rng = np.random.default_rng(0)
    kl = 1e-5 * rng.standard_normal(150)
    kl[70], kl[100] = 9e-5, 4e-4
    (event,) = events("ppo_kl", STEP, kl)  # 9e-5 lies below the smallest effect
    assert (event.start, event.value) == (101, 4e-4)
    assert math.isnan(event.ratio)
    rate = 0.65 + 0.02 * rng.standard_normal(150)
    rate[90:93] = 0.1
    (event,) = events("pass_rate", STEP, rate)
    assert (event.start, event.end, event.direction) == (91, 93, "down")


def test_an_ordinary_fall_of_the_pass_rate_is_noise_of_the_batch() -> None:
    rate = np.full(150, 0.6)
    rate[90] = 0.42  # 18 points, not three standard errors of 32 × 8
    assert events("pass_rate", STEP, rate) == ()


def test_a_metric_that_is_not_watched_has_no_event() -> None:
    assert events("actor/lr", STEP, np.where(STEP == 60, 9.0, 1.0)) == ()


def test_few_points_have_no_event() -> None:
    value = np.ones(11)
    value[8] = 100
    assert events("grad_norm", np.arange(11), value) == ()
    assert len(events("grad_norm", np.arange(12), np.append(value, 1.0))) == 1


@pytest.mark.parametrize("n", [50, 150, 500])
def test_a_shift_that_stays_is_a_change_of_level(n: int) -> None:
    value = _family("level shift")(np.random.default_rng(n), n)
    (event,) = events("grad_norm", np.arange(n), value)
    assert (event.kind, event.recovered_at, event.direction) == ("level", None, "up")
    assert abs(event.start - n // 2) <= 2
    assert abs(event.end - n // 2) <= 2
    assert event.baseline == pytest.approx(0.2, rel=0.1)


def test_a_collapse_of_the_length_is_told_where_it_happens() -> None:
    rng = np.random.default_rng(0)
    length = np.where(STEP < 41, 900.0, 15.0) * np.exp(0.05 * rng.standard_normal(150))
    length[39:43] = [600, 250, 60, 22]
    (event,) = events("response_length", STEP, length)
    assert (event.kind, event.direction) == ("level", "down")
    assert 40 <= event.start <= event.end <= 44


def test_a_fall_that_bounces_ends_when_it_has_settled() -> None:
    length = np.where(STEP < 41, 900.0, 15.0)
    length[39:45] = [600, 250, 60, 16, 14, 400]
    (event,) = events("response_length", STEP, length)
    assert (event.kind, event.start, event.end) == ("level", 41, 46)


def test_an_early_collapse_is_not_taken_for_settling() -> None:
    length = np.concatenate(([1700.0] * 9, [90.0, 5.0], np.ones(139)))
    (event,) = events("response_length", STEP, length)
    assert (event.kind, event.direction) == ("level", "down")
    assert 9 <= event.start <= event.end <= 12


def test_what_is_still_out_at_the_last_step_is_open() -> None:
    value = _noisy(0)
    value[-3:] *= 6
    (event,) = events("grad_norm", STEP, value)
    assert (event.start, event.end, event.kind, event.recovered_at) == (148, 150, "open", None)


def test_settling_in_the_first_steps_is_start_up() -> None:
    value = _noisy(0) * (1 + 8 * np.exp(-np.arange(150) / 2))
    (event,) = events("grad_norm", STEP, value)
    assert (event.kind, event.start) == ("startup", 1)
    assert event.recovered_at == event.end + 1


@pytest.mark.parametrize("name", ["flat", "AR(1) 0.6", "up-trend", "decay", "3 decimals", "walk"])
@pytest.mark.parametrize("n", [20, 150, 500])
def test_trends_and_ordinary_noise_are_no_event(name: str, n: int) -> None:
    for seed in range(5):
        value = _family(name)(np.random.default_rng(seed), n)
        assert events("grad_norm", np.arange(n), value) == ()


@pytest.mark.parametrize("start", [0.256, 0.417])
def test_entropy_that_rises_or_falls_throughout_is_a_trend(start: float) -> None:
    value = np.interp(STEP, [1, 150], [start, 0.673 - start]) * _noisy(3, level=1, sd=0.04)
    assert events("entropy", STEP, value) == ()


def test_numbers_that_are_not_finite_are_events_of_their_own() -> None:
    value = _noisy(0)
    value[[40, 41, 43, 99, 149]] = [NAN, np.inf, NAN, -np.inf, NAN]
    first, second, third = events("grad_norm", STEP, value)
    assert {event.kind for event in (first, second, third)} == {"nonfinite"}
    assert (first.start, first.end, first.recovered_at) == (41, 44, 45)
    assert math.isnan(first.value)
    assert (second.value, second.direction) == (-math.inf, "down")
    assert (third.start, third.recovered_at) == (150, None)
    assert third.baseline == pytest.approx(0.2, rel=0.05)


def test_a_series_without_a_finite_number_is_one_event() -> None:
    (event,) = events("grad_norm", STEP, np.full(150, NAN))
    assert (event.start, event.end, event.recovered_at) == (1, 150, None)
    assert math.isnan(event.baseline)


def test_values_printed_with_few_decimals_need_more_than_one_unit() -> None:
    value = np.full(150, 0.002)
    value[::9] = 0.003
    value[70] = 0.004
    assert events("clip_share", STEP, value) == ()
    value[70] = 0.02
    assert [event.start for event in events("clip_share", STEP, value)] == [71]


def test_exact_zeros_and_a_constant_are_handled() -> None:
    assert events("clip_share", STEP, np.zeros(150)) == ()
    assert events("entropy", STEP, np.full(150, 0.25)) == ()
    value = np.zeros(150)
    value[70] = 0.0513
    (event,) = events("clip_share", STEP, value)
    assert (event.start, event.value) == (71, 0.0513)


def test_a_ratio_to_almost_nothing_is_no_event() -> None:
    value = 1e-4 * _noisy(0, level=1)
    value[60] = 2e-3  # twenty-fold, of nothing
    assert events("grad_norm", STEP, value) == ()


def test_missing_steps_and_nan_cells_do_not_hide_a_spike() -> None:
    value = _noisy(4)
    value[::9] = NAN
    value[100] = 1.2
    keep = STEP % 10 != 3
    found = [e for e in events("grad_norm", STEP[keep], value[keep]) if e.kind != "nonfinite"]
    assert [(e.start, e.end) for e in found] == [(101, 101)]


def test_the_baseline_passes_under_a_spike() -> None:
    value = _noisy(2)
    value[70:78] *= 6
    value[20] = NAN
    expected = baseline("grad_norm", STEP, value)
    assert np.isnan(expected[20])
    assert np.nanmax(np.abs(expected / 0.2 - 1)) < 0.1
    times = ratio("grad_norm", value, expected)
    assert times[73] == pytest.approx(value[73] / expected[73])
    assert np.isnan(times[20])


def test_metrics_judged_by_difference_have_no_ratio() -> None:
    value = np.full(150, 1e-5)
    assert np.isnan(ratio("ppo_kl", value, value)).all()
    assert np.isnan(ratio("anything", value, value)).all()


def test_a_metric_that_is_not_watched_has_a_baseline_still() -> None:
    np.testing.assert_allclose(baseline("actor/lr", STEP, np.full(150, 1e-6)), 1e-6)
    assert np.isnan(baseline("actor/lr", STEP, np.full(150, NAN))).all()


@pytest.mark.corpus
def test_the_tallest_spike_of_a_public_run_recovers(corpus: Path) -> None:
    step, value = _column(corpus / "verl_data__qwen05b_gsm8k_0.567.log", "actor/grad_norm")
    (event,) = [e for e in events("grad_norm", step, value) if e.start <= 16 <= e.end]
    assert (event.peak, event.value, event.kind, event.recovered_at) == (16, 65.958, "episode", 17)


def _column(path: Path, key: str) -> tuple[IntArray, FloatArray]:
    read = pytest.importorskip("data_loaders.read", exc_type=ImportError)
    log = read.read_log(path)
    column = log.columns[key]
    return log.lines.step[column.rows], column.values
