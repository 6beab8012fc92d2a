"""Remarks of a page that are no charts: agreement at the first step, health rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components.text import both, sentence, span, words
from components.view_remarks import Agreement, RuleNote


def agreement_badges(found: Sequence[Agreement]) -> list[Any]:
    """What runs of one model say at their first step; a press unfolds every number below the heading."""
    if not found:
        return []
    expanded: dict[str, Any] = {"aria-expanded": "false"}
    badges = [
        html.Button(
            span(one.text, "tg" if one.agrees else "bg"), type="button",
            className=f"of-{one.units}" if one.units else "", **expanded, **_unfolds(one),
        )
        for one in found
    ]  # fmt: skip
    return [html.Span(badges, className="badges")]


def _unfolds(one: Agreement) -> dict[str, Any]:
    return {"data-why-zh": one.why[0], "data-why-en": one.why[1]}


def _source(note: RuleNote) -> html.Span:
    return both("rules.source", source=note.source)


def rule_notes(fired: Sequence[RuleNote], applicable: int) -> list[Any]:
    """Health rules of a run, folded: how many fire, and each with its numbers, source and false alarms."""
    if not applicable:
        return []
    count = words("rules.count", n=len(fired), of=applicable) if fired else words("rules.none", n=applicable)
    head = html.Summary([html.B(both("rules.title")), " ", html.Span(span(count), className="n")])
    rows = [
        html.Li([
            html.B(note.id), " ", sentence(note.text), " ",
            html.Span([_source(note), " · ", sentence(note.measured)], className="mut"),
        ])
        for note in fired
    ]  # fmt: skip
    body: list[Any] = [html.P(both("rules.about"), className="mut"), *([html.Ul(rows)] if rows else [])]
    return [html.Details([head, *body], className="rules")]
