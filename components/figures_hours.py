"""Wall clock of the steps in range: generation solid, the rest faint. The page's script sums the range."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from components.figures import Chart, Remark, absent, badge, badges, empty, layout, meta, packed
from components.figures_meaning import meaning_badges
from components.figures_sampled import told
from components.text import words
from components.view import ChartRun, Selection
from data_loaders.derive.comparability import Shown
from data_loaders.derive.hours import StepHours, hours
from data_loaders.derive.sampling import WHOLE, bucket_size, bucket_sums
from data_loaders.schema import BoolArray, IntArray, Json, Missing


def hours_chart(chart: Chart, runs: Sequence[ChartRun], selection: Selection) -> Json:
    """Hours per step of every run whose log tells them; steps that were trained twice count twice."""
    found = [(run, hours(run.data)) for run in runs]
    known = [(run, spent) for run, spent in found if isinstance(spent, StepHours)]
    missing = [(run, spent.why) for run, spent in found if isinstance(spent, Missing)]
    if not known:
        return empty(words(chart.title), missing)
    said: list[Remark] = [(run, note, "caveat") for run, spent in known for note in spent.notes]
    said += absent(missing)
    size = max(_bucket(spent.step[_looked_at(spent, selection)], selection) for _, spent in known)
    totals = {run.info.key: _total(spent, size, selection) for run, spent in known}
    sampled = {"size": size, "span": selection.span} if size > 1 or selection.span else None
    notes = badges(said, len(runs) == 1)
    notes += meaning_badges((run, Shown(run.data, chart.metric)) for run, _ in known if len(runs) > 1)
    if selection.span is None:
        notes += [badge("tag", *text) for text in told(sampled, "sampled_hours")]
    about = meta(chart, runs, "bars", notes) | {"totals": totals, "csv": ["step_time", "gen_time"]}
    return {"data": [], "layout": layout(chart, runs, "l"), "meta": about | {"sampled": sampled}}


def _looked_at(spent: StepHours, selection: Selection) -> BoolArray:
    first, last = selection.span or (-math.inf, math.inf)
    return (spent.step >= first) & (spent.step <= last)


def _bucket(step: IntArray, selection: Selection) -> int:
    """Steps that come as one sum; all of a span, whose figure is shown for no other range."""
    if step.size <= WHOLE:
        return 1
    return int(step[-1]) + 1 if selection.span else bucket_size(int(step[0]), int(step[-1]))


def _total(spent: StepHours, size: int, selection: Selection) -> Json:
    rows = _looked_at(spent, selection)
    generation = np.nan_to_num(spent.generation)
    parts = {"gen": generation[rows], "other": (spent.total - generation)[rows]}
    sums = {name: bucket_sums(spent.step[rows], part, size) for name, part in parts.items()}
    return {
        "step": packed(sums["gen"][0]),
        **{name: packed(total) for name, (_, total) in sums.items()},
    }
