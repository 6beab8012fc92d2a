"""Runs as the chart builders take them, from cells written down in a test."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from components.style import run_info
from components.view import ChartRun
from data_loaders.schema import Json, Run
from tests.unit.data_loaders.fake_run import FakeRun, facts


class NamedRun(FakeRun):
    """A run with an id and a label."""

    id = "run"
    label = ""

    @property
    def run(self) -> Run:
        return replace(super().run, id=self.id, label=self.label, track="2b", algorithm="grpo")


def chart_run(label: str, look: tuple[int, int] = (1, 0), run_id: str = "", **fields: Any) -> ChartRun:
    """A run that logs the given columns."""
    data = NamedRun(**fields)
    data.id, data.label = run_id or label.lower(), label
    return ChartRun(run_info(data.run, look), data)


def stepless(label: str) -> ChartRun:
    """A run that has only started."""
    return chart_run(label, columns={}, logs=(facts(step_lines=0),))


def unpacked(value: Json) -> list[float]:
    """Values of a packed array, decoded here by hand."""
    import base64

    kinds = {"i4": "<i4", "f8": "<f8"}
    raw = base64.b64decode(value["bdata"])
    return [float(x) for x in np.frombuffer(raw, kinds[value["dtype"]])]
