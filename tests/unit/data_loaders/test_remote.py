"""Remote roots: what is copied, what is fetched again, and what is said when a server cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from data_loaders import remote, remote_files
from data_loaders.board import Board, BoardReader, Source
from data_loaders.cache.locks import file_lock
from data_loaders.remote import Mirror, MirrorState
from data_loaders.remote_files import RemoteFolder, is_url, shown_url, unsupported

fsspec = pytest.importorskip("fsspec")
pytest.importorskip("paramiko")

from .sftp_server import PASSWORD, USER, SftpServer, sftp_server  # noqa: E402 - needs paramiko


def lines(first: int, last: int) -> bytes:
    """Step lines whose loss is a thousandth of the step."""
    return b"".join(
        f"step:{n} - training/global_step:{n} - actor/pg_loss:{n / 1000}\n".encode()
        for n in range(first, last + 1)
    )


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may be asked again at once."""
    monkeypatch.setattr(remote, "EVERY", 0.0)
    monkeypatch.setattr(remote, "AFTER_ERROR", 0.0)


class Place(NamedTuple):
    """Files behind an address."""

    url: str
    files: Any
    root: str

    def put(self, name: str, data: bytes) -> None:
        path = f"{self.root}/{name}"
        self.files.makedirs(path.rpartition("/")[0], exist_ok=True)
        self.files.pipe_file(path, data)

    def append(self, name: str, data: bytes) -> None:
        with self.files.open(f"{self.root}/{name}", "ab") as file:
            file.write(data)


