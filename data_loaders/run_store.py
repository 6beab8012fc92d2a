"""What was derived from a run once per content of its logs, kept on disk beside the columns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import orjson

from data_loaders.atomic_file import replace_file
from data_loaders.schema import Json, Run

Found = TypeVar("Found")


def derived_once(
    run: Run,
    folder: Path,
    made_by: tuple[str, str],
    find: Callable[[], Found],
    store: Callable[[Found], Json],
    load: Callable[[Json], Found],
) -> Found:
    """What `find` gives for a run, from its file in `folder` while that is `made_by` the same.

    `made_by` is the version of the method and that of the run's logs. One file per run, which the next
    version replaces: a run that grows for days leaves no trail. A file that fails is passed over. JSON has no
    NaN: `store` gives such numbers as text, and `load` may raise ValueError, TypeError or KeyError.
    """
    logs = "\0".join((run.id, *run.logs))
    name = hashlib.sha256(logs.encode("utf-8", "surrogatepass")).hexdigest()
    path = folder / f"{name[:32]}.json"
    method, version = made_by
    with suppress(OSError, ValueError, TypeError, KeyError):
        stored = orjson.loads(path.read_bytes())
        if (stored["method"], stored["version"]) == made_by:
            return load(stored)
    found = find()
    with suppress(OSError):
        replace_file(path, orjson.dumps({"method": method, "version": version, **store(found)}))
    return found
