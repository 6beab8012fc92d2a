"""Values of a metric as text, in the unit and with the decimals of its chart."""

from __future__ import annotations

import math
import re

from components.figures import Chart
from components.numbers import number, plain
from components.text import TEXT, Bilingual, words
from data_loaders.derive.health import Event

TIMES = "×"


def quoted(chart: Chart, value: float | None, *, plus: bool = False) -> str:
    """A value given in the metric's own unit; more decimals where the chart's would show only zeros."""
    if value is None or not math.isfinite(value):
        return number(value)
    scaled = value * chart.scale
    text = number(scaled, decimals(chart), plus=plus)
    if scaled and not any(digit in "123456789" for digit in text):
        return ("+" if plus and scaled > 0 else "") + plain(scaled)
    return text


def with_unit(chart: Chart, value: float | None) -> Bilingual:
    """A value inside a sentence: `0.96`, `53.8 ×1e−5`, `0.07 nat`."""
    key = f"unit.after.{chart.unit}"
    zh, en = words(key) if key in TEXT else words("unit.after", unit=words(f"unit.{chart.unit}"))
    text = quoted(chart, value)
    return (text + zh, text + en) if value is not None and math.isfinite(value) else (text, text)


def decimals(chart: Chart) -> int:
    """Decimals of a chart's labels; formats of whole numbers and of thousands have none."""
    found = re.search(r"\.(\d)f", chart.value)
    return int(found[1]) if found else 0


def times(ratio: float) -> str:
    """`×5.5`, below 1 with two digits: `×0.52`."""
    return TIMES + number(ratio, 2 if ratio < 1 else 1)


def change(chart: Chart, value: float, baseline: float, ratio: float) -> str:
    """How far a value is from its baseline: a ratio where it is judged by one, else a difference."""
    if math.isfinite(ratio):
        return times(ratio)
    difference = value - baseline
    return quoted(chart, difference, plus=True) if math.isfinite(difference) else number(value)


def change_of(chart: Chart, event: Event) -> str:
    """Change at the peak of an excursion."""
    return change(chart, event.value, event.baseline, event.ratio)
