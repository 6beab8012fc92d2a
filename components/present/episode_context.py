"""What stands around an episode: the same steps in other runs, what followed, answers sampled there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from components import text
from components.episode_view import Followed, OtherRun
from components.figures import Chart
from components.figures_episode import all_charts
from components.numbers import percent, steps, wilson_percent
from components.present.episode_found import Opened
from components.present.findings import validation_title
from components.present.rows import primary
from components.present.watched import RULES, Watched, touching, watched
from components.quantities import change_of, quoted
from components.text import joined, listing, said, words
from components.view import Bilingual, RunInfo, Sentence
from data_loaders.board import BoardRun
from data_loaders.derive.config import get
from data_loaders.derive.health import Event
from data_loaders.derive.settings import FILTER_METRICS, config_of
from data_loaders.derive.validation import Validation
from data_loaders.schema import FloatArray, Note, Run

LEVEL = 8
"""Points whose median is a level before and after."""
SAME_DATA = (
    "data.train_files", "data.train_batch_size", "data.gen_batch_size", "data.shuffle", "data.seed",
    "data.max_prompt_length", "data.filter_overlong_prompts", "data.sampler.class_name",
    "actor_rollout_ref.rollout.n",
)  # fmt: skip
"""Settings that decide which prompts a step takes. Without a seed the order is fixed all the same."""


def charts_by_metric() -> dict[str, Chart]:
    """Chart of every watched metric."""
    return {chart.metric: chart for chart in all_charts() if chart.metric in RULES}


def event_note(event: Event) -> Note:
    """`gradient norm 1.3 at 135 (baseline 0.3, ×4.3)`."""
    chart = charts_by_metric()[event.metric]
    values = {
        "metric": Note(chart.title),
        "value": quoted(chart, event.value),
        "unit": Note(f"unit.{chart.unit}"),
        "step": event.peak,
        "baseline": quoted(chart, event.baseline),
        "change": change_of(chart, event),
    }
    return Note("episode.event", values)


def other_runs(found: Opened, runs: Iterable[BoardRun], named: Mapping[str, RunInfo]) -> tuple[OtherRun, ...]:
    """The same steps in every other run of the track."""
    return tuple(_other(found, run, named[run.id]) for run in runs if run.id != found.run.id)


def _other(found: Opened, run: BoardRun, info: RunInfo) -> OtherRun:
    record, (first, last) = run.view.run, (found.episode.start, found.episode.end)
    data = same_prompts(found.run.view.run, record)
    if record.first is None or record.last is None:
        return OtherRun(info, "none", Note("others.no_step"), data)
    if record.last < first or record.first > last:
        return OtherRun(
            info, "none", Note("others.elsewhere", {"steps": steps(record.first, record.last)}), data
        )
    joining = [name for name, rule in RULES.items() if rule.joins]
    series = [one for one in watched(run.view, joining).values() if isinstance(one, Watched)]
    judged = [one for one in series if one.judged and one.between(first, last).step.size]
    left = [event for one in judged for event in touching(one.events, first, last)]
    covered = (
        ""
        if record.first <= first and last <= record.last
        else steps(max(first, record.first), min(last, record.last))
    )
    if left:
        told = joined([said(event_note(event)) for event in left], "；", "; ")
        return OtherRun(info, "left", _within(Note("others.left", {"events": told}), covered), data)
    if not judged:
        return OtherRun(info, "none", Note("others.no_baseline"), data)
    return OtherRun(info, "inside", _within(Note("others.inside", {"n": len(judged)}), covered), data)


def _within(text: Note, covered: str) -> Sentence:
    """Says so when the other run has only some of the steps."""
    return Note("others.part", {"steps": covered, "text": text}) if covered else text


def same_prompts(run: Run, other: Run) -> Note:
    """Whether two runs take the same prompts at a step, as far as their configurations tell."""
    one, two = config_of(run), config_of(other)
    if not (get(one, SAME_DATA[0]) and get(two, SAME_DATA[0])):
        return Note("prompts.unknown")
    different = [path for path in SAME_DATA if get(one, path) != get(two, path)]
    if different:
        return Note("prompts.differ", {"settings": listing(different)})
    if any(key.startswith(FILTER_METRICS) for record in (run, other) for key in record.keys):
        return Note("prompts.filtered")
    return Note("prompts.same")


def what_followed(found: Opened) -> tuple[Followed, ...]:
    """Levels before and after of what moved and of the pass rate; the validations around it."""
    charts, series = charts_by_metric(), found.known()
    metrics = dict.fromkeys((*found.episode.metrics, "pass_rate"))
    levels = [
        Followed(
            Note(charts[metric].title),
            *_levels(charts[metric], series[metric], found),
            words(f"unit.{charts[metric].unit}"),
        )
        for metric in metrics
        if metric in series and metric in charts
    ]
    validation = primary(found.run)
    return (*levels, *([_validated(validation, found)] if validation else []))


def _levels(chart: Chart, series: Watched, found: Opened) -> tuple[str, str]:
    first, last = found.episode.start, found.episode.end
    finite = np.isfinite(series.value)
    before = series.value[finite & (series.step < first)][-LEVEL:]
    after = series.value[finite & (series.step > last)][:LEVEL]
    return quoted(chart, _median(before)), quoted(chart, _median(after))


def _median(value: FloatArray) -> float | None:
    return float(np.median(value)) if value.size else None


def _validated(validation: Validation, found: Opened) -> Followed:
    at = int(np.searchsorted(validation.step, found.episode.start))
    title = validation_title(validation)
    before = _result(validation, at - 1) if at else "—"
    after = _result(validation, at) if at < validation.step.size else "—"
    return Followed((title, title), before, after)


def _result(validation: Validation, at: int) -> str:
    """`12/30 [25–58] @150`, or a percentage where the number of items is not known."""
    step = int(validation.step[at])
    if validation.correct is None or validation.items is None:
        return f"{percent(float(validation.value[at]))} % @{step}"
    right = int(validation.correct[at])
    return f"{right}/{validation.items} {wilson_percent(right, validation.items)} @{step}"


def validation_steps(found: Opened) -> Sequence[int]:
    """Steps of the validations before and after."""
    validation = primary(found.run)
    if validation is None:
        return ()
    at = int(np.searchsorted(validation.step, found.episode.start))
    return tuple(int(step) for step in validation.step[max(0, at - 1) : at + 1])


def names(parts: Iterable[Sentence], *, inside: bool = False) -> Bilingual:
    """`A、B 和 C`, `A, B and C`; all but the first, or all `inside` a sentence, in small letters."""
    pairs = [said(part) for part in parts]
    pairs = [text.inside(pair) if inside or nth else pair for nth, pair in enumerate(pairs)]
    if len(pairs) < 2:
        return pairs[0] if pairs else ("", "")
    head, last = joined(pairs[:-1], "、", ", "), pairs[-1]
    return words("list.and_latin" if last[0][:1].isascii() else "list.and", head=head, last=last)
