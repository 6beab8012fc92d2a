"""The drawer of a run: answered when it is opened, never while it is shut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dash import Dash, Input, Output, State
from dash.exceptions import PreventUpdate

from components import detail, ids
from components.detail_config import config, differences
from components.detail_metrics import metrics
from components.detail_raw import raw
from components.present.coverage import run_reports
from components.present.detail import Opened, opened, raw_view
from components.present.detail_config import config_view, differences_view
from components.present.detail_metrics import metrics_view
from components.report import reading
from components.tree import tree
from data_loaders.board import Board, BoardReader
from data_loaders.schema import Json

SHOW = "(answer) => { window.rlboard.showDetail(answer); return window.dash_clientside.no_update; }"

PARTS: Mapping[str, Callable[[Opened], list[Any]]] = {
    "config": lambda asked: config(config_view(asked.run)),
    "differences": lambda asked: differences(differences_view(asked.compared, asked.named)),
    "everywhere": lambda asked: differences(differences_view(asked.everywhere, asked.named)),
    "metrics": lambda asked: metrics(metrics_view(asked.run.view)),
    "reading": lambda asked: reading(run_reports(asked.board, asked.run)),
    "raw": lambda asked: raw(raw_view(asked)),
}


def register(app: Dash, reader: BoardReader) -> None:
    """Wire the drawer to what it is opened for."""

    @app.callback(
        Output(ids.DETAIL_ANSWER, "data"),
        Input(ids.DETAIL_ASKED, "data"),
        State(ids.SHOWN, "data"),
        State(ids.RANGE_SETTLED, "data"),
        prevent_initial_call=True,
    )
    def answer(asked: Json | None, shown: list[str] | None, steps: list[int] | None) -> Json:
        if not asked:
            raise PreventUpdate
        title, body = drawer(reader.look(age=1.0), asked, {"exp": shown}, steps)
        return {"nth": asked.get("nth"), "title": tree(title), "body": tree(body)}

    app.clientside_callback(SHOW, Output(ids.DETAIL_BODY, "title"), Input(ids.DETAIL_ANSWER, "data"))


def drawer(board: Board, asked: Json, selection: Json, steps: Sequence[int] | None) -> tuple[Any, Any]:
    """Title and content for `asked`: `what` of `run` (its key)."""
    what = str(asked.get("what", ""))
    found = opened(board, str(asked.get("run", "")), selection, steps)
    if found is None or what not in PARTS:
        return [], detail.gone()
    return detail.heading(found.info), detail.frame(found.info, what, PARTS[what](found))
