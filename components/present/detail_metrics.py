"""Every logged key of a run: what it means, what it is, how often it was logged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from components.detail_view import MetricRow, MetricsView
from data_loaders.derive.canonical import DIGITS, has_three_decimals, is_rounded
from data_loaders.derive.missing import is_sft
from data_loaders.metrics import METRICS, Metric, logged_metric
from data_loaders.runs import RunView
from data_loaders.schema import Note, Series

FAMILIES: tuple[tuple[str, str], ...] = (
    ("val-core/", "family.validation"),
    ("val-aux/", "family.validation"),
    ("val/", "family.validation"),
    ("timing_s/agent_loop/slowest/", "family.slowest"),
    ("timing_s/agent_loop/", "family.agent_loop"),
    ("timing_s/", "family.timing"),
    ("timing/", "family.timing"),
    ("timing_per_token_ms/", "family.per_token"),
    ("num_turns/", "family.turns"),
    ("training/num_turns/", "family.turns"),
    ("response_length_non_aborted/", "family.completed"),
    ("training/global_step", "family.step"),
)
"""Start of a key → what such keys are, for keys that are no metric of their own; first match wins."""


def metrics_view(view: RunView) -> MetricsView:
    """The keys of a run by prefix, in order of their names."""
    steps = np.unique(view.step[~view.superseded])
    rounded = is_rounded(view)
    found = (_row(view, key, rounded) for key in sorted(view.run.keys, key=prefix_of))
    rows = groupby(found, key=lambda row: prefix_of(row.key))
    return MetricsView(steps.size, tuple((prefix, tuple(group)) for prefix, group in rows))


def prefix_of(key: str) -> str:
    """`actor/` of `actor/lr`; of a key without slash nothing."""
    head, slash, _ = key.partition("/")
    return head + slash if slash else ""


def family_of(key: str) -> str:
    """Message key of what a key's relatives are, empty when nothing is known."""
    return next((text for start, text in FAMILIES if key.startswith(start)), "")


def sources_of(key: str) -> Iterator[Metric]:
    """Metrics whose values are not the ones logged under this key, but computed from them."""
    for metric in METRICS:
        if key in metric.aliases and (metric.derived or metric.aggregated):
            yield metric


def meaning_of(key: str, *, sft: bool = False) -> Metric | None:
    """The metric a key is as logged. A derived one says nothing of its key: `1 − correlation` is none."""
    metric = logged_metric(key, sft=sft)
    return metric if metric is not None and key in metric.aliases and not metric.derived else None


def _row(view: RunView, key: str, rounded: bool) -> MetricRow:
    stands, logged = view.series(key), view.series(key, "all")
    last = None if stands is None or not stands.step.size else stands
    return MetricRow(
        key=key,
        metric=meaning_of(key, sft=is_sft(view.run)),
        family=family_of(key),
        sources=tuple(sources_of(key)),
        last=None if last is None else float(last.value[-1]),
        last_step=None if last is None else int(last.step[-1]),
        count=0 if logged is None else logged.step.size,
        seen=0 if stands is None else np.unique(stands.step).size,
        not_finite=None if stands is None else _not_finite(stands),
        decimals=DIGITS if rounded and stands is not None and _is_short(stands) else None,
    )


def _is_short(series: Series) -> bool:
    """Whether the values of a log with three decimals may have lost digits: not of whole numbers."""
    finite = series.value[np.isfinite(series.value)]
    whole = bool(np.any(finite)) and bool(np.all(finite == np.round(finite)))
    return has_three_decimals(finite) and not whole


def _not_finite(series: Series) -> Note | None:
    wrong = ~np.isfinite(series.value)
    if not wrong.any():
        return None
    return Note("note.not_finite", {"n": int(wrong.sum()), "step": int(series.step[wrong][0])})
