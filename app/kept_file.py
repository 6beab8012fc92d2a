"""A file that several processes make together: who comes first decides what is in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def kept(path: Path, make: Callable[[], bytes]) -> bytes:
    """Content of a file, private to the account, that whoever comes first makes. Raises OSError."""
    if not path.exists():
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(make())
        try:
            os.link(name, path)  # unlike a rename, fails when somebody else came first
            os.unlink(name)
        except FileExistsError:
            os.unlink(name)
        except OSError:  # a file system without hard links
            os.replace(name, path)
    return path.read_bytes()
