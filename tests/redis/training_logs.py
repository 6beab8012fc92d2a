"""Logs with known values, as many and as long as a test wants."""

from __future__ import annotations

from pathlib import Path

METRICS = ("actor/pg_loss", "actor/entropy", "actor/grad_norm", "actor/ppo_kl", "actor/pg_clipfrac")
NOISE = "(WorkerDict pid=77) loading checkpoint shards and other words that are of no use here {n}\n"


def value(experiment: int, step: int, metric: int) -> float:
    """What a log says of a metric at a step."""
    return round(0.001 * step + metric + experiment / 7, 6)


def log_text(experiment: int, steps: int, noise: int = 0) -> str:
    """A log of `steps` step lines with so many other lines before each."""
    parts = []
    for step in range(1, steps + 1):
        parts += [NOISE.format(n=n) for n in range(noise)]
        cells = " - ".join(f"{name}:{value(experiment, step, at)}" for at, name in enumerate(METRICS))
        parts.append(f"step:{step} - training/global_step:{step} - {cells}\n")
    return "".join(parts)


def write_logs(folder: Path, number: int, steps: int, noise: int = 0) -> list[Path]:
    """Experiments `run1_grpo_2b`, … of one log each."""
    paths = []
    for experiment in range(1, number + 1):
        path = folder / f"run{experiment}_grpo_2b" / "train_20260701_080000.log"
        path.parent.mkdir(parents=True)
        path.write_text(log_text(experiment, steps, noise))
        paths.append(path)
    return paths
