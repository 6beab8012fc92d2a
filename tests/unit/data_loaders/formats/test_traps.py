"""What breaks a naive parser of verl console logs, one small log each."""

from __future__ import annotations

import math

import pytest

from tests.unit.data_loaders.formats.reading import read

WHO = "\x1b[36m(TaskRunner pid=71)\x1b[0m "
OTHER = "\x1b[36m(WorkerDict pid=93, ip=10.0.0.3)\x1b[0m "


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "(TaskRunner pid=71) ",
        WHO,
        "\x1b[2m\x1b[36m(main_task pid=71)\x1b[0m ",
        "\x1b[36m(pid=71)\x1b[0m ",
        "\x1b[36m(xYzWorkerDict_0:0 WorkerDict pid=71)\x1b[0m ",
        "\x1b[36m(FullyAsyncTrainer pid=71, ip=10.1.2.3)\x1b[0m ",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_any_prefix_and_line_end(prefix: str, end: str) -> None:
    log = read("".join(f"{prefix}step:{n} - a/b:{n}.5 - actor/lr(1e-4):0.25{end}" for n in range(1, 6)))
    assert log.cells("a/b") == [(n, n + 0.5) for n in range(1, 6)]
    assert log.cells("actor/lr(1e-4)") == [(n, 0.25) for n in range(1, 6)]
    assert log.lines.line.tolist() == [1, 2, 3, 4, 5]
    assert log.facts.physical_lines == 5


def test_offsets_give_the_line_back() -> None:
    lines = ["noise", f"{WHO}step:1 - a:1", "bar\rstep:2 - a:2", f"{WHO}step:3 - a:3"]
    data = "\n".join(lines).encode()
    where = read(data).lines
    found = [
        data[at : at + size] for at, size in zip(where.offset.tolist(), where.length.tolist(), strict=True)
    ]
    assert found == [lines[1].encode(), b"step:2 - a:2", lines[3].encode()]
    assert where.line.tolist() == [2, 3, 4]


def test_eras_of_number_formats_in_one_column() -> None:
    log = read(
        "step:1 - k:0.054\nstep:2 - k:1e-06\nstep:3 - k:np.float64(-0.0044)\nstep:4 - k:np.int32(2)\n"
        "step:5 - k:7\n"
    )
    assert [value for _, value in log.cells("k")] == [0.054, 1e-06, -0.0044, 2.0, 7.0]


def test_non_finite_values_and_booleans_in_long_runs() -> None:
    words = {3: "nan", 5: "inf", 6: "-inf", 8: "np.float64(nan)", 9: "True", 11: "NaN", 12: "False", 13: "-0"}
    log = read("".join(f"step:{n} - a:{n} - k:{words.get(n, '0.5')} - z:1\n" for n in range(1, 20)))
    values = dict(log.cells("k"))
    assert [n for n, value in values.items() if math.isnan(value)] == [3, 8, 11]
    assert (values[5], values[6], values[9], values[12]) == (math.inf, -math.inf, 1.0, 0.0)
    assert math.copysign(1, values[13]) == -1
    assert len(log.cells("z")) == 19


def test_junk_that_json_would_read_is_no_number() -> None:
    texts = ["null", "true", "false", '"7"', "[1]", "{}", "1,2", "01", "0x10", "1_000", " 5"]
    log = read("".join(f"step:{n} - a:1 - k:{text} - z:1\n" for n, text in enumerate(["0.5", *texts], 1)))
    assert dict(log.cells("k")) == {1: 0.5, 8: 1.0, 9: 1.0, 10: 0.0, 11: 1.0, 12: 5.0}
    assert [item.line for item in log.facts.rejected] == [2, 3, 4, 5, 6, 7]


def test_values_hold_minus_signs_and_keys_hold_hyphens() -> None:
    log = read("step:1 - critic/kl:-0.000 - val-core/d-1/acc/mean@1:-1.5\n")
    assert log.cells("val-core/d-1/acc/mean@1") == [(1, -1.5)]


def test_keys_with_colons_at_every_step() -> None:
    log = read("".join(f"step:{n} - a:1 - exit/Crashed:<Timeout>:{n} - z:2\n" for n in range(1, 5)))
    assert log.cells("exit/Crashed:<Timeout>") == [(n, float(n)) for n in range(1, 5)]


def test_custom_key_is_not_taken_for_the_one_it_ends_with() -> None:
    log = read("step:1 - judge_critic/rewards/mean:3 - critic/rewards/mean:1\n")
    assert (log.cells("judge_critic/rewards/mean"), log.cells("critic/rewards/mean")) == (
        [(1, 3.0)],
        [(1, 1.0)],
    )


def test_bars_run_ahead_and_freeze() -> None:
    bar = f"{WHO}\rTraining Progress: 100%|██| 200/200 [1:00<00:00]\n"
    log = read(bar * 3 + f"{WHO}step:0 - val/x:1\n{bar}{WHO}step:1 - actor/loss:2\n")
    assert log.steps == [0, 1]
    assert log.facts.end == ""


def test_step_line_behind_a_bar() -> None:
    log = read(
        "Epoch 1/3:   0%|          | 0/62 [00:00<?, ?it/s]step:1 - train/loss:1.25 - train/time(s):3\n"
    )
    assert log.cells("train/loss") == [(1, 1.25)]


