"""Many processes, one board: Celery workers and web processes against a real Redis."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from werkzeug.serving import make_server

pytest.importorskip("celery")

from app import wsgi
from app.celery_app import celery_app, hand_over
from data_loaders.board import Source
from data_loaders.board_config import BoardConfig
from data_loaders.cache import cached
from data_loaders.cache.locks import file_lock
from data_loaders.cache.store import entry_folder, prepare
from data_loaders.demo import write_demo
from data_loaders.scan import scan
from tests.redis.page import Json, Page
from tests.redis.processes import Deployment, Running, Spoken, deployed
from tests.redis.training_logs import METRICS, log_text, value, write_logs
from tests.serving import ROOT, free_port, serving

pytestmark = pytest.mark.redis

GENERATED, STEPS = 6, 40
CORPUS = ROOT.parent / "shared" / "corpus"
PARSE = "Task rlboard.parse["
JOB = "Task background_callback_"
MOMENT = re.compile(r'已 [^，"]+没有新内容|Nothing new for [^;"]+|"is": "(?:[^"\\]|\\.)*"')
"""Ages, and names of what is shown, into which they go."""
LONG_AGO = 1_780_000_000
"""Epoch seconds of the last change of every log: states of runs do not change while a test runs."""


@pytest.fixture(scope="module")
def running(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A deployment for the demo data, generated logs, and real ones where there are any."""
    folder = tmp_path_factory.mktemp("board")
    logs = folder / "logs"
    write_demo(logs)
    write_logs(logs / "archive", GENERATED, STEPS)
    if CORPUS.is_dir():
        shutil.copytree(CORPUS, logs / "real")
    for log in logs.rglob("*.log"):
        os.utime(log, (LONG_AGO, LONG_AGO))
    (folder / "cache").mkdir()
    with deployed(Deployment(broker, logs, folder / "cache")) as started:
        yield started


@pytest.fixture(scope="module")
def manifest(running: Running) -> Json:
    """What a page knows when the first reading has ended."""
    return Page(running.web.url).read()


def answers(page: Page, manifest: Json) -> dict[str, Any]:
    """Everything a page may ask for, without what depends on the second it is asked in."""
    # `keys` are hashes of what is shown, the age of a run's last line included.
    found: dict[str, Any] = {"csv": page.csv(), "manifest": {**manifest, "keys": None}}
    for tab in manifest["tabs"]:
        text = json.dumps(page.tab(manifest, tab), ensure_ascii=False, sort_keys=True)
        found[tab] = MOMENT.sub("", text)
        assert len(text) > 1000
    return found


