"""The cache gives what a whole reading gives, whatever happened to the log, the cache or the process."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data_loaders import cache, log_bytes
from data_loaders.cache import CachedLog, ChangedError, log_update, pending
from data_loaders.cache import locks as file_lock
from data_loaders.cache import store as cache_store
from data_loaders.cache.column_memory import ENTRY_BYTES, ColumnMemory
from data_loaders.cache.part_files import PartReader
from data_loaders.columns import LINE_FIELDS, MemoryLog, join_batches
from tests.unit.data_loaders.plain_loader import PlainLoader, PlainReader, find_plain

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.log"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def refresh(path: Path, folder: Path, progress: Any = None, **more: Any) -> CachedLog:
    """Read to the last byte: what waits is tested with whole boards."""
    return cache.refresh(path, folder, progress, find=find_plain, **{"patience": 0.0} | more)


def take_plain(*_: object) -> PlainLoader:
    return PlainLoader()


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in ("plain", *lines)).encode()


def steps(first: int, last: int) -> list[str]:
    return [f"{step} loss={step / 7} kl={-step}" for step in range(first, last + 1)]


def whole(path: Path) -> MemoryLog:
    """The log read in one go, without the code under test."""
    data = path.read_bytes()
    reader = PlainReader(None)
    reader.feed(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    lines, columns = join_batches([reader.drain(), reader.tail()])
    return MemoryLog(path, reader.facts(), lines, columns)


def assert_same(log: CachedLog, expected: MemoryLog) -> None:
    assert log.facts == expected.facts
    assert log.keys == expected.keys
    for name in LINE_FIELDS:
        np.testing.assert_array_equal(getattr(log.lines(), name), getattr(expected.lines(), name))
    for key in log.keys:
        np.testing.assert_array_equal(log.column(key).rows, expected.column(key).rows)
        np.testing.assert_array_equal(log.column(key).values, expected.column(key).values)


class Counted:
    """A `find` that counts the readers that went on from a state, and the bytes fed to all readers."""

    def __init__(self) -> None:
        self.resumed, self.bytes = 0, 0
        counted = self

        class Reader(PlainReader):
            def __init__(self, state: Any) -> None:
                super().__init__(state)
                counted.resumed += state is not None

            def ahead(self) -> PlainReader:
                reader = PlainReader(self.known)
                if self.rest:
                    reader.feed(self.rest + b"\n")
                return reader

            def feed(self, data: bytes) -> None:
                counted.bytes += len(data)
                super().feed(data)

        self.reader = Reader

    def __call__(self, head: bytes, tail: bytes, name: str) -> PlainLoader | None:
        return PlainLoader(reader=self.reader) if find_plain(head, tail, name) else None


VALUES = st.sampled_from(["0.5", "-1e300", "nan", "inf", "3", "0.1?", "7?"])
KEYS = st.sampled_from(["loss", "kl", "val/acc", "响应/长度", "../../x"])
ITEM = st.builds("{}={}".format, KEYS, VALUES)
STEP = st.builds(
    lambda step, items: " ".join([str(step), *items]), st.integers(0, 30), st.lists(ITEM, max_size=4)
)
LINE = st.one_of(STEP, STEP, st.sampled_from(["sure", "fresh", "resume 3", "noise", "", "x" * 5000]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), lines=st.lists(LINE, max_size=40))
def test_appending_gives_what_a_whole_reading_gives(tmp_path: Path, data: Any, lines: list[str]) -> None:
    content = text(*lines)[: -1 if data.draw(st.booleans()) else None]
    cuts = data.draw(st.lists(st.integers(5, max(len(content), 5)), max_size=8))
    path, folder = tmp_path / "run.log", tmp_path / "cache"
    path.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    before = 0
    for end in [*sorted(cuts), len(content)]:
        with path.open("ab") as file:
            file.write(content[before:end])
        before = end
        log = refresh(path, folder)
        assert log.notices == ()
    assert_same(log, whole(path))
    assert_same(refresh(path, folder), whole(path))


class TestKnownLog:
    def test_unchanged_reads_nothing_of_the_log(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path.write_bytes(text(*steps(1, 50)))
        first = refresh(path, folder)
        monkeypatch.setattr(log_update, "opened", None)
        monkeypatch.setattr(log_update, "head_tail", None)
        again = refresh(path, folder)
        assert (again.version, again.cells_version) == (first.version, first.cells_version)
        assert_same(again, whole(path))

    def test_an_append_reads_the_new_bytes_only(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 500)) + b"501 loss=")
        refresh(path, folder)
        with path.open("ab") as file:
            file.write(b"9.5\n502 loss=1\n")
        counted = Counted()
        told: list[tuple[int, int]] = []
        log = cache.refresh(path, folder, lambda *told_now: told.append(told_now), find=counted)
        assert counted.resumed == 1
        assert counted.bytes == len(b"501 loss=9.5\n502 loss=1\n")
        assert told == [(counted.bytes, counted.bytes)]
        assert_same(log, whole(path))

    def test_versions(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        first = refresh(path, folder)
        with path.open("ab") as file:
            file.write(b"noise\n")
        noisy = refresh(path, folder)
        assert noisy.version != first.version
        assert noisy.cells_version == first.cells_version
        with path.open("ab") as file:
            file.write(b"6 loss=nan")
        provisional = refresh(path, folder)
        assert provisional.cells_version != noisy.cells_version
        with path.open("ab") as file:
            file.write(b"\n")
        assert refresh(path, folder).cells_version != noisy.cells_version

    def test_cached_and_pending(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        assert cache.cached(path, folder) is None
        assert pending(path, folder) == path.stat().st_size
        refresh(path, folder)
        log = cache.cached(path, folder)
        assert log is not None
        assert_same(log, whole(path))
        assert pending(path, folder) == 0
        with path.open("ab") as file:
            file.write(b"6 loss=1\n")
        assert cache.cached(path, folder) is None
        assert pending(path, folder) == 9
        path.write_bytes(b"plain\n")
        assert pending(path, folder) == 6

    def test_one_column_is_read_without_the_others(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path.write_bytes(text(*steps(1, 50), "51 val/acc=0.5"))
        refresh(path, folder)
        log = refresh(path, folder)
        names: list[str] = []
        plain = PartReader._array
        monkeypatch.setattr(PartReader, "_array", lambda self, name: names.append(name) or plain(self, name))
        assert log.column("val/acc").rows.tolist() == [50]
        assert sorted(names) == ["rows2", "values2"]

    def test_rows_are_left_out_of_dense_columns(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 50)))
        refresh(path, folder)
        [part] = (folder / "logs").glob("*/*.npz")
        with np.load(part, allow_pickle=False) as arrays:
            assert sorted(arrays.files) == sorted([*LINE_FIELDS, "values0", "values1"])

    def test_parts_stay_few(self, path: Path, folder: Path) -> None:
        path.write_bytes(text())
        for step in range(1, 101):
            with path.open("ab") as file:
                file.write(f"{step} loss={step}\n".encode())
            log = refresh(path, folder)
        record = record_of(folder)
        assert len(record["parts"]) <= 5
        assert_same(log, whole(path))

    def test_parts_merged_away_are_removed_after_a_while(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for end in (5, 10, 15):
            path.open("ab").close()
            with path.open("ab") as file:
                file.write(text(*steps(end - 4, end)))
            refresh(path, folder)
        assert len(list((folder / "logs").glob("*/*.npz"))) == 3
        monkeypatch.setattr(cache_store, "RETIRED_SECONDS", 0.0)
        with path.open("ab") as file:
            file.write(b"noise\n")
        refresh(path, folder)
        assert len(list((folder / "logs").glob("*/*.npz"))) == 1

    def test_a_view_outlives_what_comes_after_it(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path.write_bytes(text(*steps(1, 5)))
        before, view = whole(path), refresh(path, folder)
        monkeypatch.setattr(cache_store, "RETIRED_SECONDS", 0.0)
        for step in range(6, 9):
            with path.open("ab") as file:
                file.write(f"{step} loss=1\n".encode())
            refresh(path, folder)
        assert_same(view, before)
        assert view.notices == ()
        assert pending(path, folder) == 0, "the entry in force was left alone"

    def test_memory_holds_columns_of_the_version_shown(self, path: Path, folder: Path) -> None:
        memory = ColumnMemory()
        path.write_bytes(text(*steps(1, 5)))
        log = refresh(path, folder, memory=memory)
        assert log.column("loss") is log.column("loss")
        with path.open("ab") as file:
            file.write(b"6 loss=1\n")
        assert_same(refresh(path, folder, memory=memory), whole(path))

    def test_keys_that_were_never_logged(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        with pytest.raises(KeyError):
            refresh(path, folder).column("critic/kl")

    def test_newer_code_reads_again(self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        monkeypatch.setattr(cache, "parser_fingerprint", lambda: "other")
        monkeypatch.setattr(log_update, "parser_fingerprint", lambda: "other")
        counted = Counted()
        log = cache.refresh(path, folder, patience=0.0, find=counted)
        assert (counted.bytes, log.notices) == (path.stat().st_size, ())


class TestChangedLog:
    """Whatever is no append is read from the start."""

    def change(self, path: Path, folder: Path, how: Callable[[], object]) -> None:
        path.write_bytes(text(*steps(1, 900)))
        refresh(path, folder)
        how()
        counted = Counted()
        log = cache.refresh(path, folder, patience=0.0, find=counted)
        assert (counted.resumed, counted.bytes) == (0, path.stat().st_size)
        assert_same(log, whole(path))
        assert log.notices == ()

    def test_truncated(self, path: Path, folder: Path) -> None:
        self.change(path, folder, lambda: os.truncate(path, 700))

    def test_truncated_and_longer_again(self, path: Path, folder: Path) -> None:
        self.change(path, folder, lambda: path.write_bytes(text(*steps(7, 2000))))

    def test_replaced_by_a_longer_copy(self, path: Path, folder: Path) -> None:
        def replace() -> None:
            other = path.with_name("other")
            other.write_bytes(path.read_bytes() + b"901 loss=3\n")
            os.replace(other, path)

        self.change(path, folder, replace)

    def test_rotated(self, path: Path, folder: Path) -> None:
        def rotate() -> None:
            path.rename(path.with_name("run.log.1"))
            path.write_bytes(text(*steps(901, 905)))

        self.change(path, folder, rotate)
        assert_same(refresh(path.with_name("run.log.1"), folder), whole(path.with_name("run.log.1")))

    def test_a_value_changed_in_place(self, path: Path, folder: Path) -> None:
        def edit() -> None:
            data = path.read_bytes()
            place = data.index(b"450 loss=6")
            path.write_bytes(data[:place] + b"450 loss=7" + data[place + 10 :])
            os.utime(path, ns=(1, 1))

        self.change(path, folder, edit)

    def test_the_end_rewritten_and_extended(self, path: Path, folder: Path) -> None:
        more = b"9 loss=3\n900 loss=4\n"
        self.change(path, folder, lambda: path.write_bytes(path.read_bytes()[:-9] + more))

    def test_touched_only(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 900)))
        first = refresh(path, folder)
        os.utime(path, ns=(1, 1))
        counted = Counted()
        log = cache.refresh(path, folder, patience=0.0, find=counted)
        assert counted.bytes == 0
        assert log.cells_version == first.cells_version
        assert cache.cached(path, folder) is not None

    def test_recognised_only_later(self, path: Path, folder: Path) -> None:
        path.write_bytes(b"pla")
        log = refresh(path, folder)
        assert (log.facts.kind, log.facts.bytes, log.keys) == ("none", 3, ())
        with path.open("ab") as file:
            file.write(b"in\n1 loss=2\n")
        assert_same(refresh(path, folder), whole(path))

    def test_compressed_logs_are_read_whole_when_they_change(self, path: Path, folder: Path) -> None:
        path.write_bytes(gzip.compress(text(*steps(1, 100))))
        assert_same(cache.refresh(path, folder, patience=0.0, find=take_plain), whole(path))
        assert pending(path, folder) == 0
        path.write_bytes(gzip.compress(text(*steps(1, 200))))
        assert pending(path, folder) == path.stat().st_size
        log = cache.refresh(path, folder, patience=0.0, find=take_plain)
        assert_same(log, whole(path))
        assert_same(cache.refresh(path, folder, patience=0.0, find=take_plain), whole(path))

    def test_growing_while_it_is_read(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 100)))

        def grow(done: int, total: int) -> None:
            with path.open("ab") as file:
                file.write(b"101 loss=1\n")

        log = refresh(path, folder, grow)
        assert log.lines().step.tolist() == list(range(1, 101))
        assert_same(refresh(path, folder), whole(path))

    def test_shrinking_while_it_is_read(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(log_bytes, "CHUNK", 64 << 10)
        path.write_bytes(text(*steps(1, 5000)))
        refresh(path, folder, lambda *_: os.truncate(path, 70 << 10))
        assert_same(refresh(path, folder), whole(path))

    def test_a_log_that_is_gone(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        path.unlink()
        for ask in (refresh, cache.cached, pending):
            with pytest.raises(FileNotFoundError):
                ask(path, folder)


def record_of(folder: Path) -> Any:
    [file] = (folder / "logs").glob("*/record.json")
    return json.loads(file.read_bytes().partition(b"\n")[2])


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place % len(data)] ^= 0x10
    file.write_bytes(bytes(data))


class TestDamage:
    """Nothing wrong is ever shown, and the caller learns of it."""

    @pytest.mark.parametrize("pattern", ["*.npz", "record.json"])
    @pytest.mark.parametrize("harm", ["cut", "empty", "gone"])
    def test_files_cut_or_gone(self, path: Path, folder: Path, pattern: str, harm: str) -> None:
        path.write_bytes(text(*steps(1, 50)))
        refresh(path, folder)
        [file] = (folder / "logs").glob(f"*/{pattern}")
        if harm == "gone":
            file.unlink()
        else:
            os.truncate(file, 100 if harm == "cut" else 0)
        log = refresh(path, folder)
        assert_same(log, whole(path))
        lost = (pattern, harm) == ("record.json", "gone")  # as if the cache had never seen the log
        assert [note.key for note in log.notices] == ([] if lost else ["cache.damaged"])
        assert refresh(path, folder).notices == ()

    def test_any_byte_of_a_part_or_record(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 4), "5 val/acc=1"))
        expected = whole(path)
        refresh(path, folder)
        for pattern in ("*.npz", "record.json"):
            [file] = (folder / "logs").glob(f"*/{pattern}")
            sound = file.read_bytes()
            for place in range(0, len(sound), 89):
                record = file.with_name("record.json").read_bytes()
                flip(file, place)
                assert_same(refresh(path, folder), expected)
                if not file.exists():
                    refresh(path, folder)
                    [file] = (folder / "logs").glob(f"*/{pattern}")
                    sound = file.read_bytes()
                else:
                    file.write_bytes(sound)
                    file.with_name("record.json").write_bytes(record if pattern == "*.npz" else sound)

    def test_a_view_that_meets_damage_reads_the_log_again(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 50)))
        expected, view = whole(path), refresh(path, folder)
        [part] = (folder / "logs").glob("*/*.npz")
        flip(part, 700)
        with path.open("ab") as file:
            file.write(b"51 loss=1\n")
        assert_same(view, expected)
        assert [note.key for note in view.notices] == ["cache.damaged"]
        log = refresh(path, folder)
        assert_same(log, whole(path))

    def test_a_view_of_a_log_that_is_no_longer_there(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 50)))
        view = refresh(path, folder)
        shutil.rmtree(folder)
        path.write_bytes(text(*steps(2, 60)))
        with pytest.raises(ChangedError):
            view.column("loss")
        path.unlink()
        with pytest.raises(ChangedError):
            view.lines()

    def test_damage_met_while_merging(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        [part] = (folder / "logs").glob("*/*.npz")
        flip(part, 200)
        with path.open("ab") as file:
            file.write(text(*steps(6, 10)))
        log = refresh(path, folder)
        assert_same(log, whole(path))
        assert [note.key for note in log.notices] == ["cache.damaged"]

    def test_safe_to_delete(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        shutil.rmtree(folder)
        log = refresh(path, folder)
        assert_same(log, whole(path))
        assert log.notices == ()


class TestStopping:
    def test_progress_may_stop_it(self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(log_bytes, "CHUNK", 4096)
        monkeypatch.setattr(log_update, "COMMIT_EVERY", 20_000)
        path.write_bytes(text(*steps(1, 5000)))

        def stop(done: int, total: int) -> None:
            if done > 50_000:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            refresh(path, folder, stop)
        assert list((folder / "locks").iterdir()) == []
        assert cache.cached(path, folder) is None
        counted = Counted()
        log = cache.refresh(path, folder, patience=0.0, find=counted)
        assert counted.bytes < path.stat().st_size - 40_000, "what was written down is not read again"
        assert_same(log, whole(path))

    @pytest.mark.parametrize("seed", range(5))
    def test_killed_at_any_moment(self, path: Path, folder: Path, seed: int) -> None:
        """The child dies at its n-th write, rename or removal; n is drawn."""
        draw = random.Random(seed)
        path.write_bytes(text(*steps(1, 400)))
        refresh(path, folder)
        for _ in range(2):
            with path.open("ab") as file:
                file.write(text(*steps(1, draw.choice([1, 30, 700]))))
            child = subprocess.run(
                [sys.executable, "-c", KILLED, path, folder, str(draw.randint(1, 9))], cwd=ROOT, check=False
            )
            assert child.returncode in (0, -9)
            assert_same(refresh(path, folder), whole(path))
        with path.open("ab") as file:
            file.write(b"1 loss=2\n")
        assert_same(refresh(path, folder), whole(path))
        assert not list((folder / "locks").glob("*.lock"))
        assert not list((folder / "logs").glob("*/*.new"))

    def test_two_processes_read_a_log_once(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 3000)))
        children = [
            subprocess.Popen([sys.executable, "-c", COUNTS, path, folder], cwd=ROOT, stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        fed = [int(child.communicate()[0]) for child in children]
        assert sorted(fed) == [0, path.stat().st_size]
        assert_same(refresh(path, folder), whole(path))


KILLED = """
import os, signal, sys
from pathlib import Path
from data_loaders import cache
from tests.unit.data_loaders.plain_loader import find_plain
path, folder, left = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
def dying(name, args):
    global left
    writes = name == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)
    if (writes or name in ("os.rename", "os.remove")) and str(folder) in str(args[0]):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(dying)
