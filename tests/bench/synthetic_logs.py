"""Console logs of any size, written anew: step lines of many metrics, and the noise between them."""

from __future__ import annotations

import random
from collections.abc import Iterator

PREFIX = "\x1b[36m(TaskRunner pid=31744)\x1b[0m "
GROUPS = (
    "actor",
    "critic/score",
    "response_length",
    "timing_s",
    "perf",
    "global_seqlen",
    "training",
    "val/acc",
)
NAMES = (
    "entropy",
    "grad_norm",
    "mean",
    "max",
    "min",
    "pg_clipfrac",
    "update_actor",
    "old_log_prob",
    "spread",
)
TEXT = (
    "so the next step , we divide both sides by two and find x = 14 ; the answer follows from the second "
    "line of the problem , since every term is even and the sum over all groups stays below 42 </answer> "
    "[score] -1.0 [ground_truth] {'A': True, 'B': False} validating the structure of it , tag order is right"
)
WORDS = TEXT.split()
LOOKALIKES = (" the last step: add them", " timing_s/step:253.87", " step:2 is done")


def keys(count: int) -> list[str]:
    """Metric names of the usual length."""
    return [
        f"{GROUPS[at % 8]}/{NAMES[at // 8 % 9]}" + (f"_{at // 72}" if at >= 72 else "") for at in range(count)
    ]


def step_lines(steps: int, metrics: int, *, numpy_two: bool = True, seed: int = 7) -> Iterator[str]:
    """Lines without newline. Values have the digits of a float64; a third carries numpy's type."""
    draw = random.Random(seed)
    names = keys(metrics)
    for step in range(1, steps + 1):
        items = (f"{name}:{_number(draw, at, numpy_two)}" for at, name in enumerate(names))
        yield f"{PREFIX}step:{step} - " + " - ".join(items)


def _number(draw: random.Random, at: int, numpy_two: bool) -> str:
    if at % 9 == 5:
        return str(draw.randrange(200_000))
    value = draw.uniform(-1, 1) * 10.0 ** draw.randrange(-6, 4)
    return f"np.float64({value!r})" if numpy_two and at % 3 == 0 else repr(value)


def noise_lines(count: int, seed: int = 11) -> list[str]:
    """Lines without newline, as a reward function prints them: model text, one in forty with a false step."""
    draw = random.Random(seed)
    lines = [PREFIX + " ".join(draw.choices(WORDS, k=draw.randrange(5, 25))) for _ in range(count)]
    return [line + LOOKALIKES[at // 40 % 3] if at % 40 == 0 else line for at, line in enumerate(lines)]


def noisy_log(size: int, metrics: int, noise_per_step: int) -> Iterator[bytes]:
    """At least `size` bytes, a step line with its noise at a time."""
    noise = noise_lines(20 * noise_per_step)
    lines = list(step_lines(200, metrics))
    draw = random.Random(3)
    written = step = 0
    while written < size:
        start = draw.randrange(len(noise) - noise_per_step)
        line = lines[step % 200].replace(f"step:{step % 200 + 1} ", f"step:{step + 1} ", 1)
        block = "\n".join([*noise[start : start + noise_per_step], line, ""]).encode()
        written += len(block)
        step += 1
        yield block
