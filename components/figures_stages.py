"""Where the time of a step goes: its stages on top of each other, the rest without a timer above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from components.figures import Chart, Remark, absent, badges, empty, meta, packed, positions
from components.text import words
from components.view import ChartRun, Selection
from data_loaders.derive.stages import StageTimes, stage_times
from data_loaders.schema import FloatArray, IntArray, Json, Missing

SHADES: Mapping[str, str] = {
    "gen_time": "a", "update_actor_time": "b", "old_log_prob_time": "c", "ref_time": "d",
    "testing_time": "e", "save_time": "f",
}  # fmt: skip
"""Tints of the accent and of ink, in `assets/full.css` and `rl-47-stack.js`; never the hue of a run."""
OTHER, REST = "g", "rest"


def stages_chart(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    """Seconds of each stage per step of one run; parts and rest add up to the step."""
    run = runs[0]
    found = stage_times(run.data, "first" if selection.policy == "first" else "last")
    if isinstance(found, Missing):
        return empty(chart.named, [(run, found.why)])
    placed = positions(run, found.step, selection)
    if isinstance(placed, Missing):
        return empty(chart.named, [(run, placed.why)])
    said: list[Remark] = [(run, note, "caveat") for note in found.notes]
    layers = {**found.parts, REST: found.rest}
    return {
        "data": [_layer(run, name, value, found, placed, selection) for name, value in layers.items()],
        "layout": {},
        "meta": meta(chart, runs, "stack", badges([*said, *absent(())], True)),
    }


def _layer(
    run: ChartRun,
    name: str,
    value: FloatArray,
    found: StageTimes,
    placed: IntArray | FloatArray,
    selection: Selection,
) -> Json:
    shade = SHADES.get(name, OTHER if name != REST else REST)
    made: Json = {
        "type": "scatter",
        "mode": "lines",
        "uid": f"part_{shade}_{name}",
        "x": packed(placed),
        "y": packed(np.ascontiguousarray(value)),
        "meta": {
            "run": run.info.key, "role": "part", "series": name, "shade": shade,
            "label": list(words(f"stage.{name}")),
        },
    }  # fmt: skip
    if selection.x != "step":
        made["customdata"] = packed(found.step)
    return made
