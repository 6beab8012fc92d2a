"""Health rules of a run, tested once per content of its logs and kept on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from data_loaders.derive.rule_tests import Hit
from data_loaders.derive.rules import RULES, Fired, tried
from data_loaders.episode_store import replace_file
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
    logs = "\0".join((data.run.id, *data.run.logs))
    name = hashlib.sha256(logs.encode("utf-8", "surrogatepass")).hexdigest()
    path = cache_dir / "rules" / f"{name[:32]}.json"
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored = orjson.loads(path.read_bytes())
        if (stored["method"], stored["version"]) == (METHOD, version):
            return _loaded(stored)
    each = list(tried(data))
    found = Tested(tuple(rule for rule, _ in each), tuple((rule, one.hit) for rule, one in each if one))
    with suppress(OSError):
        replace_file(path, orjson.dumps({"method": METHOD, "version": version, **_stored(found)}))
    return found


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
