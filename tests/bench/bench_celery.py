"""How much faster two Celery workers read 40 logs than one: the best of rounds that alternate."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from tests.redis.training_logs import write_logs

LOGS, STEPS, NOISE = 40, 1500, 20
ROUNDS = 5


def main() -> None:
    """Print the ratio, or why there is none."""
    if shutil.which("redis-server") is None:
        print("not measured: no Redis on this machine")
        return
    from app.celery_app import celery_app, hand_over
    from data_loaders.board import Source
    from tests.redis.processes import Deployment, redis_server, workers

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_logs(folder / "logs", LOGS, STEPS, NOISE)
        size = sum(path.stat().st_size for path in paths) / 1e6
        taken: dict[int, list[float]] = {1: [], 2: []}
        with redis_server(folder) as broker:
            for turn in range(2 * ROUNDS):
                number = 1 + turn % 2
                board = Deployment(broker, folder / "logs", folder / f"cache{turn}")
                board.cache_dir.mkdir()
                app = celery_app(broker, Source((board.logs,)), board.cache_dir)
                with workers(board, number) as started:
                    before = time.perf_counter()
                    hand_over(app, paths, board.cache_dir, board.cache_dir / "reading-none.json")
                    while sum(line.count("] succeeded in") for each in started for line in each.lines) < LOGS:
                        time.sleep(0.01)
                    taken[number].append(time.perf_counter() - before)
    one, two = (min(taken[number]) for number in (1, 2))
    print(f"{LOGS} logs, {size:.0f} MB: 1 worker {one:.2f} s, 2 workers {two:.2f} s, ratio {one / two:.2f}")


if __name__ == "__main__":
    main()
