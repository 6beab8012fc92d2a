"""The last lines of a log: as text, bounded, of plain and packed files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from data_loaders.log_tail import LONGEST, TAIL, last_lines


def test_the_last_lines_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    data = "".join(f"line {n}\n" for n in range(100)).encode()
    path.write_bytes(data)
    assert last_lines(path, len(data), 3) == ("line 97", "line 98", "line 99")


def test_colours_go_and_tokens_are_masked(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    data = b"\x1b[31mError\x1b[0m\r\nlogin hf_abcdefghijklmnopqrst <b>\n"
    path.write_bytes(data)
    assert last_lines(path, len(data)) == ("Error", "login ••• <b>")


def test_a_line_begun_before_the_part_that_is_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    data = b"x" * (2 * TAIL) + b"\nend\n"
    path.write_bytes(data)
    lines = last_lines(path, len(data))
    assert lines is not None
    assert lines[0].startswith("…x")
    assert len(lines[0]) <= LONGEST + 2
    assert lines[-1] == "end"


def test_a_packed_log_gives_the_same(tmp_path: Path) -> None:
    data = "".join(f"line {n}\n" for n in range(20_000)).encode()
    plain, packed = tmp_path / "a.log", tmp_path / "a.log.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    assert last_lines(packed, len(data)) == last_lines(plain, len(data))


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\0\0\n"])
def test_nothing_to_show(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(data)
    assert last_lines(path, len(data)) == ()


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none.log", 5) is None
