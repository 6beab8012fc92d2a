from __future__ import annotations

from typing import Any

import pytest

from components.text import detection
from data_loaders.derive.status import Status, pace, planned_steps, status
from tests.unit.data_loaders.fake_run import FakeRun, facts

NOW = 1_700_000_000.0
HOUR = 3600.0


def training(step_s: float = 600.0, steps: int = 20, **changes: Any) -> FakeRun:
    columns = {"timing_s/step": [step_s] * steps, "actor/grad_norm": [0.2] * steps}
    log = facts(**({"planned_steps": 150} | changes.pop("log", {})))
    return FakeRun(columns, logs=(log,), **changes)


def after(data: FakeRun, silence: float | None) -> Status:
    return status(data.run, pace(data), NOW, None if silence is None else NOW - silence)


@pytest.mark.parametrize(
    ("step_s", "silence", "state"),
    [
        (600, 300, "live"),
        (600, 1700, "live"),
        (600, 1900, "late"),
        (600, 5900, "late"),
        (600, 6100, "stalled"),
        # Steps of nine hours: five minutes, or a day, of silence say nothing.
        (9 * HOUR, 300, "live"),
        (9 * HOUR, 24 * HOUR, "live"),
        (9 * HOUR, 28 * HOUR, "late"),
        (9 * HOUR, 100 * HOUR, "stalled"),
        # Steps of two seconds: buffered output is not lateness.
        (2, 60, "live"),
        (2, 200, "late"),
    ],
)
def test_silence_is_measured_in_the_runs_own_steps(step_s: float, silence: float, state: str) -> None:
    found = after(training(step_s), silence)
    assert found.state == state
    assert found.silence_s == silence


def test_a_run_that_goes_on_is_live_again() -> None:
    assert [after(training(), silence).state for silence in (4000, 8000, 10)] == ["late", "stalled", "live"]


def test_a_long_validation_is_not_lateness() -> None:
    data = FakeRun(
        {
            "timing_s/step": [100.0] * 20,
            "timing_s/testing": {10: 900.0, 20: 900.0},
            "timing_s/gen": [60.0] * 20,
            "timing_s/update_actor": [39.0] * 20,
        }
    )
    assert after(data, 1100).state == "live"
    assert after(data, 1300).state == "late"


@pytest.mark.parametrize(
    ("end", "state"), [("finished", "ended"), ("stopped", "stopped"), ("crashed", "crashed")]
)
def test_what_the_log_says_of_its_end_stands(end: str, state: str) -> None:
    found = after(training(log={"end": end, "end_line": 7, "end_text": "the last line"}), 1e7)
    assert (found.state, found.end_text, found.why.values) == (state, "the last line", {"line": 7})
    assert (found.remaining_s, found.next_validation_in) == (None, None)


def test_silence_alone_is_never_a_crash() -> None:
    assert after(training(), 1e9).state == "stalled"


def test_all_planned_steps_done_is_an_end_without_marker() -> None:
    assert after(training(log={"planned_steps": 20}), 1e7).state == "ended"


def test_the_first_verl_counts_from_zero() -> None:
    steps = range(435)
    data = FakeRun(
        {"timing/update_actor": dict.fromkeys(steps, 9.0), "timing/gen": dict.fromkeys(steps, 1.0)},
        logs=(facts(planned_steps=435),),
    )
    found = after(data, 1e7)
    assert (found.done, found.state, found.elapsed_s) == (435, "ended", 4350.0)


def test_the_second_verl_logs_only_validation_for_the_last_step() -> None:
    data = training(steps=19, log={"planned_steps": 20})
    data.segments[0]["val/test_score/openai/gsm8k"] = {20: 0.7}
    found = after(data, 1e7)
    assert (found.done, found.state) == (19, "ended")


def test_validation_before_training_is_no_step() -> None:
    found = after(FakeRun({"val-core/aime/acc/mean@1": {0: 0.1}}), 60)
    assert (found.done, found.state) == (0, "starting")


@pytest.mark.parametrize(("silence", "state"), [(60, "starting"), (2 * HOUR, "late"), (7 * HOUR, "stalled")])
def test_starting_has_its_own_patience(silence: float, state: str) -> None:
    assert after(FakeRun({}), silence).state == state


def test_started_again_but_no_step_yet() -> None:
    data = training(step_s=60)
    data.logs = (*data.logs, facts(step_lines=0))
    assert after(data, 900).state == "starting"


def test_a_log_that_cannot_be_read_is_an_alarm() -> None:
    found = after(training(), None)
    assert (found.state, found.why.key, found.silence_s) == ("stalled", "status.unreadable", None)


def test_progress_and_what_remains() -> None:
    found = after(training(step_s=751, steps=21, config={"trainer": {"test_freq": 25}}), 10)
    assert (found.done, found.planned, found.next_validation_in) == (21, 150, 4)
    assert found.elapsed_s == pytest.approx(21 * 751)
    assert found.remaining_s == pytest.approx((129 * 751, 129 * 751))
    assert found.next_validation_s == pytest.approx((4 * 751, 4 * 751))


def test_the_remaining_range_spans_fast_and_slow_steps() -> None:
    data = training()
    data.segments[0]["timing_s/step"] = {step: 500.0 + 10 * step for step in range(1, 21)}
    found = after(data, 10)
    assert found.remaining_s is not None
    low, high = found.remaining_s
    assert 130 * 510 < low < 130 * 605 < high < 130 * 700


def test_the_last_step_is_validated_even_off_the_beat() -> None:
    data = training(steps=149, config={"trainer": {"test_freq": 100}})
    assert after(data, 10).next_validation_in == 1


def test_after_a_resume_the_new_pace_counts() -> None:
    data = training(step_s=600, steps=30)
    again = dict.fromkeys(range(21, 45), 100.0)
    data = FakeRun(data.columns, logs=data.logs, resumed={"timing_s/step": again, "actor/grad_norm": again})
    found = after(data, 10)
    assert (found.done, found.step_s) == (44, 100.0)
    assert found.elapsed_s == 30 * 600 + 24 * 100


def test_planned_steps_come_from_the_log_before_the_configuration() -> None:
    configured = {"trainer": {"total_training_steps": 99}}
    assert planned_steps(training(config=configured).run) == 150
    assert planned_steps(FakeRun({}, config=configured).run) == 99
    assert planned_steps(FakeRun({}, config={"trainer": {"total_training_steps": -1}}).run) is None


def test_every_reason_has_text() -> None:
    silences = (None, 10, 4000, 8000, 1e6)
    reasons = {after(data, s).why.key for data in (training(), FakeRun({})) for s in silences}
    ends = {after(training(log={"end": end}), 0).why.key for end in ("finished", "stopped", "crashed")}
    assert reasons | ends <= set(detection.TEXT)
