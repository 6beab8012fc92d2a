from __future__ import annotations

import math

import numpy as np
import pytest

from data_loaders.derive.canonical import curve
from data_loaders.derive.hours import StepHours, hours, step_times
from data_loaders.schema import Curve, Missing
from tests.unit.data_loaders.fake_run import Cells, FakeRun

TESTING, SAVING = 60.0, 20.0


def timed(testing_inside: bool, saving_inside: bool, steps: int = 40) -> FakeRun:
    """Steps of about 200 s with testing every 5th step and saving every 10th."""
    rng = np.random.default_rng(1)
    gen = {step: 120 + rng.normal(0, 15) for step in range(1, steps + 1)}
    update = {step: 60 + rng.normal(0, 5) for step in gen}
    rest = {step: 5 + rng.normal(0, 0.3) for step in gen}
    testing = {step: TESTING + rng.normal(0, 2) for step in gen if step % 5 == 0}
    saving = {step: SAVING + rng.normal(0, 1) for step in gen if step % 10 == 0}
    step_time = {
        step: gen[step] + update[step] + rest[step]
        + testing.get(step, 0) * testing_inside + saving.get(step, 0) * saving_inside
        for step in gen
    }  # fmt: skip
    columns: dict[str, Cells] = {
        "timing_s/gen": gen,
        "timing_s/update_actor": update,
        "timing_s/testing": testing,
        "timing_s/save_checkpoint": saving,
        "timing_s/step": step_time,
    }
    return FakeRun(columns)


@pytest.mark.parametrize("testing_inside", [True, False])
@pytest.mark.parametrize("saving_inside", [True, False])
def test_what_a_step_holds_is_seen_in_its_times(testing_inside: bool, saving_inside: bool) -> None:
    data = timed(testing_inside, saving_inside)
    times = step_times(data)
    assert times is not None
    assert (times.testing_inside, times.saving_inside) == (testing_inside, saving_inside)
    # Independent of where verl counts them, training is the same and the total is training plus both.
    reference = step_times(timed(False, False))
    assert reference is not None
    assert times.training == pytest.approx(reference.training)
    assert times.total == pytest.approx(reference.total)


def test_the_step_time_curve_has_no_bump_at_validations() -> None:
    found = curve(timed(True, True), "step_time")
    assert isinstance(found, Curve)
    assert found.derived is not None
    assert found.derived.key == "derived.step_time"
    assert found.value.max() < 250


def test_hours_of_a_run() -> None:
    data = FakeRun({"timing_s/step": [3600.0, 1800.0], "timing_s/gen": [1800.0, 900.0]})
    found = hours(data)
    assert isinstance(found, StepHours)
    assert found.total.tolist() == [1.0, 0.5]
    assert found.generation.tolist() == [0.5, 0.25]
    assert (found.untimed, found.notes) == (0, ())


def test_steps_that_a_resume_replaced_were_paid_for() -> None:
    data = FakeRun({"timing_s/step": [3600.0] * 3}, resumed={"timing_s/step": {3: 7200.0}})
    found = hours(data)
    assert isinstance(found, StepHours)
    assert found.total.sum() == 5.0
    assert found.superseded.tolist() == [False, False, True, False]
    assert found.notes[0].values == {"hours": 1.0}


def test_steps_whose_time_was_lost_are_counted() -> None:
    found = hours(FakeRun({"timing_s/step": {1: 10.0, 3: 10.0}, "actor/grad_norm": [1.0, 1.0, 1.0]}))
    assert isinstance(found, StepHours)
    assert (found.untimed, [note.key for note in found.notes]) == (1, ["note.untimed_steps"])


def test_the_first_verl_has_stages_only() -> None:
    stages: dict[str, Cells] = {
        "timing/gen": [10.0, 10.0],
        "timing/ref": [2.0, 2.0],
        "timing/update_actor": [20.0, 20.0],
        "timing/testing": {2: 100.0},
    }
    times = step_times(FakeRun(stages))
    assert times is not None
    assert times.training.tolist() == [32.0, 32.0]
    assert times.total.tolist() == [32.0, 132.0]
    found = curve(FakeRun(stages), "step_time")
    assert isinstance(found, Curve)
    assert {note.key for note in found.notes} == {"note.fallback.step_time"}


def test_a_log_without_times_has_no_hours() -> None:
    found = hours(FakeRun({"actor/grad_norm": [1.0]}))
    assert isinstance(found, Missing)
    assert found.why.key == "missing.not_logged"


def test_an_unknown_generation_time_is_not_zero() -> None:
    found = hours(FakeRun({"timing_s/step": [10.0]}))
    assert isinstance(found, StepHours)
    assert math.isnan(found.generation[0])
