"""How fast logs are read, as ratios measured by turns within one run, on one core unless said otherwise.

Run `python -m tests.bench.bench_loader [megabytes]`.
noise: reading a log with 500 lines of model text per step, beside `grep -c 'step:'` on the same file. The
scan is all of it but turning the text of step lines into numbers; then comes the whole reading, without the
time that the step lines alone take, and as it is. dense: step lines only, beside the plain loop below.
memory: what reading adds to the process, with the noise and without it. sweep: many long logs into an empty
cache, by one process and by two, and until the board is there: by the CPU time of the busier process, which
is the time that free cores need, and by the clock on the wall, which only a quiet machine makes worth a look.
"""

from __future__ import annotations

import locale
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from data_loaders.board import BoardReader, Source
from data_loaders.cache import refresh
from data_loaders.formats.kept import Lines
from data_loaders.formats.step_line import STEP_TOKEN
from data_loaders.formats.verl_console import VerlConsoleReader
from data_loaders.read import CHUNK, read_log
from data_loaders.reading_processes import reading_along
from tests.bench.synthetic_logs import noisy_log, step_lines
from tests.bench.workloads import L, log_files, write_logs

ROUNDS = 5
STEPS, METRICS, NOISE = 10_000, 90, 500
SWEEP = replace(L, name="sweep", runs=8, steps=2_500)


def plain_loop(lines: Iterable[str]) -> list[dict[str, float]]:
    """The obvious way to read step lines."""
    rows = []
    for line in lines:
        row = {}
        for item in line.split(" - ")[1:]:
            key, _, value = item.rpartition(":")
            if value.startswith("np."):
                value = value[value.index("(") + 1 : -1]
            row[key] = float(value)
        rows.append(row)
    return rows


class Scan(VerlConsoleReader):
    """Finds step lines and takes none of their numbers."""

    def _physical_line(self, lines: Lines, left: int, at: int, right: int, line: int) -> None:
        token = STEP_TOKEN.match(lines.data, at, right)
        if token is not None:
            offset = lines.offset - lines.start + left
            self._reach(int(token[1]), offset, look=False)
            self._accept(int(token[1]), offset, right - left, line)


def scan(path: Path) -> int:
    """Step lines of a log."""
    reader = Scan()
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            reader.feed(chunk)
    return reader.drain().lines.step.size


def main(megabytes: int = 250) -> None:
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set()
    if cores:
        os.sched_setaffinity(0, {min(cores)})
    with tempfile.TemporaryDirectory() as folder:
        noisy, bare = Path(folder, "noisy.log"), Path(folder, "bare.log")
        _write(noisy, noisy_log(megabytes * 1_000_000, METRICS, NOISE))
        _write(
            bare,
            (
                line + b"\n"
                for line in noisy.read_bytes().split(b"\n")
                if b" step:" in line and b" - " in line
            ),
        )
        _noise(noisy, bare)
        _memory(noisy, bare)
    _dense()
    if len(cores) > 1:
        _sweep(sorted(cores)[:2])


def _noise(noisy: Path, bare: Path) -> None:
    command = ["grep", "-c", "step:", str(noisy)]
    grep, found, whole, lines = _by_turns(
        lambda: subprocess.run(command, stdout=subprocess.PIPE, check=True),
        lambda: scan(noisy),
        lambda: read_log(noisy),
        lambda: read_log(bare),
    )
    steps = scan(noisy)
    assert steps == read_log(noisy).lines.step.size
    print(f"noise: {noisy.stat().st_size / 1e6:.0f} MB, {steps} step lines of {METRICS} metrics")
    print(f"  grep -c 1 ({grep:.3f} s, locale {locale.setlocale(locale.LC_CTYPE, '')})")
    print(f"  scan {found / grep:.2f}; noise {(whole - lines) / grep:.2f}; all {whole / grep:.2f}")


def _sweep(cores: list[int]) -> None:
    """What the system's cache of files holds is read."""
    root = write_logs(SWEEP)
    paths = log_files(SWEEP)
    size = sum(path.stat().st_size for path in paths)

    def cache(folder: Path) -> None:
        with reading_along(paths, size, folder):
            for path in paths:
                refresh(path, folder)

    def board(folder: Path) -> None:
        BoardReader(Source((root,)), folder).read()

    print(f"sweep: {SWEEP.runs} logs of {SWEEP.steps} steps × {SWEEP.metrics} metrics, {size / 1e6:.0f} MB")
    for name, work in (("parse and cache", cache), ("board", board)):
        one, two = _busier(work, [cores[:1], cores])
        for what, alone, both in zip(("CPU", "wall"), one, two, strict=True):
            rates = f"one process {SWEEP.values / alone / 1e6:.2f}, two {SWEEP.values / both / 1e6:.2f}"
            print(f"  {name}, {what}: {rates} million values/s; {alone / both:.2f} × as fast")


def _busier(work: Callable[[Path], None], cores: list[list[int]]) -> list[tuple[float, float]]:
    """CPU seconds of this process or of the other one, whichever has more, and seconds on the wall.

    The shortest of some work on each set of cores, by turns and each time in an empty folder.
    """
    best = [(float("inf"), float("inf"))] * len(cores)
    for _ in range(ROUNDS):
        for at, some in enumerate(cores):
            os.sched_setaffinity(0, some)
            with tempfile.TemporaryDirectory() as folder:
                wall, own, both = time.perf_counter(), time.process_time(), _cpu()
                work(Path(folder))
                wall, own, both = time.perf_counter() - wall, time.process_time() - own, _cpu() - both
            best[at] = (min(best[at][0], max(own, both - own)), min(best[at][1], wall))
    return best


def _dense() -> None:
    print(f"dense: {STEPS} step lines of {METRICS} metrics")
    for numpy_two in (False, True):
        text = "".join(line + "\n" for line in step_lines(STEPS, METRICS, numpy_two=numpy_two))
        data = text.encode()
        plain, ours = _by_turns(lambda: plain_loop(text.split("\n")[:-1]), lambda: _read(data))  # noqa: B023
        kind = "with np.float64(...)" if numpy_two else "plain numbers"
        print(f"  {kind}: plain loop 1 ({plain:.3f} s); reader {plain / ours:.2f} × as fast")


def _memory(noisy: Path, bare: Path) -> None:
    with_noise, without = _peak(noisy), _peak(bare)
    print(f"memory: {without:.0f} MB without noise, {with_noise:.0f} MB with it")


def _peak(path: Path) -> float:
    """Megabytes that reading a log adds to a fresh process at most."""
    code = (
        "import sys; from pathlib import Path; from data_loaders.read import read_log\n"
        "peak = lambda: int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
        "before = peak(); log = read_log(Path(sys.argv[1])); print(peak() - before)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, check=True, text=True
    )
    return int(found.stdout) / 1024


def _read(data: bytes) -> None:
    reader = VerlConsoleReader()
    reader.feed(data)
    reader.drain()


def _by_turns(*tasks: Callable[[], object]) -> list[float]:
    """Shortest CPU time of each task, its children's included."""
    best = [float("inf")] * len(tasks)
    for _ in range(ROUNDS):
        for at, task in enumerate(tasks):
            start = _cpu()
            task()
            best[at] = min(best[at], _cpu() - start)
    return best


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _write(path: Path, parts: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(parts)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
