"""Whole files: plain, compressed, damaged, with a summary beside them, and such that cannot be read."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path

import pytest

from data_loaders import read
from data_loaders.read import damage_of, head_tail, open_log, read_log
from data_loaders.schema import LogFacts
from data_loaders.summary import read_summary
from tests.unit.data_loaders.formats.test_cut_lines import LIMIT, line

TEXT = "".join(
    f"step:{n} - a/b:{n}.25 - c:{n}\nsome noise {n * 7919 % 104729}\n" for n in range(1, 3001)
).encode()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_a_plain_log(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "a.log", TEXT))
    assert log.lines.step.tolist() == list(range(1, 3001))
    assert log.columns["a/b"].values.tolist() == [n + 0.25 for n in range(1, 3001)]
    assert log.columns["c"].rows.tolist() == list(range(3000))
    assert (log.facts.bytes, log.facts.physical_lines, log.facts.damage) == (len(TEXT), 6000, "")


def test_progress_ends_at_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "CHUNK", 10_000)
    monkeypatch.setattr(read, "DRAIN_EVERY", 2)
    seen: list[tuple[int, int]] = []
    log = read_log(write(tmp_path / "a.log", TEXT), lambda done, size: seen.append((done, size)))
    assert seen[0] == (10_000, len(TEXT))
    assert seen[-1] == (len(TEXT), len(TEXT))
    assert log.columns["a/b"].values.tolist() == [n + 0.25 for n in range(1, 3001)]


@pytest.mark.parametrize("name", ["a.log.gz", "named_plainly.log"])
def test_gzip_is_known_by_its_first_bytes(tmp_path: Path, name: str) -> None:
    data = gzip.compress(TEXT[:50_000]) + gzip.compress(TEXT[50_000:]) + bytes(512)
    log = read_log(write(tmp_path / name, data))
    assert log.lines.step.size == 3000
    assert (log.facts.bytes, log.facts.damage) == (len(TEXT), "")


def test_truncated_gzip_gives_what_could_be_read(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / "a.log.gz", gzip.compress(TEXT)[:-2000]))
    assert log.facts.damage == "damage.gzip_truncated"
    assert 1000 < log.lines.step.size < 3000
    column = log.columns["c"]
    assert column.values[:-1].tolist() == log.lines.step[column.rows][:-1].tolist()


def test_damaged_gzip_gives_what_stands_before_the_damage(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(TEXT))
    middle = len(data) // 2
    data[middle : middle + 40] = b"\xff" * 40
    log = read_log(write(tmp_path / "a.log.gz", bytes(data)))
    assert log.facts.damage == "damage.gzip_corrupt"
    assert log.lines.step[:1000].tolist() == list(range(1, 1001))


def test_wrong_checksum_loses_nothing(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(TEXT))
    data[-6] ^= 1
    log = read_log(write(tmp_path / "a.log.gz", bytes(data)))
    assert (log.lines.step.size, log.facts.damage) == (3000, "damage.gzip_corrupt")


def test_open_log_reads_on_from_any_decompressed_byte(tmp_path: Path) -> None:
    with open_log(write(tmp_path / "a.gz", gzip.compress(TEXT))) as stream:
        assert stream.seek(70_000) == 70_000
        assert stream.read(100) == TEXT[70_000:70_100]
        stream.seek(5)
        assert stream.read(7) == TEXT[5:12]
        assert damage_of(stream) == ""


def test_head_and_tail(tmp_path: Path) -> None:
    plain, packed = write(tmp_path / "a.log", TEXT), write(tmp_path / "a.gz", gzip.compress(TEXT))
    assert head_tail(plain, 1000) == (TEXT[:1000], TEXT[-1000:])
    assert head_tail(packed, 1000) == (TEXT[:1000], b"")
    assert head_tail(write(tmp_path / "b.log", b"short"), 1000) == (b"short", b"short")


def cut_log(folder: Path, name: str) -> Path:
    """Steps 1 to 4; steps 2 and 3 end inside `z/last`, and `rare` stands at step 1 only."""
    lines = ["step:1 - first/item:1 - rare:5 - z/last:1", line(2, LIMIT, "z/las"), line(3, LIMIT, "z/la")]
    return write(folder / name, "\n".join([*lines, "step:4 - first/item:4\n"]).encode())


@pytest.mark.parametrize(
    ("log", "beside"),
    [
        ("run.log", "run.summary.json"),
        ("run.log.gz", "run.summary.json"),
        ("output.log", "wandb-summary.json"),
        ("output.log", "output.summary.json"),
    ],
)
def test_a_summary_gives_back_last_values(tmp_path: Path, log: str, beside: str) -> None:
    summary = {
        "first/item": 4, "z/last": 7.5, "rare": 5, "lost/key": -1, "_step": 4, "_wandb": {"x": 1}, "on": True,
    }  # fmt: skip
    (tmp_path / beside).write_text(json.dumps(summary))
    facts = read_log(cut_log(tmp_path, log)).facts
    assert [(cell.step, cell.key, cell.value, cell.source) for cell in facts.recovered] == [
        (3, "z/last", 7.5, "summary"),
        (3, "lost/key", -1.0, "summary"),
    ]


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"a": "x"}'])
def test_a_broken_summary_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.summary.json").write_text(text)
    assert read_log(cut_log(tmp_path, "run.log")).facts.recovered == ()


def test_a_summary_completes_only_cut_lines(tmp_path: Path) -> None:
    (tmp_path / "run.summary.json").write_text('{"lost/key": 3}')
    assert read_log(write(tmp_path / "run.log", TEXT)).facts.recovered == ()


def test_a_folder_or_pipe_is_no_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.log")
    for path in (tmp_path, tmp_path / "pipe.log"):
        with pytest.raises(OSError, match="not a regular file"):
            read_log(path)


def test_a_file_that_fails_midway_gives_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            if self.tell() >= 60_000:
                raise OSError("stale file handle")
            return super().read(min(size or 0, 20_000))

    path = write(tmp_path / "a.log", TEXT)
    monkeypatch.setattr(read, "head_tail", lambda *_: (TEXT[:1000], TEXT[-1000:]))
    monkeypatch.setattr(read, "open_log", lambda *_: Failing(TEXT))
    log = read_log(path)
    assert log.facts.damage == "damage.unreadable"
    assert log.facts.bytes == 60_000
    assert log.lines.step.size > 1000


def test_facts_are_plain_json(tmp_path: Path) -> None:
    import orjson

    facts = read_log(cut_log(tmp_path, "run.log")).facts
    assert isinstance(facts, LogFacts)
    assert orjson.loads(orjson.dumps(facts))["cut_lines"] == [2, 3]


def test_a_summary_that_is_a_link_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"a/b": 7.0}')
    (tmp_path / "logs").mkdir()
    log = write(tmp_path / "logs" / "train.log", TEXT)
    beside = log.with_name("train.summary.json")
    beside.symlink_to(tmp_path / "secret.json")
    assert read_summary(log) == {}
    beside.unlink()
    beside.write_text('{"a/b": 7.0}')
    assert read_summary(log) == {"a/b": 7.0}
