"""Formats of other programs: what a whole file gives, and what a damaged one does."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data_loaders.formats import LOADERS, VERL_CONSOLE, find_loader
from tests.unit.data_loaders.formats.feeding import (
    assert_any_chunking,
    claimed,
    read,
)
from tests.unit.data_loaders.formats.foreign_logs import FILES, LOSSES, REWARDS
from tests.unit.data_loaders.formats.reading import chunks_with, read_with

FROM_SOURCE = {"openrlhf", "slime", "roll", "nemo_rl"}
OWN_NAMES = {
    "verl_jsonl": ("critic/score/mean", "actor/pg_loss"),
    "tensorboard": ("critic/score/mean", "actor/pg_loss"),
    "hf_trainer_state": ("reward", "loss"),
    "llamafactory": (None, "loss"),
    "openrlhf": ("reward", "policy_loss"),
    "slime": ("rollout/raw_reward", "train/loss"),
    "roll": ("critic/score/mean", "actor/pg_loss"),
    "nemo_rl": ("Training Results/Avg Reward", "Training Results/Loss"),
    "trl": ("reward", "loss"),
    "csv": ("critic/score/mean", "actor/pg_loss"),
}
FORMATS = sorted(FILES)


def test_every_format_but_the_console_has_a_file_here() -> None:
    assert set(FILES) == {loader.name for loader in LOADERS} - {VERL_CONSOLE.name} == set(OWN_NAMES)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_claimed_by_its_format_and_read_whole(name: str) -> None:
    path, data = FILES[name]
    assert claimed(data, path.rpartition("/")[2]).name == name
    log = read(data, path.rpartition("/")[2])
    assert log.facts.format == name
    reward, loss = OWN_NAMES[name]
    if reward:
        assert log.cells(reward) == list(REWARDS.items())
    found = log.cells(loss)[: len(LOSSES)]
    assert [step for step, _ in found] == list(LOSSES)
    assert [value for _, value in found] == pytest.approx(list(LOSSES.values()), rel=1e-7)
    assert not log.facts.cut_lines
    assert not log.facts.rejected
    assert ("report.from_source" in log.facts.remarks) == (name in FROM_SOURCE)


@pytest.mark.parametrize("name", FORMATS)
def test_any_chunking(name: str) -> None:
    path, data = FILES[name]
    assert_any_chunking(claimed(data, path), data)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_damage_anywhere_gives_a_report(name: str, data: st.DataObject) -> None:
    path, whole = FILES[name]
    loader = claimed(whole, path)
    cut = data.draw(st.integers(0, len(whole)))
    noise = data.draw(st.binary(max_size=60))
    skip = data.draw(st.integers(0, 60))
    broken = whole[:cut] + noise + whole[cut + skip :]
    log = read_with(loader.reader, broken)
    assert log.facts.bytes == len(broken)
    assert log.facts.step_lines == log.lines.step.size
    assert all(0 <= step < 10**15 for step in log.steps)
    again = chunks_with(loader.reader, broken, [cut], lambda: True)
    assert (again.steps, again.facts.cut_lines) == (log.steps, log.facts.cut_lines)


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.name)
@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=600))
@example(b'{"step": 1, "data": {"a": ' + b"[" * 5000)
@example(b'{"step":1e999,"data":{"a":1}}\n{"step":true,"data":{"a":1}}\n')
@example(b"{'loss': 1, 'epoch': 1" + b"}" * 9)
@example(b"\x00" * 64)
def test_any_bytes_are_read_without_an_error(loader, data: bytes) -> None:  # type: ignore[no-untyped-def]
    log = read_with(loader.reader, data)
    assert log.facts.bytes == len(data)
    find_loader(data, data, "train.log"), find_loader(data, data, "a.csv")


@pytest.mark.parametrize("name", FORMATS)
def test_a_whole_value_is_never_replaced_by_the_rest_of_one(name: str) -> None:
    """Cut at every byte, a file gives only values that it holds."""
    path, whole = FILES[name]
    loader = claimed(whole, path)
    log = read_with(loader.reader, whole)
    complete = {key: dict(log.cells(key)) for key in log.columns}
    for cut in range(0, len(whole), 7):
        log = read_with(loader.reader, whole[:cut])
        for key in log.columns:
            for step, value in log.cells(key):
                known = complete.get(key, {}).get(step, math.nan)
                if name == "csv" or "Results" in key or "Timing" in key:
                    continue  # plain numbers at the end of a line have no mark of their end
                assert value == pytest.approx(known, rel=1e-7), (cut, key, step)
