"""Health rules of a run, tested once per content of its logs and kept on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from data_loaders.derive.rule_tests import Hit
from data_loaders.derive.rules import RULES, Fired, tried
from data_loaders.run_store import derived_once
from data_loaders.schema import Json, RunData

METHOD = "1"
"""Counts up whenever the rules say something else of the same series."""


@dataclass(frozen=True, slots=True)
class Tested:
    """Ids of the rules that a run can be tested by, and the hits of those that fire."""

    applicable: tuple[str, ...] = ()
    hits: tuple[tuple[str, Hit], ...] = ()

    def fired(self, off: Collection[str]) -> Iterator[Fired]:
        """Rules that fire, without those switched off, in the order in which they are told."""
        hits = dict(self.hits)
        return (Fired(rule, hits[rule.id]) for rule in RULES if rule.id in hits and rule.id not in off)


def tested(data: RunData, version: str, cache_dir: Path) -> Tested:
    """What the rules say of a run whose logs have this `version`; a store that fails is passed over."""
    def find() -> Tested:
        each = list(tried(data))
        return Tested(tuple(rule for rule, _ in each), tuple((rule, one.hit) for rule, one in each if one))

    return derived_once(data.run, cache_dir / "rules", (METHOD, version), find, _stored, _loaded)


def _stored(found: Tested) -> Json:
    """JSON has no NaN: floats stand as their text."""
    hits = [
        [rule, hit.step, repr(hit.value), repr(hit.limit), hit.held, hit.last_good]
        for rule, hit in found.hits
    ]
    return {"applicable": found.applicable, "hits": hits}


def _loaded(stored: Json) -> Tested:
    hits = (
        (rule, Hit(step, float(value), float(limit), held, good))
        for rule, step, value, limit, held, good in stored["hits"]
    )
    return Tested(tuple(stored["applicable"]), tuple(hits))
