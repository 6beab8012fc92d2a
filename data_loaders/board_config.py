"""board.toml: titles, tracks, experiments and colours as the operator wants them.

`EXAMPLE` shows every key. Nothing here is needed: without a file `BoardConfig()` holds. A value that cannot
be used is reported with its key path and what was expected, and everything else still counts.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from data_loaders import catalog
from data_loaders.board_values import (
    BILINGUAL,
    COMMAND,
    COUNT,
    FLAG,
    ITEMS,
    LABEL,
    SCALE,
    SLOT,
    TEXT,
    WINDOW,
    WORDS,
    Kind,
    one_of,
    some_of,
)
from data_loaders.catalog import Bilingual, Track
from data_loaders.derive.rules import RULES

MAX_BYTES = 1 << 20
RESERVED_TABS = ("overview", "algorithms")

EXAMPLE = """\
# Every key may be left out. A text is one string for both languages, or {zh = "…", en = "…"}.

logs = ["archive", "logs"]                 # folders or files, relative to this file
title = {zh = "RL 实验看板", en = "RL Board"}
hardware = "A100-80GB"                     # shown where a track has no hardware line of its own
rules_off = ["R39"]                        # health rules that are not applied

[tracks.2b]                                # changes a track that exists: 2b, 4b, multimodal, other
hardware = {zh = "2×A100-80GB，非思考模式", en = "2×A100-80GB, non-thinking"}
response_cap = 16384                       # tokens; dashed line in the length chart
window = [1, 129]                          # steps that all runs of the comparison share
reward_scale = [-1, 1]                     # lowest and highest reward of one answer
validation_key = "val-core/aime_2024/acc/mean@1"
validation_items = {aime_2024 = 30, math_500 = 500}
notes = {zh = "E1 的续训日志尚未并入。", en = "The resumed log of **E1** is not merged yet."}

[tracks.7b]                                # adds a track
title = {zh = "7B 训练", en = "7B training"}
match = ["7b"]                             # words in run names, folders and model paths

[tracks.4b]
heading = {zh = "4B 训练监控", en = "4B training monitor"}
model = "Qwen3.5-4B"

[experiments.e3_drgrpo_2b]                 # named by folder, or by file where files lie side by side
label = "E3"
track = "2b"
algorithm = "dr_grpo"
colour = 3                                 # 1 to 5
title = {zh = "去掉标准差与长度归一", en = "no std, no length normalisation"}
notes = "Markdown."
response_cap = 16384                       # and every other measure of a track

[experiments.scratch]
hidden = true

[colours]                                  # by label
E6 = 2

