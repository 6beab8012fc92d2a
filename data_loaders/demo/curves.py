"""Noisy curves through the anchors of `demo_runs`: one array per curve, index 0 is step 1."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import partial

import numpy as np

from data_loaders.demo.runs import SCALES, Anchors, DemoRun
from data_loaders.schema import FloatArray

SEED = 18517
"""Found by search: with it every published fact about noisy values holds. Others change the noise only."""
SAMPLES = 256
"""32 prompts with 8 responses each."""
SPREAD: Mapping[str, float] = {
    "length": 0.014, "entropy": 0.012, "grad_norm": 0.045, "clip_share": 0.16, "kl_loss": 0.03,
}  # fmt: skip


def noise(*names: str, steps: int, memory: float = 0.0, seed: int = SEED) -> FloatArray:
    """Unit normal noise of one named stream; `memory` is its correlation from step to step.

    RandomState, since numpy freezes its streams: a calibrated seed stays calibrated.
    """
    stream = np.random.RandomState(zlib.crc32("/".join((str(seed), *names)).encode()))
    fresh = stream.standard_normal(steps)
    result = np.empty(steps)
    last = fresh[0]
    for index, value in enumerate(fresh):
        last = value if index == 0 else memory * last + np.sqrt(1.0 - memory**2) * value
        result[index] = last
    return result


def through(anchors: Anchors, steps: int, width: int = 7) -> FloatArray:
    """Straight lines through the anchors, corners rounded by a centred mean that keeps both ends."""
    at, values = zip(*anchors, strict=True)
    line = np.interp(np.arange(1, steps + 1), at, values)
    half = width // 2
    padded = np.concatenate([2 * line[0] - line[half:0:-1], line, 2 * line[-1] - line[-2 : -half - 2 : -1]])
    return np.asarray(np.convolve(padded, np.full(width, 1.0 / width), "valid"), dtype=np.float64)


def curve(run: DemoRun, name: str, anchors: Anchors, seed: int = SEED) -> FloatArray:
    """A positive curve with relative noise: half of it slow, half fresh at every step."""
    spread = run.spread.get(name, SPREAD[name])
    slow = noise(run.id, name, "slow", steps=run.steps, memory=0.75, seed=seed)
    fresh = noise(run.id, name, steps=run.steps, seed=seed)
    values = through(anchors, run.steps) * np.exp(spread * (0.7 * slow + 0.7 * fresh))
    for first, last, mean in run.means.get(name, ()):
        window = slice(first - 1, last)
        values[window] *= mean / values[window].mean()
    return put(run, name, values)


def put(run: DemoRun, name: str, values: FloatArray) -> FloatArray:
    """Set the values that a run fixes at single steps."""
    for step, value in run.fixed.get(name, {}).items():
        values[step - 1] = value
    return values


def shown_items(run: DemoRun, seed: int = SEED) -> FloatArray:
    """Pass rate as a page shows it, in items of 256, not rounded before the window means are set.

    Window means are met to the nearest item by moving whole items, spread evenly over the window.
    """
    scale = SCALES[run.scale]
    shared = noise(run.scale, "prompts", steps=run.steps, seed=seed)
    own = noise(run.id, "pass_rate", steps=run.steps, seed=seed)
    percent = through(run.pass_rate, run.steps) + scale.shared_noise * shared
    percent += run.spread.get("private", scale.private_noise) * own
    items = np.rint(np.clip(percent, 0.0, 99.0) * SAMPLES / 100)
    for first, last, mean in run.means.get("pass_rate", ()):
        count = last - first + 1
        lack = round(mean / 100 * SAMPLES * count - items[first - 1 : last].sum())
        items[first - 1 : last] += np.diff(np.rint(np.linspace(0, lack, count + 1)))
    for step, value in run.fixed.get("pass_rate", {}).items():
        items[step - 1] = value / 100 * SAMPLES
    return items


def curves(run: DemoRun, seed: int = SEED) -> dict[str, FloatArray]:
    """Every curve of a run over its planned steps. Shares are in percent, the rest in natural units.

    Another `seed` gives other noise around the same anchors, for which published numbers need not hold.
    """
    rest = partial(noise, run.id, steps=run.steps, seed=seed)
    made = {
        name: curve(run, name, anchors, seed)
        for name, anchors in (
            ("length", run.length),
            ("entropy", run.entropy),
            ("grad_norm", run.grad_norm),
            ("clip_share", run.clip_share),
            ("kl_loss", run.kl_loss),
        )
        if anchors
    }
    made["length"] = np.rint(made["length"] * SAMPLES) / SAMPLES
    made["items"] = shown_items(run, seed)
    step_size = made["clip_share"] / made["clip_share"].mean()
    made["ppo_kl"] = put(run, "ppo_kl", 2.6e-5 * step_size + 1.4e-5 * rest("ppo_kl"))
    drift = rest("deviation", "slow", memory=0.8)
    made["deviation"] = put(run, "deviation", 2.3e-4 * np.exp(0.16 * drift + 0.08 * rest("deviation")))
    made["pg_loss"] = put(run, "pg_loss", 0.0045 * rest("pg_loss", memory=0.3))
    return made
