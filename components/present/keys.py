"""What decides whether a page has to be drawn anew: a short key per part of the board."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from components.present.runs import annotations_of, of_track, tracks
from components.present.times import now_of, state_of
from components.tabs import ALGORITHMS, OVERVIEW
from data_loaders.board import Board, BoardRun
from data_loaders.catalog import OTHER


def page_keys(board: Board) -> dict[str, str]:
    """Per tab, a key that changes when anything on its page does; the state of a run is among it."""
    now = now_of(board)

    def told(runs: Iterable[BoardRun]) -> list[tuple[object, ...]]:
        return [
            (run.id, run.content, state_of(run, now).state, [n.id for n in annotations_of(board, run.id)])
            for run in runs
        ]

    every = short((told(board.runs), [str(path) for path in board.unread]))
    keys = {OVERVIEW: every, ALGORITHMS: every}
    for track in tracks(board):
        files = (board.skipped, board.failures) if track.id == OTHER else ()
        keys[track.id] = short((told(of_track(board, track.id)), files))
    return keys


def version(board: Board) -> str:
    """Changes whenever the manifest has something to tell: also when only time made a run late."""
    now = now_of(board)
    return f"{board.version}-{short([state_of(run, now).state for run in board.runs])}"


def short(told: object) -> str:
    """Eight hex digits of what is told, by its text."""
    return f"{zlib.crc32(repr(told).encode('utf-8', 'surrogatepass')):08x}"