[hooks]                                    # only with --allow-hooks, and when this file is nobody else's
command = ["/usr/local/bin/tell-us", "rl"] # gets each grave episode, crash and end as JSON on standard input
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in board.toml that is not used. `values` fill the message `key`."""

    file: str
    path: str
    """Key path such as `tracks.2b.window`; empty for the file itself."""
    key: str
    """`config.wrong` (expected, got), `config.unknown`, `config.near` (near), `config.unreadable` (error)."""
    values: Mapping[str, str]

    def __str__(self) -> str:
        place = f"{self.file}: {self.path}" if self.path else self.file
        if self.key == "config.wrong":
            return f"{place}: expected {self.values['expected']}, got {self.values['got']}"
        if self.key == "config.near":
            return f"{place}: unknown key, did you mean {self.values['near']}?"
        return f"{place}: {self.values.get('error', 'unknown key')}"


class ConfigError(Exception):
    """board.toml has problems; the message lists all of them."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How values are to be read: set for a track, or for one run where it differs. None: not said."""

    hardware: Bilingual | None = None
    response_cap: int | None = None
    """Tokens."""
    window: tuple[int, int] | None = None
    """First and last step of the aligned comparison."""
    reward_scale: tuple[float, float] | None = None
    """Lowest and highest reward of one answer."""
    validation_key: str | None = None
    """Logged key of the primary validation."""
    validation_items: Mapping[str, int] | None = None
    """Number of items by data source, the part of a validation key between `val-core/` and the variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackConfig(Measures):
    """A track of the catalogue or of board.toml, with what board.toml says of it."""

    track: Track
    notes: Bilingual | None = None
    """Markdown."""

    @property
    def id(self) -> str:
        return self.track.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentConfig(Measures):
    """What board.toml says of one experiment. None: not said."""

    id: str
    label: str | None = None
    track: str | None = None
    algorithm: str | None = None
    colour: int | None = None
    """Slot 1 to 5."""
    title: Bilingual | None = None
    """One-line character."""
    notes: Bilingual | None = None
    """Markdown."""
    hidden: bool = False


def _catalogue() -> tuple[TrackConfig, ...]:
    return tuple(TrackConfig(track=track) for track in catalog.TRACKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardConfig:
    """board.toml with the catalogue filled in."""

    path: Path | None = None
    logs: tuple[Path, ...] = ()
    """Roots, absolute."""
    title: Bilingual = ("RL 实验看板", "RL Board")
    hardware: Bilingual | None = None
    tracks: tuple[TrackConfig, ...] = field(default_factory=_catalogue)
    """In page order; `other` comes last."""
    experiments: Mapping[str, ExperimentConfig] = field(default_factory=dict)
    colours: Mapping[str, int] = field(default_factory=dict)
    """Slot 1 to 5 by label."""
    command: tuple[str, ...] = ()
    """Program and arguments to run for each event; see `app.hooks`."""
    rules_off: tuple[str, ...] = ()
    """Ids of `derive.rules.RULES` that are not applied."""

    def options(self, track: str, experiment: str, label: str) -> dict[str, Any]:
        """What is said of a run: measures (its own before its track's), title, notes and colour slot.

        Only keys that are set: the fields of `Measures`, `title`, `notes`, `slot`.
        """
        own = self.experiments.get(experiment)
        measured: list[Measures] = [t for t in self.tracks if t.id == track]
        if own is not None:
            measured.append(own)
        names = Measures.__dataclass_fields__
        options = {n: value for m in measured for n in names if (value := getattr(m, n)) is not None}
        options |= {"slot": self.colours[label]} if label in self.colours else {}
        if own is not None:
            said = {"title": own.title, "notes": own.notes, "slot": own.colour}
            options |= {name: value for name, value in said.items() if value is not None}
        return options


def load_config(path: Path) -> BoardConfig:
    """Read a board.toml. Raises `ConfigError` when anything in it is wrong."""
    config, problems = read_config(path)
    if problems:
        raise ConfigError(problems)
    return config


def read_config(path: Path) -> tuple[BoardConfig, tuple[Problem, ...]]:
    """Read what can be used of a board.toml, and say what cannot. Never raises."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES} bytes")
        table = tomllib.loads(data.decode())
    except (OSError, ValueError, RecursionError) as error:
        text = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return BoardConfig(path=path), (Problem(path.name, "", "config.unreadable", {"error": text}),)
    reading = _Reading(path.name, [])
    return _board(table, path, reading), tuple(reading.problems)


