"""What k right answers of n items allow one to say. Rates and differences are fractions of 1, not percent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from data_loaders.schema import FloatArray

LEVEL = 0.95
"""Coverage of every interval unless the caller asks for another."""


class Interval(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Best:
    """The largest of several values: a maximum that was selected, not a measurement of its own."""

    value: float
    indices: tuple[int, ...]
    """Every position that reaches it."""
    of: int
    """Number of finite values it was selected from."""


def normal_quantile(level: float = LEVEL) -> float:
    """Half width, in standard errors, of a two-sided normal interval of coverage `level`."""
    return NormalDist().inv_cdf(0.5 + level / 2)


def recover_count(accuracy: float, n: int, tolerance: float = 0.02) -> int | None:
    """k when `accuracy` is k/n; None when n·accuracy is off the integers by `tolerance` or more.

    An accuracy off the grid is a mean over several samples per item, or of another number of items: then no
    interval of n items may be shown.
    """
    if not math.isfinite(accuracy):
        return None
    k = round(n * accuracy)
    return k if 0 <= k <= n and abs(n * accuracy - k) < tolerance else None


def wilson(k: int, n: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of the rate k/n (Wilson 1927). Raises ValueError unless 0 ≤ k ≤ n, n ≥ 1."""
    _check_count(k, n)
    z = normal_quantile(level)
    rate = k / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def clopper_pearson(k: int, n: int, level: float = LEVEL) -> Interval:
    """Exact interval of the rate k/n, covering at least `level`, usually more (Clopper & Pearson 1934)."""
    _check_count(k, n)
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else _bisect(lambda rate: 1 - _binomial_cdf(k - 1, n, rate) - tail, 0.0, 1.0)
    high = 1.0 if k == n else _bisect(lambda rate: tail - _binomial_cdf(k, n, rate), 0.0, 1.0)
    return Interval(low, high)


def newcombe(k1: int, n1: int, k2: int, n2: int, level: float = LEVEL) -> Interval:
    """Interval of k1/n1 − k2/n2 for independent samples (Newcombe 1998, method 10).

    Two runs graded on the same items are paired; without results per item this interval is the best there is,
    and wider than a paired one.
    """
    first, second = wilson(k1, n1, level), wilson(k2, n2, level)
    rate1, rate2 = k1 / n1, k2 / n2
    below = math.hypot(rate1 - first.low, second.high - rate2)
    above = math.hypot(first.high - rate1, rate2 - second.low)
    return Interval(rate1 - rate2 - below, rate1 - rate2 + above)


def detectable_difference(rate: float, n: int, power: float = 0.8, level: float = LEVEL) -> float | None:
    """Smallest rise from `rate` that n items per run show with `power`; None when no rise up to 1 suffices.

    Normal approximation with unpooled variances; a few points too hopeful for n = 30 near 0 or 1.
    """
    reach = normal_quantile(level) + NormalDist().inv_cdf(power)

    def spare(rise: float) -> float:
        other = rate + rise
        return rise - reach * math.sqrt((rate * (1 - rate) + max(0.0, other * (1 - other))) / n)

    return _bisect(spare, 0.0, 1 - rate) if spare(1 - rate) >= 0 else None


def batch_pass_error(
    rate: npt.ArrayLike, prompts: int = 32, samples: int = 8, correlation: float = 0.5
) -> FloatArray:
    """Standard error of the pass rate of a batch of `prompts` × `samples`, same shape as `rate`.

    `correlation` is that of two answers to one prompt: 0.35–0.6 where prompts are mostly easy or mostly hard.
    """
    p = np.clip(np.asarray(rate, dtype=np.float64), 0.0, 1.0)
    spread: FloatArray = np.sqrt(p * (1 - p) / (prompts * samples) * (1 + (samples - 1) * correlation))
    return spread


def best_of(values: Sequence[float]) -> Best | None:
    """The selected maximum of `values` with all its places; None when nothing is finite."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return None
    top = max(finite)
    return Best(top, tuple(index for index, value in enumerate(values) if value == top), len(finite))


def expected_best(rate: float, n: int, draws: int) -> float:
    """Mean of the largest of `draws` measured rates of n items when the true rate is `rate` every time."""
    return sum(1 - _binomial_cdf(k, n, rate) ** draws for k in range(n)) / n


def _check_count(k: int, n: int) -> None:
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no count")


def _binomial_cdf(k: int, n: int, rate: float) -> float:
    """P(at most k of n), by logarithms so that large n do not overflow."""
    if not 0.0 < rate < 1.0:
        return float(rate <= 0.0 or k >= n)
    hits = np.arange(1, k + 1)
    ways = np.concatenate(([0.0], np.cumsum(np.log((n - hits + 1) / hits))))
    hits = np.arange(k + 1)
    return float(np.exp(ways + hits * math.log(rate) + (n - hits) * math.log1p(-rate)).sum())


def _bisect(rising: Callable[[float], float], low: float, high: float) -> float:
    """Root of a function that goes from negative to positive between `low` and `high`."""
    for _ in range(60):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return high
