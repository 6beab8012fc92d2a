from __future__ import annotations

from pathlib import Path

import pytest

from data_loaders.board import BoardReader, Source
from data_loaders.news import ToldOnce, news
from tests.growing import append, log_path, text, write

CRASH = """Traceback (most recent call last):
  File "main_ppo.py", line 1, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
"""
SPIKE = "step:{n} - actor/entropy:0.01 - actor/grad_norm:90.0 - actor/ppo_kl:3.0 - response_length/mean:900\n"
CALM = "step:{n} - actor/entropy:{e} - actor/grad_norm:{g} - actor/ppo_kl:{k} - response_length/mean:900\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write(log_path(tmp_path / "archive"), text(1, 20))


@pytest.fixture
def reader(log: Path, tmp_path: Path) -> BoardReader:
    reader = BoardReader(Source((tmp_path / "archive",)), tmp_path / "cache")
    reader.read()
    return reader


def told(reader: BoardReader) -> list[tuple[str, str, int | None]]:
    return [(item.kind, item.run, item.step) for item in news(reader.look())]


def test_a_run_that_trains_is_no_news(reader: BoardReader) -> None:
    assert told(reader) == []


def test_a_crash_and_the_crash_after_the_resume_are_two(reader: BoardReader, log: Path) -> None:
    append(log, CRASH)
    assert told(reader) == [("crashed", "e1_grpo_2b", 20)]
    (first,) = news(reader.board())
    assert "OutOfMemoryError" in first.text
    resumed = log_path(log.parents[2], started="20260702_080000")
    write(resumed, text(21, 25))
    assert told(reader) == []
    append(resumed, CRASH)
    (second,) = news(reader.look())
    assert (second.kind, second.step) == ("crashed", 25)
    assert second.name != first.name


def test_an_episode_keeps_its_name_while_it_goes_on(reader: BoardReader, log: Path) -> None:
    calm = [
        CALM.format(n=n, e=1 - n / 1000, g=0.3 + n % 3 / 50, k=0.001 + n % 5 / 9999) for n in range(1, 61)
    ]
    write(log, "".join([*calm, *(SPIKE.format(n=n) for n in (61, 62))]))
    (first,) = news(reader.look())
    assert (first.kind, first.step) == ("episode", 61)
    assert first.severity is not None
    assert first.severity >= 2
    append(log, SPIKE.format(n=63))
    (again,) = news(reader.look())
    assert (again.name, again.end) == (first.name, 63)


def test_each_is_told_once_by_whoever_comes_first(reader: BoardReader, log: Path, tmp_path: Path) -> None:
    append(log, CRASH)
    (item,) = news(reader.look())
    folder = tmp_path / "told"
    assert not ToldOnce(folder).settled
    assert [ToldOnce(folder).take(item) for _ in range(3)] == [True, False, False]
    assert not ToldOnce(folder).settled
    ToldOnce(folder).settle()
    assert ToldOnce(folder).settled
