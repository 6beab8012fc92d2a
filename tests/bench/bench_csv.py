"""What streaming a CSV costs: memory beyond what the process held before, and megabytes per second.

Run `python -m tests.bench.bench_csv [runs steps metrics]`; 50 × 10,000 × 90 by default. The runs have no log
behind them, so the figures are those of writing alone. Each form runs in a process of its own, as the peak of
a process never falls.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from data_loaders.export import Query, csv_chunks
from tests.bench.lazy_runs import lazy_runs

RUNS, STEPS, METRICS = 50, 10_000, 90
FORMS = {"long": Query(), "wide": Query(wide=True), "smoothed": Query(smoothing="mean5")}


def stream(runs: int, steps: int, metrics: int, form: str) -> dict[str, float]:
    """Stream one file and drop its pieces: rows, bytes, seconds, peak bytes beyond those before."""
    warm = "".join(csv_chunks(lazy_runs(1, 10, 2), FORMS[form]))
    before, begin = _peak(), time.process_time()
    rows = size = largest = 0
    for piece in csv_chunks(lazy_runs(runs, steps, metrics), FORMS[form]):
        data = piece.encode()
        rows += data.count(b"\n")
        size += len(data)
        largest = max(largest, len(data))
    assert warm
    return {
        "rows": rows - 1,
        "bytes": size,
        "seconds": time.process_time() - begin,
        "peak": _peak() - before,
        "piece": largest,
    }


def in_process(runs: int, steps: int, metrics: int, form: str) -> dict[str, float]:
    """`stream` in a fresh process."""
    command = [sys.executable, "-m", "tests.bench.bench_csv", str(runs), str(steps), str(metrics), form]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _peak() -> int:
    """Highest resident size of this process so far, bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main(runs: int = RUNS, steps: int = STEPS, metrics: int = METRICS) -> None:
    print(f"{runs} runs × {steps} steps × {metrics} metrics")
    for form in FORMS:
        found = in_process(runs, steps, metrics, form)
        print(
            f"  {form}: {found['rows']:.0f} rows, {found['bytes'] / 1e6:.0f} MB, "
            f"{found['bytes'] / 1e6 / found['seconds']:.1f} MB/s; "
            f"extra memory {found['peak'] / 1e6:.1f} MB, largest piece {found['piece'] / 1e6:.2f} MB",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) == 5:
        print(json.dumps(stream(*map(int, sys.argv[1:4]), sys.argv[4])))
    else:
        main(*map(int, sys.argv[1:4]))
