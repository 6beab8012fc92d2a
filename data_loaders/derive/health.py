"""The metrics whose excursions are watched, and the record of one excursion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from data_loaders.derive.intervals import batch_pass_error
from data_loaders.schema import FloatArray

Kind = Literal["episode", "level", "open", "startup", "nonfinite"]
"""Left its baseline and came back; moved to another level; still out at the last step; still settling in the
first steps; not a finite number."""
Direction = Literal["up", "down"]
SIDES: dict[Literal["up", "down", "both"], tuple[Literal[1, -1], ...]] = {
    "up": (1,),
    "down": (-1,),
    "both": (1, -1),
}


@dataclass(frozen=True, slots=True)
class HealthMetric:
    """How one canonical metric is watched. Sizes are in its canonical unit unless said to be ratios."""

    name: str
    direction: Literal["up", "down", "both"]
    log: bool
    """Positive metrics are judged by their ratio to the baseline, signed or bounded ones by difference."""
    effect: float
    """Smallest excursion worth a word: a ratio on the log scale, a difference otherwise."""
    floor: Callable[[FloatArray], FloatArray]
    """Smallest noise believed, from the baseline: relative on the log scale, absolute otherwise."""
    least: float = 0.0
    """Smallest absolute excursion: a ratio says nothing where the baseline is almost zero."""
    joins: bool = True
    """Whether it counts towards an episode of the run, and whether level changes either way are told."""


@dataclass(frozen=True, slots=True)
class Event:
    """One excursion of one metric; steps are logged steps, both ends included."""

    metric: str
    start: int
    end: int
    peak: int
    value: float
    """At the peak, in the canonical unit."""
    baseline: float
    """What was expected at the peak; for a level change the old level."""
    ratio: float
    """value / baseline; NaN for metrics judged by difference."""
    direction: Direction
    kind: Kind
    recovered_at: int | None
    """First logged step back at the baseline."""
    scores: tuple[float, ...]
    """Signed distance from the baseline in robust standard deviations, one per finite cell of the event."""


def _constant(size: float) -> Callable[[FloatArray], FloatArray]:
    return lambda baseline: np.full(baseline.shape, size)


HEALTH_METRICS: tuple[HealthMetric, ...] = (
    HealthMetric("grad_norm", "up", log=True, effect=2.0, floor=_constant(0.05), least=0.01),
    HealthMetric("entropy", "both", log=True, effect=1.25, floor=_constant(0.03), least=0.002),
    # Drawn ×1e5: 10 and 0.5 on the page.
    HealthMetric("ppo_kl", "both", log=False, effect=1e-4, floor=_constant(5e-6)),
    HealthMetric("clip_share", "up", log=True, effect=2.0, floor=_constant(0.10), least=1e-4),
    HealthMetric("response_length", "both", log=True, effect=1.3, floor=_constant(0.02), least=1.0),
    HealthMetric("kl_loss", "up", log=True, effect=2.0, floor=_constant(0.10), least=1e-4),
    HealthMetric("deviation", "up", log=True, effect=2.0, floor=_constant(0.10), least=1e-5),
    HealthMetric("pass_rate", "down", log=False, effect=0.15, floor=batch_pass_error, joins=False),
    HealthMetric("step_time", "up", log=True, effect=1.5, floor=_constant(0.03), joins=False),
)
