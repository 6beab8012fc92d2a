"""One value per experiment on two tracks, joined by a line: crossing lines mean that the order changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from components import numbers
from components.figures import packed
from components.style import uid
from components.text import Bilingual
from components.view import Slope
from data_loaders.schema import Json

FORMS: Mapping[str, Callable[[float], str]] = {
    "tokens": lambda value: numbers.thousands(value, plus=True),
    "thousands": lambda value: numbers.thousands(value, plus=True, least=0),
    "points": lambda value: numbers.number(value, 1, plus=True),
    "percent": lambda value: f"{numbers.number(value, 0)} %",
    "hours": lambda value: numbers.number(value, 1),
}


def form_of(name: str, values: Iterable[float]) -> Callable[[float], str]:
    """How values that stand beside each other are written: all in thousands where one of them is."""
    large = name == "tokens" and any(abs(value) >= numbers.WHOLE for value in values)
    return FORMS["thousands" if large else name]


def slope_chart(slope: Slope, ends: tuple[Bilingual, Bilingual]) -> Json:
    """Lines from the left track to the right one, named with their values at both ends."""
    form = form_of(slope.form, [value for _, *both in slope.values for value in both])
    traces: list[Json] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "uid": uid(info, "val"),
            "x": [0, 1],
            "y": packed(np.array([left, right])),
            "text": [form(left), form(right)],
            "meta": {"run": info.key, "role": "val", "label": info.mark},
        }
        for info, left, right in slope.values
    ]
    refs = [] if slope.zero is None else [{"value": slope.zero, "word": "", "values": {}, "include": False}]
    return {
        "data": traces,
        "layout": {},
        "meta": {
            "size": "slope", "kind": "slope", "metric": slope.name, "default": "all",
            "zero": False, "log": False, "value": ".1f", "tick": None,
            "labels": "both", "refs": refs, "badges": [], "ends": [list(end) for end in ends],
        },
    }  # fmt: skip
