"""Reading in the background, and looking for what is new while a page is open.

A first reading and large appends run as a background callback with progress and cancel. The poll looks at the
logs, reads small appends itself and says nothing when nothing changed.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from dash import Dash, Input, Output, State, callback_context, no_update
from dash.exceptions import PreventUpdate

from components import ids
from components.present import shell as present
from data_loaders import reading_state
from data_loaders.board import BoardReader, Progress
from data_loaders.schema import Json


def register(app: Dash, reader: BoardReader) -> None:
    """Wire the background reading, its progress, and the poll."""

    @app.callback(
        Output(ids.MANIFEST, "data"),
        Output(ids.READING, "data", allow_duplicate=True),
        Input(ids.LOAD, "data"),
        State(ids.PAGE_TOKEN, "data"),
        background=True,
        progress=[Output(ids.READING, "data")],
        cancel=[Input(ids.CANCEL, "n_clicks")],
        prevent_initial_call=True,
    )
    def read(set_progress: Callable[[Json], None], request: str | None, token: str) -> tuple[Any, Json]:
        del token  # part of the job's identity: two pages must not share one result
        if not request:
            raise PreventUpdate
        return read_all(reader, lambda reading: set_progress(present.reading(reading)))

    @app.callback(
        Output(ids.MANIFEST, "data", allow_duplicate=True),
        Output(ids.READING, "data", allow_duplicate=True),
        Output(ids.LOAD, "data"),
        Input(ids.POLL, "n_intervals"),
        Input(ids.CANCEL, "n_clicks"),
        Input(ids.RETRY, "n_clicks"),
        State(ids.MANIFEST, "data"),
        State(ids.READING, "data"),
        prevent_initial_call=True,
    )
    def poll(
        _ticks: int, _cancel: int, _retry: int, seen: Json | None, shown: Json | None
    ) -> tuple[Any, Any, Any]:
        triggered = callback_context.triggered_id
        if triggered == ids.CANCEL:
            return no_update, present.reading(cancelled(reader)), no_update
        if triggered == ids.RETRY:
            return no_update, no_update, uuid.uuid4().hex
        return look(reader, seen or {}, shown or {})


def read_all(reader: BoardReader, report: Callable[[reading_state.Reading], None]) -> tuple[Json, Json]:
    """Read everything; manifest and final reading. A failure is told: a job that raises says nothing."""
    reading = reading_state.start(reader.note)
    report(reading)
    last = 0.0

    def progress(at: Progress) -> None:
        nonlocal reading, last
        now = time.time()
        reading = reading._replace(done=at.done, total=at.total, file=at.file, updated=now)
        if now - last >= reading_state.EVERY:
            last = now
            reading_state.write(reader.note, reading)
            report(reading)

    try:
        board = reader.read(progress)
        reading = reading._replace(state="done", done=reading.total, updated=time.time())
        manifest = present.manifest(board)
    except Exception as error:
        reading = reading._replace(
            state="failed", error=f"{type(error).__name__}: {error}", updated=time.time()
        )
        manifest = present.manifest(reader.board())
    reading_state.write(reader.note, reading)
    return manifest, present.reading(reading)


def cancelled(reader: BoardReader) -> reading_state.Reading:
    """Note that the reading was stopped by the reader of the page."""
    reading = reading_state.read(reader.note) or reading_state.Reading("cancelled")
    reading = reading._replace(state="cancelled", updated=time.time())
    reading_state.write(reader.note, reading)
    return reading


def look(reader: BoardReader, seen: Json, shown: Json) -> tuple[Any, Any, Any]:
    """Manifest, reading and request for a reading, each `no_update` unless it changed."""
    board = reader.look()
    reading = reading_state.read(reader.note)
    told = present.reading(reading)
    busy = reading is not None and reading.state == "reading"
    stopped = reading is not None and reading.state in ("cancelled", "failed", "died")
    ask = bool(board.unread) and not busy and not stopped
    return (
        present.manifest(board) if board.version != seen.get("version") else no_update,
        told if told != shown else no_update,
        uuid.uuid4().hex if ask else no_update,
    )
