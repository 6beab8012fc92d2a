"""Starts the server: waitress with threads, loopback unless told otherwise."""

from __future__ import annotations

import logging
from pathlib import Path

import waitress

from data_loaders.board import BoardReader

from .factory import create_app
from .settings import Settings
from .sources import source

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(settings: Settings) -> None:
    """Serve until interrupted."""
    settings.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    reader = BoardReader(source(settings, Path.cwd()), settings.cache_dir)
    app = create_app(settings, reader)
    server = waitress.create_server(
        app.server, host=settings.host, port=settings.port, threads=settings.threads
    )
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    print(greeting(settings, reader), flush=True)
    server.run()


def greeting(settings: Settings, reader: BoardReader) -> str:
    """What the terminal says at the start: where to look, and what is read."""
    host = settings.host if settings.host not in ("0.0.0.0", "::") else "localhost"
    address = f"http://{host}:{settings.port}{settings.base_path}"
    roots = "synthetic demo data" if reader.source.demo else ", ".join(map(str, reader.source.roots))
    lines = [f"RL Board reads {roots}", f"Open {address}", f"Parsed logs are kept in {settings.cache_dir}"]
    if settings.host in LOOPBACK:
        lines.append(f"From another machine: ssh -L {settings.port}:127.0.0.1:{settings.port} USER@THIS_HOST")
    lines += [f"board.toml: {problem}" for problem in reader.source.problems]
    return "\n".join(lines)
