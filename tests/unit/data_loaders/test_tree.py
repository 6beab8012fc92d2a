"""Nothing outside the roots is touched, and all that is left out is counted."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from data_loaders.board_config import BoardConfig
from data_loaders.scan import scan
from data_loaders.scan import tree as walk
from data_loaders.scan.probe import Probe
from data_loaders.scan.tree import ScanLimits
from tests.unit.data_loaders.scanning import find, look, names, put, reasons


def test_link_that_leaves_the_roots_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "outside" / "secret" / "train.log")
    put(tmp_path / "root" / "kept.log")
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "outside" / "secret")
    (tmp_path / "root" / "file.log").symlink_to(tmp_path / "outside" / "secret" / "train.log")
    (tmp_path / "root" / "up").symlink_to("../outside")
    (tmp_path / "root" / "hop").symlink_to("folder")

    found = find(tmp_path / "root")
    assert list(names(found)) == ["kept"]
    assert found.counts == {"skip.link_outside": 4}
    targets = {Path(s.path).name: s.values["target"] for s in found.skipped}
    assert targets["folder"] == targets["hop"] == str((tmp_path / "outside" / "secret").resolve())

    followed = find(tmp_path / "root", limits=ScanLimits(follow_links=True))
    assert sorted(names(followed)) == ["file", "kept"]
    assert followed.counts == {"skip.alias": 1}  # `hop` leads to `folder`
    assert "skip.link_outside" not in followed.counts


def test_outside_is_not_even_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "outside" / "train.log")
    put(tmp_path / "root" / "kept.log")
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "outside")
    opened: list[Path] = []
    listed = os.scandir

    def watch(folder: Path) -> object:
        opened.append(Path(folder))
        return listed(folder)

    monkeypatch.setattr(walk.os, "scandir", watch)
    find(tmp_path / "root")
    assert set(opened) == {tmp_path / "root"}


def test_link_inside_the_roots_is_read_once_under_its_own_name(tmp_path: Path) -> None:
    real = put(tmp_path / "root" / "e1_grpo" / "train_20260712_185929.log")
    (tmp_path / "root" / "aaa_latest").symlink_to(tmp_path / "root" / "e1_grpo")
    (tmp_path / "root" / "latest.log").symlink_to(real)
    (tmp_path / "root" / "loop").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "self").symlink_to("self")
    (tmp_path / "root" / "gone.log").symlink_to("nowhere.log")
    found = find(tmp_path / "root")
    assert names(found) == {"e1_grpo": ["train_20260712_185929.log"]}
    assert reasons(found) == {
        "aaa_latest": "skip.alias",
        "latest.log": "skip.alias",
        "loop": "skip.alias",
        "self": "skip.broken_link",
        "gone.log": "skip.broken_link",
    }


def test_link_to_another_root_and_root_that_is_a_link(tmp_path: Path) -> None:
    put(tmp_path / "data" / "e1_grpo" / "train.log")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "more").symlink_to(tmp_path / "data")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert list(names(find(tmp_path / "root", tmp_path / "data"))) == ["e1_grpo"]
    assert list(names(find(tmp_path / "link"))) == ["e1_grpo"]


def test_special_files_are_not_opened(tmp_path: Path) -> None:
    put(tmp_path / "r" / "kept.log")
    os.mkfifo(tmp_path / "r" / "pipe.log")
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "r")
        server.bind("plug.log")
        found = find(tmp_path / "r", tmp_path / "r" / "pipe.log")
    assert list(names(found)) == ["kept"]
    assert reasons(found) == {"pipe.log": "skip.special", "plug.log": "skip.special"}
    assert [missing.reason_key for missing in found.roots_missing] == ["root.special"]


def test_what_may_not_be_read_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "r" / "kept.log")
    put(tmp_path / "r" / "locked" / "train.log")
    put(tmp_path / "r" / "secret.log")
    listed = os.scandir

    def refuse(folder: Path) -> object:
        if Path(folder).name == "locked":
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder)

    def look_or_fail(path: Path) -> Probe:
        if path.name == "secret.log":
            raise PermissionError(13, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(walk.os, "scandir", refuse)
    found = scan([tmp_path / "r"], BoardConfig(), probe=look_or_fail)
    assert list(names(found)) == ["kept"]
    assert reasons(found) == {"locked": "skip.unreadable", "secret.log": "skip.unreadable"}
    assert {s.values["error"] for s in found.skipped} == {"Permission denied"}
    assert scan([tmp_path / "r" / "locked"], BoardConfig(), probe=look).roots_missing[0].reason_key == (
        "root.unreadable"
    )


def test_file_that_fails_while_it_is_read_is_listed(tmp_path: Path) -> None:
    put(tmp_path / "r" / "bad.log")

    def fail(path: Path) -> Probe:
        raise OSError(5, "Input/output error", str(path))

    found = scan([tmp_path / "r"], BoardConfig(), probe=fail)
    assert reasons(found) == {"bad.log": "skip.unreadable"}
    assert found.skipped[0].values == {"error": "Input/output error"}


def test_missing_roots_are_named_and_the_others_read(tmp_path: Path) -> None:
    put(tmp_path / "r" / "kept.log")
    found = find(tmp_path / "none", tmp_path / "r", Path("nul\0name"))
    assert list(names(found)) == ["kept"]
    assert [missing.reason_key for missing in found.roots_missing] == ["root.missing", "root.unreadable"]
    assert found.roots_missing[0].path == str(tmp_path / "none")


def test_hidden_deep_and_other_files_are_counted(tmp_path: Path) -> None:
    put(tmp_path / "r" / "kept.log")
    put(tmp_path / "r" / ".git" / "train.log")
    put(tmp_path / "r" / ".hidden.log")
    put(tmp_path / "r" / "a" / "b" / "c" / "deep.log")
    put(tmp_path / "r" / "model.safetensors")
    put(tmp_path / "r" / "a" / "config.json")
    found = find(tmp_path / "r", limits=ScanLimits(depth=2))
    assert list(names(found)) == ["kept"]
    assert found.counts == {"skip.hidden": 2, "skip.too_deep": 1, "skip.other_name": 2}
    assert reasons(found)["c"] == "skip.too_deep"


def test_folder_and_list_bounds(tmp_path: Path) -> None:
    for i in range(30):
        put(tmp_path / "r" / f"run_{i:02}" / "train.log")
    found = find(tmp_path / "r", limits=ScanLimits(folders=11, listed=5))
    assert len(found.experiments) == 10
    assert found.counts == {"skip.too_many_folders": 20}
    assert len(found.skipped) == 5


def test_ten_thousand_files(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    for i in range(10_025):
        os.close(os.open(root / f"train_{i:05}.log", os.O_CREAT | os.O_WRONLY))
    found = find(root)
    assert sum(len(e.logs) for e in found.experiments) == 10_000
    assert found.counts == {"skip.too_many_files": 25}
    assert found.skipped[0].values == {"limit": "10000"}
