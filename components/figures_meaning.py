"""The remark beside a chart whose runs mean different things by the same name."""

from __future__ import annotations

from collections.abc import Iterable

from components.text import words
from components.view import ChartRun
from data_loaders.derive.comparability import Shown, differences
from data_loaders.schema import Json


def meaning_badges(shown: Iterable[tuple[ChartRun, Shown]]) -> list[Json]:
    """At most one remark; the page's script shows it while runs that differ are in view.

    `differs` holds per aspect its name, what follows, and by run what holds for it.
    """
    found = differences({run.info.key: one for run, one in shown})
    if not found:
        return []
    told = [
        {
            "name": list(words(f"differs.{one.aspect.id}")),
            "why": list(words(f"differs.{one.aspect.id}.why")),
            "of": {key: list(words(note.key, **note.values)) for key, note in one.values.items()},
        }
        for one in found
    ]
    return [{"kind": "caveat", "text": list(words("differs")), "title": ["", ""], "differs": told}]
