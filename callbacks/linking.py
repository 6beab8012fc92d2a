"""Names the client-side functions of assets/: drawing, and what the page says back to the stores."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input, Output, State

from components import ids

ASK_ONCE = "(token, manifest) => manifest && manifest.unread ? token : window.dash_clientside.no_update"


def register(app: Dash) -> None:
    """Figures go to the drawing path, the manifest to chips, tabs and clock; words come before both."""
    app.clientside_callback(
        ClientsideFunction("rlboard", "words"), Output(ids.WORDS, "id"), Input(ids.WORDS, "data")
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "draw"), Output(ids.DRAWN, "data"), Input(ids.FIGURES, "data")
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "page"), Output(ids.PAGE, "title"), Input(ids.PAGE_ANSWER, "data")
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "show"), Output(ids.CHIPS, "title"), Input(ids.AROUND_ANSWER, "data")
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "show"),
        Output(ids.REPORT_BODY, "title"),
        Input(ids.REPORT_ANSWER, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "manifest"), Output(ids.TOLD, "data"), Input(ids.MANIFEST, "data")
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "follow"),
        Output(ids.CONTENT, "data"),
        Output(ids.AROUND, "data"),
        Output(ids.REPORT_OPEN, "data"),
        Input(ids.MANIFEST, "data"),
        Input(ids.TAB, "data"),
        Input(ids.EPISODE, "data"),
        Input(ids.SELECTION, "data"),
        Input(ids.RANGE_SETTLED, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "polling"),
        Output(ids.POLL, "max_intervals"),
        Input(ids.POLL, "disabled"),
        prevent_initial_call=True,
    )
    # A page that opens on unread logs asks for a reading once; later ones are asked for by the poll.
    app.clientside_callback(
        ASK_ONCE,
        Output(ids.LOAD, "data", allow_duplicate=True),
        Input(ids.PAGE_TOKEN, "data"),
        State(ids.MANIFEST, "data"),
        prevent_initial_call="initial_duplicate",
    )