@pytest.fixture(params=["file", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """The same files, on fsspec's local and on its memory file system."""
    root = str(tmp_path / "there") if request.param == "file" else f"/board-{tmp_path.name}"
    files = fsspec.filesystem(request.param)
    yield Place(f"{request.param}://{root}", files, root)
    if request.param == "memory":
        files.rm(root, recursive=True)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """Name, start and end of all that was asked of a server."""
    asked: list[tuple[str, int, int]] = []
    real = RemoteFolder.read

    def read(self: RemoteFolder, file: remote_files.RemoteFile, start: int, end: int) -> bytes:
        asked.append((file.place[-1] if file.place else "", start, end))
        return real(self, file, start, end)

    monkeypatch.setattr(RemoteFolder, "read", read)
    return asked


def copied(mirror: Mirror) -> dict[str, bytes]:
    """Content of the copy by path."""
    return {str(p.relative_to(mirror.root)): p.read_bytes() for p in mirror.root.rglob("*") if p.is_file()}


def refreshed(mirror: Mirror) -> dict[str, bytes]:
    mirror.refresh()
    assert mirror.note() is None
    return copied(mirror)


def failure(mirror: Mirror) -> tuple[str, str]:
    """Key of the message, and of what it says of the copy."""
    note = mirror.note()
    assert note is not None
    assert note.key == "remote.failed"
    return note.values["what"].key, note.values["kept"].key


class TestCopy:
    def test_logs_and_summaries_only(self, place: Place, tmp_path: Path) -> None:
        place.put("e1_grpo/logs/train_1.log", lines(1, 3))
        place.put("e1_grpo/logs/train_1.summary.json", b"{}")
        place.put("e1_grpo/model.safetensors", b"x" * 1000)
        place.put("e1_grpo/.hidden.log", lines(1, 1))
        mirror = Mirror(place.url, tmp_path / "cache")
        assert refreshed(mirror) == {
            "e1_grpo/logs/train_1.log": lines(1, 3),
            "e1_grpo/logs/train_1.summary.json": b"{}",
        }
        assert [skip.reason_key for skip in mirror.skipped()] == ["skip.hidden"]

    def test_an_append_fetches_the_new_bytes(
        self, place: Place, tmp_path: Path, fetched: list[tuple[str, int, int]]
    ) -> None:
        old, new = lines(1, 400), lines(401, 402)
        place.put("a/run.log", old)
        place.put("a/other.log", lines(1, 2))
        mirror = Mirror(place.url, tmp_path / "cache")
        refreshed(mirror)
        inode = (mirror.root / "a/run.log").stat().st_ino
        fetched.clear()
        place.append("a/run.log", new)
        assert refreshed(mirror)["a/run.log"] == old + new
        size = len(old)
        assert fetched == [
            ("run.log", 0, 4096),
            ("run.log", size - 4096, size),
            ("run.log", size, size + len(new)),
        ]
        assert (mirror.root / "a/run.log").stat().st_ino == inode
        fetched.clear()
        refreshed(mirror)
        assert fetched == []

    @pytest.mark.parametrize(
        "after",
        [lines(1, 2), lines(5, 5) + lines(2, 40), lines(1, 29) + lines(99, 99) + lines(31, 50)],
        ids=["shorter", "other start", "other end"],
    )
    def test_another_file_replaces_the_copy(self, place: Place, tmp_path: Path, after: bytes) -> None:
        place.put("run.log", lines(1, 30))
        mirror = Mirror(place.url, tmp_path / "cache")
        refreshed(mirror)
        inode = (mirror.root / "run.log").stat().st_ino
        place.put("run.log", after)
        assert refreshed(mirror) == {"run.log": after}
        assert (mirror.root / "run.log").stat().st_ino != inode

    def test_another_file_of_the_same_length(self, place: Place, tmp_path: Path) -> None:
        place.put("run.log", lines(1, 3))
        mirror = Mirror(place.url, tmp_path / "cache")
        refreshed(mirror)
        place.files.rm(f"{place.root}/run.log")
        place.put("run.log", lines(4, 6))
        assert refreshed(mirror) == {"run.log": lines(4, 6)}

    def test_gone_there_is_gone_here(self, place: Place, tmp_path: Path) -> None:
        place.put("a.log", lines(1, 3))
        place.put("b.log", lines(1, 3))
        mirror = Mirror(place.url, tmp_path / "cache")
        refreshed(mirror)
        place.files.rm(f"{place.root}/a.log")
        assert set(refreshed(mirror)) == {"b.log"}

    def test_an_address_of_one_file(self, place: Place, tmp_path: Path) -> None:
        place.put("deep/run.log", lines(1, 3))
        mirror = Mirror(f"{place.url}/deep/run.log", tmp_path / "cache")
        mirror.refresh()
        assert mirror.root.read_bytes() == lines(1, 3)
        assert mirror.root.name == "run.log"

    def test_a_copy_left_half_is_continued(self, place: Place, tmp_path: Path) -> None:
        place.put("run.log", lines(1, 3000))
        mirror = Mirror(place.url, tmp_path / "cache")
        mirror.root.mkdir(parents=True)
        (mirror.root / "run.log").write_bytes(lines(1, 3000)[:50_000])
        assert refreshed(mirror) == {"run.log": lines(1, 3000)}

    def test_one_process_fetches_at_a_time(self, place: Place, tmp_path: Path) -> None:
        place.put("run.log", lines(1, 3))
        mirror = Mirror(place.url, tmp_path / "cache")
        mirror.folder.mkdir(parents=True)
        with file_lock(mirror.folder / "lock"):
            mirror.refresh(wait=False)
        assert mirror.state() == MirrorState()
        assert refreshed(mirror) == {"run.log": lines(1, 3)}

    def test_links_are_named_and_not_followed(self, tmp_path: Path) -> None:
        there = tmp_path / "there"
        there.mkdir()
        (there / "real.log").write_bytes(lines(1, 2))
        with sftp_server(there) as server:
            os.symlink("real.log", there / "latest.log")
            trust(server, tmp_path)
            mirror = Mirror(server.url("/"), tmp_path / "cache")
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("HOME", str(tmp_path))
                assert set(refreshed(mirror)) == {"real.log"}
        assert [(skip.path.rpartition("/")[2], skip.reason_key) for skip in mirror.skipped()] == [
            ("latest.log", "skip.remote_link")
        ]

    def test_names_from_a_server_never_leave_the_copy(self) -> None:
        entries = [
            {"name": name, "type": "file", "size": 1}
            for name in ("/r/../evil.log", "/r/..", "/elsewhere/x.log", "/r/a/b.log", "/r/", "/r/ok.log")
        ]
        assert [entry["name"] for entry in remote_files._inside("/r", entries)] == ["/r/ok.log"]


class TestFailures:
    def test_a_package_that_is_not_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "s3fs", None)
        said = unsupported("s3://bucket/logs")
        assert "s3fs" in said
        assert "s3://bucket/logs" in said
        mirror = Mirror("s3://bucket/logs", tmp_path)
        mirror.refresh()
        assert failure(mirror) == ("remote.extra", "remote.nothing_kept")

    def test_an_unknown_kind_of_address(self) -> None:
        assert "gopher" in unsupported("gopher://host/logs")
        assert not unsupported("memory://logs")

    def test_a_folder_that_is_not_there(self, place: Place, tmp_path: Path) -> None:
        place.put("run.log", b"")
        mirror = Mirror(f"{place.url}/nowhere", tmp_path / "cache")
        mirror.refresh()
        assert failure(mirror) == ("remote.missing", "remote.nothing_kept")

    def test_a_cache_that_cannot_be_written(self, place: Place, tmp_path: Path) -> None:
        place.put("run.log", lines(1, 2))
        (tmp_path / "cache").write_text("a file where the folder should be")
        Mirror(place.url, tmp_path / "cache").refresh()  # raises nothing
        mirror = Mirror(place.url, tmp_path / "other")
        mirror.root.parent.mkdir(parents=True)
        mirror.root.write_text("a file where a folder should be")
        mirror.refresh()
        assert failure(mirror) == ("remote.unwritable", "remote.nothing_kept")

    def test_addresses_for_display(self) -> None:
        assert shown_url("sftp://me:word@host:22/logs?key=1") == "sftp://me@host:22/logs"
        assert shown_url("s3://bucket/logs") == "s3://bucket/logs"
        assert is_url("sftp://host/x")
        assert not is_url("/data/x")
        assert not is_url("C:/data")


def trust(server: SftpServer, home: Path) -> None:
    """Make a server's key known to the account whose home this is."""
    (home / ".ssh").mkdir(exist_ok=True)
    (home / ".ssh" / "known_hosts").write_text(server.known_host)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SftpServer]:
    """A server whose key is known, showing `tmp_path/there`."""
    monkeypatch.setenv("HOME", str(tmp_path))
    log = tmp_path / "there" / "archive" / "e1_grpo_2b" / "train_20260712_185929.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(lines(1, 2000))
    with sftp_server(tmp_path / "there") as started:
        trust(started, tmp_path)
        yield started


