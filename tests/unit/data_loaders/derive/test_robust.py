"""Running medians beside the median of every window by itself."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
import pytest

from data_loaders.derive.levels import SIDE, _beside, _side_medians
from data_loaders.derive.robust import AT_ONCE, rolling_median


def medians(cells: list[list[float]], least: int) -> list[float]:
    known = [[cell for cell in window if math.isfinite(cell)] for window in cells]
    return [median(window) if len(window) >= least else math.nan for window in known]


def series(n: int, share: float, seed: int) -> np.ndarray:
    """Values of few digits, so that many are alike, and a share of cells that are not known."""
    rng = np.random.default_rng(seed)
    value = rng.standard_normal(n).round(1) + 0.0
    value[rng.random(n) < share] = np.nan
    return value


@pytest.mark.parametrize("share", [0.0, 0.03, 0.6, 1.0])
@pytest.mark.parametrize(
    ("n", "width", "least"), [(1, 21, 5), (30, 21, 5), (90, 21, 1), (AT_ONCE + 70, 101, 25)]
)
def test_medians_around_a_cell(n: int, width: int, least: int, share: float) -> None:
    value = series(n, share, n)
    side = width // 2
    windows = [value[max(at - side, 0) : at + side + 1].tolist() for at in range(n)]
    found = rolling_median(value, width, least, centred=True)
    np.testing.assert_array_equal(found, medians(windows, least))


@pytest.mark.parametrize("width", [8, 21, 50])
def test_medians_of_the_last_cells(width: int) -> None:
    value = series(200, 0.1, width)
    windows = [value[max(at + 1 - width, 0) : at + 1].tolist() for at in range(200)]
    np.testing.assert_array_equal(rolling_median(value, width, SIDE), medians(windows, SIDE))


@pytest.mark.parametrize(("n", "reach"), [(16, 10), (16, 40), (60, 10), (300, 50)])
def test_medians_on_both_sides_and_the_drift_next_to_them(n: int, reach: int) -> None:
    value = series(n, 0.0, n + reach)
    before, after = _side_medians(value, reach)
    cells = value.tolist()
    np.testing.assert_array_equal(before, medians([cells[max(at - reach, 0) : at] for at in range(n)], SIDE))
    np.testing.assert_array_equal(after, medians([cells[at : at + reach] for at in range(n)], SIDE))
    jump = after - before

    def difference(at: int, window: list[float]) -> float:
        if 0 <= at < n and math.isfinite(jump[at]):
            return float(jump[at])
        half = len(window) // 2
        return 2 * (median(window[-half:]) - median(window[:half]))

    if n > reach:
        found = _beside(value, jump, reach)
        for at in np.flatnonzero(np.isfinite(jump)).tolist():
            early = difference(at - reach, cells[max(at - reach, 0) : at])
            late = difference(at + reach, cells[at : at + reach])
            assert found[at] == pytest.approx(abs(early) + abs(late), rel=1e-12), at
