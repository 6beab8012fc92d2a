"""How well the episode detector does beside simpler rules, on series with known events.

Run `python -m tests.bench.bench_episodes [runs]`; figures are for one seed and belong to these series only.
FA: false events per 1,000 steps of the families in which nothing happens. FA start-up, FA shift: spikes told
in those families. A spike counts as found when an event lies on it, give or take two steps.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from data_loaders.derive.episodes import detect
from data_loaders.derive.events import events
from data_loaders.schema import BoolArray, FloatArray
from tests.bench.synthetic_series import (
    FAMILIES,
    Span,
    quiet_twin,
    two_spikes_twin,
    unstable_twin,
    with_spikes,
)

LENGTHS = (20, 50, 150, 500)
TOLERANCE = 2
SPIKE_KINDS = {"episode", "open"}


class Detector(NamedTuple):
    name: str
    spikes: Callable[[FloatArray], list[Span]]


def ours(value: FloatArray) -> list[Span]:
    found = events("grad_norm", np.arange(value.size), value)
    return [(event.start, event.end) for event in found if event.kind in SPIKE_KINDS]


def hampel_three(value: FloatArray) -> list[Span]:
    """Over 3 robust standard deviations above the median of 11 points."""
    padded = np.lib.stride_tricks.sliding_window_view(np.pad(value, 5, mode="reflect"), 11)
    centre = np.median(padded, axis=1)
    sigma = 1.4826 * np.median(np.abs(padded - centre[:, None]), axis=1)
    return _spans(value - centre > 3 * sigma)


def global_z(value: FloatArray) -> list[Span]:
    """Over 3 standard deviations above the mean of the series."""
    return _spans(value - value.mean() > 3 * value.std())


def five_times_recent(value: FloatArray) -> list[Span]:
    """Over 5 × the median of the 10 points before."""
    over = np.zeros(value.size, dtype=np.bool_)
    for row in range(5, value.size):
        over[row] = value[row] > 5 * np.median(value[max(0, row - 10) : row])
    return _spans(over)


DETECTORS = (
    Detector("ours", ours),
    Detector("Hampel-3", hampel_three),
    Detector("global z > 3", global_z),
    Detector("> 5 × median of last 10", five_times_recent),
)


def _spans(over: BoolArray) -> list[Span]:
    rows = np.flatnonzero(over)
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > TOLERANCE + 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts if part.size]


def _near(one: Span, other: Span) -> bool:
    return one[0] <= other[1] + TOLERANCE and other[0] <= one[1] + TOLERANCE


def compare(detector: Detector, runs: int, lengths: Sequence[int] = LENGTHS) -> dict[str, float]:
    """Rates of one detector over all families, lengths and `runs` seeds each."""
    steps = false = startup = shift = plain = planted = found = told = right = 0
    seconds = 0.0
    for index, family in enumerate(FAMILIES):
        for n in lengths:
            for seed in range(runs):
                rng = np.random.default_rng((index, n, seed))
                value = family.make(rng, n)
                began = time.perf_counter()
                alarms = detector.spikes(value)
                seconds += time.perf_counter() - began
                plain += 1
                if not family.quiet:
                    startup += len(alarms) * (family.name == "start-up")
                    shift += len(alarms) * (family.name == "level shift")
                    continue
                steps, false = steps + n, false + len(alarms)
                value, spikes = with_spikes(rng, value)
                alarms = detector.spikes(value)
                planted += len(spikes)
                found += sum(any(_near(spike, alarm) for alarm in alarms) for spike in spikes)
                told += len(alarms)
                right += sum(any(_near(spike, alarm) for spike in spikes) for alarm in alarms)
    per_thousand = 1000 / (sum(lengths) * runs)
    return {
        "FA": 1000 * false / steps,
        "FA start-up": startup * per_thousand,
        "FA shift": shift * per_thousand,
        "recall": found / planted,
        "precision": right / max(told, 1),
        "ms / series": 1000 * seconds / plain,
    }


def twins(runs: int) -> dict[str, float]:
    """Shares of twin runs in which what was published is found, and false alarms are not."""
    whole = early = pair = 0
    grave, notes = 0, 0
    for seed in range(runs):
        found = detect(unstable_twin(np.random.default_rng(seed)).pairs())
        hits = [e for e in found if abs(e.start - 133) <= TOLERANCE and abs(e.end - 140) <= TOLERANCE]
        whole += any(e.severity >= 3 for e in hits)
        grave += sum(e.severity >= 2 for e in found if not _near((e.start, e.end), (133, 140)))
        live = detect(unstable_twin(np.random.default_rng(seed), 134).pairs())
        early += any(e.severity >= 2 and e.end == 134 for e in live)
        spikes = events("grad_norm", *two_spikes_twin(np.random.default_rng(seed)).pairs()["grad_norm"])
        pair += [(e.start, e.end) for e in spikes] == [(43, 43), (59, 59)]
        for n in (21, 150):
            quiet = detect(quiet_twin(np.random.default_rng(seed), n).pairs())
            grave += sum(e.severity >= 2 for e in quiet)
            notes += sum(e.severity == 1 for e in quiet)
    return {
        "133–140 found, severity ≥ 3": whole / runs,
        "shown one step after it began": early / runs,
        "exactly steps 43 and 59": pair / runs,
        "false severity ≥ 2 per run": grave / runs,
        "notes per quiet run": notes / (2 * runs),
    }


def timing(n: int) -> float:
    """Milliseconds for one series of n steps, best of five."""
    rng = np.random.default_rng(0)
    value = with_spikes(rng, FAMILIES[0].make(rng, n))[0]
    spent = []
    for _ in range(5):
        began = time.perf_counter()
        events("grad_norm", np.arange(n), value)
        spent.append(time.perf_counter() - began)
    return 1000 * min(spent)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rows = {detector.name: compare(detector, runs) for detector in DETECTORS}
    names = list(next(iter(rows.values())))
    print(f"{'detector':<26}" + "".join(f"{name:>13}" for name in names))
    for name, row in rows.items():
        print(f"{name:<26}" + "".join(f"{row[column]:>13.2f}" for column in names))
    print()
    for name, share in twins(10 * runs).items():
        print(f"{name:<34}{share:>8.3f}")
    print()
    for n in (21, 150, 1_000, 10_000):
        print(f"{n:>6} steps {timing(n):>8.1f} ms")


if __name__ == "__main__":
    main()
