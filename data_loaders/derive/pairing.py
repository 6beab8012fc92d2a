"""Whether two runs saw the same prompts at the same step, so that their differences hold no prompt noise.

verl draws the order of the prompts from `data.seed`; without one the generator starts from a fixed constant,
so two runs share their order as long as data, batch and sampler are the same and no group is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from data_loaders.derive.config import get
from data_loaders.derive.settings import config_of, filtered
from data_loaders.schema import Note, Run


class Condition(NamedTuple):
    """Something the order of the prompts depends on. Message key: `pair.<id>`."""

    id: str
    told: Callable[[Run], str]
    """What holds for a run, as text that two runs must have in common."""


def order_of(run: Run) -> Mapping[str, str] | None:
    """What decides which prompts a run sees at a step, by condition; None without a configuration."""
    return {one.id: one.told(run) for one in CONDITIONS} if config_of(run) else None


def obstacles(one: Run, other: Run) -> tuple[Note, ...]:
    """Why two runs cannot be paired by step; empty when nothing speaks against it."""
    mine, theirs = order_of(one), order_of(other)
    if mine is None or theirs is None:
        return (Note("pair.unknown"),)
    differing = [id_ for id_ in mine if mine[id_] != theirs[id_]]
    return tuple(Note(f"pair.{id_}", {"one": mine[id_], "other": theirs[id_]}) for id_ in differing)


def _setting(*paths: str, default: object = None) -> Callable[[Run], str]:
    def told(run: Run) -> str:
        values = (get(config_of(run), path, default) for path in paths)
        return " ".join(str(value) for value in values)

    return told


def _groups(run: Run) -> str:
    """A run that drops groups draws prompts of its own to refill them: it shares its order with nobody."""
    return run.id if filtered(run.keys) else ""


CONDITIONS: tuple[Condition, ...] = (
    Condition("data", _setting("data.train_files")),
    Condition("batch", _setting("data.train_batch_size")),
    Condition("seed", _setting("data.seed")),
    Condition("shuffle", _setting("data.shuffle", "data.sampler.class_path")),
    Condition("prompts", _setting("data.max_prompt_length", "data.filter_overlong_prompts")),
    Condition("filtering", _groups),
)
