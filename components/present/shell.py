"""Header, filter bar and banners of a board, and what the browser keeps of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from components.present.coverage import reports
from components.present.keys import page_keys, short, version
from components.present.runs import infos, of_track, tracks
from components.present.times import RUNNING, clock_text, now_of, state_of
from components.tabs import ALGORITHMS, OVERVIEW, tabs
from components.text import words
from components.view import Banner, Chip, ShellView
from data_loaders.annotations import Annotations
from data_loaders.board import Board
from data_loaders.held_logs import UNWRITTEN
from data_loaders.news import news
from data_loaders.reading_state import Reading
from data_loaders.schema import Json, Note

SHOWN_EPISODES = 40
"""Most episodes of a run that the browser is told of; the heaviest come first."""


def shell_view(board: Board, active: str, lang: str = "auto") -> ShellView:
    """Everything around the page."""
    now = now_of(board)
    live = [run.view.run.track for run in board.runs if state_of(run, now).state == "live"]
    return ShellView(
        title=board.source.config.title,
        tabs=tabs(((track.id, track.track.title) for track in tracks(board)), Counter(live)),
        active=active,
        lang="en" if lang == "en" else "zh-CN",
        clock=clock_text(board),
        live=bool(live),
        banners=banners(board),
        reports=reports(board),
        version=board.version,
    )


def chips(board: Board, tab: str) -> tuple[Chip, ...]:
    """A chip per label, then one per run without label: of a track on its page, of all runs elsewhere."""
    named, now = infos(board), now_of(board)
    found: dict[str, Chip] = {}
    runs = of_track(board, tab) if tab not in (OVERVIEW, ALGORITHMS) else board.runs
    for run in sorted(runs, key=lambda run: (not run.view.run.label, run.view.run.label, run.id)):
        value = run.view.run.label or run.id
        state = state_of(run, now).state
        if value not in found or (state in RUNNING and not found[value].state):
            found[value] = Chip(value, named[run.id], state if state not in ("ended", "stopped") else "")
    return tuple(found.values())


def banners(board: Board) -> tuple[Banner, ...]:
    """Demo data, roots that cannot be read, and what is wrong in board.toml."""
    shown: list[Banner] = []
    if board.source.demo:
        shown.append(
            Banner(Note("banner.demo"), Note("banner.demo_text"), ("own-logs", Note("banner.own_logs")))
        )
    shown += [
        Banner(Note("banner.root"), Note(root.reason_key, {"path": root.path, **root.values}), bad=True)
        for root in board.missing_roots
    ]
    shown += [
        Banner(Note("banner.config"), Note(problem.key, {**problem.values, "path": problem.path}), bad=True)
        for problem in board.source.problems
    ]
    shown += [Banner(Note("banner.notes"), note, bad=True) for note in _notes(board.annotations)]
    shown += [Banner(Note("banner.remote"), note, bad=note.key == "remote.failed") for note in board.remote]
    shown += [Banner(Note("banner.cache"), note, bad=note.key != "cache.damaged") for note in board.notices]
    return tuple(shown)


def _notes(kept: Annotations) -> Iterator[Note]:
    """What is wrong with the file of people's notes."""
    if kept.error:
        yield Note("banner.notes.unreadable", {"path": str(kept.path), "error": kept.error})
    if kept.unread:
        yield Note("banner.notes.unread", {"path": str(kept.path), "n": kept.unread})


def manifest(board: Board) -> Json:
    """Runs, tabs and states as the page's scripts need them: a few KB."""
    named, now = infos(board), now_of(board)
    runs: list[Json] = []
    for run in board.runs:
        info, record = named[run.id], run.view.run
        heavy = sorted(run.episodes, key=lambda e: -e.severity)[:SHOWN_EPISODES]
        runs.append(
            {
                "key": info.key,
                "id": info.id,
                "label": info.label,
                "name": info.name,
                "slot": info.slot,
                "dash": info.dash,
                "track": info.track,
                "first": record.first,
                "last": record.last,
                "state": state_of(run, now).state,
                "episodes": [
                    {"id": f"{info.id}:{e.start}", "start": e.start, "end": e.end, "severity": e.severity}
                    for e in sorted(heavy, key=lambda e: e.start)
                ],
            }
        )
    return {
        "version": board.version,
        "told": version(board),
        "keys": page_keys(board),
        "around": short(([(named[run.id], state_of(run, now).state) for run in board.runs], banners(board))),
        "demo": board.source.demo,
        "clock": clock_text(board),
        "runs": runs,
        "tabs": [OVERVIEW, ALGORITHMS, *(track.id for track in tracks(board))],
        "unread": len(board.unread),
        "notes": {"writable": board.annotations.writable},
        "news": [[item.name, item.kind, item.label or item.run, item.step, item.end] for item in news(board)],
    }


def reading(state: Reading | None) -> Json:
    """A background reading as the page shows it; empty when there is nothing to tell."""
    if state is None or state.state == "done":
        return {}
    told: dict[str, Any] = {
        "state": state.state,
        "done": state.done,
        "total": state.total,
        "file": state.file,
    }
    if state.error:
        told["error"] = words(state.error, why="") if state.error in UNWRITTEN else [state.error] * 2
    if state.updated > state.started and state.done:
        told["rate"] = state.done / (state.updated - state.started)
        told["left"] = max(state.total - state.done, 0) / told["rate"]
    return told
