"""Figure payloads of the invented runs, as the server gives them to the page's scripts."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from tests.browser.harness.runs import CAP, EPISODE, METRICS, RUNS, WINDOW, Fake, Json, series, trailing

__all__ = ["CAP", "EPISODE", "METRICS", "RUNS", "series", "trailing"]


def packed(values: Any) -> Json:
    """Array → {dtype, bdata}, as plotly's Python package writes it."""
    array = np.asarray(values)
    array = array.astype("<i4") if array.dtype.kind == "i" else array.astype("<f8")
    return {
        "dtype": "i4" if array.dtype.kind == "i" else "f8",
        "bdata": base64.b64encode(array.tobytes()).decode(),
    }


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
