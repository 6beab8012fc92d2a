"""How a run looks: hue, dash and mark. They belong to the experiment, never to a place in a list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from dash import html

from components.view import SHORT, RunInfo
from data_loaders.catalog import ALGORITHMS, style
from data_loaders.scan.grouping import name_time
from data_loaders.schema import Run

SLOTS = 5
DASHES = 3
MARKS = ("", " open", " open dot")
"""Classes of the mark of each dash: full, hollow, hollow with a dot."""
LONGEST = 20
"""Characters of a run's name in a table."""
HIDDEN: dict[str, Any] = {"aria-hidden": "true"}
Look = tuple[int, int]
"""Hue 1 to 5; dash 0 solid, 1 dashed, 2 dotted."""


def run_key(run_id: str) -> str:
    """Short name of a run for element ids and trace uids: `r` and five hex digits."""
    return "r" + hashlib.sha1(run_id.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:5]


def uid(info: RunInfo, role: str) -> str:
    """`e3_ma_r3f2a`; plotly writes it into the class of the trace, where style sheets find it."""
    return f"e{info.slot}_{role}_{info.key}"


def looks(runs: Iterable[Run]) -> dict[str, Look]:
    """Look of every run, by id.

    A label decides, and a hue of board.toml before it. A second run of a label on the same track, and a run
    without label whose look is taken there, get the next free one; a track with more than 15 runs repeats.
    Earlier runs choose first, so that none changes its look when a later one joins; only a run without label
    gives way to a label.
    """
    taken: dict[str, set[Look]] = {}
    found: dict[str, Look] = {}
    for run in sorted(runs, key=lambda run: (not run.label, _start(run), run.id)):
        used = taken.setdefault(run.track, set())
        wanted = _wanted(run)
        nearest = _following(wanted, bool(run.label))
        found[run.id] = next((look for look in nearest if look not in used), wanted)
        used.add(found[run.id])
    return found


def run_info(run: Run, look: Look) -> RunInfo:
    """The record of a run that every component takes."""
    return RunInfo(
        key=run_key(run.id),
        id=run.id,
        label=run.label,
        name=algorithm_name(run.algorithm),
        slot=look[0],
        dash=look[1],
        track=run.track,
        algorithm=run.algorithm,
    )


def algorithm_name(algorithm: str) -> str:
    """Name of an algorithm by its id."""
    return next((entry.name for entry in ALGORITHMS if entry.id == algorithm), algorithm)


def mark(info: RunInfo) -> html.I:
    """The coloured sign of a run; decoration beside its label."""
    return html.I(className=f"sym e{info.slot}{MARKS[info.dash]}", **HIDDEN, **look_of(info))


def look_of(info: RunInfo) -> dict[str, Any]:
    """Says whose hue an element carries: a page coloured by a setting shows it in another."""
    return {"data-look": info.key}


def run_name(info: RunInfo) -> html.Span:
    """Mark, label and algorithm; of a long id both ends, as ids begin alike."""
    named = [html.Span(info.name, className="nm")] if info.name else []
    title = info.title
    if len(title) > LONGEST:
        title = f"{title[: LONGEST - SHORT - 1]}…{title[-SHORT:]}"
    return html.Span([mark(info), html.B(title, title=info.title), *named], className="rn")


def _start(run: Run) -> float:
    """When a run began, epoch seconds: by the name of its first log, else by its first time stamp, else 0."""
    by_name = name_time(run.logs[0].rsplit("/", 1)[-1]) if run.logs else None
    clock = run.facts[0].clock_start if run.facts else None
    return by_name or clock or 0.0


def _wanted(run: Run) -> Look:
    slot, dash = style(run.label) or _by_id(run.id)
    chosen: Mapping[str, object] = run.options
    own = chosen.get("slot")
    return (own, dash) if isinstance(own, int) else (slot, dash)


def _by_id(run_id: str) -> Look:
    return int(run_key(run_id)[1:], 16) % SLOTS + 1, 0


def _following(look: Look, keep_hue: bool) -> list[Look]:
    """Looks to try, nearest first: the same hue with other dashes, or other hues first."""
    slot, dash = look
    dashes = [(dash + n) % DASHES for n in range(DASHES)]
    hues = [(slot - 1 + n) % SLOTS + 1 for n in range(SLOTS)]
    if keep_hue:
        return [(s, d) for s in hues for d in dashes]
    return [(s, d) for d in dashes for s in hues]
