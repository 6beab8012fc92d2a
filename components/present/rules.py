"""Health rules that fire on a run, as remarks with their numbers."""

from __future__ import annotations

import math
from collections.abc import Collection

from components.text import words
from components.view_remarks import RuleNote
from data_loaders.board import BoardRun
from data_loaders.derive.rules import MEASURED, Fired
from data_loaders.schema import Note


def rule_notes(run: BoardRun, off: Collection[str]) -> tuple[tuple[RuleNote, ...], int]:
    """Remarks of the rules that fire, and the number of rules that the run can be tested by."""
    known = [rule for rule in run.rules.applicable if rule not in off]
    return tuple(_note(one) for one in run.rules.fired(off)), len(known)


def _note(one: Fired) -> RuleNote:
    hit = one.hit
    values = {
        "step": hit.step, "value": hit.value, "limit": hit.limit if math.isfinite(hit.limit) else 0,
        "held": hit.held, "last_good": "—" if hit.last_good is None else hit.last_good,
    }  # fmt: skip
    return RuleNote(one.rule.id, Note(f"rule.{one.rule.id}", values), one.rule.source, measured(one.rule.id))


def measured(rule: str) -> tuple[str, str]:
    """How often a rule fired on real logs of runs that went well, and of runs that collapsed."""
    found = MEASURED.get(rule)
    if found is None:
        return words("rules.unmeasured")
    (wrong, healthy), (right, collapsed) = found
    return words("rules.measured", wrong=wrong, healthy=healthy, right=right, collapsed=collapsed)
