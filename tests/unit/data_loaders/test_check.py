"""The entries of `check`: counts, metrics, and a reason for every file without a step."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from data_loaders import check
from data_loaders.check import check_log, describe
from data_loaders.read import read_log


def write(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


LOG = """\
Training from scratch
step:1 - a:1 - b:0.1
step:2 - a:3 - b:nan
step:2 - a:5 - c:9
noise
step:5 - a:5 - b:0.2 - d:x
Setting global step to 3
step:4 - a:-1 - b:inf
"""


def test_counts_and_metrics(tmp_path: Path) -> None:
    entry = check_log(write(tmp_path / "a.log", LOG))
    assert (entry["format"], entry["bytes"], entry["step_lines"]) == ("verl_console", len(LOG), 5)
    assert (entry["steps"], entry["first"], entry["last"], entry["keys"]) == (4, 1, 5, 3)
    assert entry["values"] == 4 + 4 + 1
    assert entry["duplicate_steps"] == [2]
    assert entry["missing_steps"] == [3]
    assert entry["cut_lines"] == 0
    assert entry["segments"] == [[1, 5, 2], [4, 4, 8]]
    assert entry["rejected"] == [{"line": 6, "text": "d:x", "why": "no number"}]
    assert entry["status"] == "open"
    assert entry["metrics"]["a"] == {
        "n": 4,
        "first": [1, 1.0],
        "last": [5, 5.0],
        "max": [2, 5.0],
        "sum": 10.0,
    }
    assert entry["metrics"]["b"] == {
        "n": 4, "first": [1, 0.1], "last": [5, 0.2], "max": [5, 0.2], "sum": math.fsum([0.1, 0.2]),
    }  # fmt: skip


def test_non_finite_cells_are_words(tmp_path: Path) -> None:
    entry = check_log(write(tmp_path / "a.log", "step:1 - a:-inf - b:1\nstep:2 - a:nan - b:inf\n"))
    assert entry["metrics"]["a"] == {
        "n": 2,
        "first": [1, "-inf"],
        "last": [2, "nan"],
        "max": None,
        "sum": 0.0,
    }
    assert entry["metrics"]["b"]["last"] == [2, "inf"]
    json.loads(json.dumps(entry, allow_nan=False))


def test_sum_is_exact(tmp_path: Path) -> None:
    entry = check_log(write(tmp_path / "a.log", "".join(f"step:{n} - a:0.1\n" for n in range(10))))
    assert entry["metrics"]["a"]["sum"] == 1.0


def test_the_unterminated_line_counts(tmp_path: Path) -> None:
    entry = check_log(write(tmp_path / "a.log", "step:1 - a:1 - b:1\nstep:2 - a:1 - b:1e-"))
    assert (entry["steps"], entry["values"], entry["cut_lines"]) == (2, 3, 1)


def test_wide_gaps_are_not_listed(tmp_path: Path) -> None:
    entry = check_log(write(tmp_path / "a.log", "step:1 - a:1\nstep:999999999999999999 - a:1\n"))
    assert (entry["steps"], entry["missing_steps"]) == (2, [])


HOSTILE = {
    "empty": (b"", "empty", "the file is empty"),
    "text": (b"a recipe for soup\n" * 40, "not_a_log", "no step line"),
    "binary": (bytes(range(256)) * 2000, "binary", "no text file"),
    "zeros": (bytes(1 << 20), "binary", "no text file"),
    "one line": (b"x" * 5_000_000, "not_a_log", "no step line"),
    "one line of steps": (b"step:" * 1_000_000, "not_a_log", "no step line"),
    "one line of colours": (b"step:1 - \x1b[0m" + b"\x1b[36m" * 1_000_000, "not_a_log", "no step line"),
    "one line of brackets": (b"step:1 - " + b"(pid=" * 1_000_000, "not_a_log", "no step line"),
    "bars": (b"\r 5%|#  | 1/20" * 300_000, "not_a_log", "no step line"),
    "latin": ("Überprüfung läuft\n".encode("latin-1") * 99, "not_a_log", "no step line"),
    "crash": (
        b"TaskRunner hostname: a, PID: 1\nError executing job with overrides: []\nOSError: gone\n",
        "crashed",
        "crashed before the first step: OSError: gone",
    ),
    "start": (b"Training from scratch\n", "starting", "no step line yet"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_every_file_without_a_step_has_a_reason(tmp_path: Path, name: str) -> None:
    data, status, reason = HOSTILE[name]
    entry = check_log(write(tmp_path / "a.log", data))
    assert (entry["steps"], entry["status"]) == (0, status)
    assert reason in entry["reason"]
    assert entry["bytes"] == len(data)
    assert entry["metrics"] == {}
    assert reason in describe(entry)


def test_a_line_of_five_megabytes_between_steps(tmp_path: Path) -> None:
    data = (
        b"step:1 - a:1\n"
        + b"long step:9 - words " * 250_000
        + b"\nstep:2 - a:2\n\x00\xff\xfe\nstep:3 - a:\x00\n"
    )
    entry = check_log(write(tmp_path / "a.log", data))
    assert (entry["steps"], entry["first"], entry["last"]) == (2, 1, 2)


def test_missing_and_forbidden_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No such file" in check_log(tmp_path / "none.log")["reason"]
    assert check_log(tmp_path)["status"] == "unreadable"
    path = write(tmp_path / "a.log", LOG)

    def forbidden(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(check, "read_log", forbidden)
    entry = check_log(path)
    assert (entry["status"], entry["reason"]) == ("unreadable", "cannot be read: Permission denied")
    assert "Permission denied" in describe(entry)


def test_a_file_that_vanishes_or_shrinks_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from data_loaders import read

    path = write(tmp_path / "a.log", LOG * 500)
    monkeypatch.setattr(read, "CHUNK", 4096)
    gone = read_log(path, lambda *_: path.unlink(missing_ok=True))
    assert gone.facts.step_lines == 2500
    path = write(tmp_path / "b.log", LOG * 500)
    short = read_log(path, lambda *_: os.truncate(path, 100))
    assert short.facts.bytes == 4096
    seen = []

    def sniffed(path: Path) -> tuple[bytes, bytes]:
        seen.append(path)
        path.unlink()
        return b"", b""

    path = write(tmp_path / "c.log", LOG)
    monkeypatch.setattr(read, "head_tail", sniffed)
    assert check_log(path)["status"] == "unreadable"
    assert seen == [path]


def test_description_says_what_was_not_read(tmp_path: Path) -> None:
    text = describe(check_log(write(tmp_path / "a.log", LOG)))
    assert "4 steps, 1 to 5, from 5 step lines" in text
    assert "line 6: 'd:x' (no number)" in text


# Real logs


def expected(corpus: Path) -> dict[str, dict]:  # type: ignore[type-arg]
    return json.loads((corpus / "expected.json").read_text())


@pytest.mark.corpus
def test_real_logs_agree_with_an_independent_reader(corpus: Path) -> None:
    for name, wanted in expected(corpus).items():
        entry = check_log(corpus / name)
        for field, value in wanted.items():
            if field != "metrics":
                assert entry[field] == value, (name, field)
        for key, metric in wanted["metrics"].items():
            found = entry["metrics"][key]
            assert found["n"] == metric["n"], (name, key)
            assert found["sum"] == pytest.approx(metric["sum"], rel=1e-9, abs=0), (name, key)
            for part in ("first", "last", "max"):
                assert found[part][0] == metric[part][0], (name, key, part)
                assert found[part][1] == pytest.approx(metric[part][1], rel=1e-9, abs=0), (name, key, part)
        assert entry["rejected"] == [], name


@pytest.mark.corpus
def test_a_ppo_log_of_435_steps(corpus: Path) -> None:
    entry = check_log(corpus / "verl_data__qwen05b_gsm8k_0.567.log")
    assert (entry["steps"], entry["first"], entry["last"], entry["keys"], entry["rejected"]) == (
        435,
        0,
        434,
        42,
        [],
    )
    validation = entry["metrics"]["val/test_score/openai/gsm8k"]
    assert (validation["n"], validation["max"][0], round(validation["max"][1], 3)) == (43, 349, 0.579)
    assert (validation["last"][0], round(validation["last"][1], 3)) == (429, 0.543)
    log = read_log(corpus / "verl_data__qwen05b_gsm8k_0.567.log")
    grad_norm = log.columns["critic/grad_norm"], log.columns["actor/grad_norm"]
    assert 65.958 in [column.values[16] for column in grad_norm]


@pytest.mark.corpus
def test_two_lines_of_step_0_and_a_renamed_validation_key(corpus: Path) -> None:
    entry = check_log(corpus / "verl_data__gemma2b_gsm8k_0.640.log")
    assert (entry["steps"], entry["step_lines"], entry["duplicate_steps"]) == (106, 107, [0])
    parts = [entry["metrics"][key] for key in ("test_score/openai/gsm8k", "val/test_score/openai/gsm8k")]
    assert sum(part["n"] for part in parts) == 11
    assert (round(parts[0]["first"][1], 3), round(parts[1]["last"][1], 3)) == (0.521, 0.621)
    assert (parts[1]["max"][0], round(parts[1]["max"][1], 3)) == (59, 0.640)


@pytest.mark.corpus
def test_logs_of_other_programs(corpus: Path) -> None:
    found = {name: check_log(corpus / name) for name in (
        "llamafactory__trainer_log.jsonl", "unsloth__trainer_state.json", "slime__failed_launch.log",
    )}  # fmt: skip
    assert [(entry["format"], entry["steps"], entry["status"]) for entry in found.values()] == [
        ("llamafactory", 202, "open"), ("hf_trainer_state", 250, "open"), ("slime", 0, "crashed"),
    ]  # fmt: skip
    assert found["slime__failed_launch.log"]["remarks"] == [
        "format read from source code: no real log of it was seen"
    ]


@pytest.mark.corpus
def test_real_ends(corpus: Path) -> None:
    ends = {
        "cluster_verl__train.out": "finished",
        "agent_opd__20251130_025406-dq9a4cex.log": "finished",
        "agent_opd__20251206_135812-3h3y3nvn.log": "stopped",
        "agent_opd__20251203_213214-dsx6uos2.log": "crashed",
        "verl_maze__crash_before_step1.log": "crashed",
        "chrisytz__no_step_tpu.log": "starting",
        "logic_rl__init_only.log": "starting",
        "verl_data__gemma2b_gsm8k_0.640.log": "open",
    }
    assert {name: check_log(corpus / name)["status"] for name in ends} == ends
