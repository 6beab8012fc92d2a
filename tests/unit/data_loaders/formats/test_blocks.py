"""A printed validation block whose step line never comes stands for it."""

from __future__ import annotations

import random

import pytest

from tests.unit.data_loaders.formats.reading import Result, assert_same, read, read_in_chunks
from tests.unit.data_loaders.formats.test_life_cycle import CRASH, RESUMED, SCRATCH, START, steps

INITIAL = (
    "(TaskRunner pid=7) (\"Initial validation metrics: {'val-core/aime/acc/mean@26': \"\n"
    "(TaskRunner pid=7)  \"np.float64(0.25), 'val-core/aime/acc/mean@8': \"\n"
    "(WorkerDict pid=9) loading weights\n"
    "(TaskRunner pid=7)  \"np.float64(0.625), 'val-aux/num_turns/mean': 2}\")\n"
)
VALUES = {"val-core/aime/acc/mean@26": 0.25, "val-core/aime/acc/mean@8": 0.625, "val-aux/num_turns/mean": 2.0}


def printed(log: Result) -> dict[str, list[tuple[int, float]]]:
    return {key: log.cells(key) for key in VALUES if key in log.columns}


def test_a_block_whose_step_line_never_comes_is_read_C17() -> None:
    log = read(START + SCRATCH + INITIAL)
    assert printed(log) == {key: [(0, value)] for key, value in VALUES.items()}
    assert (log.facts.blocks, log.facts.step_lines, log.facts.kind) == ((0,), 0, "rl")
    text = START + SCRATCH + INITIAL
    at, size = int(log.lines.offset[0]), int(log.lines.length[0])
    assert (text[at : at + size] + "\n", log.lines.line.tolist()) == (INITIAL, [text[:at].count("\n") + 1])


@pytest.mark.parametrize("end", ["", CRASH])
def test_a_block_does_not_hide_how_the_log_ends_C17(end: str) -> None:
    log = read(START + SCRATCH + INITIAL + end)
    assert log.facts.end == ("crashed" if end else "")
    assert printed(log) == {key: [(0, value)] for key, value in VALUES.items()}


def test_a_block_after_a_resume_is_of_the_checkpoint_C17() -> None:
    again = START + RESUMED.format(40)
    log = read(START + SCRATCH + steps(1, 50) + again + INITIAL)
    assert printed(log) == {key: [(40, value)] for key, value in VALUES.items()}
    assert (log.steps[-2:], log.lines.launch[-2:].tolist()) == ([50, 40], [0, 1])


@pytest.mark.parametrize("more", ["", steps(2, 4)])
def test_training_that_goes_on_without_the_line_of_its_block_C17(more: str) -> None:
    log = read(START + SCRATCH + INITIAL + steps(1, 1) + more)
    assert printed(log) == {key: [(0, value)] for key, value in VALUES.items()}
    assert log.steps == list(range(len(log.steps)))
    assert log.facts.step_lines == len(log.steps) - 1


def test_a_start_that_died_after_its_block_keeps_it_C17() -> None:
    other = INITIAL.replace("0.25", "0.5")
    log = read(START + SCRATCH + INITIAL + CRASH + START + SCRATCH + other + steps(1, 2))
    assert log.cells("val-core/aime/acc/mean@26") == [(0, 0.25), (0, 0.5)]
    assert log.lines.launch.tolist() == [0, 1, 1, 1]


def test_a_block_that_its_step_line_repeats_is_read_once_C17() -> None:
    own = "step:0 - val-core/aime/acc/mean@26:0.25 - val-core/aime/acc/mean@8:0.625\n"
    log = read(START + SCRATCH + INITIAL + own + steps(1, 2))
    assert (log.steps, log.facts.blocks) == ([0, 1, 2], ())
    assert log.cells("val-core/aime/acc/mean@26") == [(0, 0.25)]


@pytest.mark.parametrize("seed", range(6))
def test_blocks_are_read_alike_however_the_log_arrives_C17(seed: int) -> None:
    text = START + SCRATCH + INITIAL + CRASH + START + SCRATCH + INITIAL + steps(1, 5) + START
    data = (text + RESUMED.format(4) + INITIAL).encode()
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(len(data)), 25))
    assert_same(read_in_chunks(data, cuts, lambda: chance.random() < 0.5), read(data))
