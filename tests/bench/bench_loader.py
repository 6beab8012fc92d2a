"""How fast logs are read, as ratios measured by turns within one run on one core.

Run `python -m tests.bench.bench_loader [megabytes]`.
noise: reading a log with 500 lines of model text per step, beside `grep -c 'step:'` on the same file; once
as a whole, and once without the time that its step lines alone take. dense: step lines only, beside the plain
loop below. memory: what reading adds to the process, with the noise and without it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from data_loaders.formats.verl_console import VerlConsoleReader
from data_loaders.read import read_log
from tests.bench.synthetic_logs import noisy_log, step_lines

ROUNDS = 5
STEPS, METRICS, NOISE = 10_000, 90, 500


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


def main(megabytes: int = 250) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
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


def _noise(noisy: Path, bare: Path) -> None:
    command = ["grep", "-c", "step:", str(noisy)]
    grep, whole, lines = _by_turns(
        lambda: subprocess.run(command, stdout=subprocess.PIPE, check=True),
        lambda: read_log(noisy),
        lambda: read_log(bare),
    )
    steps = read_log(bare).lines.step.size
    print(f"noise: {noisy.stat().st_size / 1e6:.0f} MB, {steps} step lines of {METRICS} metrics")
    print(f"  grep -c 1 ({grep:.3f} s); noise {(whole - lines) / grep:.2f}; all {whole / grep:.2f}")


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
