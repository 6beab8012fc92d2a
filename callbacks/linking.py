"""Names the client-side functions of assets/: drawing, and what the page says back to the stores."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input, Output

from components import ids


def register(app: Dash) -> None:
    """Figures go to the drawing path, the manifest to chips, tabs and clock."""
    app.clientside_callback(
        ClientsideFunction("rlboard", "draw"),
        Output(ids.DRAWN, "data"),
        Input(ids.FIGURES, "data"),
        Input(ids.WORDS, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("rlboard", "manifest"),
        Output(ids.SEEN, "data"),
        Input(ids.MANIFEST, "data"),
    )
