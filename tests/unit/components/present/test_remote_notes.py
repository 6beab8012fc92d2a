"""What a page says of remote roots, and by which names it shows what was copied from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.present.coverage import reports
from components.present.shell import banners
from components.text import said
from data_loaders.board import Board, Failure, Source
from data_loaders.remote import Mirror, MirrorState
from data_loaders.remote_files import KINDS
from data_loaders.scan.tree import Skipped

URL = "sftp://me:word@host/logs"


def sentences(mirror: Mirror) -> tuple[str, str]:
    note = mirror.note()
    assert note is not None
    (banner,) = banners(Board(Source(()), remote=(note,)))
    return said(banner.text)


@pytest.mark.parametrize("key", [*(key for key, _ in KINDS), "remote.down", "remote.unwritable"])
def test_failures_are_told_in_both_languages(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = Mirror(URL, tmp_path)
    for good, kept in ((0.0, "Nothing has been fetched yet"), (1.0, "Shown is what was there at 19")):
        state = MirrorState(checked=2.0, good=good, error={"key": key, "values": {"error": "timed out"}})
        monkeypatch.setattr(mirror, "state", lambda state=state: state)
        zh, en = sentences(mirror)
        assert zh != en
        assert kept in en
        assert "sftp://me@host/logs" in en
        assert "timed out" in zh
        assert "{" not in zh + en
        assert "word" not in zh + en


def test_fetching_is_told_in_megabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = Mirror(URL, tmp_path)
    assert sentences(mirror)[1] == "Looking at sftp://me@host/logs"
    monkeypatch.setattr(mirror, "state", lambda: MirrorState(1.0, 1.0, None, 1_500_000, 30_000_000))
    assert sentences(mirror)[1] == "Fetching sftp://me@host/logs: 1.5 of 30.0 MB"
    monkeypatch.setattr(mirror, "state", lambda: MirrorState(1.0, 1.0))
    assert mirror.note() is None


def test_copies_are_shown_by_their_address(tmp_path: Path) -> None:
    mirror = Mirror(URL, tmp_path)
    board = Board(
        Source(()),
        skipped=(Skipped(str(mirror.root / "a.txt"), "skip.empty"), Skipped("/data/b.txt", "skip.empty")),
        failures=(Failure(mirror.root / "c.log", "gone"),),
        copies=((str(mirror.root), mirror.shown),),
    )
    assert [report.path for report in reports(board)] == [
        "sftp://me@host/logs/a.txt",
        "/data/b.txt",
        "sftp://me@host/logs/c.log",
    ]
