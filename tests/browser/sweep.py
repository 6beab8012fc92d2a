"""A sweep as verl logs it: two learning rates, three seeds each, one run shorter than the others."""

from __future__ import annotations

import copy
import math
import pprint
from collections.abc import Mapping
from pathlib import Path

from data_loaders.demo.config import resolved_config
from data_loaders.demo.runs import DemoRun

RATES, SEEDS, STEPS, SHORT = (1e-6, 5e-6), (1, 2, 3), 60, 40
METRICS = (
    "critic/score/mean",
    "critic/rewards/mean",
    "actor/entropy",
    "actor/grad_norm",
    "response_length/mean",
)
VALIDATION = "val-core/aime24/acc/mean@1"
Cells = Mapping[str, Mapping[int, float]]


def write_sweep(root: Path) -> dict[str, Cells]:
    """Logs under `root`; values of every run, by its id: metric → step → value. `lr5e-06_s3` ends at step 40."""
    return {
        f"lr{rate:g}_s{seed}": _write(root, f"lr{rate:g}_s{seed}", rate, seed)
        for rate in RATES
        for seed in SEEDS
    }


def _write(root: Path, name: str, rate: float, seed: int) -> Cells:
    last = SHORT if (rate, seed) == (RATES[1], SEEDS[2]) else STEPS
    cells = {metric: {step: _value(nth, rate, seed, step) for step in range(1, last + 1)}
             for nth, metric in enumerate(METRICS)}  # fmt: skip
    cells[VALIDATION] = {step: (8 + seed + step // 20) / 30 for step in range(20, last + 1, 20)}
    folder = root / name / "logs"
    folder.mkdir(parents=True)
    lines = [*pprint.pformat(_config(name, rate, seed), width=80).splitlines(), *_steps(cells, last)]
    text = "".join(f"(TaskRunner pid=1) {line}\n" for line in lines)
    (folder / "train.log").write_text(text, encoding="utf-8")
    return cells


def _config(name: str, rate: float, seed: int) -> dict[str, object]:
    run = DemoRun(id=name, scale="2b", algorithm="grpo", logs=(), steps=STEPS)
    config = copy.deepcopy(resolved_config(run))
    config["actor_rollout_ref"]["actor"]["optim"]["lr"] = rate
    config["data"]["seed"] = seed
    return dict(config)


def _steps(cells: Cells, last: int) -> list[str]:
    return [
        f"step:{step} - " + " - ".join(f"{key}:{at[step]!r}" for key, at in cells.items() if step in at)
        for step in range(1, last + 1)
    ]


def _value(nth: int, rate: float, seed: int, step: int) -> float:
    """A slow climb with a swing of its own for every run."""
    swing = 0.05 * math.sin(step * (0.7 + 0.11 * seed) + nth)
    return (0.3 + 0.1 * nth + rate * 2e4 * step / STEPS + 0.03 * seed + swing) * (100 if nth == 4 else 1)
