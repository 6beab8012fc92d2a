"""Whether runs of one model agree at their first step, as remarks of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from components.numbers import number, percent, thousands
from components.text import Bilingual, inside, joined, listing, words
from components.view import RunInfo, Units
from components.view_remarks import Agreement
from data_loaders.board import BoardRun
from data_loaders.derive.invariant import Agreement as Found
from data_loaders.derive.invariant import first_step, same_start

NAMED = 2
"""Runs outside that are named; more are counted, and named when the remark is unfolded."""
UNITS: tuple[Units, ...] = ("token", "logged")
FORMS: Mapping[str, Callable[[float], str]] = {
    "entropy": lambda value: number(value, 3),
    "response_length": thousands,
    "pass_rate": percent,
}


def agreements(runs: Sequence[BoardRun], named: Mapping[str, RunInfo]) -> tuple[Agreement, ...]:
    """One remark per model and unit of entropy; where the unit changes nothing, one for both."""
    return tuple(_agreements(runs, {key: info.mark for key, info in named.items()}))


def _agreements(runs: Sequence[BoardRun], marks: Mapping[str, str]) -> Iterator[Agreement]:
    for group in same_start({run.id: run.view for run in runs}):
        made = {units: first_step(group, units) for units in UNITS}
        if not made["token"]:
            continue
        if made["token"] == made["logged"]:
            yield _told(made["token"], None, marks)
        else:
            yield from (_told(made[units], units, marks) for units in UNITS)


def _told(found: Sequence[Found], units: Units | None, marks: Mapping[str, str]) -> Agreement:
    apart = [_short(one, marks) for one in found if one.apart]
    why = [
        words("first_step.why", units=words(f"first_step.units.{units or 'token'}")),
        *(_long(one, marks) for one in found),
        words("first_step.cause"),
    ]
    text = words("first_step.agree")
    if apart:
        text = joined([words("first_step.apart"), joined(apart, "，", ", ")], "：", ": ")
    return Agreement(units, not apart, text, joined(why, "。\n", ".\n"))


def _short(one: Found, marks: Mapping[str, str]) -> Bilingual:
    form = FORMS[one.metric]
    text = f"{form(one.middle)} ±{form(one.allowed)}"
    outside = words("first_step.many", n=len(one.apart))
    if len(one.apart) <= NAMED:
        named = [(f"{marks[key]} {form(one.values[key])}",) * 2 for key in one.apart]
        outside = words("first_step.outside", runs=joined(named, "、", ", "))
    usual = joined([inside(words(f"metric.{one.metric}")), (text, text)], " ", " ")
    return joined([usual, outside], "（", " (")


def _long(one: Found, marks: Mapping[str, str]) -> Bilingual:
    form = FORMS[one.metric]
    values = listing(f"{marks[key]} {form(value)}" for key, value in one.values.items())
    name = words(f"metric.{one.metric}")
    part = words(
        "first_step.part", metric=name, values=values, middle=form(one.middle), allowed=form(one.allowed)
    )
    left_out = [words("first_step.left_out", runs=listing(marks[key] for key in one.left_out))]
    return joined([part, *(left_out if one.left_out else [])], "；", "; ")
