from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import multiprocess
import psutil
import pytest
from dash import no_update
from flask.testing import FlaskClient

from app.factory import create_app
from app.jobs import JobManager
from app.settings import Settings
from callbacks.loading import look, read_all
from callbacks.shared import SharedAnswers
from components import layout
from components.present import keys
from components.present import shell as present
from data_loaders import held_logs, reading_state
from data_loaders.board import BoardReader, Source
from data_loaders.cache import store
from data_loaders.reading_state import Reading
from tests.growing import append, log_path, text, write


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    write(log_path(folder), text(1, 20))
    return folder


@pytest.fixture
def reader(logs: Path, tmp_path: Path) -> BoardReader:
    return BoardReader(Source((logs,)), tmp_path / "cache")


def looked(reader: BoardReader, told: str | None, shown: dict[str, Any]) -> tuple[Any, Any, Any]:
    """What a page is told that nobody asked before."""
    return look(reader, told, shown, SharedAnswers())


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every progress is told, every look looks."""
    monkeypatch.setattr(reading_state, "EVERY", 0.0)
    monkeypatch.setattr("callbacks.loading.YOUNG", 0.0)


class TestReading:
    def test_c79_progress_is_set_at_once_and_superseded_at_the_end(self, reader: BoardReader) -> None:
        """C79: progress of the first moments is not lost, and no bar stays (plotly/dash#2828)."""
        told: list[Reading] = []
        end = read_all(reader, told.append)
        assert told[0].state == "reading"
        assert told[0].updated - told[0].started < 0.1
        assert told[-1].done == told[-1].total > 0
        assert end is not None
        assert end.state == "done"
        assert layout.loading(present.reading(end)).hidden
        assert looked(reader, None, present.reading(told[-1]))[1] == {}

    def test_the_line_tells_file_bytes_rate_and_time_left(self) -> None:
        reading = Reading("reading", 2_000_000, 10_000_000, "train.log", started=100, updated=104)
        told = present.reading(reading)
        assert (told["rate"], told["left"]) == (500_000, 16)
        words = str(layout.loading(told).text)
        for part in ("train.log", "2.0 MB", "10.0 MB", "20 %", "500.0 kB", "16 s"):
            assert part in words

    def test_two_pages_share_one_reading(self, reader: BoardReader) -> None:
        second = reader.anew()
        others: list[Any] = []

        def meanwhile(now: Reading) -> None:
            if now.done:
                others.append((read_all(second, lambda _: None), looked(second, None, {})[1]))

        end = read_all(reader, meanwhile)
        assert end is not None
        assert end.state == "done"
        for answer, shown in others:
            assert answer.state == "reading"
            assert answer.token == end.token
            assert shown["state"] == "reading"
        assert others

    def test_cancel_stops_it_from_any_page(self, reader: BoardReader, logs: Path) -> None:
        write(log_path(logs, "e2_dapo_2b"), text(1, 5))

        def press(now: Reading) -> None:
            if now.done:
                reading_state.cancel(reader.note)

        end = read_all(reader.anew(), press)
        assert end is not None
        assert end.state == "cancelled"
        manifest, shown, ask = looked(reader, None, {})
        assert shown["state"] == "cancelled"
        assert ask is no_update
        assert [run["id"] for run in manifest["runs"]] == ["e1_grpo_2b"]  # what was read is shown
        again = read_all(reader.anew(), lambda _: None)
        assert again is not None
        assert again.state == "done"
        assert len(looked(reader, None, {})[0]["runs"]) == 2

    def test_what_was_asked_for_before_a_cancel_does_not_begin_after_it(
        self, reader: BoardReader, logs: Path
    ) -> None:
        write(log_path(logs, "e2_dapo_2b"), text(1, 5))
        before = reading_state.asked_at(reading_state.request()) - 1
        read_all(reader.anew(), lambda now: reading_state.cancel(reader.note) if now.done else None)
        late = read_all(reader.anew(), lambda _: None, before)
        assert late is not None
        assert late.state == "cancelled"
        assert looked(reader, None, {})[0]["unread"] == 1
        after = reading_state.asked_at(reading_state.request()) + 1
        again = read_all(reader.anew(), lambda _: None, after)
        assert again is not None
        assert again.state == "done"

    @pytest.mark.parametrize("wish", ["", "asked by a page", "-1", "x-1"])
    def test_a_wish_without_time_counts_as_made_now(self, wish: str) -> None:
        assert reading_state.asked_at(wish) == float("inf")

    def test_a_failure_is_told_and_the_next_try_works(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(BoardReader, "read", _broken)
            end = read_all(reader, lambda _: None)
        assert end is not None
        assert (end.state, end.error) == ("failed", "RuntimeError: out of order")
        _, shown, ask = looked(reader, None, {})
        assert shown["error"] == ["RuntimeError: out of order"] * 2
        assert ask is no_update
        assert "out of order" in str(layout.loading(shown).text)
        end = read_all(reader, lambda _: None)
        assert end is not None
        assert end.state == "done"
        assert looked(reader, None, {})[0]["unread"] == 0

    def test_a_full_disk_is_told_and_the_next_try_works(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(store, "_write", full)
            disk.setattr(reading_state, "write", full)
            disk.setattr(held_logs, "LITTLE_ROOM", 1 << 62)
            end = read_all(reader.anew(), lambda _: None)
            assert end is not None
            assert end.state == "failed"
            manifest, _, ask = looked(reader, None, {})
            assert ask is no_update  # nothing would be handed over
            assert manifest["unread"] == 1
            assert [banner.text.key for banner in present.banners(reader.board())] == ["cache.full"]  # type: ignore[union-attr]
        assert looked(reader, None, {})[2] is not no_update
        end = read_all(reader.anew(), lambda _: None)
        assert end is not None
        assert end.state == "done"
        assert looked(reader, None, {})[0]["unread"] == 0

    def test_c81_damage_met_by_the_job_is_said_on_the_page(self, reader: BoardReader) -> None:
        """C81: the app rebuilds what is corrupt and says so (grantjenks/python-diskcache#345)."""
        read_all(reader.anew(), lambda _: None)
        for record in (reader.cache_dir / "logs").rglob("record.json"):
            record.write_bytes(b"\0" * 100)
        end = read_all(reader.anew(), lambda _: None)
        assert end is not None
        assert end.notices == ("cache.damaged",)
        board = reader.look()
        assert [banner.text.key for banner in present.banners(board)] == ["cache.damaged"]  # type: ignore[union-attr]
        assert board.runs[0].view.run.last == 20


class TestPoll:
    def test_a_poll_that_finds_nothing_says_nothing_and_draws_nothing(
        self, reader: BoardReader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        reader.read()
        manifest, shown, ask = looked(reader, None, {})
        assert (shown, ask) == (no_update, no_update)
        monkeypatch.setattr(present, "manifest", _broken)
        assert looked(reader, manifest["told"], {}) == (no_update,) * 3

    def test_unread_logs_are_asked_for_once(self, reader: BoardReader) -> None:
        assert looked(reader, None, {})[2] is not no_update
        reading_state.start(reader.note)
        assert looked(reader, None, {})[2] is no_update

    def test_c57_time_alone_makes_a_run_late(self, reader: BoardReader, logs: Path, monkeypatch: Any) -> None:
        """C57: silence for hours, then the run goes on (verl-project/verl#1696)."""
        board = reader.read()
        told, states = present.manifest(board)["told"], []
        path, clock = log_path(logs), time.time()
        for passed in (10, 4 * 60, 60 * 60):
            monkeypatch.setattr("components.present.times.time.time", lambda passed=passed: clock + passed)
            manifest = present.manifest(reader.look())
            states.append(manifest["runs"][0]["state"])
            assert (manifest["told"] == told) == (states[-1] == "live")
            assert manifest["version"] == board.version  # the logs said nothing new
            assert looked(reader, manifest["told"], {})[0] is no_update
        assert states == ["live", "late", "stalled"]
        append(path, text(21, 21))
        os.utime(path, (clock + 3600, clock + 3600))
        assert present.manifest(reader.look())["runs"][0]["state"] == "live"

    def test_keys_change_for_the_pages_that_change(self, reader: BoardReader, logs: Path) -> None:
        write(log_path(logs, "e1_grpo_4b"), text(1, 5))
        before = keys.page_keys(reader.read())
        append(log_path(logs), text(21, 21))
        after = keys.page_keys(reader.look())
        assert {tab for tab in after if after[tab] != before[tab]} == {"overview", "algorithms", "2b"}


@pytest.fixture
def client(reader: BoardReader, tmp_path: Path) -> FlaskClient:
    reader.read()
    return create_app(Settings(cache_dir=tmp_path / "cache"), reader).server.test_client()


def test_nothing_new_is_one_small_request(client: FlaskClient, reader: BoardReader) -> None:
    wired = client.get("/_dash-dependencies").get_json()
    spec = next(each for each in wired if each["inputs"][0]["id"] == "poll")
    told = present.manifest(reader.board())["told"]
    held = {"told": told, "reading": {}}
    body = {
        "output": spec["output"],
        "outputs": [
            dict(zip(("id", "property"), name.rsplit(".", 1), strict=True))
            for name in spec["output"].strip(".").split("...")
        ],
        "inputs": [{**each, "value": 7} for each in spec["inputs"]],
        "state": [{**each, "value": held[each["id"]]} for each in spec["state"]],
        "changedPropIds": ["poll.n_intervals"],
    }
    answer = client.post("/_dash-update-component", json=body)
    assert (answer.status_code, answer.data) == (204, b"")


def _broken(*_: object, **__: object) -> None:
    raise RuntimeError("out of order")


class TestJobs:
    @pytest.fixture
    def manager(self, tmp_path: Path) -> Iterator[JobManager]:
        manager = JobManager(tmp_path / "jobs", tmp_path / "note.json")
        yield manager
        manager.handle.close()

    def test_no_process_and_no_pipe_outlives_its_job(self, manager: JobManager) -> None:
        me, threads = psutil.Process(), threading.active_count()
        manager.call_job_fn("first", _job, (), {})
        _eventually(lambda: not me.children() and threading.active_count() == threads)
        files = me.num_fds()
        for number in range(30):
            pid = manager.call_job_fn(f"key{number}", _job if number % 2 else _endless, (), {})
            if not number % 2:
                manager.terminate_job(pid)
        _eventually(lambda: not me.children() and threading.active_count() == threads)
        assert me.num_fds() <= files
        assert not multiprocess.active_children()

    def test_a_killed_job_is_no_running_job(self, manager: JobManager) -> None:
        pid = manager.call_job_fn("key", _endless, (), {})
        assert manager.job_running(pid)
        os.kill(pid, signal.SIGKILL)
        _eventually(lambda: not manager.job_running(pid))
        manager.terminate_job(pid)
        manager.terminate_job(None)

    def test_a_job_that_ends_while_it_is_asked_for(
        self, manager: JobManager, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def gone(process: psutil.Process) -> str:
            raise psutil.NoSuchProcess(process.pid)

        monkeypatch.setattr(psutil.Process, "status", gone)
        assert not manager.job_running(os.getpid())
        assert not manager.job_running(None)

    def test_threads_keep_no_files(self, manager: JobManager) -> None:
        manager.get_result("key", None)
        me = psutil.Process()
        files = me.num_fds()
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda n: manager.get_result(f"key{n}", None), range(40)))
            assert me.num_fds() <= files


HARMS: dict[str, Callable[[Path], object]] = {
    "overwritten": lambda store: (store / "cache.db").write_bytes(b"no database at all " * 400),
    "pages": lambda store: _overwrite(store / "cache.db", 4096),
    "cut": lambda store: os.truncate(store / "cache.db", 5000),
    "emptied": lambda store: os.truncate(store / "cache.db", 0),
    "deleted": shutil.rmtree,
    "deleted with the cache": lambda store: shutil.rmtree(store.parent),
}
"""What may happen to the store of the jobs, on a file system of the network for example."""


class TestC81StoreOfJobs:
    """C81: an app whose database is corrupt rebuilds it and says so (grantjenks/python-diskcache#345)."""

    @pytest.mark.parametrize("harm", HARMS)
    def test_before_the_start(
        self, reader: BoardReader, harm: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = reader.cache_dir / "jobs"
        _filled(JobManager(folder, reader.note))
        HARMS[harm](folder)
        manager = JobManager(folder, reader.note)
        assert_works(manager)
        self.assert_said(reader, harm, capsys)

    @pytest.mark.parametrize("harm", HARMS)
    def test_while_it_serves(
        self, reader: BoardReader, harm: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = reader.cache_dir / "jobs"
        manager = _filled(JobManager(folder, reader.note))
        HARMS[harm](folder)
        with ThreadPoolExecutor(4) as threads:
            asked = list(threads.map(lambda n: manager.get_result(f"none{n}", None), range(8)))
        assert set(asked) == {manager.UNDEFINED}
        assert_works(manager)
        self.assert_said(reader, harm, capsys)

    def assert_said(self, reader: BoardReader, harm: str, capsys: pytest.CaptureFixture[str]) -> None:
        damaged = harm not in (
            "emptied",
            "deleted",
            "deleted with the cache",
        )  # else nothing was damaged, it is only not there
        assert ("was damaged and has been emptied" in capsys.readouterr().err) == damaged
        board = reader.read()
        assert [banner.text.key for banner in present.banners(board)] == ["cache.damaged"] * damaged  # type: ignore[union-attr]
        assert board.runs[0].view.run.last == 20


def _filled(manager: JobManager) -> JobManager:
    """A store of several pages, whose files nobody has open."""
    for number in range(50):
        manager.handle.set(f"key{number}", "x" * 500)
    manager.handle.close()
    return manager


def _overwrite(path: Path, begin: int) -> None:
    """Zeros from some byte on."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(bytes(size - begin))


def assert_works(manager: JobManager) -> None:
    manager.call_job_fn("answered", manager.make_job_fn(lambda: [7], None), (), {})
    _eventually(lambda: manager.get_result("answered", None) == [7])
    assert manager.folder.stat().st_mode & 0o077 == 0


def _job(*_: object) -> None:
    """Ends at once."""


def _endless(*_: object) -> None:
    time.sleep(600)


def _eventually(test: Any, seconds: float = 20.0) -> None:
    pause, end = threading.Event(), time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end
        pause.wait(0.02)
