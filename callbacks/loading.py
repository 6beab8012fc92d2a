"""Reading in the background, and looking for what is new while a page is open.

A first reading and large appends run as a background callback. It leaves its progress in a note on disk, so
every page of every process sees the same reading, and one reading serves them all. The poll looks at the
logs, reads small appends itself and says nothing when nothing changed; a page waits for its answer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dash import Dash, Input, Output, State, callback_context, no_update
from dash.exceptions import PreventUpdate

from callbacks.shared import SharedAnswers
from components import ids
from components.present import shell as present
from components.present.keys import version
from data_loaders import reading_state
from data_loaders.board import Board, BoardReader, Progress
from data_loaders.held_logs import UNWRITTEN
from data_loaders.reading_state import Reading
from data_loaders.schema import Json

YOUNG = 0.5
"""Seconds for which the look of one page serves the others."""


class CancelledError(Exception):
    """A reader of a page wants the reading to stop."""


def register(app: Dash, reader: BoardReader) -> None:
    """Wire the background reading, its progress, its buttons, and the poll."""

    @app.callback(
        Output(ids.READING, "data", allow_duplicate=True),
        Input(ids.LOAD, "data"),
        State(ids.PAGE_TOKEN, "data"),
        background=True,
        progress=[Output(ids.READING, "data")],
        interval=400,
        prevent_initial_call=True,
    )
    def read(set_progress: Callable[[Json], None], request: str | None, token: str) -> Json:
        del token  # part of the job's identity: two pages must not share one result
        if not request:
            raise PreventUpdate
        asked = reading_state.asked_at(request)
        return present.reading(read_all(reader.anew(), lambda now: set_progress(present.reading(now)), asked))

    manifests = SharedAnswers(4)

    @app.callback(
        Output(ids.MANIFEST, "data"),
        Output(ids.READING, "data", allow_duplicate=True),
        Output(ids.LOAD, "data"),
        Input(ids.POLL, "n_intervals"),
        State(ids.TOLD, "data"),
        State(ids.READING, "data"),
        running=[(Output(ids.POLL, "disabled"), True, False)],
        prevent_initial_call=True,
    )
    def poll(_ticks: int, told: str | None, shown: Json | None) -> tuple[Any, Any, Any]:
        answer = look(reader, told, shown, manifests)
        if all(part is no_update for part in answer):
            raise PreventUpdate
        return answer

    @app.callback(
        Output(ids.READING, "data", allow_duplicate=True),
        Output(ids.LOAD, "data", allow_duplicate=True),
        Input(ids.CANCEL, "n_clicks"),
        Input(ids.RETRY, "n_clicks"),
        prevent_initial_call=True,
    )
    def buttons(_cancel: int | None, _retry: int | None) -> tuple[Any, Any]:
        if callback_context.triggered_id == ids.RETRY:
            return no_update, reading_state.request()
        with suppress(OSError):
            reading_state.cancel(reader.note)
        return present.reading(reading_state.read(reader.note)), no_update


def read_all(
    reader: BoardReader, report: Callable[[Reading], None], asked: float = math.inf
) -> Reading | None:
    """Read everything, and say how it ended: a job that raises says nothing.

    What another one reads, or somebody cancelled after it was `asked` for (epoch seconds), is not begun.

    `report` gets the state at once and then every fraction of a second.
    """
    try:
        reading = reading_state.start(reader.note, asked)
    except OSError as error:
        return Reading("failed", error=str(error), updated=time.time())
    if reading is None:
        return reading_state.read(reader.note)
    report(reading)
    now, last = reading, 0.0

    def progress(at: Progress) -> None:
        nonlocal now, last
        moment = time.time()
        if moment - last < reading_state.EVERY:
            return
        last = moment
        if reading_state.is_cancelled(reader.note, reading):
            raise CancelledError
        now = now._replace(done=at.done, total=at.total, file=at.file, updated=moment)
        note(reader, now)
        report(now)

    try:
        now = ended(now, reader.read(progress))
    except CancelledError:
        now = now._replace(state="cancelled")
    except Exception as error:
        now = now._replace(state="failed", error=f"{type(error).__name__}: {error}")
    now = now._replace(updated=time.time())
    note(reader, now)
    return now


def ended(reading: Reading, board: Board) -> Reading:
    """How a reading ended that came through: what the cache did not take is not handed over."""
    keys = [notice.key for notice in board.notices]
    reading = reading._replace(notices=tuple(key for key in keys if key not in UNWRITTEN))
    refused = next((key for key in keys if key in UNWRITTEN), "")
    return reading._replace(state="failed", error=refused) if refused else reading._replace(state="done")


def note(reader: BoardReader, reading: Reading) -> None:
    """Leave the state for others; a full disk is told by the board's own notice."""
    with suppress(OSError):
        reading_state.write(reader.note, reading)


def look(
    reader: BoardReader, told: str | None, shown: Json | None, manifests: SharedAnswers
) -> tuple[Any, Any, Any]:
    """Manifest, reading and request for a reading, each `no_update` unless it has to change.

    `told` is the version of the manifest that the page has, `shown` the reading it shows.
    """
    reading = reading_state.read(reader.note)
    state = reading.state if reading is not None else "done"
    board = reader.look(age=YOUNG)
    if board.unread and state == "done":
        board = reader.look()  # it may just have been read
    blocked = any(notice.key in UNWRITTEN for notice in board.notices)
    now = present.reading(reading) if state == "reading" or board.unread else {}
    name = version(board)
    return (
        manifests.get(name, lambda: present.manifest(board)) if name != told else no_update,
        now if now != (shown or {}) else no_update,
        reading_state.request() if board.unread and state == "done" and not blocked else no_update,
    )
