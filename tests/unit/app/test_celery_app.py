"""What a worker does with a task, and what is said when Redis is not there. No Redis is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("celery")

from dash.exceptions import PreventUpdate
from kombu.exceptions import OperationalError

from app import celery_app as module
from app.celery_app import (
    PARSE,
    BoardCeleryManager,
    SealError,
    board_queue,
    celery_app,
    hand_over,
    parse,
    shared_seal,
)
from data_loaders import reading_state
from data_loaders.board import Source
from data_loaders.cache import cached

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def cache_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train_1.log"
    path.write_text("step:1 - actor/pg_loss:0.5\n")
    return path


def test_a_task_fills_the_cache_and_may_come_twice(log: Path, cache_dir: Path) -> None:
    for _ in range(2):
        parse(log, cache_dir, shared_seal(cache_dir), cache_dir / "note.json", "")
        found = cached(log, cache_dir)
        assert found is not None
        assert found.column("actor/pg_loss").values.tolist() == [0.5]


def test_a_log_that_is_gone_harms_nothing(log: Path, cache_dir: Path) -> None:
    log.unlink()
    parse(log, cache_dir, shared_seal(cache_dir), cache_dir / "note.json", "")
    assert list((cache_dir / "logs").rglob("*")) == []


def test_another_cache_folder_is_noticed(log: Path, cache_dir: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(SealError, match="one folder for all"):
        parse(log, other, shared_seal(cache_dir), cache_dir / "note.json", "")
    assert cached(log, other) is None


def test_the_seal_is_made_once(cache_dir: Path) -> None:
    assert shared_seal(cache_dir) == shared_seal(cache_dir) != ""
    assert [path.name for path in cache_dir.iterdir()] == ["seal"]


def test_nothing_is_done_for_a_reading_that_was_cancelled(log: Path, cache_dir: Path) -> None:
    note = cache_dir / "note.json"
    reading = reading_state.start(note)
    assert reading is not None
    reading_state.write(note, reading._replace(state="cancelled"))
    parse(log, cache_dir, shared_seal(cache_dir), note, reading.token)
    assert cached(log, cache_dir) is None
    parse(log, cache_dir, shared_seal(cache_dir), note, "of another reading")
    assert cached(log, cache_dir) is not None


def test_tasks_come_back_when_a_worker_is_lost(cache_dir: Path) -> None:
    app = celery_app(NOWHERE, Source((Path("/a"),)), cache_dir)
    task = app.tasks[PARSE]
    assert (task.acks_late, task.reject_on_worker_lost) == (True, True)
    assert (app.conf.task_serializer, app.conf.accept_content) == ("json", ["json"])
    assert app.conf.task_routes == {PARSE: {"queue": "parse"}}


def test_boards_on_one_redis_have_queues_of_their_own() -> None:
    assert board_queue(Source((Path("/a"),))) != board_queue(Source((Path("/b"),)))


class NoRedis:
    """Stands for a Celery application whose Redis does not answer."""

    def send_task(self, *_: Any) -> None:
        raise OperationalError("connection refused")


def test_without_redis_the_reading_goes_on_alone(
    log: Path, cache_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hand_over(NoRedis(), [log], cache_dir, cache_dir / "note.json")  # type: ignore[arg-type]
    assert "one process reads them all" in caplog.text


def test_without_redis_the_page_is_told(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(module.CeleryManager, "call_job_fn", refuse)
    app = celery_app(NOWHERE, Source((Path("/a"),)), cache_dir)
    manager = BoardCeleryManager(app, cache_dir / "note.json")
    with pytest.raises(PreventUpdate):
        manager.call_job_fn("key", None, [], {})
    told = reading_state.read(cache_dir / "note.json")
    assert told is not None
    assert (told.state, told.error) == ("failed", "Redis: connection refused")


def test_web_processes_share_the_secret_of_their_pages(cache_dir: Path) -> None:
    secrets = []
    for word in (b"first", b"second"):
        app = celery_app(NOWHERE, Source((Path("/a"),)), cache_dir)
        secrets.append(
            BoardCeleryManager(app, cache_dir / "note.json").get_or_create_signing_secret(lambda w=word: w)
        )
    assert secrets == [b"first", b"first"]