def values(board: Board) -> list[float]:
    series = board.runs[0].view.series("actor/pg_loss")
    assert series is not None
    return [float(value) for value in series.value]


class TestSftp:
    def test_a_board_follows_a_log(self, server: SftpServer, tmp_path: Path) -> None:
        log = next((tmp_path / "there").rglob("*.log"))
        local = BoardReader(Source((tmp_path / "there" / "archive",)), tmp_path / "cache").read()
        source = Source((), remotes=(server.url("/archive"),))
        reader = BoardReader(source, tmp_path / "cache")
        board = reader.read()
        assert [run.id for run in board.runs] == [run.id for run in local.runs] == ["e1_grpo_2b"]
        assert values(board) == values(local) == [n / 1000 for n in range(1, 2001)]
        assert board.runs[0].modified == int(log.stat().st_mtime)
        assert board.shown(board.runs[0].view.run.logs[0]) == (
            f"sftp://{USER}@127.0.0.1:{server.port}/archive/e1_grpo_2b/{log.name}"
        )
        before, logins = server.read, server.logins
        with log.open("ab") as file:
            file.write(lines(2001, 2003))
        assert values(reader.read())[-1] == 2.003
        assert server.read - before == 2 * 4096 + len(lines(2001, 2003))
        assert server.logins == logins == 1

    def test_a_server_that_goes_away_and_comes_back(self, server: SftpServer, tmp_path: Path) -> None:
        reader = BoardReader(Source((), remotes=(server.url("/archive"),)), tmp_path / "cache")
        assert len(values(reader.read())) == 2000
        server.stop()
        board = reader.read()
        assert len(values(board)) == 2000
        assert [note.values["what"].key for note in board.remote] == ["remote.down"]
        assert board.remote[0].values["kept"].key == "remote.kept"
        assert PASSWORD not in repr(board.remote)
        server.restart()
        assert reader.read().remote == ()

    def test_a_connection_that_ended_is_made_again(self, server: SftpServer, tmp_path: Path) -> None:
        mirror = Mirror(server.url("/archive"), tmp_path / "cache")
        refreshed(mirror)
        server.drop()
        refreshed(mirror)
        assert server.logins == 2

    def test_refused_login(self, server: SftpServer, tmp_path: Path) -> None:
        mirror = Mirror(server.url("/archive", password="wrong-word"), tmp_path / "cache")
        mirror.refresh()
        assert failure(mirror) == ("remote.auth", "remote.nothing_kept")
        assert "wrong-word" not in repr(mirror.note())

    @pytest.mark.parametrize("known", ["", "other"])
    def test_a_host_key_that_is_not_the_known_one(
        self, server: SftpServer, tmp_path: Path, known: str
    ) -> None:
        if known:
            other = SftpServer(tmp_path)
            known = server.known_host.replace(server.key.get_base64(), other.key.get_base64())
            other.stop()
        (tmp_path / ".ssh" / "known_hosts").write_text(known)
        mirror = Mirror(server.url("/archive"), tmp_path / "cache")
        mirror.refresh()
        assert failure(mirror) == ("remote.host_key", "remote.nothing_kept")
        assert server.logins == 0

    def test_names_of_the_ssh_config(self, server: SftpServer, tmp_path: Path) -> None:
        (tmp_path / ".ssh" / "config").write_text(
            f"Host cluster\n  HostName 127.0.0.1\n  Port {server.port}\n  User {USER}\n"
        )
        mirror = Mirror(f"sftp://:{PASSWORD}@cluster/archive", tmp_path / "cache")
        assert len(refreshed(mirror)) == 1

    def test_a_look_never_waits_for_a_server(self, server: SftpServer, tmp_path: Path) -> None:
        reader = BoardReader(Source((), remotes=(server.url("/archive"),)), tmp_path / "cache")
        board = reader.look()
        assert [note.key for note in board.remote] in (["remote.looking"], ["remote.fetching"], [])
        thread = reader._mirrors[0]._thread
        assert thread is not None
        thread.join(timeout=30)
        assert len(reader.look().unread) == 1
