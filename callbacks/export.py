"""The CSV route: the same rows as `python -m app csv`, streamed."""

from __future__ import annotations

from collections.abc import Iterator

from dash import Dash
from flask import Response, request

from data_loaders.board import BoardReader
from data_loaders.export import QueryError, csv_chunks, file_name, parse_query, resolved


def register(app: Dash, reader: BoardReader) -> None:
    """Serve `<base>csv?exp=…&track=…&steps=…&metrics=…&wide=1&smooth=…&superseded=1&ep=…`."""
    prefix = app.config.routes_pathname_prefix

    @app.server.get(f"{prefix}csv")
    def csv() -> Response:
        board = reader.look(age=1.0)
        try:
            query = resolved(parse_query(request.args.to_dict()), board.episode_spans())
        except QueryError as error:
            return Response(f"{error}\n", status=400, mimetype="text/plain")
        views = [run.view for run in board.runs]

        def pieces() -> Iterator[bytes]:
            for text in csv_chunks(views, query):
                yield text.encode("utf-8", "replace")

        headers = {
            "Content-Disposition": f'attachment; filename="{file_name(query)}"',
            "Cache-Control": "no-store",
        }
        return Response(pieces(), mimetype="text/csv", headers=headers)
