"""One look at the ends of a file: is it a log, when did it start, and what does it say of its run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from data_loaders.formats import find_loader
from data_loaders.read import head_tail

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
RAY_PREFIX = re.compile(r"(?m)^\([^()\n]*pid=[^()\n]*\) ?")
CLOCK = re.compile(r"(20(?<!\d20)\d\d)[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(?!\d)")
"""Begins with plain text, which is searched for much faster than a look behind."""

KEYS = {
    "experiment": ("experiment_name", "trainer.experiment_name"),
    "project": ("project_name", "trainer.project_name"),
    "estimator": ("adv_estimator", "algorithm.adv_estimator"),
    "loss_mode": ("loss_mode", "actor_rollout_ref.actor.policy_loss.loss_mode"),
    "data": ("train_files", "data.train_files"),
}
"""Per hint, the key in the printed config and in the logged command line."""

MODEL_OVERRIDES = ("actor_rollout_ref.model.path", "model.path", "model.partial_pretrain")
MODEL_SPAN = 6000
"""Characters of the config in which the model's path stands after the start of the actor's model section."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What the ends of a file tell. `format` is the name of its loader, None when none knows it."""

    format: str | None
    hints: Mapping[str, str] = field(default_factory=dict)
    """See `content_hints`."""
    clock: float | None = None
    """Epoch seconds of the first time stamp, read as UTC."""


def probe_log(path: Path) -> Probe:
    """Look at the first and last 256 KB. Raises OSError."""
    head, tail = head_tail(path)
    loader = find_loader(head, tail, path.name)
    if loader is None:
        return Probe(None)
    text = RAY_PREFIX.sub("", ANSI.sub("", head.decode("utf-8", "replace")))
    return Probe(loader.name, content_hints(text), first_clock(text))


def first_clock(text: str) -> float | None:
    """Epoch seconds of the first time stamp with a date, read as UTC."""
    for found in CLOCK.finditer(text):
        try:
            return datetime(*map(int, found.groups()), tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
        except ValueError:  # 2026-13-41
            continue
    return None


def content_hints(text: str) -> dict[str, str]:
    """What the start of a log says of its run; no key for what it does not say.

    Keys are `experiment`, `project`, `estimator`, `loss_mode`, `data` (training files) and `model` (path).
    The printed config is believed before the command line. `text` has no Ray prefixes and no colours.
    """
    hints = {hint: _first(_printed(text, key), _given(text, path)) for hint, (key, path) in KEYS.items()}
    hints["model"] = _first(_printed_model(text), *(_given(text, path) for path in MODEL_OVERRIDES))
    return {hint: value for hint, value in hints.items() if value}


def _first(*values: Iterator[str]) -> str:
    return next((value for some in values for value in some), "")


def _printed(text: str, key: str) -> Iterator[str]:
    """Values of a key in a printed Python dict, first of a list."""
    if f"'{key}'" not in text:
        return iter(())
    return (m[1] for m in re.finditer(rf"'{key}':\s*\[?\s*['\"]([^'\"\n]{{1,300}})['\"]", text))


def _given(text: str, path: str) -> Iterator[str]:
    """Values of a `key=value` word; shell variables that were echoed unexpanded are none."""
    if f"{path}=" not in text:
        return iter(())
    value = r"\[?['\"]?([^\s'\",\]$\[][^\s'\",\]]{0,299})"
    return (m[1] for m in re.finditer(rf"(?<![\w.]){re.escape(path)}={value}", text))


def _printed_model(text: str) -> Iterator[str]:
    """Path of the actor's model; other sections of the config have paths of the same name."""
    section = text.find("'actor_rollout_ref'")
    start = re.compile(r"'model':\s*\{").search(text, section) if section >= 0 else None
    yield from _printed(text[start.end() : start.end() + MODEL_SPAN], "path") if start else ()
    yield from _printed(text, "partial_pretrain")
