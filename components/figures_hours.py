"""Wall clock of the steps in range: generation solid, the rest faint. The page's script sums the range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from components.figures import Chart, Remark, absent, badges, empty, layout, meta, packed
from components.text import words
from components.view import ChartRun, Selection
from data_loaders.derive.hours import StepHours, hours
from data_loaders.schema import Json, Missing


def hours_chart(chart: Chart, runs: Sequence[ChartRun], _selection: Selection) -> Json:
    """Hours per step of every run whose log tells them; steps that were trained twice count twice."""
    found = [(run, hours(run.data)) for run in runs]
    known = [(run, spent) for run, spent in found if isinstance(spent, StepHours)]
    missing = [(run, spent.why) for run, spent in found if isinstance(spent, Missing)]
    if not known:
        return empty(words(chart.title), missing)
    said: list[Remark] = [(run, note, "caveat") for run, spent in known for note in spent.notes]
    said += absent(missing)
    totals = {run.info.key: _total(spent) for run, spent in known}
    notes = badges(said, len(runs) == 1)
    told = meta(chart, runs, "bars", notes) | {"totals": totals, "csv": ["step_time", "gen_time"]}
    return {"data": [], "layout": layout(chart, runs, "l"), "meta": told}


def _total(spent: StepHours) -> Json:
    generation = np.nan_to_num(spent.generation)
    return {"step": packed(spent.step), "gen": packed(generation), "other": packed(spent.total - generation)}
