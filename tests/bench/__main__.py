"""All measurements, one after another: `make bench`, or `python -m tests.bench NAME…` for some of them.

Every bench prints ratios measured within one run; absolute times of a shared machine mean nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import tests.bench


def names() -> list[str]:
    """Modules of this package that measure something."""
    found = (module.name for module in pkgutil.iter_modules(tests.bench.__path__))
    return [name for name in found if name.startswith("bench_")]


def main(wanted: list[str]) -> int:
    """Run the named benches, or all."""
    for name in names():
        if not wanted or name.removeprefix("bench_") in wanted:
            print(f"\n== {name.removeprefix('bench_')}", flush=True)
            importlib.import_module(f"tests.bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
