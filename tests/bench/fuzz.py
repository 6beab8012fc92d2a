"""Damaged folders for minutes: each is read, shown and exported; the numbers of those that fail are printed.

`python -m tests.bench.fuzz [--minutes 5] [--seed N]`; with `--minutes 0` one folder is repeated. A folder
also fails when a log that was read in two parts does not give what it gives at once, or when it takes long.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from data_loaders.cache import CachedLog, refresh
from tests.garbled import exercise, garbled, write_folder

LONG = 20.0
"""Seconds for a folder of some 100 KB that are no longer a matter of the machine."""


def main(words: Sequence[str] = ()) -> int:
    """1 when a folder failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fuzz")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=None, help="first folder (default: by chance)")
    asked = parser.parse_args(words)
    first = random.SystemRandom().randrange(10**9) if asked.seed is None else asked.seed
    end, seed, runs, failed = time.monotonic() + 60 * asked.minutes, first, 0, 0
    while seed == first or time.monotonic() < end:
        began = time.monotonic()
        try:
            with tempfile.TemporaryDirectory() as place:
                runs += _folder(Path(place), seed)
            if time.monotonic() - began > LONG:
                raise TimeoutError(f"{time.monotonic() - began:.0f} s")
        except Exception:
            failed += 1
            print(f"seed {seed} failed: {traceback.format_exc()}", flush=True)
        seed += 1
    print(f"{seed - first} folders from seed {first}, {runs} runs in them, {failed} failed")
    return 1 if failed else 0


def _folder(place: Path, seed: int) -> int:
    write_folder(place / "logs", seed)
    runs = exercise(place / "logs", place / "cache")
    _in_two_parts(place, seed)
    return runs


def _in_two_parts(place: Path, seed: int) -> None:
    """A log that grows gives what it gives when it is read at once."""
    data = garbled(seed)
    log = place / "growing.log"
    log.write_bytes(data[: random.Random(seed).randrange(len(data) + 1)])
    refresh(log, place / "parts")
    with log.open("ab") as file:
        file.write(data[log.stat().st_size :])
    parts, whole = refresh(log, place / "parts"), refresh(log, place / "whole")
    assert parts.keys == whole.keys, "keys"
    for key in whole.keys:
        assert _cells(parts, key) == _cells(whole, key), key


def _cells(log: CachedLog, key: str) -> tuple[list[int], bytes]:
    column = log.column(key)
    return column.rows.tolist(), np.asarray(column.values, float).tobytes()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
