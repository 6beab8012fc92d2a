"""The table of all runs follows the settled step range; without a range the page brings it as it is."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output

from components import ids
from components.overview_page import run_section
from components.present import figures
from components.present.overview import run_groups
from data_loaders.board import BoardReader


def register(app: Dash, reader: BoardReader) -> None:
    """Wire the table to the range. It is asked for only while the overview shows it."""

    @app.callback(Output(ids.RUNS, "children"), Input(ids.RANGE_SETTLED, "data"), prevent_initial_call=True)
    def runs_table(steps: list[int] | None) -> Any:
        chosen = figures.span(steps)
        return run_section(run_groups(reader.board(), chosen), chosen)
