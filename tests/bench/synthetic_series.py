"""Series with known events, to measure detectors on. All are made from a seed alone.

Noise is that of an assumption, not of a log; only the levels of the twins come from published figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from data_loaders.schema import FloatArray, IntArray

Span = tuple[int, int]
"""First and last row of an event, both included."""


class Family(NamedTuple):
    """A kind of noise around 0.2, on which spikes are put or not."""

    name: str
    make: Callable[[Generator, int], FloatArray]
    quiet: bool
    """Whether anything but a spike in it would be a false alarm."""


@dataclass(frozen=True, slots=True)
class Twin:
    """Series built to the published figures of one run: metric → values, steps 1…n."""

    step: IntArray
    series: dict[str, FloatArray]

    def pairs(self) -> dict[str, tuple[IntArray, FloatArray]]:
        return {metric: (self.step, value) for metric, value in self.series.items()}


def _noise(rng: Generator, n: int, sd: float) -> FloatArray:
    return np.exp(sd * rng.standard_normal(n))


def _autoregressive(rng: Generator, n: int, rho: float, sd: float) -> FloatArray:
    out = np.empty(n)
    last = sd * rng.standard_normal()
    for row, shock in enumerate(sd * np.sqrt(1 - rho**2) * rng.standard_normal(n)):
        out[row] = last = rho * last + shock
    return out


def _rows(n: int) -> FloatArray:
    return np.arange(n, dtype=np.float64)


FAMILIES: tuple[Family, ...] = (
    Family("flat", lambda rng, n: 0.2 * _noise(rng, n, 0.08), True),
    Family("AR(1) 0.6", lambda rng, n: 0.2 * np.exp(_autoregressive(rng, n, 0.6, 0.12)), True),
    Family("Student t3", lambda rng, n: 0.2 * np.exp(0.08 * rng.standard_t(3, n)), True),
    Family("wide, sd 0.35", lambda rng, n: 0.2 * _noise(rng, n, 0.35), True),
    Family("up-trend", lambda rng, n: 0.2 * (1 + _rows(n) / n) * _noise(rng, n, 0.08), True),
    Family("decay", lambda rng, n: 0.1 * (1 + 3 * np.exp(-3 * _rows(n) / n)) * _noise(rng, n, 0.08), True),
    Family(
        "growing variance",
        lambda rng, n: 0.2 * np.exp((0.05 + 0.2 * _rows(n) / n) * rng.standard_normal(n)),
        True,
    ),
    Family("3 decimals", lambda rng, n: np.round(0.012 * _noise(rng, n, 0.08), 3), True),
    Family("start-up", lambda rng, n: 0.2 * (1 + 4 * np.exp(-_rows(n) / 2)) * _noise(rng, n, 0.08), False),
    Family("walk", lambda rng, n: 0.2 * np.exp(np.cumsum(0.03 * rng.standard_normal(n))), False),
    Family(
        "level shift", lambda rng, n: 0.2 * np.where(_rows(n) < n // 2, 1, 3) * _noise(rng, n, 0.08), False
    ),
)


def with_spikes(rng: Generator, value: FloatArray) -> tuple[FloatArray, list[Span]]:
    """Copy of `value` (n,) with one short spike and, from 50 rows on, a long one, ×3…×8; and their spans."""
    n = value.size
    lengths = [1] if n < 50 else [1, int(rng.integers(3, 11))]
    out, spans = value.copy(), []
    for index, length in enumerate(lengths):
        room = (n - 16) // len(lengths)
        first = 8 + index * room + int(rng.integers(0, max(1, room - length - 6)))
        out[first : first + length] *= rng.uniform(3, 8)
        spans.append((first, first + length - 1))
    return out, spans


def unstable_twin(rng: Generator, n: int = 150) -> Twin:
    """Like the 2B Dr.GRPO run: calm, but for steps 133–140 of gradient, KL, clipping and entropy."""
    step = np.arange(1, n + 1)
    inside = (step >= 133) & (step <= 140)
    shape = np.where(inside, 0.6 + 0.4 * np.sin(np.pi * (step - 132.5) / 8), 0.0)
    grad = 0.162 * np.exp(_autoregressive(rng, n, 0.3, 0.08)) * (1 + 3 * shape)
    entropy = np.interp(step, [1, n], [0.27, 0.10]) * np.exp(_autoregressive(rng, n, 0.5, 0.05))
    clip = 8e-4 * np.exp(_autoregressive(rng, n, 0.3, 0.15)) * (1 + 6 * shape)
    kl = 2e-5 * rng.standard_t(5, n) + 8e-4 * shape
    length = np.interp(step, [1, n], [10_300, 12_600]) * _noise(rng, n, 0.03)
    series = {
        "grad_norm": grad,
        "entropy": entropy * (1 - 0.6 * shape),
        "ppo_kl": kl,
        "clip_share": clip,
        "response_length": length,
    }
    return Twin(step, series)


def two_spikes_twin(rng: Generator) -> Twin:
    """Like the 4B DAPO run: gradient 0.1–0.3 but for 0.96 at step 43 and 1.13 at 59; entropy rises."""
    step = np.arange(1, 151)
    grad = np.clip(0.18 * np.exp(_autoregressive(rng, 150, 0.3, 0.16)), 0.1, 0.3)
    grad[step == 43], grad[step == 59] = 0.96, 1.13
    entropy = np.interp(step, [1, 150], [0.256, 0.417]) * np.exp(_autoregressive(rng, 150, 0.4, 0.04))
    return Twin(step, {"grad_norm": grad, "entropy": entropy})


def quiet_twin(rng: Generator, n: int) -> Twin:
    """Six metrics of a run in which nothing happens, with a heavy-tailed KL."""
    step = np.arange(1, n + 1)
    series = {
        "grad_norm": 0.2 * np.exp(_autoregressive(rng, n, 0.3, 0.12)),
        "entropy": 0.25 * np.exp(_autoregressive(rng, n, 0.4, 0.05)),
        "ppo_kl": 2e-5 * rng.standard_t(3, n),
        "clip_share": 1e-3 * np.exp(_autoregressive(rng, n, 0.3, 0.2)),
        "response_length": 5_000 * np.exp(_autoregressive(rng, n, 0.3, 0.04)),
        "kl_loss": 1e-3 * (1 + step / n) * _noise(rng, n, 0.08),
    }
    return Twin(step, series)