def assert_alike(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []


def test_the_same_as_one_process_with_diskcache(running: Running, manifest: Json, tmp_path: Path) -> None:
    assert len(manifest["runs"]) > GENERATED
    page = Page(running.web.url)
    while any(f"run{nth}_grpo_2b,".encode() not in page.csv() for nth in range(1, GENERATED + 1)):
        threading.Event().wait(0.2)  # the other web process may have looked before the reading ended
    found = answers(page, manifest)
    rows = [row.split(",") for row in found["csv"].decode("utf-8-sig").splitlines()]
    told = {(row[0], row[4], row[5]): float(row[6]) for row in rows if row[0].startswith("run")}
    for experiment in range(1, GENERATED + 1):
        for at, name in enumerate(METRICS):
            key = f"run{experiment}_grpo_2b", str(STEPS), name
            assert told[key] == value(experiment, STEPS, at)
    with serving(["--logs", str(running.board.logs)], tmp_path) as single:
        page = Page(single.url.rstrip("/"))
        assert_alike(found, answers(page, page.read()))


def received(worker: Spoken, task: str) -> list[str]:
    """Tasks of a kind that a worker was given."""
    return [line for line in worker.lines if task in line and "] received" in line]


def test_every_log_was_a_task_and_both_workers_read(running: Running, manifest: Json) -> None:
    found = scan((running.board.logs,), BoardConfig())
    logs = sum(len(experiment.logs) for experiment in found.experiments)
    assert logs > GENERATED
    assert sum(len(received(each, PARSE)) for each in running.workers) == logs
    other = next(each for each in running.workers if not received(each, JOB))
    other.wait_for("] succeeded in")


def test_any_web_process_answers_alike(running: Running, manifest: Json) -> None:
    page = Page(running.web.url)
    first = answers(page, manifest)
    for _ in range(20):
        assert_alike(answers(page, manifest), first)
        if len(running.web.answered_by()) == 2:
            return
    raise AssertionError("one process answered everything")


@contextmanager
def held(logs: list[Path], cache_dir: Path) -> Iterator[None]:
    """Keep everybody from reading these logs, so that their tasks stay half done."""
    with ExitStack() as stack:
        for log in logs:
            stack.enter_context(file_lock(prepare(entry_folder(cache_dir, log))))
        yield


def active(running: Running) -> dict[str, list[str]]:
    """Logs being read, by name of the worker."""
    app = celery_app(running.board.broker, Source((running.board.logs,)), running.board.cache_dir)
    seen = app.control.inspect(timeout=1.0).active() or {}
    app.close()
    return {
        name: [str(task["args"][0]) for task in tasks if task["name"] == "rlboard.parse"]
        for name, tasks in seen.items()
    }


def eventually(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    """The first true answer. Raises AssertionError when there is none in time."""
    pause, end = threading.Event(), time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        pause.wait(0.1)
    raise AssertionError("it did not happen")


def working_on(running: Running, logs: list[Path]) -> Spoken:
    """A worker that has one of these logs in hand."""
    paths = {str(log) for log in logs}

    def busy() -> str:
        return next((name for name, reads in active(running).items() if paths & set(reads)), "")

    name = eventually(busy)
    return next(each for each in running.workers if any(f" {name} ready." in line for line in each.lines))


def test_a_task_whose_process_is_killed_is_done_again(
    running: Running, manifest: Json, tmp_path: Path
) -> None:
    log = tmp_path / "train_1.log"
    log.write_text(log_text(1, 3))
    cache_dir = running.board.cache_dir
    app = celery_app(running.board.broker, Source((running.board.logs,)), cache_dir)
    with held([log], cache_dir):
        hand_over(app, [log], cache_dir, cache_dir / "note.json")
        worker = working_on(running, [log])
        for child in psutil.Process(worker.process.pid).children():
            child.kill()
        worker.wait_for("WorkerLostError")
    app.close()
    found = eventually(lambda: cached(log, cache_dir))
    assert found.column(METRICS[0]).values.tolist() == [value(1, step, 0) for step in (1, 2, 3)]


def test_a_worker_that_is_gone_is_not_waited_for(running: Running, manifest: Json) -> None:
    page = Page(running.web.url)
    logs = write_logs(running.board.logs / "later", 3, STEPS)
    with held(logs, running.board.cache_dir):
        handles = page.start()
        worker = working_on(running, logs)
        everyone = [*psutil.Process(worker.process.pid).children(), psutil.Process(worker.process.pid)]
        for process in everyone:
            process.kill()
    found = page.finish(handles)
    assert len(found["runs"]) == len(manifest["runs"]) + 3
    assert page.reading() == {}


@pytest.fixture
def without_redis(tmp_path: Path) -> Iterator[str]:
    """Address of a board whose Redis is not there."""
    write_logs(tmp_path / "logs", 2, STEPS)
    words = Deployment(f"redis://127.0.0.1:{free_port()}/0", tmp_path / "logs", tmp_path / "cache").words
    server = make_server("127.0.0.1", 0, wsgi.board(shlex.join(words)), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_without_redis_pages_are_served_and_say_so(without_redis: str) -> None:
    page = Page(without_redis)
    assert page.call("reading.data", "load.data", page.asked()) == {}
    assert "Redis" in str(page.reading()["error"])
