"""Synthetic figure payloads: five invented runs whose shapes resemble real ones (seeded, so every page is the same)."""

from __future__ import annotations

import base64
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


def packed(values: Any) -> Json:
    """Array → {dtype, bdata}, as plotly's Python package writes it."""
    array = np.asarray(values)
    array = array.astype("<i4") if array.dtype.kind == "i" else array.astype("<f8")
    return {
        "dtype": "i4" if array.dtype.kind == "i" else "f8",
        "bdata": base64.b64encode(array.tobytes()).decode(),
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


def _lines(run: Fake, metric: str) -> list[Json]:
    values, steps = series(run, metric), packed(run.steps)
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "uid": f"e{run.slot}_raw_{run.key}",
            "x": steps,
            "y": packed(values),
            "meta": {"run": run.key, "role": "raw"},
        },
        {
            "type": "scatter",
            "mode": "lines",
            "uid": f"e{run.slot}_ma_{run.key}",
            "x": steps,
            "y": packed(trailing(values)),
            "meta": {"run": run.key, "role": "ma", "window": WINDOW},
        },
    ]


def chart(metric: str, runs: tuple[Fake, ...], size: str, default: str, **meta: Any) -> Json:
    """One chart along steps."""
    facts = METRICS[metric]
    side = "left" if len(runs) == 1 else "right"
    refs = [dict(ref, side=side, include=ref["include"] or len(runs) == 1) for ref in facts.get("refs", [])]
    return {
        "data": [line for run in runs for line in _lines(run, metric)],
        "layout": {},
        "meta": {
            "size": size,
            "kind": "steps",
            "metric": metric,
            "default": default,
            "zero": facts.get("zero", False),
            "value": ".3f" if metric == "entropy" and len(runs) == 1 else facts["value"],
            "tick": facts.get("tick"),
            "labels": "value" if len(runs) == 1 else "both",
            "refs": refs,
            "badges": facts.get("badges", []) if len(runs) > 1 else [],
        }
        | meta,
    }


def _wilson(k: int, n: int) -> tuple[float, float]:
    z, p = 1.96, k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - half, middle + half


HITS = {
    "E1": (5, 7, 9, 9, 11, 10),
    "E2": (5, 6, 8, 8, 9, 9),
    "E3": (4, 7, 9, 11, 11, 12),
    "E4": (5, 8, 9, 10, 11, 12),
}


def validation() -> Json:
    """Hits of 30 items every 25 steps with Wilson bars."""
    data = []
    for run in RUNS:
        hits = HITS[run.label]
        low, high = zip(*(_wilson(k, 30) for k in hits), strict=True)
        rate = np.array(hits) / 30
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "uid": f"e{run.slot}_val_{run.key}",
                "x": packed(np.arange(25, 151, 25)),
                "y": packed(rate * 100),
                "text": [f"{k}/30" for k in hits],
                "error_y": {
                    "type": "data",
                    "symmetric": False,
                    "array": packed((np.array(high) - rate) * 100),
                    "arrayminus": packed((rate - np.array(low)) * 100),
                },
                "meta": {"run": run.key, "role": "val"},
            }
        )
    return {
        "data": data,
        "layout": {},
        "meta": {
            "size": "comparison",
            "kind": "steps",
            "metric": "validation",
            "default": "all",
            "zero": True,
            "value": ".1f",
            "tick": None,
            "labels": "both",
            "refs": [],
            "badges": [
                {
                    "kind": "caveat",
                    "text": ["噪声内", "within noise"],
                    "title": ["区间重叠", "intervals overlap"],
                }
            ],
        },
    }


HOURS = {"E1": (0.118, 0.0547), "E2": (0.0987, 0.0427), "E3": (0.1307, 0.0453), "E4": (0.124, 0.0547)}


def hours() -> Json:
    """Hours per step: generation and the rest."""
    totals = {
        run.key: {
            "step": packed(run.steps),
            "gen": packed(np.full(run.steps.size, HOURS[run.label][0])),
            "other": packed(np.full(run.steps.size, HOURS[run.label][1])),
        }
        for run in RUNS
    }
    return {
        "data": [],
        "layout": {},
        "meta": {
            "size": "comparison",
            "kind": "bars",
            "metric": "step_time",
            "default": "all",
            "totals": totals,
            "value": ".1f",
            "labels": "none",
            "refs": [],
            "badges": [],
        },
    }


def _runs() -> Json:
    out = {
        run.key: {
            "id": run.id,
            "label": run.label,
            "name": run.name,
            "slot": run.slot,
            "dash": run.dash,
            "track": "2b",
            "first": int(run.steps[0]),
            "last": int(run.steps[-1]),
        }
        for run in RUNS
    }
    return out | {
        "r5a2b5": {
            "id": "e5_rpp_2b",
            "label": "E5",
            "name": "REINFORCE++",
            "slot": 5,
            "dash": 0,
            "track": "2b",
            "first": None,
            "last": None,
        }
    }


