"""Item values and pieces: what counts as a number, and what a step line is."""

from __future__ import annotations

import math

import pytest

from data_loaders.formats.step_line import item_of, pieces, read_piece, value_of, writer_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.054", 0.054),
        ("-0.000", 0.0),
        ("12", 12.0),
        ("1e-06", 1e-06),
        ("-2.5E+3", -2500.0),
        ("+.5", 0.5),
        ("7.", 7.0),
        ("np.float64(-0.0044)", -0.0044),
        ("np.int32(2)", 2.0),
        ("np.float64(inf)", math.inf),
        ("-inf", -math.inf),
        ("Infinity", math.inf),
        ("True", 1.0),
        ("False", 0.0),
        ("0.3150 (max 0.60 min 0.08)", 0.315),
        ("0.7193485498428345", 0.7193485498428345),
        ("12abc", 12.0),
    ],
)
def test_numbers(text: str, value: float) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "np.float64(nan)"])
def test_nan_is_a_value(text: str) -> None:
    value = value_of(text)
    assert value is not None
    assert math.isnan(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "None",
        "tensor(0.1)",
        "nano",
        "information",
        "true",
        "np.float64(0.262",
        "np.float64()",
        "e5",
        "'3'",
    ],
)
def test_no_numbers(text: str) -> None:
    assert value_of(text) is None


def test_negative_zero_keeps_its_sign() -> None:
    value = value_of("-0.0")
    assert value is not None
    assert math.copysign(1, value) == -1


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("traj/exit/Crashed:<Timeout>:3", "traj/exit/Crashed:<Timeout>", 3.0),
        ("actor/lr(1e-4):0.010", "actor/lr(1e-4)", 0.01),
        ("val-core/gsm8k/acc/mean@1:0.5", "val-core/gsm8k/acc/mean@1", 0.5),
        ("train/total_tokens(B):1.25", "train/total_tokens(B)", 1.25),
    ],
)
def test_key_and_value_part_at_the_last_colon(text: str, key: str, value: float) -> None:
    item = item_of(text)
    assert (item.key, item.value) == (key, value)


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: step 3 - take action failed: no such element",
        "step:5 - first do this: 3 times",
        "step:5 - total: 15",
        "step:5 - nothing here",
        "step:5 - a/b:word - c/d:1",
        "training/global_step:10 - a/b:1",
        "timing_s/step:20 - a/b:1",
        "substep:3 - a/b:1",
        "步step:3 - a/b:1",
        "step:12- a/b:1",
        "step:1.5 - a/b:1",
        "step:-1 - a/b:1",
        "step:3 - ",
        "step:3 - :1",
        "step:1234567890123456789 - a/b:1",
    ],
)
def test_lookalikes_are_text(text: str) -> None:
    assert read_piece(text.encode()) is None


@pytest.mark.parametrize(
    "before",
    [
        "",
        " ",
        "\x1b[36m(TaskRunner pid=7)\x1b[0m ",
        "\x1b[0m",
        "100%|██| 3/3 [00:09<00:00]",
        "█",
        "\x00",
        "(pid=) ",
    ],
)
def test_a_step_line_may_stand_behind_other_text(before: str) -> None:
    line = read_piece(f"{before}step:3 - a/b:1 - c:2".encode())
    assert line is not None
    assert (line.step, [item.value for item in line.items]) == (3, [1.0, 2.0])


def test_length_counts_characters_of_the_prefix_but_not_colours() -> None:
    line = read_piece("\x1b[36m(main_task pid=1)\x1b[0m step:3 - é/b:1".encode())
    assert line is not None
    assert line.length == len("(main_task pid=1) step:3 - é/b:1")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"step:1 - a:1", [b"step:1 - a:1"]),
        (b"bar 1/2\rbar 2/2\rstep:1 - a:1\r", [b"step:1 - a:1"]),
        (b"step:1 - a:1step:2 - a:2", [b"step:1 - a:1step:2 - a:2"]),
        (b"step:1 - a:1 step:2 - a:2", [b"step:1 - a:1 ", b"step:2 - a:2"]),
        (b"done.(X pid=1) step:1 - a:1(Y pid=2) text", [b"(X pid=1) step:1 - a:1"]),
        (
            b"(X pid=1) step:1 - a:1(X pid=1) step:2 - a:2",
            [b"(X pid=1) step:1 - a:1", b"(X pid=1) step:2 - a:2"],
        ),
        (b"no step:x here", []),
    ],
)
def test_pieces_of_a_line(line: bytes, found: list[bytes]) -> None:
    assert [line[low:high] for low, high in pieces(line)] == found


@pytest.mark.parametrize(
    ("raw", "writer"),
    [
        (b"\x1b[36m(TaskRunner pid=1, ip=10.0.0.2)\x1b[0m x", "TaskRunner pid=1, ip=10.0.0.2"),
        (b"\x1b[2m\x1b[36m(pid=12)\x1b[0m x", "pid=12"),
        (b"(wiQkzJWorkerDict_0:0 WorkerDict pid=9) x", "wiQkzJWorkerDict_0:0 WorkerDict pid=9"),
        (b"\x1b[33m(raylet)\x1b[0m x", "raylet"),
        (b"(see below) x", ""),
        (b"x (pid=3)", ""),
    ],
)
def test_writers(raw: bytes, writer: str) -> None:
    assert writer_of(raw) == writer
