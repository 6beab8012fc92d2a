"""Sentences that state numbers with their uncertainty, and name no winner inside the noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from components.numbers import interval, number, percent
from components.present.compared import Gap, Member, bounded, gap, members, ranked
from components.present.rows import primary
from components.text import Bilingual, joined, words
from components.view import Finding, RunInfo, RunRow, Sentence
from data_loaders.board import BoardRun
from data_loaders.derive.intervals import newcombe
from data_loaders.derive.statistics import Mean
from data_loaders.derive.validation import Validation
from data_loaders.schema import Note

PUBLIC_NAMES = {"aime24": "AIME24", "aime_2024": "AIME24", "math_dapo": "AIME24 (math_dapo)"}


def headline(runs: Sequence[BoardRun], rows: Sequence[RunRow], *, comparable: bool = True) -> Finding | None:
    """Highest pass rate at the end, how far ahead of the next, and whether that difference is settled.

    Runs that are not `comparable` (other models, other data) are not ranked.
    """
    if not rows:
        return None
    if not comparable:
        with_steps = sum(run.pace.trained for run in runs)
        unranked = (
            Note("finding.unranked", {"runs": len(rows), "with_steps": with_steps}),
            Note("finding.unranked_why"),
        )
        return Finding(unranked, _episode_note(rows))
    found = members(runs, rows)
    order = ranked(found)
    body = (*_validation_note(runs, rows), *_bound_note(found), *_episode_note(rows))
    if not order:
        return Finding((Note("finding.no_pass_rate"),), body)
    clauses, interval = _leading(order)
    return Finding(clauses, (*interval, *body))


def compared(runs: Sequence[BoardRun], rows: Sequence[RunRow]) -> tuple[RunInfo, RunInfo] | None:
    """The two runs whose difference the headline tells first; None when it tells none."""
    order = ranked(members(runs, rows))
    if not order:
        return None
    (best, mean), *others = order
    second = next((one for one, value in others if _same_steps(best, mean, one, value)), None)
    return (best.info, second.info) if second else None


def _leading(order: Sequence[tuple[Member, Mean]]) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Clauses on who leads, and the interval they rest on. A leader inside the noise is not named as one."""
    (best, mean), *others = order
    alone = Note("finding.highest_alone", {"run": best.mark, "rate": percent(mean.value)})
    gaps = [(one, value, found) for one, value in others if (found := _same_steps(best, mean, one, value))]
    if not gaps:
        return (alone,), ()
    second, _, difference = gaps[0]
    open_ = [(one, value, found) for one, value, found in gaps if not found.mean.settled]
    if open_:
        tied = [(best, mean), *((one, value) for one, value, _ in open_)]
        rates = _listed([percent(value.value) for _, value in tied])
        clauses: tuple[Sentence, ...] = (
            Note("finding.tied", {"runs": _and([one.mark for one, _ in tied]), "rates": rates}),
            Note("finding.open" if len(open_) == 1 else "finding.all_open", {"run": best.mark}),
        )
    else:
        clauses = (
            Note("finding.highest", {"run": best.mark, "rate": percent(mean.value)}),
            Note("finding.ahead", {"run": second.mark, "points": number(100 * difference.mean.value, 1)}),
            Note("finding.settled"),
        )
    told = [(one.mark, found) for one, _, found in open_] or [(second.mark, difference)]
    return clauses, (_intervals(best.mark, told), Note("finding.noise"))


def _same_steps(one: Member, mean: Mean, other: Member, value: Mean) -> Gap | None:
    """The difference over the last steps; None where these are not the same steps."""
    span = (mean.first, mean.last)
    return gap(one.run, other.run, span) if span == (value.first, value.last) else None


def _and(marks: Sequence[str]) -> Bilingual:
    return words("list.and_latin", head=_listed(marks[:-1]), last=marks[-1])


def _listed(parts: Sequence[str]) -> Bilingual:
    return joined([(part, part) for part in parts], "、", ", ")


def _intervals(best: str, others: Sequence[tuple[str, Gap]]) -> Bilingual:
    """Intervals of the differences from the best over the same steps, paired ones before the others."""
    parts = []
    for paired in (True, False):
        means = [(mark, found.mean) for mark, found in others if found.paired == paired]
        if not means:
            continue
        values = {
            "gaps": _listed([f"{best} − {mark} {_interval(mean)}" for mark, mean in means]),
            "first": means[0][1].first, "last": means[0][1].last,
            "least": number(100 * max(mean.detectable for _, mean in means), 1),
        }  # fmt: skip
        parts.append(words("finding.interval" if paired else "finding.interval_unpaired", **values))
    return joined(parts, "", " ")


def _interval(mean: Mean) -> str:
    low, high = (100 * (mean.value + sign * mean.half) for sign in (-1, 1))
    return interval(low, high)


def _validation_note(runs: Sequence[BoardRun], rows: Sequence[RunRow]) -> tuple[Sentence, ...]:
    """Last validation of each run as items; whether any pair can be told apart."""
    counted = [(r.info.mark, r.validation) for r in rows if r.validation is not None]
    if len(counted) < 2 or len({c.n for _, c in counted}) != 1:
        return ()
    title = next((validation_title(found) for run in runs if (found := primary(run))), "")
    apart = [
        (a, b)
        for (a, one), (b, two) in combinations(counted, 2)
        if (interval := newcombe(one.k, one.n, two.k, two.n)).low > 0 or interval.high < 0
    ]
    values = {
        "title": title,
        "n": counted[0][1].n,
        "counts": _listed([f"{mark}\u00a0{c.k}" for mark, c in counted]),
    }
    return (Note("finding.validation_apart" if apart else "finding.validation_noise", values),)


def _bound_note(found: Sequence[Member]) -> tuple[Sentence, ...]:
    told = [
        words("finding.bound", run=one.mark, rate=percent(one.row.last10.value))
        for one in bounded(found)
        if one.row.last10 is not None
    ]
    return (Note("finding.lower_bound", {"runs": joined(told, "，", ", ")}),) if told else ()


def _episode_note(rows: Sequence[RunRow]) -> tuple[Sentence, ...]:
    heavy = [(r.info.mark, e) for r in rows for e in r.episodes if e.severity >= 2]
    if not heavy:
        return ()
    mark, worst = max(heavy, key=lambda entry: entry[1].severity)
    key = "finding.episode_recovered" if worst.recovered else "finding.episode_open"
    return (Note(key, {"run": mark, "steps": f"{worst.start}–{worst.end}", "n": worst.severity}),)


def validation_title(found: Validation) -> str:
    """`AIME24 acc@1`, from the parts of the logged key."""
    name = PUBLIC_NAMES.get(found.dataset, found.dataset)
    spread = f"@{found.samples}" if found.statistic.startswith("mean") else f" {found.statistic}"
    return f"{name} {found.variable}{spread}"
