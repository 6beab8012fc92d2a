from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_loaders import board as board_module
from data_loaders import held_logs
from data_loaders.board import Board, BoardReader, Progress, Source
from data_loaders.cache import store
from data_loaders.cache.locks import file_lock
from data_loaders.cache.log_update import PATIENCE
from data_loaders.cache.store import entry_folder, prepare
from data_loaders.runs import missing_steps
from tests.growing import KEYS, append, line, log_path, text, value, write


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    write(log_path(folder), text(1, 20))
    return folder


@pytest.fixture
def reader(logs: Path, tmp_path: Path) -> BoardReader:
    return BoardReader(Source((logs,)), tmp_path / "cache")


def steps(board: Board, run: str = "e1_grpo_2b") -> list[int]:
    """Steps of a run by its first key; each has the value the log says."""
    found = next(each for each in board.runs if each.id == run).view.series(KEYS[0])
    assert found is not None
    assert found.value.tolist() == [value(step, 0) for step in found.step.tolist()]
    return found.step.tolist()


class TestFirstReading:
    def test_a_folder_nobody_knows_is_left_to_a_background_reading(
        self, reader: BoardReader, logs: Path
    ) -> None:
        board = reader.look()
        assert (board.runs, board.unread) == ((), (log_path(logs),))
        assert steps(reader.read()) == list(range(1, 21))
        assert reader.look().unread == ()

    def test_what_another_process_read_is_taken_from_the_cache(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reader.anew().read()
        monkeypatch.setattr(held_logs, "refresh", _never)
        assert steps(reader.look()) == list(range(1, 21))

    def test_stopped_in_the_middle_keeps_what_was_read(self, reader: BoardReader, logs: Path) -> None:
        write(log_path(logs, "e2_dapo_2b"), text(1, 5))
        seen: list[Progress] = []

        def stop(at: Progress) -> None:
            seen.append(at)
            if len(seen) > 1:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            reader.read(stop)
        assert len(reader.look().runs) == 1
        assert {run.id for run in reader.read().runs} == {"e1_grpo_2b", "e2_dapo_2b"}

    def test_progress_counts_all_new_bytes(self, reader: BoardReader, logs: Path) -> None:
        write(log_path(logs, "e2_dapo_2b"), text(1, 30))
        size = sum(path.stat().st_size for path in logs.rglob("*.log"))
        seen: list[Progress] = []
        reader.read(seen.append)
        assert {each.total for each in seen} == {size}
        assert [each.done for each in seen] == sorted(each.done for each in seen)
        assert seen[-1].done == size


class TestFollowing:
    @pytest.fixture(autouse=True)
    def known(self, reader: BoardReader) -> None:
        reader.read()

    def test_only_appended_bytes_are_read(self, reader: BoardReader, logs: Path) -> None:
        more = text(21, 23, noise=2)
        append(log_path(logs), more)
        seen: list[Progress] = []
        assert steps(reader.read(seen.append)) == list(range(1, 24))
        assert {each.total for each in seen} == {len(more.encode())}

    def test_a_look_reads_small_appends_itself(self, reader: BoardReader, logs: Path) -> None:
        append(log_path(logs), text(21, 22))
        board = reader.look()
        assert steps(board) == list(range(1, 23))
        assert board.unread == ()

    def test_a_look_leaves_large_appends(
        self, reader: BoardReader, logs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(board_module, "SMALL", 100)
        append(log_path(logs), text(21, 22))
        board = reader.look()
        assert steps(board) == list(range(1, 21))
        assert board.unread == (log_path(logs),)
        assert steps(reader.read()) == list(range(1, 23))

    def test_an_unfinished_line_waits(self, reader: BoardReader, logs: Path) -> None:
        append(log_path(logs), "step:21 - actor/ent")
        assert steps(reader.look()) == list(range(1, 21))
        append(log_path(logs), f"ropy:{value(21, 0)}\n")
        assert steps(reader.look()) == list(range(1, 22))

    def test_half_a_number_waits(self, reader: BoardReader, logs: Path) -> None:
        """Wherever a writer stops for a while, no cell shows another value than the log has in the end."""
        path, data = log_path(logs), line(21).encode()
        for place in range(len(data)):
            append(path, data[place : place + 1])
            view = reader.look().runs[0].view
            for nth, key in enumerate(KEYS):
                series = view.series(key)
                assert series is not None
                assert series.value.tolist() == [value(step, nth) for step in series.step.tolist()]
        assert steps(reader.board()) == list(range(1, 22))

    def test_the_last_word_of_a_log_that_ended_counts(
        self, reader: BoardReader, logs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        append(log_path(logs), line(21).rstrip("\n"))
        last = KEYS[-1]

        def known() -> list[int]:
            series = reader.look().runs[0].view.series(last)
            assert series is not None
            return series.step.tolist()

        assert known() == list(range(1, 21))
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + PATIENCE + 1)
        assert known() == list(range(1, 22))
        made = reader.board()
        assert reader.look() is made, "and is not looked for again"

    @pytest.mark.parametrize("how", ["truncated", "replaced", "rotated"])
    def test_a_log_written_anew_is_read_anew(self, reader: BoardReader, logs: Path, how: str) -> None:
        path = log_path(logs)
        if how == "rotated":
            path.rename(path.with_name(path.name + ".1"))
        if how == "replaced":
            other = write(path.with_name("new.tmp"), text(1, 7))
            other.rename(path)
        else:
            write(path, text(1, 7))
        assert steps(reader.look()) == list(range(1, 8))

    def test_rewritten_to_the_same_length(self, reader: BoardReader, logs: Path) -> None:
        path = log_path(logs)
        before = path.read_bytes()
        after = before.replace(b"step:20 - ", b"step:31 - ")
        assert len(after) == len(before)
        path.write_bytes(after)
        found = reader.look().runs[0].view.step.tolist()
        assert found == [*range(1, 20), 31]

    def test_new_experiments_appear(self, reader: BoardReader, logs: Path) -> None:
        write(log_path(logs, "e2_dapo_2b"), text(1, 3))
        assert {run.id for run in reader.look().runs} == {"e1_grpo_2b", "e2_dapo_2b"}

    def test_a_resumed_run_joins_as_a_new_segment(self, reader: BoardReader, logs: Path) -> None:
        write(log_path(logs, started="20260702_080000"), text(16, 25))
        (run,) = reader.look().runs
        assert [(s.first, s.last) for s in run.view.run.segments] == [(1, 20), (16, 25)]
        assert steps(reader.board()) == list(range(1, 26))

    def test_a_run_that_is_gone_leaves_the_board(self, reader: BoardReader, logs: Path) -> None:
        shutil.rmtree(logs / "e1_grpo_2b")
        assert reader.look().runs == ()

    def test_a_missing_root_is_told(self, reader: BoardReader, logs: Path) -> None:
        logs.rename(logs.with_name("away"))
        board = reader.look()
        assert [root.reason_key for root in board.missing_roots] == ["root.missing"]

    def test_a_log_that_cannot_be_read_now_is_shown_as_it_was(
        self, reader: BoardReader, logs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        append(log_path(logs), text(21, 22))
        monkeypatch.setattr(held_logs, "cached", _denied)
        board = reader.look()
        assert [(failure.path, failure.why) for failure in board.failures] == [
            (log_path(logs), "Permission denied")
        ]
        assert steps(board) == list(range(1, 21))
        monkeypatch.undo()
        assert steps(reader.look()) == list(range(1, 23))

    def test_a_log_that_vanishes_between_listing_and_reading(
        self, reader: BoardReader, logs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        append(log_path(logs), text(21, 22))

        def vanish(path: Path, *_: object) -> None:
            path.unlink()
            raise FileNotFoundError(2, "No such file or directory")

        monkeypatch.setattr(held_logs, "cached", vanish)
        board = reader.look()
        assert [failure.path for failure in board.failures] == [log_path(logs)]
        monkeypatch.undo()
        assert reader.look().runs == ()


class TestCost:
    @pytest.fixture(autouse=True)
    def known(self, reader: BoardReader, logs: Path) -> None:
        for number in range(2, 51):
            write(log_path(logs, f"e{number}_grpo_2b"), text(1, 2))
        reader.read()

    def test_a_look_at_an_unchanged_folder_reads_nothing_and_makes_nothing(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = reader.look()
        for module, name in ((held_logs, "cached"), (held_logs, "pending"), (board_module, "assemble")):
            monkeypatch.setattr(module, name, _never)
        monkeypatch.setattr(store, "read_record", _never)
        assert reader.look() is before

    def test_one_changed_log_touches_no_other_run(self, reader: BoardReader, logs: Path) -> None:
        before = {run.id: run for run in reader.look().runs}
        append(log_path(logs), text(21, 21))
        changed = [run.id for run in reader.look().runs if run is not before[run.id]]
        assert changed == ["e1_grpo_2b"]

    def test_lines_without_values_change_what_is_told_and_not_what_is_drawn(
        self, reader: BoardReader, logs: Path
    ) -> None:
        before = reader.look()
        append(log_path(logs), "(TaskRunner pid=1) nothing to say\n" * 5)
        after = reader.look()
        old, new = (next(run for run in b.runs if run.id == "e1_grpo_2b") for b in (before, after))
        assert after.version != before.version
        assert new.content == old.content
        assert new.episodes is old.episodes
        assert new.view.run.facts[0].bytes > old.view.run.facts[0].bytes

    def test_a_young_board_serves_again(self, reader: BoardReader, logs: Path) -> None:
        before = reader.look()
        append(log_path(logs), text(21, 21))
        assert reader.look(age=60) is before
        assert reader.look() is not before


class TestNobodyWaits:
    @pytest.fixture(autouse=True)
    def known(self, reader: BoardReader) -> None:
        reader.read()

    def test_a_look_while_another_one_is_slow(
        self, reader: BoardReader, logs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = reader.board()
        scan, inside, go = board_module.scan, threading.Event(), threading.Event()

        def slow(*args: object, **options: object) -> object:
            inside.set()
            assert go.wait(20)
            return scan(*args, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(board_module, "scan", slow)
        append(log_path(logs), text(21, 21))
        with _thread(reader.look):
            assert inside.wait(20)
            assert reader.look() is before
            go.set()
        assert steps(reader.board()) == list(range(1, 22))

    def test_a_log_that_another_process_reads_stays_as_it_was(self, reader: BoardReader, logs: Path) -> None:
        path = log_path(logs).resolve()
        append(path, text(21, 21))
        with file_lock(prepare(entry_folder(reader.cache_dir, path))):
            board = reader.look()
            assert steps(board) == list(range(1, 21))
            assert board.unread == ()  # it is being read already
        assert steps(reader.look()) == list(range(1, 22))


class TestTroubleWithTheCache:
    def test_damage_is_mended_and_said_for_a_while(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reader.read()
        for record in (reader.cache_dir / "logs").rglob("record.json"):
            record.write_bytes(record.read_bytes()[:-9] + b"x" * 9)
        other = reader.anew()
        board = other.look()
        assert steps(board) == list(range(1, 21))
        assert [note.key for note in board.notices] == ["cache.damaged"]
        monkeypatch.setattr(held_logs, "TOLD_S", 0.0)
        assert other.look().notices == ()

    def test_a_full_disk_is_said_and_kept_in_memory_until_there_is_room(
        self, reader: BoardReader, logs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reader.read()
        append(log_path(logs), text(21, 21))
        full = _full_disk(monkeypatch)
        next(full)
        for _ in range(2):
            board = reader.look()
            assert steps(board) == list(range(1, 22))
            assert [note.key for note in board.notices] == ["cache.full"]
        next(full, None)
        board = reader.look()
        assert (steps(board), board.notices) == (list(range(1, 22)), ())
        assert steps(reader.anew().look()) == list(range(1, 22))

    def test_unread_logs_name_a_full_disk_before_anyone_reads(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        full = _full_disk(monkeypatch)
        next(full)
        board = reader.look()
        assert [note.key for note in board.notices] == ["cache.full"]
        assert board.unread


def _full_disk(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing fits until it is asked on."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with patch.context() as full:
        full.setattr(store, "_write", refuse)
        full.setattr(held_logs, "LITTLE_ROOM", 1 << 62)
        yield
    yield


def _never(*_: object, **__: object) -> None:
    raise AssertionError("not needed for a look at what did not change")


def _denied(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


class _thread:  # noqa: N801  reads as a statement
    def __init__(self, work: object) -> None:
        self._thread = threading.Thread(target=work)  # type: ignore[arg-type]

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join(20)
        assert not self._thread.is_alive()


def test_missing_steps_of_lost_lines(logs: Path, reader: BoardReader) -> None:
    """Steps 3 and 7 were swallowed by Ray's de-duplication (ray-project/ray#45262)."""
    lines = text(1, 9).splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(("step:3 ", "step:7 "))]
    write(log_path(logs, "e2_dapo_2b"), "".join(kept))
    run = next(each for each in reader.read().runs if each.id == "e2_dapo_2b")
    assert missing_steps(run.view) == ((3, 3), (7, 7))


def test_the_cache_folder_is_private(reader: BoardReader) -> None:
    reader.read()
    assert os.stat(reader.cache_dir).st_mode & 0o077 == 0
