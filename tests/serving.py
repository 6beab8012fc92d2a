"""A real server for tests: `python -m app` in a process of its own, on a free loopback port."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Served(NamedTuple):
    """Address of a running board, and its process."""

    url: str
    process: subprocess.Popen[str]


def free_port() -> int:
    """A loopback port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(arguments: Sequence[str], cache_dir: Path) -> Iterator[Served]:
    """Run the board until the block ends. The greeting is printed once the socket listens."""
    command = [
        sys.executable,
        "-m",
        "app",
        "--port",
        str(free_port()),
        "--cache-dir",
        str(cache_dir),
        *arguments,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cache_dir, env=environment)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"Open (\S+)", line):
                yield Served(found[1], process)
                break
        else:
            raise RuntimeError(f"the board ended with code {process.wait()} before it listened")
    finally:
        process.terminate()
        process.wait(timeout=10)
        if process.stdout is not None:
            process.stdout.close()
