"""For WSGI servers: `gunicorn --workers 2 "app.wsgi:board('--logs /data/logs --broker redis://…')"`.

Every process that is started with the same words serves the same board; they hold nothing that others need.
"""

from __future__ import annotations

import argparse
import shlex
import sys

from flask import Flask

from . import hooks
from . import settings as options
from .assembly import assembled
from .login_page import FIELD
from .serve import share_memory


def board(words: str = "") -> Flask:
    """The web application; `words` are those of the command line. Exits with a message for wrong ones."""
    parser = argparse.ArgumentParser("app.wsgi:board", add_help=False)
    options.add_source_options(parser)
    options.add_server_options(parser)
    settings = options.from_arguments(parser.parse_args(shlex.split(words)))
    if settings.demo_live:
        parser.error("--demo-live writes its own logs, so it is for one process only")
    if message := options.usage_error(parser, settings):
        parser.exit(2, f"{message}\n")
    share_memory()
    try:
        found = assembled(settings)
    except options.StartError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    # A reader of its own: a server that forks after this must not inherit a lock that the watch holds.
    if settings.allow_hooks and (why := hooks.start(found.reader.anew())):
        print(f"hooks: {why}", file=sys.stderr)
    if found.key is not None and found.key.generated:
        print(f"The board asks for a token: add ?{FIELD}={found.key.password} to its address", flush=True)
    server: Flask = found.dash.server
    return server