def test_hundreds_of_bars_on_one_line() -> None:
    bars = "\r".join(f" {n}%|█| {n}/100" for n in range(100))
    log = read(f"{bars}\rstep:1 - a:1\r{bars}\nstep:2 - a:2\n")
    assert log.cells("a") == [(1, 1.0), (2, 2.0)]
    assert log.lines.line.tolist() == [1, 2]


@pytest.mark.parametrize("glue", [OTHER, f"{OTHER}\r", "(WorkerDict pid=93) "])
def test_another_writers_message_glued_behind(glue: str) -> None:
    text = "".join(
        f"{WHO}step:{n} - a:1 - b:{n}.5" + (f"{glue}INFO b:9 - c:9" if n == 3 else "") + "\n"
        for n in range(1, 6)
    )
    log = read(text)
    assert log.cells("b") == [(n, n + 0.5) for n in range(1, 6)]
    assert "c" not in log.columns


def test_two_step_lines_on_one_physical_line() -> None:
    log = read(f"{WHO}step:1 - a:1 {WHO}step:2 - a:2 step:3 - a:3\n{WHO}step:4 - a:4\n")
    assert log.cells("a") == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]
    assert log.lines.line.tolist() == [1, 1, 1, 2]


def test_message_glued_before() -> None:
    log = read(f"loading the results.{WHO}step:1 - a:1\n")
    assert log.cells("a") == [(1, 1.0)]


def test_lookalikes_between_step_lines() -> None:
    noise = [
        "ValueError: step 3 - take action failed: nothing there",
        'raise ValueError(f"step {self.index} - take action failed: {why}")',
        "step:7 - first we add: 12 apples",
        "The substep:8 - a:1 is done",
        "training/global_step:9 - a:1",
    ]
    log = read("step:1 - a:1\n" + "\n".join(noise) + "\nstep:2 - a:2\n")
    assert log.steps == [1, 2]
    assert log.facts.rejected_count == 0


def test_same_step_on_two_lines_keeps_both() -> None:
    log = read("step:29 - val/loss:0.5\nstep:29 - train/loss:0.25\n")
    assert (log.cells("val/loss"), log.cells("train/loss")) == ([(29, 0.5)], [(29, 0.25)])


def test_falling_steps_are_kept_in_file_order() -> None:
    log = read("step:4 - a:1\nstep:5 - a:2\nstep:3 - a:3\nstep:4 - a:4\n")
    assert log.cells("a") == [(4, 1.0), (5, 2.0), (3, 3.0), (4, 4.0)]


def test_nul_bytes_and_broken_utf8() -> None:
    data = b"\x00\x00\n\x00step:1 - a:1\x00 - \xff/b:2\nstep:2 - a:1 - \xe2\x96:3\n\xe2\x96\x88step:3 - a:5\n"
    log = read(data)
    assert log.cells("a") == [(1, 1.0), (2, 1.0), (3, 5.0)]
    assert log.cells("\ufffd/b") == [(1, 2.0)]


def test_colours_inside_the_items() -> None:
    log = read(
        "".join(f"{WHO}step:{n} - a:\x1b[32m{n}\x1b[0m - b:2\x1b[32m [repeated 3x]\x1b[0m\n" for n in (1, 2))
    )
    assert (log.cells("a"), log.cells("b")) == ([(1, 1.0), (2, 2.0)], [(1, 2.0), (2, 2.0)])


def test_absent_keys_are_gaps_and_not_zeros() -> None:
    log = read("step:1 - a:1 - val:2\nstep:2 - a:1\nstep:3 - a:1 - val:3\n")
    assert log.cells("val") == [(1, 2.0), (3, 3.0)]


def test_a_key_twice_on_a_line_counts_once() -> None:
    log = read("step:1 - a:1 - a:2\n" * 2)
    assert log.cells("a") == [(1, 2.0), (1, 2.0)]


def test_text_behind_a_number_is_ignored() -> None:
    log = read("".join(f"step:{n} - a:0.5 - b:0.25 (max 0.6 min 0.1)\n" for n in range(3)))
    assert log.cells("b") == [(0, 0.25), (1, 0.25), (2, 0.25)]


def test_a_log_pasted_into_a_notebook() -> None:
    log = read('"\\u001b[36m(main_task pid=3)\\u001b[0m step:0 - a/b:0.5 - c/d:0.125\\n",\n')
    assert (log.cells("a/b"), log.cells("c/d")) == ([(0, 0.5)], [(0, 0.125)])


def test_a_very_long_line() -> None:
    items = [f"key/{number}:{number}.5" for number in range(20_000)]
    log = read("step:1 - " + " - ".join(items) + "\nstep:2 - key/0:1\n")
    assert len(log.columns) == 20_000
    assert log.cells("key/19999") == [(1, 19999.5)]


def test_thousands_of_lines_whose_keys_change_now_and_then() -> None:
    text = "".join(
        f"{WHO}step:{n} - actor/loss:{n / 7!r} - perf/mfu:np.float64({n / 3!r})"
        + (f" - val-core/d/acc/mean@8:{n / 11!r}" if n % 10 == 0 else "")
        + (f" - odd/{n}:1" if n % 97 == 0 else "")
        + "\n"
        for n in range(3000)
    )
    log = read(text)
    assert log.cells("actor/loss") == [(n, n / 7) for n in range(3000)]
    assert log.cells("perf/mfu") == [(n, n / 3) for n in range(3000)]
    assert log.cells("val-core/d/acc/mean@8") == [(n, n / 11) for n in range(0, 3000, 10)]
    assert log.cells("odd/97") == [(97, 1.0)]
