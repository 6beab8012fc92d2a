"""Stages of a step add up to it: nested timers stay out, the rest is what no timer covers."""

from __future__ import annotations

import numpy as np
import pytest

from data_loaders.derive.stages import StageTimes, stage_times
from data_loaders.schema import Missing
from tests.unit.data_loaders.fake_run import FakeRun

STEP, GEN, UPDATE = "timing_s/step", "timing_s/gen", "timing_s/update_actor"


def stages(**columns: object) -> StageTimes:
    found = stage_times(FakeRun({key.replace("__", "/"): cells for key, cells in columns.items()}))  # type: ignore[misc]
    assert isinstance(found, StageTimes)
    return found


def test_the_rest_is_what_the_stages_leave() -> None:
    found = stages(timing_s__step=[10.0, 12.0], timing_s__gen=[6.0, 7.0], timing_s__update_actor=[3.0, 3.0])
    assert list(found.parts) == ["gen_time", "update_actor_time"]
    assert found.rest.tolist() == [1.0, 2.0]
    assert found.notes == ()


def test_timers_inside_a_stage_are_not_added() -> None:
    found = stages(
        timing_s__step=[10.0], timing_s__gen=[8.0], timing_s__agent_loop__generate_sequences__max=[7.5],
        timing_s__generate_sequences=[7.0],
    )  # fmt: skip
    assert list(found.parts) == ["gen_time"]
    assert found.rest.tolist() == [2.0]


def test_testing_outside_the_step_belongs_to_the_whole() -> None:
    # verl 0.8: the step of 10 s does not hold the 4 s of testing; a step without testing has the same rest.
    found = stages(
        timing_s__step=[10.0, 10.0, 10.0], timing_s__gen=[9.0, 9.0, 9.0], timing_s__testing={2: 4.0}
    )
    assert found.total.tolist() == [10.0, 14.0, 10.0]
    assert found.parts["testing_time"].tolist() == [0.0, 4.0, 0.0]
    assert found.rest.tolist() == [1.0, 1.0, 1.0]


def test_overlapping_stages_never_exceed_the_step() -> None:
    found = stages(timing_s__step=[10.0, 10.0], timing_s__gen=[8.0, 5.0], timing_s__update_actor=[8.0, 4.0])
    parts = np.array(list(found.parts.values()))
    assert parts.sum(axis=0) + found.rest == pytest.approx(found.total)
    assert parts[:, 0].tolist() == [5.0, 5.0]
    assert [(note.key, note.values) for note in found.notes] == [("note.stages_overlap", {"n": 1})]


def test_a_step_that_lacks_a_stage_has_it_in_the_rest() -> None:
    found = stages(timing_s__step=[10.0, 10.0], timing_s__gen={1: 6.0}, timing_s__update_actor=[3.0, 3.0])
    assert found.parts["gen_time"].tolist() == [6.0, 0.0]
    assert found.rest.tolist() == [1.0, 7.0]


def test_logs_without_stages_say_so() -> None:
    found = stage_times(FakeRun({STEP: [10.0]}))
    assert isinstance(found, Missing)
    assert found.why.key == "missing.no_stages"
    without = stage_times(FakeRun({"actor/grad_norm": [0.1]}))
    assert isinstance(without, Missing)
    assert without.why.key == "missing.not_logged"
