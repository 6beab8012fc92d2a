"""Workloads of the size of real sweeps, as verl console logs and as TensorBoard event files: the same values.

Written once into a cache folder below the system's folder for temporary files; a marker says that a writing
was finished.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np

from data_loaders.schema import FloatArray
from tests.bench.event_file import event_file

VERSION = "1"
"""Counts up whenever other bytes are written."""
CHARTS = {
    "critic/score/mean": "pass_rate",
    "response_length/mean": "response_length",
    "actor/entropy": "entropy",
    "actor/grad_norm": "grad_norm",
    "actor/pg_loss": "pg_loss",
    "actor/kl_loss": "kl_loss",
    "actor/ppo_kl": "ppo_kl",
    "timing_s/step": "step_time",
}
"""Keys of the eight charts that are measured, and the canonical metric of each."""
FAMILIES = {
    "critic/": ("score/max", "score/min", "rewards/mean", "advantages/mean", "returns/mean", "values/mean"),
    "response_length/": ("max", "min", "clip_ratio"),
    "prompt_length/": ("mean", "max", "min", "clip_ratio"),
    "actor/": ("loss", "lr", "pg_clipfrac", "pg_clipfrac_lower", "kl_coef", "perf/max_memory_allocated_gb"),
    "timing_s/": ("gen", "reward", "old_log_prob", "ref", "adv", "update_actor", "update_weights"),
    "perf/": ("mfu/actor", "mfu/actor_infer", "throughput", "total_num_tokens", "time_per_step"),
    "global_seqlen/": ("mean", "min", "max", "minmax_diff", "balanced_min", "balanced_max"),
    "training/": ("rollout_probs_diff_mean", "rollout_probs_diff_max", "rollout_actor_probs_pearson_corr"),
}
LEVELS = {
    "critic/score/mean": (-0.4, 0.5, 0.04),
    "response_length/mean": (4_000.0, 9_000.0, 250.0),
    "actor/entropy": (0.35, 0.12, 0.012),
    "actor/grad_norm": (0.2, 0.16, 0.03),
    "actor/pg_loss": (0.01, 0.0, 0.02),
    "actor/kl_loss": (0.0, 0.02, 0.001),
    "actor/ppo_kl": (1e-4, 2e-4, 6e-5),
    "timing_s/step": (210.0, 420.0, 15.0),
    "critic/score/max": (1.0, 1.0, 0.0),
    "critic/score/min": (-1.0, -1.0, 0.0),
    "training/rollout_actor_probs_pearson_corr": (0.999, 0.999, 1e-4),
}
"""Level at the first and at the last step, and size of the noise."""
SPIKES = frozenset({"actor/grad_norm", "actor/ppo_kl", "actor/kl_loss"})
"""Keys with one far value per thousand steps, as such runs have."""


@dataclass(frozen=True, slots=True)
class Workload:
    """`runs` × `steps` × `metrics` values."""

    name: str
    runs: int
    steps: int
    metrics: int = 90

    @property
    def values(self) -> int:
        return self.runs * self.steps * self.metrics

    @property
    def folder(self) -> Path:
        size = f"{self.name}-{self.runs}x{self.steps}x{self.metrics}-{VERSION}"
        return Path(tempfile.gettempdir()) / "rlboard-bench" / size

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def events(self) -> Path:
        return self.folder / "events"

    def labels(self) -> list[str]:
        return [f"sweep_{nth:02d}" for nth in range(self.runs)]


S = Workload("S", 10, 150)
M = Workload("M", 20, 2_000)
L = Workload("L", 50, 10_000)


def scaled(workload: Workload, scale: float) -> Workload:
    """The workload with fewer steps; `scale` is at most 1."""
    return replace(workload, steps=max(int(workload.steps * scale), 200))


def keys(count: int) -> list[str]:
    """Names verl logs: the eight that are drawn, then the usual ones, then layers of them."""
    usual = [prefix + name for prefix, names in FAMILIES.items() for name in names]
    found = list(dict.fromkeys([*CHARTS, *usual]))
    more = (f"actor/layer_{nth:02d}/grad_norm" for nth in range(count))
    return [*found, *more][:count]


def values(workload: Workload, run: str) -> dict[str, FloatArray]:
    """Values (steps,) of every key of a run; the same for both kinds of files."""
    return {key: _series(run, key, workload.steps) for key in keys(workload.metrics)}


def _series(run: str, key: str, steps: int) -> FloatArray:
    rng = np.random.default_rng(crc32(f"{run} {key}".encode()))
    first, last, noise = LEVELS.get(key, (1.0, 2.0, 0.1))
    level = np.linspace(first, first + (last - first) * rng.uniform(0.8, 1.2), steps)
    walk = np.convolve(rng.standard_normal(steps + 8), np.ones(9) / 9, "valid")
    made = level + noise * (walk + 0.5 * rng.standard_normal(steps))
    if key in SPIKES:
        made[rng.integers(0, steps, max(steps // 1000, 1))] += 40 * noise
    return made.astype(np.float32).astype(np.float64)


def write_logs(workload: Workload) -> Path:
    """A folder `<run>/train.log` per run, each a line per step with what Ray prints before it."""
    return _written(workload, workload.logs, _write_log)


def write_events(workload: Workload) -> Path:
    """A folder per run with one event file: one event per step that holds all metrics."""
    return _written(workload, workload.events, _write_events)


def _written(workload: Workload, folder: Path, write) -> Path:  # type: ignore[no-untyped-def]
    done = folder / "finished"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor() as pool:
            list(pool.map(write, [workload] * workload.runs, workload.labels()))
        done.touch()
    return folder


def _write_log(workload: Workload, run: str) -> None:
    folder = workload.logs / run
    folder.mkdir(exist_ok=True)
    with (folder / "train.log").open("w", encoding="ascii") as file:
        file.writelines(log_lines(values(workload, run)))


def log_lines(table: dict[str, FloatArray], first: int = 1) -> Iterator[str]:
    """Step lines as verl's console logger prints them, from step `first` on."""
    form = " - ".join(f"{key}:%r" for key in table)
    columns = (array.tolist() for array in table.values())
    for step, row in enumerate(zip(*columns, strict=True), first):
        yield f"\x1b[36m(TaskRunner pid=4711)\x1b[0m step:{step} - {form % row}\n"


def _write_events(workload: Workload, run: str) -> None:
    folder = workload.events / run
    folder.mkdir(exist_ok=True)
    table = values(workload, run)
    rows = np.stack([table[key] for key in table], axis=1)
    (folder / "events.out.tfevents.1700000000.host").write_bytes(event_file(list(table), rows))


def append_step(workload: Workload, step: int) -> None:
    """One more step of the first run in both kinds of files, as high as the highest before."""
    run = workload.labels()[0]
    table = {key: array.max(keepdims=True) for key, array in values(workload, run).items()}
    with (workload.logs / run / "train.log").open("a", encoding="ascii") as file:
        file.writelines(log_lines(table, step))
    if workload.events.exists():
        rows = np.stack(list(table.values()), axis=1)
        with next((workload.events / run).glob("events*")).open("ab") as file:  # type: ignore[assignment]
            file.write(event_file(list(table), rows, first=step, header=False))  # type: ignore[arg-type]


def log_files(workload: Workload) -> list[Path]:
    """Every console log of a written workload."""
    return sorted(chain(workload.logs.glob("*/train.log")))
