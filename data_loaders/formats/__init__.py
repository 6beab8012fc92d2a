"""Log formats. A new format is one file here and one entry in `LOADERS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from data_loaders.formats import verl_console, verl_sniff
from data_loaders.schema import Json, LogReader


class Loader(NamedTuple):
    name: str
    sniff: Callable[[bytes, bytes, str], bool]
    """Given the first and last bytes of a file (at most 256 KB each) and its name: is it such a log?"""
    reader: Callable[[Json | None], LogReader]
    """A fresh reader, or one that goes on from a saved state."""


LOADERS: tuple[Loader, ...] = (Loader(verl_console.NAME, verl_sniff.sniff, verl_console.VerlConsoleReader),)
"""First match wins."""


def find_loader(head: bytes, tail: bytes, name: str) -> Loader | None:
    return next((loader for loader in LOADERS if loader.sniff(head, tail, name)), None)