cache.refresh(path, folder, patience=0.0, find=find_plain)
"""

COUNTS = """
import sys
from pathlib import Path
from data_loaders import cache
from tests.unit.data_loaders.test_cache import Counted
counted = Counted()
cache.refresh(Path(sys.argv[1]), Path(sys.argv[2]), find=counted)
print(counted.bytes)
"""


class FullDisk:
    """Lets every file of the cache take only so many bytes in all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, room: int, number: int) -> None:
        self.room = room
        plain = Path.write_bytes

        def write_bytes(path: Path, data: bytes) -> int:
            if folder in path.parents:
                plain(path, data[: self.room])
                self.room -= len(data)
                if self.room < 0:
                    raise OSError(number, os.strerror(number))
                return len(data)
            return plain(path, data)

        monkeypatch.setattr(Path, "write_bytes", write_bytes)


class TestFullDisk:
    @pytest.mark.parametrize("room", [0, 2000, 5000])
    @pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
    def test_the_log_comes_from_memory(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, room: int, number: int
    ) -> None:
        path.write_bytes(text(*steps(1, 100)))
        with monkeypatch.context() as patched:
            FullDisk(patched, folder, room, number)
            log = refresh(path, folder)
        key = "cache.full" if number == errno.ENOSPC else "cache.unwritable"
        assert [note.key for note in log.notices] == [key]
        assert_same(log, whole(path))
        assert not list((folder / "logs").glob("*/*.new"))
        assert list((folder / "locks").iterdir()) == []
        assert refresh(path, folder).notices == ()

    def test_what_was_kept_stays_right(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path.write_bytes(text(*steps(1, 100)))
        refresh(path, folder)
        with path.open("ab") as file:
            file.write(text(*steps(101, 200)))
        with monkeypatch.context() as patched:
            FullDisk(patched, folder, 3000, errno.ENOSPC)
            assert_same(refresh(path, folder), whole(path))
        counted = Counted()
        assert_same(cache.refresh(path, folder, patience=0.0, find=counted), whole(path))
        assert counted.resumed == 1

    def test_no_permission(self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path.write_bytes(text(*steps(1, 5)))

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "no")

        monkeypatch.setattr(Path, "mkdir", refuse)
        log = refresh(path, folder)
        assert [note.key for note in log.notices] == ["cache.unwritable"]
        assert_same(log, whole(path))


class TestFolder:
    def test_for_the_owner_alone(self, path: Path, folder: Path) -> None:
        folder.mkdir(mode=0o755)
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        for each in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
            assert each.stat().st_mode & 0o777 == 0o700

    def test_the_entries_used_longest_ago_go_first(self, tmp_path: Path, folder: Path) -> None:
        paths = [tmp_path / f"{number}.log" for number in range(4)]
        for number, path in enumerate(paths[:3]):
            path.write_bytes(text(*steps(1, 200)))
            refresh(path, folder)
            os.utime(next_record(folder, path), (number, number))
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        refresh(paths[0], folder)  # used again, now
        paths[3].write_bytes(text(*steps(1, 200)))
        refresh(paths[3], folder, limit=size + 100)
        kept = [path for path in paths if cache.cached(path, folder) is not None]
        assert kept == [paths[0], paths[2], paths[3]]

    def test_an_entry_being_written_is_not_removed(self, tmp_path: Path, folder: Path) -> None:
        one, two = tmp_path / "1.log", tmp_path / "2.log"
        for path in (one, two):
            path.write_bytes(text(*steps(1, 200)))
        refresh(one, folder)
        with file_lock.file_lock(cache_store.prepare(cache_store.entry_folder(folder, one))):
            refresh(two, folder, limit=0)
        assert cache.cached(one, folder) is not None
        assert cache.cached(two, folder) is not None

    def test_a_link_and_its_target_share_an_entry(self, tmp_path: Path, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        (tmp_path / "latest.log").symlink_to(path)
        assert cache.cached(tmp_path / "latest.log", folder) is not None


def next_record(folder: Path, path: Path) -> Path:
    return cache_store.entry_folder(folder, path) / "record.json"


class TestWaiting:
    def test_the_one_who_waits_can_be_stopped(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 5)))
        refresh(path, folder)
        with path.open("ab") as file:
            file.write(b"6 loss=1\n")

        def stop(done: int, total: int) -> None:
            assert (done, total) == (0, path.stat().st_size)
            raise InterruptedError

        lock = cache_store.prepare(cache_store.entry_folder(folder, path))
        with file_lock.file_lock(lock), pytest.raises(InterruptedError):
            refresh(path, folder, stop)

    def test_a_writer_whose_lock_was_taken_starts_again(self, path: Path, folder: Path) -> None:
        path.write_bytes(text(*steps(1, 50)))
        lock = cache_store.prepare(cache_store.entry_folder(folder, path))
        told: list[int] = []

        def steal(done: int, total: int) -> None:
            if not told:
                lock.write_text("")  # its owner will be told at the latest before the record is replaced
            elif lock.exists() and not lock.read_text():
                lock.unlink()
            told.append(done)

        log = refresh(path, folder, steal)
        assert_same(log, whole(path))
        assert len(told) > 2


