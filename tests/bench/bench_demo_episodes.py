"""Stated episodes of the demo under other noise: how often each is found, and how often something is made up.

`python -m tests.bench demo_episodes` takes 1,000 sets of noise; the twin in the unit tests takes 20.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np

from data_loaders.demo.curves import curves
from data_loaders.demo.runs import RUNS, DemoRun
from data_loaders.derive.episodes import Episode, detect
from data_loaders.schema import FloatArray, IntArray

SEEDS = 1000
TOLERANCE = 2
"""Steps by which start and end of E3's episode may be off."""
CANONICAL = {
    "grad_norm": ("grad_norm", 1.0), "entropy": ("entropy", 1.0), "ppo_kl": ("ppo_kl", 1.0),
    "clip_share": ("clip_share", 0.01), "response_length": ("length", 1.0), "kl_loss": ("kl_loss", 1.0),
    "deviation": ("deviation", 1.0),
}  # fmt: skip
"""Canonical metric → curve of the demo, and its unit in the metric's."""


@dataclass
class Tally:
    """Counts over sets of noise; one set is all runs of both tracks."""

    sets: int = 0
    e3: int = 0
    step_43: int = 0
    step_59: int = 0
    false_sets: int = 0
    """Sets with an episode of severity 2 or more that nobody put there."""
    notes: list[int] = field(default_factory=list)
    """Single-metric episodes beside the stated ones, per set."""

    def rows(self) -> list[tuple[str, float]]:
        """Shares of the sets, by name."""
        return [
            ("E3-2B 133–140 found (±2, severity ≥ 3)", self.e3 / self.sets),
            ("E2-4B step 43 found", self.step_43 / self.sets),
            ("E2-4B step 59 found", self.step_59 / self.sets),
            ("sets with a false severity ≥ 2", self.false_sets / self.sets),
            ("single-metric notes per set", float(np.mean(self.notes))),
        ]


def measure(seeds: range) -> Tally:
    """Run the detector over every run of the published tracks under each seed."""
    tally = Tally()
    for seed in seeds:
        found = {run.id: detect(series(run, seed)) for run in RUNS if _is_trained(run)}
        tally.sets += 1
        stated = [e for e in found["e3_drgrpo_2b"] if _is_e3(e)]
        tally.e3 += bool(stated)
        spikes = {e.start for e in found["e2_dapo_4b"] if "grad_norm" in e.metrics and e.start == e.end}
        tally.step_43 += 43 in spikes
        tally.step_59 += 59 in spikes
        others = [e for episodes in found.values() for e in episodes if e not in stated]
        tally.false_sets += any(e.severity >= 2 for e in others)
        tally.notes.append(sum(e.severity == 1 and e.start not in (43, 59) for e in others))
    return tally


def series(run: DemoRun, seed: int) -> dict[str, tuple[IntArray, FloatArray]]:
    """Canonical series of a run over its logged steps, entropy and KL per token."""
    made = curves(run, seed)
    last = max((log.last for log in run.logs), default=0)
    step = np.arange(1, last + 1)
    return {
        metric: (step, made[name][:last] * factor)
        for metric, (name, factor) in CANONICAL.items()
        if name in made
    }


def _is_trained(run: DemoRun) -> bool:
    return run.scale != "vl" and any(log.last for log in run.logs)


def _is_e3(episode: Episode) -> bool:
    near = abs(episode.start - 133) <= TOLERANCE and abs(episode.end - 140) <= TOLERANCE
    return near and episode.severity >= 3


def main(seeds: int = SEEDS) -> None:
    """Print the shares."""
    tally = measure(range(1, seeds + 1))
    print(f"{tally.sets} sets of noise, {sum(map(_is_trained, RUNS))} runs each")
    for name, share in tally.rows():
        print(f"  {name:42} {share:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS)
