"""Further processes of this machine that read logs into the cache, while one process reads a board.

They begin at the other end of the list and pass over what somebody reads already, so nothing is handed out
and nobody waits for them: whoever comes to a log second finds it in the cache. Then they do what else there
is to do with the logs. They end with the reading, however it ends, and by themselves when the process that
started them is gone.
"""

from __future__ import annotations

import gc
import mmap
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from data_loaders.cache import refresh

WORTH_IT = 32 << 20
"""Bytes to be read below which one process is as fast."""
MOST = 8
"""Processes that read at once."""
_COUNT = 8
"""Bytes of a count of bytes."""

Elsewhere = Callable[[Path], int]
"""Bytes of a log that other processes have read."""
Afterwards = Callable[[int, int], Iterable[object]]
"""What is left to do when all is read: the share of process `number` of so many, a piece at a time."""


class _EnoughError(Exception):
    """Somebody else reads the log, or nobody waits for it any more."""


def nowhere(_path: Path) -> int:
    """No other process reads."""
    return 0


def nothing(_number: int, _processes: int) -> Iterable[object]:
    """Nothing is left to do."""
    return ()


@contextmanager
def reading_along(
    paths: Sequence[Path], size: int, cache_dir: Path, afterwards: Afterwards = nothing
) -> Iterator[Elsewhere]:
    """Read `paths`, `size` bytes in all, with the cores that this process leaves free."""
    processes = min(_cores(), len(paths), MOST) - 1
    # A fork of several threads may inherit a lock that nobody will open.
    if processes < 1 or size < WORTH_IT or threading.active_count() > 1:
        yield nowhere
        return
    with mmap.mmap(-1, _COUNT * len(paths)) as counts:
        parent = os.getpid()
        places = {path: _COUNT * place for place, path in enumerate(paths)}
        children: list[int] = []

        def work(number: int) -> None:
            _read_backwards(paths, cache_dir, counts, parent)
            for _ in afterwards(number, processes):
                if os.getppid() != parent:
                    return

        try:
            with suppress(OSError):  # the limit on processes: then fewer read
                children.extend(_forked(work, number) for number in range(processes))
            yield lambda path: _count(counts, places.get(path))
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _count(counts: mmap.mmap, place: int | None) -> int:
    return 0 if place is None else int.from_bytes(counts[place : place + _COUNT], "little")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _forked(work: Callable[[int], None], number: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        gc.freeze()  # collecting what was inherited would copy it
        with suppress(Exception):  # the board meets it too, and says it
            work(number)
    finally:
        os._exit(0)


def _read_backwards(paths: Sequence[Path], cache_dir: Path, counts: mmap.mmap, parent: int) -> None:
    for place in range(len(paths) - 1, -1, -1):

        def progress(done: int, _size: int, place: int = place) -> None:
            if not done or os.getppid() != parent:
                raise _EnoughError
            counts[_COUNT * place : _COUNT * (place + 1)] = done.to_bytes(_COUNT, "little")

        if os.getppid() != parent:
            return
        # The reading itself meets whatever is wrong with a log or with the cache, and says it.
        with suppress(Exception):
            refresh(paths[place], cache_dir, progress)
