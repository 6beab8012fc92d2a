from __future__ import annotations

import multiprocessing
import os
import socket
import time
from pathlib import Path

import orjson
import pytest

from data_loaders import reading_state
from data_loaders.reading_state import Reading, cancel, is_cancelled, read, start, write


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "reading-1.json"


def begun(note: Path) -> Reading:
    reading = start(note)
    assert reading is not None
    return reading


class TestOneReadingAtATime:
    def test_the_note_says_who_reads_and_how_far(self, note: Path) -> None:
        reading = begun(note)
        write(note, reading._replace(done=3, total=10, file="train.log"))
        seen = read(note)
        assert seen is not None
        assert (seen.state, seen.done, seen.total, seen.file) == ("reading", 3, 10, "train.log")
        assert (seen.host, seen.pid) == (socket.gethostname(), os.getpid())

    def test_a_second_reading_does_not_start_while_one_goes_on(self, note: Path) -> None:
        begun(note)
        assert start(note) is None

    @pytest.mark.parametrize("state", ["done", "failed", "cancelled", "died"])
    def test_after_every_end_the_next_one_starts(self, note: Path, state: reading_state.State) -> None:
        first = begun(note)
        write(note, first._replace(state=state))
        assert begun(note).token != first.token

    def test_of_many_that_start_at_once_one_reads(self, note: Path) -> None:
        context = multiprocessing.get_context("fork")
        gate, answers = context.Event(), context.Queue()

        def contend() -> None:
            gate.wait(10)
            answers.put(start(note) is not None)
            answers.close()
            answers.join_thread()
            time.sleep(0.5)  # a reader that is gone would make room for the next

        crowd = [context.Process(target=contend) for _ in range(4)]
        for each in crowd:
            each.start()
        gate.set()
        won = [answers.get(timeout=20) for _ in crowd]
        for each in crowd:
            each.join(20)
        assert sorted(won) == [False, False, False, True]


class TestProcessesThatAreGone:
    def test_a_dead_reader_is_told_and_makes_room(self, note: Path) -> None:
        child = multiprocessing.get_context("fork").Process(target=start, args=(note,))
        child.start()
        child.join(20)
        seen = read(note)
        assert seen is not None
        assert seen.state == "died"
        assert start(note) is not None

    def test_another_process_with_the_same_number_is_not_the_reader(self, note: Path) -> None:
        reading = begun(note)
        write(note, reading._replace(born="1"))
        seen = read(note)
        assert seen is not None
        assert seen.state == "died"

    def test_a_reader_on_another_host_lives_while_it_gives_signs(self, note: Path) -> None:
        reading = begun(note)._replace(host="elsewhere")
        for silence, state in ((1, "reading"), (reading_state.SILENT + 1, "died")):
            write(note, reading._replace(updated=time.time() - silence))
            seen = read(note)
            assert seen is not None
            assert seen.state == state


class TestCancel:
    def test_reader_and_pages_learn_of_it_whatever_is_written_after(self, note: Path) -> None:
        reading = begun(note)
        assert not is_cancelled(note, reading)
        cancel(note)
        write(note, reading._replace(done=5))
        assert is_cancelled(note, reading)
        seen = read(note)
        assert seen is not None
        assert seen.state == "cancelled"

    def test_the_wish_does_not_outlive_its_reading(self, note: Path) -> None:
        first = begun(note)
        cancel(note)
        write(note, first._replace(state="cancelled"))
        second = begun(note)
        assert not is_cancelled(note, second)
        seen = read(note)
        assert seen is not None
        assert seen.state == "reading"

    def test_nothing_to_cancel_leaves_nothing(self, note: Path) -> None:
        note.parent.mkdir()
        cancel(note)
        assert list(note.parent.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"state": 1, "nonsense": 2}', b"\xff\xfe"])
def test_a_damaged_note_is_no_note(note: Path, content: bytes) -> None:
    note.parent.mkdir()
    note.write_bytes(content)
    assert read(note) is None
    assert start(note) is not None


def test_readers_never_see_half_a_note(note: Path) -> None:
    reading = begun(note)
    for done in range(200):
        write(note, reading._replace(done=done, file="x" * done))
        assert orjson.loads(note.read_bytes())["done"] == done
    assert [path.name for path in note.parent.iterdir()] == [note.name]