def track() -> Json:
    """The page of one track."""
    charts = {f"cmp-{metric}": chart(metric, RUNS, "comparison", "window") for metric in list(METRICS)[:4]}
    charts |= {"cmp-validation": validation(), "cmp-hours": hours()}
    for run in RUNS:
        charts |= {
            f"run-{run.key}-{metric}": chart(metric, (run,), "experiment", "all") for metric in METRICS
        }
    charts["run-r2a2b2-loss"] = {
        "empty": {
            "title": ["没有 KL 损失。", "No KL loss."],
            "why": ["本组实验关闭了 KL。", "KL is off in this run."],
        }
    }
    return {
        "tab": "2b",
        "version": "1",
        "xkind": "step",
        "steps": [1, 150],
        "window": [1, 129],
        "runs": _runs(),
        "episodes": [EPISODE],
        "charts": charts,
    }


def episode() -> Json:
    """The page of one episode."""
    names = (
        "grad_norm",
        "ppo_kl",
        "clip_share",
        "entropy",
        "response_length",
        "pass_rate",
        "deviation",
        "loss",
    )
    charts = {f"ep-{metric}": chart(metric, RUNS, "episode", "all", labels="both") for metric in names}
    return track() | {"version": "2", "charts": charts}


SLOPES = (
    (
        "length",
        ("长度变化", "Length change"),
        ("词元", "tokens"),
        "+.1s",
        {"E1": (400, 4600), "E2": (-3300, 3000), "E3": (2400, 1800), "E4": (-200, 2900)},
        0.0,
    ),
    (
        "gain",
        ("通过率提升", "Pass-rate gain"),
        ("点", "points"),
        "+.1f",
        {"E1": (24.2, 10), "E2": (24.7, 9.1), "E3": (32.4, 11.4), "E4": (24.6, 9.7)},
        None,
    ),
    (
        "share",
        ("熵终值占比", "Entropy, end as share of start"),
        ("%", "%"),
        ".0f",
        {"E1": (50, 90), "E2": (77, 162), "E3": (30, 45), "E4": (51, 82)},
        100.0,
    ),
    (
        "hours",
        ("150 步用时", "Hours for 150 steps"),
        ("h", "h"),
        ".1f",
        {"E1": (25.9, 37.2), "E2": (21.2, 32.5), "E3": (26.4, 31.7), "E4": (26.8, 35.8)},
        None,
    ),
)


def overview() -> Json:
    """Slopes between two model sizes, one advantage chart, mini charts."""
    charts: Json = {}
    for name, _, _, value, ends, ref in SLOPES:
        charts[f"slope-{name}"] = {
            "data": [
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "uid": f"e{run.slot}_val_{run.key}",
                    "x": [0, 1],
                    "y": packed(np.array(ends[run.label], dtype=float)),
                    "meta": {"run": run.key, "role": "val", "label": run.label},
                }
                for run in RUNS
            ],
            "layout": {},
            "meta": {
                "size": "slope",
                "kind": "slope",
                "metric": name,
                "default": "all",
                "value": value,
                "labels": "both",
                "ends": [["2B", "2B"], ["4B", "4B"]],
                "refs": [] if ref is None else [{"value": ref, "word": "", "include": False}],
                "badges": [],
            },
        }
    k = np.arange(1, 8)
    right = {"E1": np.sqrt((8 - k) / k), "E3": 2 * (8 - k) / 8, "E4": 2 * (8 - k) / 7}
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "uid": f"e{run.slot}_val_{run.key}_{side}",
            "x": packed(k),
            "y": packed(curve if side == 0 else -curve[::-1]),
            "meta": {"run": run.key, "role": "val", "label": run.name},
        }
        for run in RUNS
        if run.label in right
        for side, curve in enumerate([right[run.label]] * 2)
    ]
    charts["advantage"] = {
        "data": data,
        "layout": {},
        "meta": {
            "size": "advantage",
            "kind": "free",
            "metric": "advantage",
            "default": "all",
            "value": "+.2f",
            "tick": "+d",
            "labels": "both",
            "refs": [],
            "badges": [],
            "notes": [
                {"x": 1.15, "y": 0.7, "text": ["答对", "right"]},
                {"x": 1.15, "y": -1.2, "text": ["答错", "wrong"]},
            ],
        },
    }
    charts |= {f"mini-{run.key}": chart("pass_rate", (run,), "mini", "all") for run in RUNS}
    return track() | {"tab": "overview", "version": "3", "charts": charts}


def pages() -> dict[str, Json]:
    """Every page by id."""
    return {"overview": overview(), "2b": track(), f"ep:{EPISODE['id']}": episode()}
