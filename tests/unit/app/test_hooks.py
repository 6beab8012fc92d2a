from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app import hooks
from app.settings import from_arguments
from data_loaders import reading_state
from data_loaders.board import Board, BoardReader, Source
from data_loaders.board_config import BoardConfig, read_config
from data_loaders.news import News, ToldOnce
from tests.growing import append, log_path, text, write
from tests.redis.processes import running
from tests.serving import free_port

CRASH = "Traceback (most recent call last):\ntorch.OutOfMemoryError: CUDA out of memory.\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A board.toml whose command appends what it is told to a file."""
    script = tmp_path / "tell.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + '\\n')")
    path = tmp_path / "board.toml"
    command = [sys.executable, str(script), str(tmp_path / "told; touch pwned")]
    path.write_text(f"[hooks]\ncommand = {json.dumps(command)}\n")
    path.chmod(0o600)
    return path


def told(tmp_path: Path) -> list[dict[str, object]]:
    path = tmp_path / "told; touch pwned"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def reader_of(tmp_path: Path, config: Path) -> BoardReader:
    board, problems = read_config(config)
    assert not problems
    return BoardReader(Source((tmp_path / "archive",), board), tmp_path / "cache")


def looks(reader: BoardReader, *between: object) -> None:
    """Watch for as many looks as there are actions between them, and one."""
    todo = list(between)

    def pause(_seconds: float) -> bool:
        if not todo:
            return True
        todo.pop(0)()  # type: ignore[operator]
        return False

    hooks.keep_watch(reader, reader.source.config.command, pause)


@pytest.fixture(autouse=True)
def every_look_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "EVERY", 0.0)


def test_each_event_runs_the_command_once_over_restarts(tmp_path: Path, config: Path) -> None:
    old = write(log_path(tmp_path / "archive", "old_grpo_2b"), text(1, 5) + CRASH)
    log = write(log_path(tmp_path / "archive"), text(1, 20))
    looks(reader_of(tmp_path, config), lambda: None, lambda: append(log, CRASH), lambda: None)
    (event,) = told(tmp_path)
    assert (event["kind"], event["run"], event["label"], event["step"]) == ("crashed", "e1_grpo_2b", "E1", 20)
    assert "OutOfMemoryError" in str(event["text"])
    looks(reader_of(tmp_path, config), lambda: append(old, "more\n"))
    assert len(told(tmp_path)) == 1
    assert not (Path.cwd() / "pwned").exists()
    assert not (tmp_path / "pwned").exists()


def test_what_happened_before_the_first_look_is_no_news(tmp_path: Path, config: Path) -> None:
    write(log_path(tmp_path / "archive"), text(1, 20) + CRASH)
    looks(reader_of(tmp_path, config), lambda: None, lambda: None)
    assert told(tmp_path) == []


