"""Starts, resumes and ends of a run as its log tells them."""

from __future__ import annotations

import pytest

from tests.unit.data_loaders.formats.reading import Result, read

COMMAND = "+ python3 -m verl.trainer.main_ppo data.train_batch_size=8 'trainer.logger=[console]'\n"
RAY = "2025-08-14 19:43:00,753\tINFO worker.py:1747 -- Started a local Ray instance.\n"
HOST = "(TaskRunner pid=5) TaskRunner hostname: gpu-1, PID: 5\n"
CONFIG = "(TaskRunner pid=5) {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2}}}\n"
SCRATCH = "(TaskRunner pid=5) Training from scratch\n"
START = COMMAND + RAY + HOST + CONFIG
CRASH = (
    "Error executing job with overrides: ['trainer.nnodes=1', 'data.seed=3']\n"
    "Traceback (most recent call last):\n"
    "ray.exceptions.RayTaskError(ValueError): ray::TaskRunner.run() (pid=5)\n"
    "ValueError: no room left\n\n"
    "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n"
)
RESUMED = (
    "(TaskRunner pid=5) Found checkpoint: %s runs/a/global_step_{0}\n"
    "(TaskRunner pid=5) Load from checkpoint folder: runs/a/global_step_{0}\n"
    "(TaskRunner pid=5) Setting global step to {0}\n"
    "(TaskRunner pid=5) Resuming from runs/a/global_step_{0}\n"
)


def steps(first: int, last: int) -> str:
    return "".join(
        f"(TaskRunner pid=5) step:{step} - actor/loss:0.{step}\n" for step in range(first, last + 1)
    )


def launches(log: Result) -> list[tuple[int, str, int | None]]:
    return [(launch.line, launch.kind, launch.resumed_from) for launch in log.facts.launches]


def test_one_start_has_many_marks() -> None:
    log = read(START + SCRATCH + steps(1, 3))
    assert launches(log) == [(1, "fresh", None)]
    assert log.lines.launch.tolist() == [0, 0, 0]


def test_a_log_without_marks_announces_no_start() -> None:
    log = read(steps(1, 3))
    assert launches(log) == []
    assert log.lines.launch.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("head", ["", START])
def test_resume_in_the_same_file(head: str) -> None:
    log = read(START + SCRATCH + steps(1, 7) + CRASH + head + RESUMED.format(4) + steps(5, 6))
    line = 5 + 7 + 6 + 1
    assert launches(log) == [(1, "fresh", None), (line, "resume", 4)]
    assert log.lines.launch.tolist() == [0] * 7 + [1] * 2


def test_resume_at_the_very_next_step_is_seen() -> None:
    log = read(SCRATCH + steps(1, 4) + RESUMED.format(4) + steps(5, 6))
    assert launches(log) == [(1, "fresh", None), (6, "resume", 4)]


def test_resume_of_the_new_trainer() -> None:
    text = "INFO:2026-08-15 10:00:00,000:Resuming from runs/a/global_step_4, setting global step to 4\n"
    assert launches(read(SCRATCH + steps(1, 4) + text + steps(5, 6))) == [
        (1, "fresh", None),
        (6, "resume", 4),
    ]


def test_a_resume_may_be_told_after_its_first_line() -> None:
    text = "(TaskRunner pid=5) Resuming from runs/a/global_step_4\n"
    log = read(START + "(TaskRunner pid=5) step:4 - val-core/x/acc/mean@1:0.5\n" + text + steps(5, 6))
    assert launches(log) == [(1, "resume", 4)]
    assert log.lines.launch.tolist() == [0, 0, 0]


def test_a_start_that_goes_on_at_a_later_step_is_a_resume() -> None:
    log = read(START + steps(5, 6))
    assert launches(log) == [(1, "resume", None)]


def test_fresh_start_in_the_same_file() -> None:
    log = read(SCRATCH + steps(1, 3) + "\n" + SCRATCH + steps(1, 2))
    assert launches(log) == [(1, "fresh", None), (6, "fresh", None)]