class TestSummary:
    """A summary file beside a log may come, and change, without the log being written."""

    KEY = "val-core/aime/acc/mean@4"

    def cut_log(self, path: Path) -> None:
        line = "step:1 - " + " - ".join(f"actor/{number}:0.5" for number in range(400))
        path.write_text(f"step:0 - actor/0:0.25\n{line[:4096]}\nstep:2 - actor/0:0.75\n")

    def test_it_completes_a_cut_line(self, path: Path, folder: Path) -> None:
        self.cut_log(path)
        before = cache.refresh(path, folder)
        assert (before.facts.cut_lines, before.facts.recovered) == ((2,), ())
        versions = [before.version]
        for value in (0.125, 0.375):
            path.with_name("run.summary.json").write_text(json.dumps({self.KEY: value, "note": f"{value}"}))
            os.utime(path.with_name("run.summary.json"), ns=(int(value * 1000), int(value * 1000)))
            assert cache.cached(path, folder) is None
            log = cache.refresh(path, folder)
            [cell] = log.facts.recovered
            assert (cell.step, cell.key, cell.value) == (1, self.KEY, value)
            assert cache.cached(path, folder) is not None
            versions.append(log.version)
        assert len(set(versions)) == 3

    def test_it_is_used_without_a_cache_too(
        self, path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.cut_log(path)
        path.with_name("run.summary.json").write_text(json.dumps({self.KEY: 0.5}))
        FullDisk(monkeypatch, folder, 0, errno.ENOSPC)
        log = cache.refresh(path, folder)
        assert [note.key for note in log.notices] == ["cache.full"]
        assert [cell.value for cell in log.facts.recovered] == [0.5]


def test_column_memory_is_bounded() -> None:
    memory = ColumnMemory(limit=3000)
    made: list[str] = []

    def column(name: str) -> Any:
        def read() -> Any:
            made.append(name)
            return log_column(60)

        return memory.get(name, "1", read)

    for name in ("a", "b", "a", "c", "a", "b"):
        column(name)
    assert made == ["a", "b", "c", "b"]
    assert 0 < memory.bytes <= 3000
    memory.get("huge", "1", lambda: log_column(1000))
    assert memory.bytes <= 3000


def test_column_memory_holds_one_version() -> None:
    """A run that is followed for days takes the room of its columns, not of every state they had."""
    memory = ColumnMemory()
    for rows in range(1, 60):
        column = memory.get("loss", str(rows), lambda rows=rows: log_column(rows))
        assert column.rows.size == rows
        assert memory.get("loss", str(rows), _unread) is column
    assert memory.bytes == column.rows.nbytes + column.values.nbytes + ENTRY_BYTES


def _unread() -> Any:
    raise AssertionError("it was kept")


def log_column(rows: int) -> Any:
    reader = PlainReader(None)
    reader.feed(text(*steps(1, rows)))
    return reader.drain().columns["loss"]
