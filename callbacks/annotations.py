"""Notes of people: written and taken back through two stores; the next look at the board shows them."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input, Output
from dash.exceptions import PreventUpdate

from components import ids
from data_loaders.annotations import RefusedError, annotate, withdraw
from data_loaders.board import BoardReader
from data_loaders.schema import Json


def register(app: Dash, reader: BoardReader) -> None:
    """Wire what a page asks to the file of notes."""

    @app.callback(Output(ids.NOTED, "data"), Input(ids.NOTE_ASKED, "data"), prevent_initial_call=True)
    def note(asked: Json | None) -> Json:
        if not isinstance(asked, dict):
            raise PreventUpdate
        return {"nth": asked.get("nth"), **answer(reader, asked)}

    app.clientside_callback(
        ClientsideFunction("rlboard", "noted"), Output(ids.NOTED, "id"), Input(ids.NOTED, "data")
    )


def answer(reader: BoardReader, asked: Json) -> Json:
    """Do what is asked; `error` is the key of a message when it cannot be done."""
    kept = reader.board().annotations
    if kept.path is None or not kept.writable:
        return {"error": "notes.refused.read_only", "values": {}}
    try:
        if asked.get("do") == "remove":
            known = next((note.id for note in kept.notes if note.id == asked.get("id")), None)
            if known:
                withdraw(kept.path, known)
        else:
            annotate(kept.path, *_wanted(reader, asked))
    except RefusedError as error:
        return {"error": error.key, "values": {}}
    except OSError as error:
        values = {"path": str(kept.path), "why": error.strerror or type(error).__name__}
        return {"error": "notes.refused.disk", "values": values}
    reader.look()
    return {}


def _wanted(reader: BoardReader, asked: Json) -> tuple[str, int, int, str]:
    """Run, steps and text of a note to write. Raises RefusedError."""
    run, start, end, text = (asked.get(name) for name in ("run", "start", "end", "text"))
    if not isinstance(run, str) or all(known.id != run for known in reader.board().runs):
        raise RefusedError("notes.refused.run")
    if type(start) is not int or type(end) is not int:
        raise RefusedError("notes.refused.steps")
    return run, start, end, str(text or "")