class TestManyProcesses:
    """Whoever serves the board may watch; one does."""

    def test_one_watches_and_another_takes_over(self, tmp_path: Path, config: Path) -> None:
        log = write(log_path(tmp_path / "archive"), text(1, 20))
        second = reader_of(tmp_path, config)
        looked: list[str] = []

        def look(age: float = 0.0) -> Board:
            looked.append("second")
            return BoardReader.look(second, age)

        second.look = look  # type: ignore[method-assign]

        def another_comes() -> None:
            looks(second, lambda: append(log, CRASH), lambda: None)
            assert looked == [], "it waits"
            assert told(tmp_path) == []

        looks(reader_of(tmp_path, config), lambda: None, another_comes, lambda: None)
        assert [event["kind"] for event in told(tmp_path)] == ["crashed"]
        looks(second)
        assert looked
        assert len(told(tmp_path)) == 1

    def test_what_one_found_when_it_came_is_no_news_to_the_next(self, tmp_path: Path, config: Path) -> None:
        """The first one ended before everything was read."""
        write(log_path(tmp_path / "archive"), text(1, 20) + CRASH)
        reader = reader_of(tmp_path, config)
        write(log_path(tmp_path / "archive", "e2_grpo_2b"), text(1, 20) + CRASH)
        reading_state.start(reader.note)  # a page reads, so the watch does not
        looks(reader)
        reader.note.unlink()
        looks(reader_of(tmp_path, config), lambda: None, lambda: None)
        assert told(tmp_path) == []

    def test_events_are_told_once_when_two_watch(self, tmp_path: Path, config: Path) -> None:
        """As it may be when a lock was taken from one that was only slow."""
        log = write(log_path(tmp_path / "archive"), text(1, 20))
        looks(reader_of(tmp_path, config), lambda: None)
        append(log, CRASH)
        noted = ToldOnce(tmp_path / "cache" / f"told-{reader_of(tmp_path, config).source.name}")
        acted: list[News] = []
        for _ in range(2):
            hooks.tell(reader_of(tmp_path, config).read(), noted, acted.append)
        assert [item.kind for item in acted] == ["crashed"]

    def test_a_cache_that_takes_nothing_is_said_once(
        self, tmp_path: Path, config: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write(log_path(tmp_path / "archive"), text(1, 20) + CRASH)
        (tmp_path / "cache").write_text("a file stands where the folder should be")
        looks(reader_of(tmp_path, config), lambda: None, lambda: None)
        assert told(tmp_path) == []
        assert capsys.readouterr().err.count("cannot be noted") == 1

    def test_the_cache_may_be_deleted_meanwhile(self, tmp_path: Path, config: Path) -> None:
        log = write(log_path(tmp_path / "archive"), text(1, 20))
        looks(
            reader_of(tmp_path, config),
            lambda: shutil.rmtree(tmp_path / "cache"),
            lambda: None,
            lambda: None,
            lambda: append(log, CRASH),
            lambda: None,
        )
        assert [event["kind"] for event in told(tmp_path)] == ["crashed"]

    def test_web_processes_of_gunicorn(self, tmp_path: Path, config: Path) -> None:
        pytest.importorskip("gunicorn")
        log = write(log_path(tmp_path / "archive"), text(1, 20))
        write(log_path(tmp_path / "archive", "old_grpo_2b"), text(1, 5) + CRASH)
        cache, paths = tmp_path / "cache", (tmp_path / "archive", config)
        words = f"--logs {paths[0]} --config {paths[1]} --cache-dir {cache} --allow-hooks"
        with running(gunicorn(words), tmp_path, "Listening at"):
            eventually(lambda: list(cache.glob("told-*/settled")))
            append(log, CRASH)
            eventually(lambda: told(tmp_path))
            first = watching(cache)
            os.kill(first, signal.SIGKILL)
            eventually(lambda: watching(cache) not in (0, first))
            append(log_path(tmp_path / "archive", "e2_grpo_2b"), text(1, 5) + CRASH)
            eventually(lambda: len(told(tmp_path)) == 2)
        assert [(event["kind"], event["run"]) for event in told(tmp_path)] == [
            ("crashed", "e1_grpo_2b"),
            ("crashed", "e2_grpo_2b"),
        ]


def gunicorn(words: str) -> list[str]:
    """Command of three web processes."""
    options = ["--workers", "3", "--bind", f"127.0.0.1:{free_port()}", "--no-control-socket"]
    return [sys.executable, "-m", "gunicorn", *options, f"tests.unit.app.quick_watch:board({words!r})"]


def watching(cache: Path) -> int:
    """Number of the process that watches; 0 when none does."""
    try:
        return int(json.loads(next(cache.glob("watch-*.lock")).read_text())[2])
    except (StopIteration, FileNotFoundError, ValueError):
        return 0


def eventually(test: Callable[[], object], seconds: float = 60.0) -> None:
    pause, end = threading.Event(), time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end
        pause.wait(0.02)


class TestRefusal:
    def test_only_a_file_of_ones_own_that_nobody_else_may_write(self, config: Path) -> None:
        assert hooks.refusal(config) == ""
        for mode in (0o620, 0o602, 0o666):
            config.chmod(mode)
            assert "chmod go-w" in hooks.refusal(config)
        assert hooks.refusal(None)
        assert hooks.refusal(config.with_name("gone.toml"))

    def test_a_file_of_another_user(self, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "getuid", lambda: config.stat().st_uid + 1)
        assert "another user" in hooks.refusal(config)

    def test_start_says_why_not(self, tmp_path: Path, config: Path) -> None:
        bare = BoardReader(Source((tmp_path,), BoardConfig(path=config)), tmp_path / "cache")
        assert "names no command" in hooks.start(bare)
        config.chmod(0o666)
        assert "chmod go-w" in hooks.start(reader_of(tmp_path, config))


@pytest.mark.parametrize("command", [["/no/such/program"], [sys.executable, "-c", "raise SystemExit(3)"]])
def test_a_command_that_fails_is_printed(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    hooks.run(command, News("a:crashed", "crashed", "a", "", "2b", 3))
    assert "a:crashed" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ['"touch x"', "[]", '[""]', "[1]"])
def test_a_command_is_a_list_of_words(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "board.toml"
    path.write_text(f"[hooks]\ncommand = {wrong}\n")
    config, problems = read_config(path)
    assert config.command == ()
    assert [problem.path for problem in problems] == ["hooks.command"]


def test_hooks_are_off_unless_asked_for() -> None:
    from app.__main__ import build_parser

    assert not from_arguments(build_parser().parse_args([])).allow_hooks
    assert from_arguments(build_parser().parse_args(["--allow-hooks"])).allow_hooks