def test_two_failed_starts_before_a_good_one() -> None:
    log = read((START + CRASH) * 2 + START + SCRATCH + steps(1, 2))
    assert [line for line, *_ in launches(log)] == [1, 11, 21]
    assert log.lines.launch.tolist() == [2, 2]
    assert log.facts.end == ""


def test_a_start_announced_in_a_sample_is_none() -> None:
    sample = "We speak of Training from scratch when no weights exist.\nResuming from here, add 3.\n"
    assert launches(read(SCRATCH + steps(1, 2) + sample + steps(3, 4))) == [(1, "fresh", None)]


def test_workers_that_join_ray_start_nothing() -> None:
    worker = (
        "(WorkerDict pid=9) 2025-08-14 19:44:00,1 INFO worker.py:1747 -- Connecting to existing Ray cluster\n"
    )
    assert len(read(START + SCRATCH + steps(1, 2) + worker + steps(3, 4)).facts.launches) == 1


@pytest.mark.parametrize(
    ("text", "end", "said"),
    [
        ("", "", ""),
        (
            "(TaskRunner pid=5) \"Final validation metrics: {'test_score/x': 0.5}\"\n",
            "finished",
            "Final validation",
        ),
        ("Final validation metrics: None\n", "finished", "Final validation"),
        (CRASH, "crashed", "ValueError: no room left"),
        ("torch.OutOfMemoryError: CUDA out of memory.\n", "crashed", "torch.OutOfMemoryError: CUDA"),
        ("[rank0]: KeyboardInterrupt\n", "stopped", "[rank0]: Keyboard"),
        ("^CTraceback (most recent call last):\nKeyboardInterrupt\n", "stopped", "KeyboardInterrupt"),
        (
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-01-01T00:00:00 ***\n",
            "stopped",
            "slurmstepd",
        ),
        (
            'Traceback (most recent call last):\n  File "a.py", line 1\nOSError: disk is gone\n',
            "crashed",
            "OSError: di",
        ),
        ("(X pid=1) Traceback (most recent call last):\n(X pid=1) ValueError: bad answer\n", "", ""),
        (
            "(TaskRunner pid=5) \"Final validation metrics: {'a': 1}\"\n" + CRASH,
            "finished",
            "Final validation",
        ),
    ],
)
def test_ends(text: str, end: str, said: str) -> None:
    facts = read(SCRATCH + steps(1, 2) + text).facts
    assert facts.end == end
    assert facts.end_text.startswith(said)
    assert (facts.end_line is None) == (end == "")


def test_a_long_error_is_cut_with_a_mark() -> None:
    error = "ValueError: " + "x" * 500
    facts = read(SCRATCH + steps(1, 2) + "Traceback (most recent call last):\n  File\n" + error + "\n").facts
    assert facts.end_text == error[:299] + "…"


def test_a_crash_that_was_survived_is_no_end() -> None:
    assert read(SCRATCH + steps(1, 2) + CRASH + steps(3, 4)).facts.end == ""


def test_a_run_may_log_its_last_validation_after_the_final_block() -> None:
    final = "(TaskRunner pid=5) \"Final validation metrics: {'test_score/x': 0.5}\"\n"
    last = "(TaskRunner pid=5) step:3 - val/test_score/x:0.5\n"
    assert read(SCRATCH + steps(1, 2) + final + last).facts.end == "finished"
    assert read(SCRATCH + steps(1, 2) + final + last + steps(4, 5)).facts.end == ""


