"""Advantage of right and wrong answers in a group of G, rewards ±1: what the normalisations do to each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from components.figures import packed
from components.style import uid
from components.text import words
from components.view import RunInfo
from data_loaders.schema import FloatArray, Json

SIZES = (4, 8, 16)
"""Group sizes on offer."""
DEFAULT = 8

Advantage = Callable[[float, int], tuple[float, float]]
"""(k right, G) → advantage of a right and of a wrong answer."""


def _centred(k: float, size: int) -> tuple[float, float]:
    return 2 * (size - k) / size, -2 * k / size


def _by_deviation(k: float, size: int) -> tuple[float, float]:
    spread = math.sqrt(4 * k * (size - k) / (size * (size - 1)))
    right, wrong = _centred(k, size)
    return right / spread, wrong / spread


def _leave_one_out(k: float, size: int) -> tuple[float, float]:
    right, wrong = _centred(k, size)
    return right * size / (size - 1), wrong * size / (size - 1)


ADVANTAGES: Mapping[str, Advantage] = {
    "grpo": _by_deviation,
    "dapo": _by_deviation,
    "dr_grpo": _centred,
    "rloo": _leave_one_out,
}
"""By algorithm id; an algorithm without group baseline has no such curve."""


def advantage_chart(infos: Sequence[RunInfo], size: int) -> Json:
    """Two curves per formula over k = 1 … G−1; algorithms that share a formula share its line."""
    shared: dict[Advantage, list[RunInfo]] = {}
    for info in infos:
        if info.algorithm in ADVANTAGES:
            shared.setdefault(ADVANTAGES[info.algorithm], []).append(info)
    right = np.arange(1, size)
    traces = []
    for formula, members in shared.items():
        pairs = np.array([formula(float(k), size) for k in right])
        name = " · ".join(member.name for member in members)
        x = right.astype(np.float64)
        traces += [_trace(members[0], name, x, pairs[:, side], side) for side in (0, 1)]
    return {
        "data": traces,
        "layout": {},
        "meta": {
            "size": "advantage", "kind": "free", "metric": "advantage", "default": "all",
            "zero": False, "log": False, "value": "+.2f", "tick": None, "hover": "+.3f",
            "labels": "both", "refs": [], "badges": [],
            "notes": [
                {"x": 1.2, "y": 0.75 / math.sqrt(8 / size), "text": list(words("advantage.right"))},
                {"x": 1.2, "y": -1.2 / math.sqrt(8 / size), "text": list(words("advantage.wrong"))},
            ],
        },
    }  # fmt: skip


def _trace(info: RunInfo, name: str, x: FloatArray, y: FloatArray, side: int) -> Json:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "uid": f"{uid(info, 'val')}_{side}",
        "x": packed(x),
        "y": packed(np.ascontiguousarray(y)),
        "meta": {"run": info.key, "role": "val", "label": [name, name]},
    }
