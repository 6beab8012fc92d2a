"""A comparison chart of any metric, made from its name alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from components.charts import CHARTS
from components.figures import Chart
from components.figures_lines import line_chart
from components.text import words
from data_loaders.metrics import Metric, find_metric, key_factor

AS_LOGGED = "pin.as_logged"
"""Message key of the caption of a key nothing is known of."""


class Shown(NamedTuple):
    """How values of a unit are written on a chart."""

    unit: str
    scale: float = 1.0
    value: str = ".4g"
    tick: str | None = None


UNITS: Mapping[str, Shown] = {
    "share": Shown("percent", 100, ".2f"),
    "tokens": Shown("tokens", 1, "~s", "~s"),
    "number": Shown("none"),
}
"""Units that a chart writes otherwise than a list of metrics does."""

DRAWN: Mapping[str, Chart] = {
    chart.metric: chart
    for chart in reversed(CHARTS)
    if chart.build is line_chart and chart.group != "mini" and not (chart.section and chart.metrics[1:])
}
"""The chart every page already has of a metric; one of all runs before one of a single run."""


def metric_chart(name: str) -> Chart:
    """Chart of a canonical metric, drawn as on every page; of any other name as logged under it."""
    metric = find_metric(name)
    base = _canonical(metric) if metric and metric.name == name else _logged(name, metric)
    return replace(base, name=f"pin-{name}", group="comparison", metrics=(name,))


def _canonical(metric: Metric) -> Chart:
    known = DRAWN.get(metric.name)
    if known is not None:
        return replace(known, heading=known.named, about=known.caption)
    shown = UNITS.get(metric.unit, Shown(metric.unit))
    return Chart(
        metric.name, "comparison", (metric.name,), line_chart, shown.unit,
        scale=shown.scale, value=shown.value, tick=shown.tick,
        heading=words(metric.text), about=f"{metric.text}.meaning",
    )  # fmt: skip


def _logged(key: str, metric: Metric | None) -> Chart:
    """Values exactly as in the log; a derived metric says nothing of the unit of its key."""
    known = metric if metric and not metric.derived and key_factor(key) == 1 else None
    return Chart(
        key, "comparison", (key,), line_chart, known.unit if known else "none", value=".4g",
        heading=(key, key), about=f"{known.text}.meaning" if known else AS_LOGGED,
    )  # fmt: skip
