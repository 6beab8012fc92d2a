from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.derive.smooth import SMOOTHERS, smooth

NAN = float("nan")
STEPS = np.arange(1, 9)


def test_kinds_stand_in_the_order_they_are_offered() -> None:
    assert [smoother.kind for smoother in SMOOTHERS] == ["raw", "mean5", "ema0.9", "median5"]


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        smooth("mean7", STEPS, STEPS.astype(np.float64))


def test_raw_keeps_every_cell_and_gives_a_copy() -> None:
    value = np.array([1.0, NAN, np.inf])
    out = smooth("raw", np.arange(3), value)
    np.testing.assert_array_equal(out, value)
    assert out is not value


def test_mean_waits_for_five_steps_then_trails() -> None:
    out = smooth("mean5", STEPS, np.array([10.0, 20, 30, 40, 50, 60, 70, 180]))
    np.testing.assert_allclose(out, [NAN, NAN, NAN, NAN, 30, 40, 50, 80])


def test_median_waits_for_five_steps_then_ignores_one_spike() -> None:
    out = smooth("median5", STEPS, np.array([1.0, 2, 3, 4, 5, 600, 7, 8]))
    np.testing.assert_allclose(out, [NAN, NAN, NAN, NAN, 3, 4, 5, 7])


def test_windows_count_steps_and_not_rows() -> None:
    step = np.array([1, 2, 4, 6, 7])
    out = smooth("mean5", step, np.array([1.0, 2, 4, 6, 7]))
    # Step 6 sees steps 2–6, step 7 sees 3–7; step 4 has only four steps behind it.
    np.testing.assert_allclose(out, [NAN, NAN, NAN, 4.0, 17 / 3])


def test_non_finite_cells_are_skipped_and_break_nothing() -> None:
    value = np.array([1.0, 2, NAN, 4, np.inf, 6, 7, 8])
    np.testing.assert_allclose(smooth("mean5", STEPS, value)[4:], [7 / 3, 4.0, 17 / 3, 25 / 4])
    np.testing.assert_allclose(smooth("median5", STEPS, value)[4:], [2.0, 4.0, 6.0, 6.5])
    assert np.isfinite(smooth("ema0.9", STEPS, value)).all()


def test_a_gap_wider_than_the_window_starts_anew() -> None:
    step = np.array([1, 2, 3, 4, 5, 11, 12, 13, 14, 15])
    out = smooth("mean5", step, np.repeat([1.0, 9.0], 5))
    np.testing.assert_allclose(out, [NAN, NAN, NAN, NAN, 1, NAN, NAN, NAN, NAN, 9])


def test_a_gap_as_wide_as_the_window_does_not() -> None:
    step = np.array([1, 2, 3, 4, 5, 10])
    assert smooth("mean5", step, np.arange(6.0))[-1] == 5.0


def test_a_long_run_of_nan_counts_as_a_gap() -> None:
    step = np.arange(1, 17)
    value = np.ones(16)
    value[5:11] = NAN
    out = smooth("mean5", step, value)
    assert np.isfinite(out[4:9]).all()
    assert np.isnan(out[9:15]).all()
    assert out[15] == 1.0


def test_exponential_mean_by_hand() -> None:
    out = smooth("ema0.9", np.array([1, 2, 4]), np.array([1.0, 2.0, 4.0]))
    # Weights 0.9 ** age in steps, divided by their sum.
    second = (0.9 * 1 + 2) / (0.9 + 1)
    third = (0.9**3 * 1 + 0.9**2 * 2 + 4) / (0.9**3 + 0.9**2 + 1)
    np.testing.assert_allclose(out, [1.0, second, third])


def test_exponential_mean_of_a_constant_is_that_constant() -> None:
    np.testing.assert_allclose(smooth("ema0.9", STEPS, np.full(8, 0.42)), 0.42)


@pytest.mark.parametrize("kind", [smoother.kind for smoother in SMOOTHERS])
def test_no_cell_or_no_finite_cell_gives_no_value(kind: str) -> None:
    assert smooth(kind, np.array([], dtype=np.int64), np.array([])).shape == (0,)
    assert np.isnan(smooth(kind, np.arange(7), np.full(7, NAN))).all()


@pytest.mark.parametrize("kind", [smoother.kind for smoother in SMOOTHERS])
@given(st.lists(st.floats(-1e6, 1e6) | st.just(NAN), min_size=1, max_size=40), st.data())
def test_what_is_drawn_does_not_change_when_steps_arrive(
    kind: str, cells: list[float], data: st.DataObject
) -> None:
    value = np.array(cells)
    steps = data.draw(st.lists(st.integers(1, 8), min_size=value.size, max_size=value.size))
    step = np.cumsum(steps)
    whole = smooth(kind, step, value)
    cut = data.draw(st.integers(1, value.size))
    np.testing.assert_allclose(smooth(kind, step[:cut], value[:cut]), whole[:cut], rtol=1e-9, atol=1e-6)
    known = whole[np.isfinite(whole)]
    if known.size:
        assert known.min() >= np.nanmin(value) - 1e-6
        assert known.max() <= np.nanmax(value) + 1e-6
