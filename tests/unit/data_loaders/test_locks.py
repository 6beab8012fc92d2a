"""A lock file: one owner at a time, taken over from the dead and the silent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from data_loaders.cache import locks as module
from data_loaders.cache.locks import STALE_AFTER, LockLostError, file_lock

ROOT = Path(__file__).resolve().parents[3]


class GivenUpError(Exception):
    """Raised by a test's `pause`."""


def give_up() -> None:
    raise GivenUpError


class Clock:
    """Time that passes only while the lock is waited for."""

    def __init__(self, step: float) -> None:
        self.now, self.step, self.pauses = 0.0, step, 0

    def __call__(self) -> float:
        return self.now

    def pause(self) -> None:
        self.now += self.step
        self.pauses += 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def foreign(path: Path, token: str = "t") -> None:
    path.write_text(json.dumps([token, "another host", 1, "5"]))


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def test_one_owner_at_a_time(path: Path) -> None:
    with file_lock(path) as lock:
        lock.check()
        with pytest.raises(GivenUpError), file_lock(path, pause=give_up):
            pass
    assert names(path) == []


def test_released_when_the_owner_fails(path: Path) -> None:
    with pytest.raises(ValueError, match="why"), file_lock(path):
        raise ValueError("why")
    assert names(path) == []


def test_waiting_ends_when_the_owner_is_done(path: Path) -> None:
    foreign(path)
    with file_lock(path, pause=path.unlink) as lock:
        lock.check()


@pytest.mark.parametrize("reap", [True, False])
def test_a_killed_owner_of_this_host_is_replaced_at_once(path: Path, reap: bool) -> None:
    code = (
        "import sys; from pathlib import Path; from data_loaders.cache.locks import file_lock\n"
        "with file_lock(Path(sys.argv[1])):\n    print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, path], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdout
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(GivenUpError), file_lock(path, pause=give_up):
            pass
        child.send_signal(signal.SIGKILL)
        if reap:
            child.wait()
        else:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with file_lock(path, pause=give_up):
            pass
    assert names(path) == []


def test_a_process_number_used_again_is_not_the_owner(path: Path) -> None:
    path.write_text(json.dumps(["t", module._host(), os.getpid(), "1"]))
    with file_lock(path, pause=give_up) as lock:
        lock.check()
    assert names(path) == []


@pytest.mark.parametrize("text", ["", "nonsense", '["t", "another host", 1, "5"]'])
def test_a_silent_owner_is_replaced_when_seen_unchanged_for_long_enough(path: Path, text: str) -> None:
    path.write_text(text)
    clock = Clock(step=STALE_AFTER / 3)
    with file_lock(path, clock.pause, clock) as lock:
        lock.check()
    assert clock.pauses == 3
    assert names(path) == []


def test_a_beating_owner_is_waited_for(path: Path) -> None:
    foreign(path)
    clock = Clock(step=STALE_AFTER * 0.9)

    def beat() -> None:
        clock.pause()
        os.utime(path, ns=(clock.pauses, clock.pauses))
        if clock.pauses == 10:
            path.unlink()

    with file_lock(path, beat, clock):
        assert clock.pauses == 10


def test_a_lock_taken_over_is_reported_to_its_old_owner(path: Path) -> None:
    with file_lock(path) as lock:
        foreign(path, "other")
        with pytest.raises(LockLostError):
            lock.check()
        lock.beaten -= module.BEAT_EVERY
        with pytest.raises(LockLostError):
            lock.beat()
    assert names(path) == ["a.lock"], "the new owner's lock is left alone"


def test_a_beat_touches_the_file(path: Path) -> None:
    with file_lock(path) as lock:
        os.utime(path, ns=(1, 1))
        lock.beat()
        assert path.stat().st_mtime_ns == 1
        lock.beaten -= module.BEAT_EVERY
        lock.beat()
        assert path.stat().st_mtime_ns > 1


def test_many_waiters_take_a_stale_lock_one_after_another(path: Path) -> None:
    path.write_text(json.dumps(["t", module._host(), 2**22 + 1, "1"]))  # above the largest process number
    inside, most = [], []

    def work() -> None:
        for _ in range(5):
            with file_lock(path, pause=lambda: None):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 20
    assert max(most) == 1
    assert names(path) == []
