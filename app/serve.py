"""Starts the server: waitress with threads, loopback unless told otherwise."""

from __future__ import annotations

import logging
import sys

import waitress

from data_loaders.board import BoardReader
from data_loaders.remote_files import shown_url

from . import hooks
from .assembly import StartError, assembled
from .settings import Settings

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(settings: Settings) -> None:
    """Serve until interrupted. Raises StartError."""
    board = assembled(settings)
    try:
        server = waitress.create_server(
            board.dash.server, host=settings.host, port=settings.port, threads=settings.threads
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise StartError(f"cannot listen on {settings.host}:{settings.port}: {why} (try --port)") from error
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    print(greeting(settings, board.reader), flush=True)
    if settings.allow_hooks and (why := hooks.start(board.reader)):
        print(f"hooks: {why}", file=sys.stderr)
    server.run()


def greeting(settings: Settings, reader: BoardReader) -> str:
    """What the terminal says at the start: where to look, and what is read."""
    host = settings.host if settings.host not in ("0.0.0.0", "::") else "localhost"
    address = f"http://{host}:{settings.port}{settings.base_path}"
    named = (*map(str, reader.source.roots), *map(shown_url, reader.source.remotes))
    roots = "synthetic demo data" if reader.source.demo else ", ".join(named)
    lines = [f"RL Board reads {roots}", f"Open {address}", f"Parsed logs are kept in {settings.cache_dir}"]
    if settings.host in LOOPBACK:
        lines.append(f"From another machine: ssh -L {settings.port}:127.0.0.1:{settings.port} USER@THIS_HOST")
    lines += [f"board.toml: {problem}" for problem in reader.source.problems]
    return "\n".join(lines)
