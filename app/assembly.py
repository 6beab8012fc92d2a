"""Puts a board together in the same way for whoever takes part in it: a server, a web process, a worker."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dash import Dash

from data_loaders.board import BoardReader

from .access import Key, key_of
from .factory import create_app
from .settings import Settings, StartError
from .sources import source

if TYPE_CHECKING:
    from celery import Celery


class Assembly(NamedTuple):
    """A board, ready to serve. `celery` is there when work is handed to other processes."""

    dash: Dash
    reader: BoardReader
    key: Key | None
    """What browsers are asked for."""
    celery: Celery | None = None


def assembled(settings: Settings) -> Assembly:
    """The board that settings describe. Raises StartError."""
    probe_cache(settings.cache_dir)
    key = key_of(settings)
    found = source(settings, Path.cwd())
    if not settings.broker:
        reader = BoardReader(found, settings.cache_dir)
        return Assembly(create_app(settings, reader, key=key), reader, key)
    try:
        from .celery_app import BoardCeleryManager, celery_app, hand_over
    except ImportError as error:
        raise StartError(f"--broker needs more packages: pip install 'rl-board[celery]' ({error})") from error
    celery = celery_app(settings.broker, found, settings.cache_dir)

    def spread(paths: Sequence[Path]) -> None:
        hand_over(celery, paths, settings.cache_dir, reader.note)

    reader = BoardReader(found, settings.cache_dir, spread)
    manager = BoardCeleryManager(celery, reader.note)
    return Assembly(create_app(settings, reader, manager, key), reader, key, celery)


def probe_cache(cache_dir: Path) -> None:
    """Write a file in the cache folder and read it back. Raises StartError."""
    word = secrets.token_hex(8)
    probe = cache_dir / f"probe-{word}"
    try:
        cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe.write_text(word)
        read = probe.read_text()
        probe.unlink()
    except OSError as error:
        raise StartError(
            f"the cache folder {cache_dir} cannot be used by user {os.getuid()}: {error.strerror or error}. "
            "Name another with --cache-dir"
        ) from error
    if read != word:
        raise StartError(f"the cache folder {cache_dir} gives back other bytes than were written")
