"""Validation results of a run, one series per data source, variable and statistic."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from data_loaders.derive.config import get
from data_loaders.derive.joined import joined
from data_loaders.derive.settings import config_of
from data_loaders.schema import BoolArray, FloatArray, IntArray, Note, RunData, SegmentPolicy

KEY = re.compile(
    r"val-(?P<level>core|aux)/(?P<dataset>.+)/(?P<variable>[^/]+)/"
    r"(?P<statistic>mean|std|best|worst|maj)@(?P<samples>\d+)(?P<of>/mean|/std)?"
)
OLD_KEY = re.compile(r"(?:val/)?test_score/(?P<dataset>.+)")

KNOWN_ITEMS = (
    (re.compile(r"aime[-_ ]?(?:20)?2[456]", re.IGNORECASE), 30),
    (re.compile(r"math[-_ ]?500", re.IGNORECASE), 500),
)
"""Items of public benchmarks, by data source."""

WHOLE = 0.02
"""How far n · accuracy may be from a whole number of right items."""


class ValidationKey(NamedTuple):
    """What a validation key says; the same under the names of all verl versions."""

    dataset: str
    variable: str
    """`acc`, `reward`, `score`, …"""
    statistic: str
    """`mean@8`, `best@8/mean`, `maj@8/std`, …"""
    samples: int
    """Responses per item, the N of `@N`."""


@dataclass(frozen=True, slots=True)
class Validation:
    """One validation series. Different `@N` are different series."""

    key: str
    """Logged key, the newest of its names."""
    keys: tuple[str, ...]
    """Every name it was logged under in this run."""
    dataset: str
    variable: str
    statistic: str
    samples: int
    core: bool
    """Logged as a main result by verl (`val-core` or the only result of old versions)."""
    step: IntArray
    value: FloatArray
    recovered: BoolArray
    items: int | None
    """Items of the data set where known."""
    correct: IntArray | None
    """Right items at each step, where one response per item makes every value a whole number of `items`."""
    notes: tuple[Note, ...] = ()


def parse_key(key: str) -> ValidationKey | None:
    """None for a key that is no validation result of a data source."""
    if found := KEY.fullmatch(key):
        statistic = f"{found['statistic']}@{found['samples']}{found['of'] or ''}"
        return ValidationKey(found["dataset"], found["variable"], statistic, int(found["samples"]))
    if found := OLD_KEY.fullmatch(key):
        return ValidationKey(found["dataset"], "reward", "mean@1", 1)
    return None


def data_sources(keys: Iterable[str]) -> tuple[str, ...]:
    """Data sources validated on, in order of their keys."""
    return tuple(dict.fromkeys(parsed.dataset for key in keys if (parsed := parse_key(key))))


def validations(data: RunData, policy: SegmentPolicy = "last") -> tuple[Validation, ...]:
    """Every validation series of a run: main results first, then by data source, variable and statistic."""
    names: dict[ValidationKey, list[str]] = defaultdict(list)
    for key in sorted(data.run.keys, key=_age):
        if parsed := parse_key(key):
            names[parsed].append(key)
    uneven = _uneven(names)
    found = (_validation(data, parsed, keys, policy, uneven) for parsed, keys in names.items())
    return tuple(sorted((one for one in found if one is not None), key=_rank))


def main_validation(results: Iterable[Validation]) -> Validation | None:
    """The series to show when one is asked for: accuracy before reward, mean before best and majority.

    Of several `mean@N` the one with most points, then the smallest N: with duplicate prompts the largest N
    is that of the rarest ones.
    """
    means = [one for one in results if one.statistic.startswith("mean@")]
    order = [((one.variable != "acc", -one.step.size, one.samples, not one.core), one) for one in means]
    return min(order, key=lambda pair: pair[0], default=(None, None))[1]


def _age(key: str) -> tuple[int, str]:
    order = ("val-core/", "val-aux/", "val/test_score/", "test_score/")
    return next((at for at, start in enumerate(order) if key.startswith(start)), len(order)), key


def _rank(one: Validation) -> tuple[bool, str, bool, bool, str]:
    mean = one.statistic.startswith("mean@")
    return not one.core, one.dataset, one.variable != "acc", not mean, one.statistic


def _uneven(names: Mapping[ValidationKey, list[str]]) -> Mapping[tuple[str, str], tuple[int, ...]]:
    """The N of `mean@N` by data source and variable, where there are several."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for parsed in names:
        if parsed.statistic.startswith("mean@"):
            groups[parsed.dataset, parsed.variable].append(parsed.samples)
    return {group: tuple(sorted(samples)) for group, samples in groups.items() if len(samples) > 1}


def _validation(
    data: RunData,
    parsed: ValidationKey,
    keys: list[str],
    policy: SegmentPolicy,
    uneven: Mapping[tuple[str, str], tuple[int, ...]],
) -> Validation | None:
    cells = joined(data, keys, policy)
    if cells is None:
        return None
    series = cells.series
    items = _items(data, parsed.dataset)
    samples = uneven.get((parsed.dataset, parsed.variable))
    printed = sorted({step for facts in data.run.facts for step in facts.blocks} & set(series.step.tolist()))
    notes = [
        Note("note.blocks", {"steps": ", ".join(map(str, printed))}) if printed else None,
        Note("note.uneven_groups", {"samples": ", ".join(map(str, samples))}) if samples else None,
        Note("note.renamed", {"keys": ", ".join(cells.keys)}) if len(cells.keys) > 1 else None,
    ]
    return Validation(
        key=cells.keys[0],
        keys=cells.keys,
        dataset=parsed.dataset,
        variable=parsed.variable,
        statistic=parsed.statistic,
        samples=parsed.samples,
        core=not cells.keys[0].startswith("val-aux/"),
        step=series.step,
        value=series.value,
        recovered=series.recovered,
        items=items,
        correct=_correct(parsed, series.value, items) if not samples else None,
        notes=tuple(note for note in notes if note),
    )


def _items(data: RunData, dataset: str) -> int | None:
    given: Mapping[str, int] = data.run.options.get("validation_items") or {}
    if dataset in given:
        return int(given[dataset])
    return _known_items(dataset) or _known_items(_only_file(data))


def _known_items(name: str) -> int | None:
    return next((items for pattern, items in KNOWN_ITEMS if pattern.search(name)), None)


def _only_file(data: RunData) -> str:
    """The validation file when there is but one: AIME may be logged under the name of its reward function."""
    files = get(config_of(data.run), "data.val_files")
    names = [files] if isinstance(files, str) else files or []
    return str(names[0]).rpartition("/")[2] if len(names) == 1 else ""


def _correct(parsed: ValidationKey, value: FloatArray, items: int | None) -> IntArray | None:
    """Right items; None unless one greedy or sampled response per item makes every value a count of them."""
    if parsed.variable != "acc" or parsed.statistic != "mean@1" or not items or not np.isfinite(value).all():
        return None
    right = np.round(value * items)
    if np.any(np.abs(value * items - right) >= WHOLE) or np.any((right < 0) | (right > items)):
        return None
    return right.astype(np.int64)
