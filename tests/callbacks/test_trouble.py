"""A disk that is really full, and files that may really not be read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.growing import log_path, text, write
from tests.serving import ROOT

OWN_MOUNTS = ("unshare", "--map-root-user", "--mount")
"""A process that may mount what nobody else sees."""
NO_PRIVILEGES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
"""Root without the right to pass over permissions."""


def able(prefix: Sequence[str], then: Sequence[str]) -> bool:
    """Whether a command may run so on this machine."""
    if prefix and shutil.which(prefix[0]) is None:
        return False
    return subprocess.run([*prefix, *then], capture_output=True, check=False).returncode == 0


def answer(command: Sequence[str]) -> Any:
    """What a command prints as JSON on its last line."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_disk_that_gets_full_is_said_and_the_next_try_works(tmp_path: Path) -> None:
    disk = tmp_path / "probe"
    disk.mkdir()
    if not able(OWN_MOUNTS, ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]):
        pytest.skip("no right to mount a disk here")
    assert answer([*OWN_MOUNTS, sys.executable, "-m", "tests.callbacks.full_disk", str(tmp_path)]) == {
        "request ended": True,
        "first banner": True,
        "next try": [400],
        "banner after it": False,
        "followed in memory": True,
        "second banner": True,
        "followed again": True,
        "banner at the end": False,
        "another reading": [402],
        "server": None,
    }


@pytest.fixture
def unprivileged(tmp_path: Path) -> tuple[str, ...]:
    """How to run a command for which permissions count."""
    closed = write(tmp_path / "closed", "x")
    closed.chmod(0)
    prefix = NO_PRIVILEGES if os.getuid() == 0 else ()
    if not able(prefix, ["true"]) or able(prefix, ["cat", str(closed)]):
        pytest.skip("permissions do not count here")
    return prefix


def test_logs_and_folders_that_may_not_be_read_are_named(
    tmp_path: Path, unprivileged: tuple[str, ...]
) -> None:
    logs = tmp_path / "archive"
    write(log_path(logs), text(1, 9))
    write(log_path(logs, "e2_grpo_2b"), text(1, 9)).chmod(0)
    folder = log_path(logs, "e3_grpo_2b").parent
    write(log_path(logs, "e3_grpo_2b"), text(1, 9))
    folder.chmod(0)
    try:
        found = answer([*unprivileged, sys.executable, "-c", LOOK, str(logs), str(tmp_path / "cache")])
    finally:
        folder.chmod(0o700)
    assert found["runs"] == {"e1_grpo_2b": 9}
    told = json.dumps(found["said"])
    for name in ("e2_grpo_2b", "e3_grpo_2b"):
        assert name in told
    assert told.count("Permission denied") == 2


def test_a_log_that_may_not_be_read_any_more_is_shown_as_it_was(
    tmp_path: Path, unprivileged: tuple[str, ...]
) -> None:
    logs = tmp_path / "archive"
    log = write(log_path(logs), text(1, 9))
    command = [*unprivileged, sys.executable, "-c", LOOK, str(logs), str(tmp_path / "cache"), str(log)]
    found = answer(command)
    assert found["runs"] == {"e1_grpo_2b": 9}
    assert found["said"] == [[str(log), "Permission denied"]]


def test_a_cache_that_may_not_be_written(tmp_path: Path, unprivileged: tuple[str, ...]) -> None:
    logs, cache = tmp_path / "archive", tmp_path / "cache"
    write(log_path(logs), text(1, 9))
    cache.mkdir(mode=0o500)
    found = answer([*unprivileged, sys.executable, "-c", LOOK, str(logs), str(cache)])
    assert found["runs"] == {"e1_grpo_2b": 9}
    assert found["notices"] == ["cache.unwritable"]
    command = [*unprivileged, sys.executable, "-m", "app", "--logs", str(logs), "--cache-dir", str(cache)]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"{cache} cannot be used by user {os.getuid()}: Permission denied" in refused.stderr


LOOK = """
import json, sys
from pathlib import Path
from data_loaders.board import BoardReader, Source
reader = BoardReader(Source((Path(sys.argv[1]),)), Path(sys.argv[2]))
board = reader.read()
for log in map(Path, sys.argv[3:]):
    log.write_bytes(log.read_bytes() * 2)
    log.chmod(0)
    board = reader.look()
said = [[str(each.path), each.why] for each in board.failures]
said += [[each.path, each.reason_key, each.values] for each in (*board.skipped, *board.missing_roots)]
print(json.dumps({
    "runs": {run.id: run.view.run.last for run in board.runs},
    "notices": [note.key for note in board.notices],
    "said": said,
}))
"""
