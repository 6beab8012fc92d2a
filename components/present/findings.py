"""Sentences that state numbers with their uncertainty, and name no winner inside the noise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from components.numbers import number
from components.present.rows import primary
from components.present.runs import points
from components.view import Finding, RunRow, Sentence
from data_loaders.board import BoardRun
from data_loaders.derive.intervals import newcombe
from data_loaders.derive.statistics import Mean, paired_difference
from data_loaders.derive.validation import Validation
from data_loaders.schema import Note

PUBLIC_NAMES = {"aime24": "AIME24", "aime_2024": "AIME24", "math_dapo": "AIME24 (math_dapo)"}


def headline(runs: Sequence[BoardRun], rows: Sequence[RunRow], *, comparable: bool = True) -> Finding | None:
    """Highest pass rate at the end, how far ahead of the next, and whether that difference is settled.

    Runs that are not `comparable` (other models, other data) are not ranked.
    """
    ranked = sorted(
        ((run, r, r.last10) for run, r in zip(runs, rows, strict=True) if r.last10 is not None),
        key=lambda entry: -entry[2].value,
    )
    body = (*_validation_note(runs, rows), *_bound_note(rows), *_episode_note(rows))
    if not comparable:
        with_steps = sum(r.last is not None for r in rows)
        clauses = (
            Note("finding.unranked", {"runs": len(rows), "with_steps": with_steps}),
            Note("finding.unranked_why"),
        )
        return Finding(clauses, _episode_note(rows)) if rows else None
    if not ranked:
        return Finding((Note("finding.no_pass_rate"),), body) if rows else None
    best = ranked[0]
    top = Note("finding.highest", {"run": best[1].info.mark, "rate": number(100 * best[2].value, 1)})
    alone = Finding((Note("finding.highest_alone", top.values),), body)
    if len(ranked) == 1:
        return alone
    second = ranked[1]
    difference = _difference(best, second)
    if difference is None:
        return alone
    gap = Note("finding.ahead", {"run": second[1].info.mark, "points": number(100 * difference.value, 1)})
    verdict = Note("finding.settled" if difference.settled else "finding.open")
    return Finding((top, gap, verdict), (_interval_note(difference), *body))


Ranked = tuple[BoardRun, RunRow, Mean]


def _difference(best: Ranked, second: Ranked) -> Mean | None:
    """Per-step difference of pass rates over the last ten steps; None where these are not the same steps."""
    span = (best[2].first, best[2].last)
    if span != (second[2].first, second[2].last):
        return None
    mine, theirs = points(best[0], "pass_rate"), points(second[0], "pass_rate")
    return paired_difference(mine.step, mine.value, theirs.step, theirs.value, span)


def _interval_note(difference: Mean) -> Sentence:
    low, high = (number(100 * (difference.value + sign * difference.half), 1, plus=True) for sign in (-1, 1))
    return Note(
        "finding.interval", {"low": low, "high": high, "first": difference.first, "last": difference.last}
    )


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
        "counts": ", ".join(f"{mark} {c.k}" for mark, c in counted),
    }
    return (Note("finding.validation_apart" if apart else "finding.validation_noise", values),)


def _bound_note(rows: Sequence[RunRow]) -> tuple[Sentence, ...]:
    bound = ", ".join(r.info.mark for r in rows if r.lower_bound)
    return (Note("finding.lower_bound", {"run": bound}),) if bound else ()


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