@dataclass(frozen=True, slots=True)
class _Reading:
    file: str
    problems: list[Problem]

    def wrong(self, path: str, expected: str, value: object, choices: tuple[str, ...] = ()) -> None:
        if near := difflib.get_close_matches(str(value).lower(), choices, 1, 0.6):
            expected = f'"{near[0]}"'
        got = json.dumps(value, ensure_ascii=False, default=str)
        got = got if len(got) <= 60 else got[:59] + "…"
        self.problems.append(Problem(self.file, path, "config.wrong", {"expected": expected, "got": got}))

    def unknown(self, path: str, key: str, known: Mapping[str, object]) -> None:
        near = difflib.get_close_matches(key, known, 1, 0.6)
        self.problems.append(
            Problem(self.file, path, "config.near", {"near": near[0]})
            if near
            else Problem(self.file, path, "config.unknown", {})
        )

    def values(self, table: Mapping[str, Any], path: str, kinds: Mapping[str, Kind]) -> dict[str, Any]:
        """The values of a table that are known and right."""
        values = {}
        for key, value in table.items():
            place = _join(path, key)
            if key not in kinds:
                self.unknown(place, key, kinds)
                continue
            try:
                values[key] = kinds[key].read(value)
            except ValueError:
                self.wrong(place, kinds[key].expected, value, kinds[key].choices)
        return values

    def tables(self, table: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
        """The sub-tables of a table, such as `2b` of `tracks`."""
        value = table.get(name, {})
        if not isinstance(value, dict):
            self.wrong(name, f"[{name}.…]", value)
            return {}
        for key, entry in value.items():
            if not isinstance(entry, dict):
                self.wrong(_join(name, key), f"[{_join(name, key)}]", entry)
        return {key: entry for key, entry in value.items() if isinstance(entry, dict)}


def _join(path: str, key: str) -> str:
    key = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
    return f"{path}.{key}" if path else key


MEASURES = {
    "hardware": BILINGUAL,
    "response_cap": COUNT,
    "window": WINDOW,
    "reward_scale": SCALE,
    "validation_key": TEXT,
    "validation_items": ITEMS,
}
OF_TRACK = {"title": BILINGUAL, "heading": BILINGUAL, "model": TEXT, "match": WORDS}
TRACK = OF_TRACK | {"notes": BILINGUAL} | MEASURES
EXPERIMENT = {
    "label": LABEL,
    "colour": SLOT,
    "title": BILINGUAL,
    "notes": BILINGUAL,
    "hidden": FLAG,
} | MEASURES
HOOKS = {"command": COMMAND}
RULE_IDS = tuple(rule.id for rule in RULES)
BOARD = {
    "logs": WORDS._replace(expected='["archive", "logs"]'),
    "title": BILINGUAL,
    "hardware": BILINGUAL,
    "rules_off": some_of(RULE_IDS),
}


def _board(table: Mapping[str, Any], path: Path, reading: _Reading) -> BoardConfig:
    nested = ("tracks", "experiments", "colours", "hooks")
    flat = {key: value for key, value in table.items() if key not in nested}
    for key in [key for key in flat if key not in BOARD]:
        reading.unknown(_join("", key), key, BOARD | dict.fromkeys(nested))
        del flat[key]
    values = reading.values(flat, "", BOARD)
    values["logs"] = tuple(_root(path.parent, name) for name in values.get("logs", ()))
    tracks = _tracks(reading.tables(table, "tracks"), reading)
    colours = table.get("colours", {})
    if not isinstance(colours, dict):
        reading.wrong("colours", "[colours]", colours)
        colours = {}
    hooks = table.get("hooks", {})
    if not isinstance(hooks, dict):
        reading.wrong("hooks", "[hooks]", hooks)
        hooks = {}
    return BoardConfig(
        path=path,
        command=reading.values(hooks, "hooks", HOOKS).get("command", ()),
        tracks=tracks,
        experiments=_experiments(reading.tables(table, "experiments"), tracks, reading),
        colours=reading.values(colours, "colours", dict.fromkeys(colours, SLOT)),
        **values,
    )


def _root(folder: Path, name: str) -> Path:
    """A root as an absolute path; links are resolved by the scan."""
    path = Path(name)
    with suppress(RuntimeError):  # no home folder: the scan reports the root as missing
        path = path.expanduser()
    return folder.absolute() / path


def _tracks(tables: Mapping[str, Mapping[str, Any]], reading: _Reading) -> tuple[TrackConfig, ...]:
    tracks = {entry.id: entry for entry in _catalogue()}
    for id_, table in tables.items():
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,23}", id_) or id_ in RESERVED_TABS:
            reading.wrong(_join("tracks", id_), "an id of a-z, 0-9, - and _ that is no other tab's", id_)
            continue
        values = reading.values(table, _join("tracks", id_), TRACK)
        of_track = {key: values.pop(key) for key in OF_TRACK if key in values}
        if "match" in of_track:
            words = of_track.pop("match")
            of_track |= {"names": words, "contents": words}
        entry = tracks.get(id_) or _new_track(id_, of_track)
        tracks[id_] = replace(entry, track=replace(entry.track, **of_track), **values)
    last = tracks.pop(catalog.OTHER, None)
    return (*tracks.values(), *([last] if last else []))


def _new_track(id_: str, given: Mapping[str, Any]) -> TrackConfig:
    title = given.get("title", (f"{id_.upper()} 训练", f"{id_.upper()} training"))
    return TrackConfig(track=Track(id=id_, title=title, heading=title))


def _experiments(
    tables: Mapping[str, Mapping[str, Any]], tracks: tuple[TrackConfig, ...], reading: _Reading
) -> dict[str, ExperimentConfig]:
    kinds = EXPERIMENT | {
        "track": one_of(tuple(track.id for track in tracks)),
        "algorithm": one_of(tuple(algorithm.id for algorithm in catalog.ALGORITHMS)),
    }
    return {
        id_: ExperimentConfig(id=id_, **reading.values(table, _join("experiments", id_), kinds))
        for id_, table in tables.items()
    }
