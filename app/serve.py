"""Starts the server: waitress with threads, loopback unless told otherwise."""

from __future__ import annotations

import ctypes
import logging
import socket
import sys
from contextlib import suppress

import waitress

from data_loaders.board import BoardReader
from data_loaders.remote_files import shown_url

from . import hooks
from .access import Key
from .assembly import assembled
from .guard import MOST_ADDRESS, MOST_BODY
from .login_page import FIELD
from .settings import Settings, StartError, is_loopback

M_ARENA_MAX = -8
"""Number of the setting in glibc's `malloc.h`."""
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses that mean every one of this machine, and the one to open here."""


def serve(settings: Settings) -> None:
    """Serve until interrupted. Raises StartError."""
    share_memory()
    board = assembled(settings)
    try:
        server = waitress.create_server(
            board.dash.server,
            host=settings.host,
            port=settings.port,
            threads=settings.threads,
            max_request_body_size=MOST_BODY,
            max_request_header_size=2 * MOST_ADDRESS,
            ident=None,
            # A proxy of this machine says whether browsers reach it by https.
            trusted_proxy="127.0.0.1",
            trusted_proxy_headers={"x-forwarded-proto"},
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise StartError(f"cannot listen on {settings.host}:{settings.port}: {why} (try --port)") from error
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    print(greeting(settings, board.reader, board.key), flush=True)
    if settings.allow_hooks and (why := hooks.start(board.reader)):
        print(f"hooks: {why}", file=sys.stderr)
    server.run()


def share_memory() -> None:
    """Let glibc keep what threads freed in two places, not eight per core: one thread computes at a time."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)


def greeting(settings: Settings, reader: BoardReader, key: Key | None = None) -> str:
    """What the terminal says at the start: where to look, and what is read."""
    named = (*map(str, reader.source.roots), *map(shown_url, reader.source.remotes))
    roots = "synthetic demo data" if reader.source.demo else ", ".join(named)
    lines = [f"RL Board reads {roots}", *addresses(settings, key)]
    lines.append(f"Parsed logs are kept in {settings.cache_dir}")
    lines += map(str, reader.source.problems)
    return "\n".join(lines)


def addresses(settings: Settings, key: Key | None) -> list[str]:
    """Where the board is, for this machine and for others. A token of its own makes stand in the address."""
    token = f"?{FIELD}={key.password}" if key is not None and key.generated else ""
    open_ = ANYWHERE.get(settings.host, settings.host)
    here = f"[{open_}]" if ":" in open_ else open_
    page = f":{settings.port}{settings.base_path}{token}"
    lines = [f"Open http://{here}{page}"]
    if is_loopback(settings.host):
        tunnel = f"ssh -L {settings.port}:127.0.0.1:{settings.port} USER@{socket.gethostname()}"
        return [*lines, f"From your own machine: {tunnel}   then open the same address there"]
    if settings.host in ANYWHERE:
        lines.append(f"From other machines: http://{socket.gethostname()}{page}")
    if key is None:
        lines.append("Everybody who reaches this port sees everything (--no-password)")
    else:
        lines.append("It asks for " + ("the token in the address" if token else "the password"))
    return [*lines, "What is sent is not encrypted: where others listen, use ssh -L or a proxy with https"]
