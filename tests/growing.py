"""A training log that grows as real ones do: any number of bytes at a time, cut anywhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

KEYS = ("actor/entropy", "actor/grad_norm", "critic/score/mean", "response_length/mean", "timing_s/step")
NOISE = "(TaskRunner pid=4021) 模型检查点已写入，耗时约 {n} 秒 — état enregistré ✓\n"
"""Of characters of one to three bytes, so that a cut may fall inside one."""


def value(step: int, nth: int, seed: int = 0) -> float:
    """What the log says of the `nth` key at a step."""
    return round(1 + nth * 10 + step / 100 + seed / 7, 6)


def line(step: int, seed: int = 0) -> str:
    """A step line."""
    cells = " - ".join(f"{key}:{value(step, nth, seed)}" for nth, key in enumerate(KEYS))
    return f"step:{step} - training/global_step:{step} - {cells}\n"


def text(first: int, last: int, seed: int = 0, noise: int = 0) -> str:
    """Step lines, each after so many lines of other words."""
    return "".join(
        "".join(NOISE.format(n=n) for n in range(noise)) + line(step, seed) for step in range(first, last + 1)
    )


def log_path(folder: Path, experiment: str = "e1_grpo_2b", started: str = "20260701_080000") -> Path:
    """Where a launcher writes the log of an experiment; the folder is made."""
    path = folder / experiment / "logs" / f"train_{started}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


def append(path: Path, content: str | bytes) -> None:
    with path.open("ab") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def pieces(data: bytes, seed: int, largest: int = 700) -> Iterator[bytes]:
    """Bytes in random pieces of 1 to `largest`."""
    chance, at = random.Random(seed), 0
    while at < len(data):
        size = chance.randint(1, largest)
        yield data[at : at + size]
        at += size
