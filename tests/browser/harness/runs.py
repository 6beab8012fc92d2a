"""Five invented runs whose curves resemble real ones, seeded so that every page is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Json = dict[str, Any]
Floats = npt.NDArray[np.float64]
CAP = 16_384
WINDOW = 5


@dataclass(frozen=True)
class Fake:
    """One invented run: where its curves start and end."""

    key: str
    id: str
    label: str
    name: str
    slot: int
    steps: npt.NDArray[np.int32]
    ends: dict[str, tuple[float, float]]
    dash: int = 0


def _steps(last: int, missing: tuple[int, ...] = ()) -> npt.NDArray[np.int32]:
    return np.array([step for step in range(1, last + 1) if step not in missing], dtype=np.int32)


RUNS = (
    Fake(
        "r1a2b1",
        "e1_grpo_2b",
        "E1",
        "GRPO",
        1,
        _steps(150),
        {
            "pass_rate": (38, 63),
            "response_length": (10_300, 10_800),
            "entropy": (0.44, 0.22),
            "grad_norm": (0.33, 0.30),
            "loss": (0.004, 0.002),
            "ppo_kl": (2.2, 2.0),
            "clip_share": (0.14, 0.09),
            "deviation": (2.0, 2.3),
        },
    ),
    Fake(
        "r2a2b2",
        "e2_dapo_2b",
        "E2",
        "DAPO",
        2,
        _steps(150),
        {
            "pass_rate": (34, 59),
            "response_length": (10_200, 7_000),
            "entropy": (0.47, 0.37),
            "grad_norm": (0.36, 0.32),
            "loss": (0.003, 0.001),
            "ppo_kl": (3.4, 3.9),
            "clip_share": (0.24, 0.18),
            "deviation": (1.6, 1.5),
        },
    ),
    Fake(
        "r3a2b3",
        "e3_drgrpo_2b",
        "E3",
        "Dr.GRPO",
        3,
        _steps(150, (57,)),
        {
            "pass_rate": (35, 68),
            "response_length": (10_100, 12_600),
            "entropy": (0.43, 0.13),
            "grad_norm": (0.17, 0.16),
            "loss": (0.001, 0.001),
            "ppo_kl": (2.6, 2.4),
            "clip_share": (0.13, 0.11),
            "deviation": (2.2, 2.4),
        },
    ),
    Fake(
        "r4a2b4",
        "e4_rloo_2b",
        "E4",
        "RLOO",
        4,
        _steps(150),
        {
            "pass_rate": (39, 64.4),
            "response_length": (10_200, 10_000),
            "entropy": (0.44, 0.22),
            "grad_norm": (0.31, 0.28),
            "loss": (0.003, 0.000),
            "ppo_kl": (2.4, 2.2),
            "clip_share": (0.12, 0.08),
            "deviation": (2.1, 2.2),
        },
    ),
)
NOISE = {
    "pass_rate": 4.5,
    "response_length": 160,
    "entropy": 0.006,
    "grad_norm": 0.018,
    "loss": 0.006,
    "ppo_kl": 1.4,
    "clip_share": 0.025,
    "deviation": 0.35,
}
PEAK = {"grad_norm": 0.75, "ppo_kl": 53.0, "clip_share": 0.71, "entropy": -0.066}
EPISODE = {
    "id": "e3_drgrpo_2b:133",
    "run": "r3a2b3",
    "start": 133,
    "end": 140,
    "peak": 136,
    "severity": 4,
    "metrics": list(PEAK),
}
SHAPE = {133: 0.28, 134: 0.55, 135: 0.86, 136: 1.0, 137: 0.78, 138: 0.52, 139: 0.36, 140: 0.25}

METRICS: dict[str, Json] = {
    "pass_rate": {
        "title": ("通过率", "Pass rate"),
        "unit": ("%", "%"),
        "value": ".1f",
        "caption": (
            "(平均奖励+1)/2，MA5；看终点高低与曲线交叉",
            "(mean reward + 1) / 2, MA5; look at the end and at crossings",
        ),
    },
    "response_length": {
        "title": ("响应长度", "Response length"),
        "unit": ("词元", "tokens"),
        "value": ".1s",
        "tick": "~s",
        "caption": ("平均词元数；看是否逼近 16K 上限", "mean tokens; watch the 16K cap"),
        "refs": [
            {"value": CAP, "word": "ref.cap", "values": {"n": "16,384"}, "include": True, "side": "right"}
        ],
    },
    "entropy": {
        "title": ("策略熵", "Entropy"),
        "unit": ("nat", "nat"),
        "value": ".2f",
        "zero": True,
        "caption": (
            "词元平均熵；E3 由日志值 × 16384/长度 还原",
            "mean token entropy; E3 restored from the logged value",
        ),
        "badges": [
            {
                "kind": "tag",
                "text": ["词元级", "token level"],
                "title": ["按词元平均", "averaged over tokens"],
            }
        ],
    },
    "grad_norm": {
        "title": ("梯度范数", "Gradient norm"),
        "unit": ("L2", "L2"),
        "value": ".2f",
        "caption": (
            "裁剪前全局范数；只比稳定性，不比高低",
            "global norm before clipping; compare stability, not level",
        ),
        "refs": [
            {"value": 1.0, "word": "ref.clip", "values": {"n": "1.0"}, "include": False, "side": "right"}
        ],
        "badges": [{"kind": "caveat", "text": ["E3 聚合不同", "E3 differs"], "title": ["", ""]}],
    },
    "loss": {"title": ("actor/loss", "actor/loss"), "unit": ("", ""), "value": ".3f", "caption": ("", "")},
    "ppo_kl": {
        "title": ("PPO KL", "PPO KL"),
        "unit": ("×1e−5", "×1e−5"),
        "value": ".1f",
        "caption": ("", ""),
    },
    "clip_share": {
        "title": ("裁剪比例", "Clip share"),
        "unit": ("%", "%"),
        "value": ".2f",
        "zero": True,
        "caption": ("", ""),
    },
    "deviation": {
        "title": ("推理–训练偏差", "Rollout deviation"),
        "unit": ("(1−corr)×1e4", "(1−corr)×1e4"),
        "value": ".1f",
        "zero": True,
        "caption": ("", ""),
    },
}


def series(run: Fake, metric: str) -> Floats:
    """Values of a metric at `run.steps`."""
    start, end = run.ends[metric]
    rng = np.random.default_rng([run.slot, sorted(NOISE).index(metric)])
    part = np.clip(run.steps / 150, 0, 1)
    level = start + (end - start) * (1 - np.exp(-4.2 * part)) / (1 - np.exp(-4.2))
    walk = np.convolve(rng.normal(size=run.steps.size + 8), np.ones(9) / 3, "valid") * 0.35
    values = level + NOISE[metric] * (0.8 * rng.normal(size=run.steps.size) + walk)
    if run.slot == 3 and metric in PEAK:
        values = values + np.array([PEAK[metric] * SHAPE.get(int(step), 0) for step in run.steps])
    return np.maximum(values, 0) if metric not in ("loss", "ppo_kl") else values


def trailing(values: Floats) -> Floats:
    """Mean of the last five values."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    at = np.arange(1, values.size + 1)
    start = np.maximum(at - WINDOW, 0)
    return (total[at] - total[start]) / (at - start)
