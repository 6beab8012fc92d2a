"""The configuration of a run, and the settings in which runs differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from components.detail_view import (
    ConfigView,
    DetectionView,
    Difference,
    DifferencesView,
    Kind,
    PartView,
    Setting,
)
from components.numbers import NONE
from components.text import TEXT, joined, said
from components.view import RunInfo, Sentence
from data_loaders.board import BoardRun
from data_loaders.derive.algorithm import Detected, Part
from data_loaders.derive.config import ABSENT, difference, flatten, value_text
from data_loaders.derive.secrets import MASK, mask_secrets
from data_loaders.schema import Note, Run

LONGEST = 2000
"""Characters of a value that are shown."""
PLACE = re.compile(r"(?:~|\.{0,2})/|[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z]:\\")
"""How a path or an address starts."""
KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"(?:^|[._])(?:dir|path|files?)$"), "path"),
    (re.compile(r"(?:^|\.)(?:experiment|project|group|run)_name$"), "name"),
)
"""Settings whose texts are a place or a name, whatever they look like."""


BY_WEIGHT: tuple[Kind, ...] = ("secret", "path", "name")


def config_view(run: BoardRun) -> ConfigView:
    """Every setting of a run, by path."""
    record = run.view.run
    shown = _masked(record.config)
    return ConfigView(
        source=Note(f"config.source.{record.config_source}", {"file": _file(record)}),
        detection=_detection(run.detected),
        settings=tuple((path, _setting(path, shown[path])) for path in sorted(shown)),
    )


def differences_view(runs: Sequence[BoardRun], named: Mapping[str, RunInfo]) -> DifferencesView:
    """Settings that are not equal in all of `runs`. Of a bare command line only what it names counts."""
    found = [(named[run.id], run.view.run) for run in runs]
    known = [(info, record) for info, record in found if record.config]
    configs = [record.config for _, record in known]
    partial = [record.config_source == "overrides" for _, record in known]
    shown = [_masked(config) for config in configs]
    paths = set().union(*(flatten(config) for config in configs))
    parents = {path[:at] for path in paths for at, sign in enumerate(path) if sign == "."}
    rows = tuple(
        _difference(path, cells, shown, partial)
        for path, cells in difference(configs).items()
        if path not in parents and _differ(path, cells, partial)  # of `{}` and `{a: 1}` the row of `a` tells
    )
    return DifferencesView(
        runs=tuple(info for info, _ in known),
        rows=rows,
        same=len(paths - parents) - len(rows),
        without=tuple(info for info, record in found if not record.config),
        partial=tuple(info for (info, _), bare in zip(known, partial, strict=True) if bare),
    )


def _differ(path: str, cells: Sequence[Any], partial: Sequence[bool]) -> bool:
    """Whether cells differ among those that say something."""
    stated = [
        {} if cell is ABSENT else {path: cell}
        for cell, bare in zip(cells, partial, strict=True)
        if not (bare and cell is ABSENT)
    ]
    return bool(difference(stated))


def _difference(
    path: str, cells: Sequence[Any], shown: Sequence[Mapping[str, Any]], partial: Sequence[bool]
) -> Difference:
    made: list[Setting | Literal["value.absent", "value.unstated"]] = []
    for cell, masked, bare in zip(cells, shown, partial, strict=True):
        if cell is ABSENT:
            made.append("value.unstated" if bare else "value.absent")
        else:
            # A secret may stand above this path: then the path itself is not among what may be shown.
            made.append(_setting(path, masked.get(path, MASK)))
    found = {cell.kind for cell in made if isinstance(cell, Setting)}
    return Difference(path, tuple(made), next((kind for kind in BY_WEIGHT if kind in found), ""))


def _masked(config: Mapping[str, Any]) -> dict[str, Any]:
    return flatten(mask_secrets(config))


def _setting(path: str, value: Any) -> Setting:
    text = value_text(value)
    return Setting(text[:LONGEST], _kind(path, value), max(0, len(text) - LONGEST))


def _kind(path: str, value: Any) -> Kind:
    items = value if isinstance(value, list | tuple) else [value]
    texts = [item for item in items if isinstance(item, str)]
    if any(MASK in text for text in texts):
        return "secret"
    by_key: Kind = next((kind for pattern, kind in KINDS if texts and pattern.search(path)), "")
    return "path" if any(PLACE.match(text) for text in texts) else by_key


def _file(run: Run) -> str:
    """Name of the file that the configuration stands in; of hydra's with its folders."""
    parts = run.config_file.rsplit("/", 3)
    return "/".join(parts[-3:] if run.config_source == "hydra" else parts[-1:])


def recognised(run: BoardRun) -> Note:
    """What the run trains with, a departure from it included, and what that is known from."""
    detected, source = run.detected, run.view.run.config_source
    known = source if detected.confidence == "config" and source else detected.confidence
    words: list[Sentence] = [(detected.name,) * 2, *([Note(detected.variant)] if detected.variant else [])]
    name = joined([said(word) for word in words], "，", ", ")
    return Note(f"config_from.{known}", {"name": name})


def _detection(detected: Detected) -> DetectionView:
    remarks, warnings = _split(detected.flags)
    return DetectionView(
        name=detected.name,
        variant=Note(detected.variant) if detected.variant else None,
        confidence=f"confidence.{detected.confidence}",
        estimator=detected.estimator,
        parts=tuple(PartView(_part(part), f"part_state.{part.state}") for part in detected.parts),
        remarks=remarks,
        warnings=warnings,
    )


def _split(flags: Iterable[Note]) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    flags = tuple(flags)
    return (
        tuple(flag for flag in flags if not flag.key.startswith("warning.")),
        tuple(flag for flag in flags if flag.key.startswith("warning.")),
    )


def _part(part: Part) -> Note:
    """Name of a part; one that is off has no values to tell."""
    name = f"{part.key}.name"
    if part.state == "off" and name in TEXT:
        return Note(name)
    return Note(part.key, {key: NONE if value is None else value for key, value in part.values.items()})