def test_a_long_silence_does_not_hide_the_end() -> None:
    noise = "(raylet) the disk is filling up\n" * 60_000
    facts = read(SCRATCH + steps(1, 2) + CRASH + noise).facts
    assert facts.end == "crashed"
    assert facts.end_text.startswith("Error executing job with overrides")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "reason.empty"),
        (START + SCRATCH, "reason.starting"),
        (START + CRASH, "reason.crashed"),
        (START + "[rank0]: KeyboardInterrupt\n", "reason.stopped"),
        ("dear diary,\n" * 9, "reason.not_a_log"),
        ("\x00\x01\x02PK\x03\x04" * 99, "reason.binary"),
        (
            "{'loss': 0.01, 'grad_norm': nan, 'learning_rate': 2e-07, 'epoch': 0.0}\n" * 3,
            "reason.other_format",
        ),
        ('{"step":2,"data":{"actor/pg_loss":7.45e-9}}\n', "reason.other_format"),
        ('{"current_steps": 1, "total_steps": 5100, "loss": 0.6491}\n', "reason.other_format"),
    ],
)
def test_why_there_is_no_step(text: str, reason: str) -> None:
    facts = read(text).facts
    assert facts.no_step_reason == reason
    assert facts.kind == "none"


def test_another_format_is_named() -> None:
    assert read("{'loss': 0.01, 'learning_rate': 2e-07, 'epoch': 0.0}\n").facts.format == "trl"


def test_planned_steps_clock_and_command() -> None:
    text = START + "(TaskRunner pid=5) Total training steps: 200\n" + SCRATCH + steps(1, 2)
    facts = read(text + "(WorkerDict pid=8) INFO:2025-08-14 20:00:00,500:[Rank 1] Saved model\n").facts
    assert facts.planned_steps == 200
    assert facts.overrides == ("data.train_batch_size=8", "trainer.logger=[console]")
    assert facts.clock_start == 1755200580.753
    assert facts.clock_end == 1755201600.5


def test_command_words_are_taken_from_the_error_when_no_command_was_logged() -> None:
    assert read(RAY + HOST + CRASH).facts.overrides == ("trainer.nnodes=1", "data.seed=3")


def test_config_text_keeps_the_dump_and_drops_prefixes() -> None:
    dump = [
        "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.2,",
        "                                 'name': 'a } b'},",
        "                       'rollout': {'n': 8}},",
        " 'data': {'seed': None}}",
    ]
    own = "WARNING:2025-08-14 19:43:08,765:Waiting for the register center"
    writer, other = "\x1b[36m(TaskRunner pid=5)\x1b[0m ", "\x1b[36m(WorkerDict pid=8)\x1b[0m "
    lines = [writer + dump[0], other + "loading", writer + dump[1], writer + own]
    lines += [writer + dump[2], "unprefixed", writer + dump[3], writer + "Using dataset class: X"]
    assert read("\n".join(lines) + "\n").facts.config_text.split("\n") == [*dump[:2], own, *dump[2:]]


def test_the_last_dump_before_the_first_step_counts() -> None:
    text = CONFIG + CRASH + CONFIG.replace("0.2", "0.3") + SCRATCH + steps(1, 2)
    assert read(text).facts.config_text == "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.3}}}"


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("actor/loss", "rl"),
        ("train/loss", "sft"),
        ("val/loss", "sft"),
        ("val-core/x/acc/mean@1", "rl"),
        ("a", "rl"),
    ],
)
def test_kind(key: str, kind: str) -> None:
    assert read(f"step:1 - {key}:0.5\n").facts.kind == kind


def test_a_restart_of_old_versions_is_known_by_its_start_and_falling_steps() -> None:
    log = read(RAY + CONFIG + steps(0, 3) + RAY + CONFIG + steps(0, 2))
    assert launches(log) == [(1, "fresh", None), (7, "fresh", None)]
    assert log.lines.launch.tolist() == [0] * 4 + [1] * 3


def test_marks_in_long_noise() -> None:
    noise = "".join(f"sample {number} of the rollout says so\n" for number in range(90_000))
    log = read(
        START + noise + SCRATCH + steps(1, 3) + noise + START + noise + RESUMED.format(3) + steps(4, 5)
    )
    lines = [line for line, *_ in launches(log)]
    assert [kind for _, kind, _ in launches(log)] == ["fresh", "resume"]
    assert lines[0] == 1
    assert log.lines.launch.tolist() == [0, 0, 0, 1, 1]
    assert log.facts.config_text.startswith("{'actor_rollout_ref'")
