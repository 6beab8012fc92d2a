"""Joining logs into runs: what a resume supersedes, what starts a new run, what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data_loaders.columns import MemoryLog
from data_loaders.read import LoadedLog
from data_loaders.runs import RunView, assemble, duplicate_steps, missing_steps, raw_lines
from data_loaders.scan import Experiment
from data_loaders.schema import Column, Launch, LogFacts, Recovered, Series, StepLines

LOSS, VALIDATION = "actor/pg_loss", "val-core/aime/acc/mean@4"


def experiment() -> Experiment:
    return Experiment("e3", Path(), (), label="E3", track="2b", algorithm="grpo", options={"cap": 16384})


def log(
    rows: list[tuple[int, dict[str, float]]],
    *,
    name: str = "a.log",
    launches: list[tuple[int, Launch]] | None = None,
    recovered: tuple[Recovered, ...] = (),
) -> MemoryLog:
    """A log of the given (step, cells); `launches` gives the row each launch begins at."""
    starts = launches or []
    cells: dict[str, list[tuple[int, float]]] = {}
    for row, (_, values) in enumerate(rows):
        for key, value in values.items():
            cells.setdefault(key, []).append((row, value))
    count = len(rows)
    launch = [sum(begin <= row for begin, _ in starts) - 1 for row in range(count)]
    lines = StepLines(
        np.array([step for step, _ in rows], np.int64),
        np.arange(count, dtype=np.int64) * 100,
        np.full(count, 99, np.int64),
        np.arange(count, dtype=np.int64) + 1,
        np.array(launch, np.int64),
    )
    columns = {
        key: Column(np.array([row for row, _ in found], np.int64), np.array([value for _, value in found]))
        for key, found in cells.items()
    }
    facts = LogFacts(
        "fake", "rl", 0, count, count, launches=tuple(start for _, start in starts), recovered=recovered
    )
    return MemoryLog(Path(name), facts, lines, columns)


def steps(first: int, last: int, plus: float = 0.0) -> list[tuple[int, dict[str, float]]]:
    return [(step, {LOSS: step + plus}) for step in range(first, last + 1)]


def cells(view: RunView, key: str = LOSS, policy: Any = "last") -> dict[int, float]:
    series = got(view, key, policy)
    assert len(set(series.step.tolist())) == series.step.size
    return dict(zip(series.step.tolist(), series.value.tolist(), strict=True))


def got(view: RunView, key: str = LOSS, policy: Any = "last") -> Series:
    series = view.series(key, policy)
    assert series is not None
    assert np.all(np.diff(series.step) >= 0)
    return series


FRESH = Launch(1, "fresh")


def resume(step: int | None) -> Launch:
    return Launch(1, "resume", step)


class TestResume:
    @pytest.mark.parametrize("named", [200, None])
    def test_values_after_the_checkpoint_are_replaced(self, named: int | None) -> None:
        # Checkpoint at 200, crash at 212, resumed at 201 (a public report against another tracker).
        one = log(steps(1, 212) + steps(201, 230, 0.5), launches=[(0, FRESH), (212, resume(named))])
        [view] = assemble(experiment(), [one])
        assert view.run.id == "e3"
        assert [(s.first, s.last, s.line) for s in view.run.segments] == [(1, 212, 1), (201, 230, 213)]
        assert cells(view) == {s: s + (0.5 if s > 200 else 0) for s in range(1, 231)}
        assert cells(view, policy="first") == {s: s + (0.5 if s > 212 else 0) for s in range(1, 231)}
        assert not got(view, policy="first").superseded.any(), "they are what counts"
        every = got(view, policy="all")
        assert every.step.size == 242
        assert every.step[every.superseded].tolist() == list(range(201, 213))
        assert every.segment[every.superseded].tolist() == [0] * 12
        assert duplicate_steps(view) == tuple(range(201, 213))

    def test_steps_not_reached_again_are_superseded_too(self) -> None:
        one = log(steps(1, 212) + steps(201, 203, 0.5), launches=[(0, FRESH), (212, resume(200))])
        [view] = assemble(experiment(), [one])
        assert view.run.last == 203
        assert max(cells(view)) == 203
        assert max(cells(view, policy="first")) == 212

    def test_validation_repeated_at_the_checkpoint_keeps_its_training_values(self) -> None:
        again = [(50, {VALIDATION: 0.25}), *steps(51, 52, 0.5)]
        before = [*steps(1, 49), (50, {LOSS: 50.0, VALIDATION: 0.2}), *steps(51, 60)]
        for named in (50, None):
            one = log(before + again, launches=[(0, FRESH), (60, resume(named))])
            [view] = assemble(experiment(), [one])
            assert cells(view)[50] == 50.0
            assert cells(view, VALIDATION) == {50: 0.25}
            assert view.run.last == 52

    def test_only_validation_since_the_resume(self) -> None:
        one = log([*steps(1, 60), (50, {VALIDATION: 0.25})], launches=[(0, FRESH), (60, resume(None))])
        [view] = assemble(experiment(), [one])
        assert view.run.last == 50

    def test_falling_steps_without_a_marker(self) -> None:
        [view] = assemble(experiment(), [log(steps(1, 20) + steps(11, 15, 0.5) + steps(13, 14, 0.75))])
        assert [(s.first, s.last) for s in view.run.segments] == [(1, 20), (11, 15), (13, 14)]
        assert cells(view) == {s: s + (0 if s < 11 else 0.5 if s < 13 else 0.75) for s in range(1, 15)}

    def test_validation_before_the_step_that_fell_belongs_to_the_new_segment(self) -> None:
        rows = [*steps(1, 20), (10, {VALIDATION: 0.3}), *steps(11, 12, 0.5)]
        [view] = assemble(experiment(), [log(rows)])
        assert got(view, VALIDATION).segment.tolist() == [1]
        assert cells(view)[10] == 10.0

    def test_late_validation_is_no_restart(self) -> None:
        rows = [*steps(1, 20), (15, {VALIDATION: 0.3}), *steps(21, 22)]
        [view] = assemble(experiment(), [log(rows)])
        assert len(view.run.segments) == 1
        assert cells(view, VALIDATION) == {15: 0.3}
        assert not got(view, policy="all").superseded.any()

    def test_a_second_resume_from_further_back(self) -> None:
        rows = steps(1, 30) + steps(21, 25, 0.5) + steps(11, 12, 0.75)
        launches = [(0, FRESH), (30, resume(20)), (35, resume(10))]
        [view] = assemble(experiment(), [log(rows, launches=launches)])
        assert view.run.last == 12
        assert got(view, policy="all").superseded.sum() == 25


class TestSeveralLogs:
    def test_a_resumed_log_and_one_that_only_goes_on(self) -> None:
        logs = [
            log(steps(1, 10), launches=[(0, FRESH)]),
            log(steps(8, 12, 0.5), name="b.log", launches=[(0, resume(7))]),
            log(steps(13, 20), name="c.log"),
        ]
        [view] = assemble(experiment(), logs)
        assert view.run.logs == ("a.log", "b.log", "c.log")
        assert [s.log for s in view.run.segments] == [0, 1, 2]
        assert cells(view) == {s: s + (0.5 if 8 <= s <= 12 else 0) for s in range(1, 21)}
        assert (view.run.first, view.run.last) == (1, 20)

    def test_second_line_of_a_step_in_the_next_log_completes_it(self) -> None:
        logs = [log([*steps(1, 3), (4, {VALIDATION: 0.1})]), log(steps(4, 5), name="b.log")]
        [view] = assemble(experiment(), logs)
        assert cells(view, VALIDATION) == {4: 0.1}
        assert cells(view)[4] == 4.0

    @pytest.mark.parametrize("first", [0, 1])
    def test_a_fresh_start_is_a_new_run(self, first: int) -> None:
        logs = [
            log(steps(0, 9), launches=[(0, FRESH)]),
            log(steps(first, 4, 0.5), name="b.log", launches=[(0, FRESH)]),
        ]
        one, two = assemble(experiment(), logs)
        assert (one.run.id, two.run.id) == ("e3", "e3#2")
        assert (one.run.logs, two.run.logs) == (("a.log",), ("b.log",))
        assert cells(one) == {s: float(s) for s in range(10)}
        assert cells(two) == {s: s + 0.5 for s in range(first, 5)}

    def test_a_fresh_start_in_the_same_file(self) -> None:
        rows = [*steps(1, 9), (0, {VALIDATION: 0.1}), *steps(1, 4, 0.5)]
        for launches in ([(0, FRESH), (9, FRESH)], None):
            one, two = assemble(experiment(), [log(rows, launches=launches)])
            assert two.run.id == "e3#2"
            assert (two.run.first, two.run.last) == (0, 4)
            assert one.series(VALIDATION) is None
            assert (one.run.keys, two.run.keys) == ((LOSS,), (LOSS, VALIDATION))
            assert cells(one)[9] == 9.0

    def test_a_launch_from_scratch_that_goes_on_at_a_later_step_is_a_resume(self) -> None:
        logs = [log(steps(1, 10), launches=[(0, FRESH)]), log(steps(6, 7, 0.5), launches=[(0, FRESH)])]
        [view] = assemble(experiment(), logs)
        assert view.run.last == 7

    def test_logs_without_steps_stay_visible(self) -> None:
        empty = log([], name="failed.log")
        [view] = assemble(experiment(), [empty])
        assert (view.run.first, view.run.last, view.run.segments) == (None, None, ())
        assert view.run.logs == ("failed.log",)
        assert view.series(LOSS) is None
        assert missing_steps(view) == ()
        one, two = assemble(
            experiment(),
            [log(steps(1, 5), launches=[(0, FRESH)]), empty, log(steps(1, 3), launches=[(0, FRESH)]), empty],
        )
        assert len(one.run.logs) == 1
        assert two.run.logs == ("failed.log", "a.log", "failed.log")
        assert two.run.segments[0].log == 1


class TestCells:
    def test_two_lines_of_a_step_merge_and_the_later_wins(self) -> None:
        rows = [(0, {VALIDATION: 0.1, LOSS: 1.0}), (0, {LOSS: 2.0, "actor/entropy": 3.0}), (1, {LOSS: 4.0})]
        [view] = assemble(experiment(), [log(rows, launches=[(0, FRESH)])])
        assert len(view.run.segments) == 1
        assert cells(view) == {0: 2.0, 1: 4.0}
        assert cells(view, policy="first") == {0: 1.0, 1: 4.0}
        assert cells(view, VALIDATION) == {0: 0.1}
        assert got(view, policy="all").superseded.tolist() == [True, False, False]

    def test_nan_is_a_value(self) -> None:
        nan = float("nan")
        one = log([(1, {LOSS: 1.0}), (2, {LOSS: nan}), (2, {LOSS: nan}), (3, {LOSS: np.inf})])
        [view] = assemble(experiment(), [one])
        series = got(view)
        assert series.step.tolist() == [1, 2, 3]
        assert np.isnan(series.value[1])
        assert np.isinf(series.value[2])

    def test_a_key_never_logged(self) -> None:
        [view] = assemble(experiment(), [log(steps(1, 2))])
        assert view.series("critic/kl") is None

    def test_recovered_values_fill_but_never_override(self) -> None:
        rows = [(0, {LOSS: 0.0}), (10, {VALIDATION: 0.5}), (20, {LOSS: 1.0})]
        recovered = (
            Recovered(0, VALIDATION, 0.1, "summary", 1),
            Recovered(10, VALIDATION, 0.9, "summary", 2),
            Recovered(20, "val-core/math/acc/mean@1", 0.7, "summary", 3),
        )
        [view] = assemble(experiment(), [log(rows, recovered=recovered)])
        for policy in ("last", "first", "all"):
            series = got(view, VALIDATION, policy)
            assert series.step.tolist() == [0, 10]
            assert series.value.tolist() == [0.1, 0.5]
            assert series.recovered.tolist() == [True, False]
        assert "val-core/math/acc/mean@1" in view.run.keys
        assert cells(view, "val-core/math/acc/mean@1") == {20: 0.7}

    def test_a_recovered_value_of_a_superseded_step(self) -> None:
        lost = Recovered(12, VALIDATION, 0.1, "block", 12)
        first = log(steps(1, 12), launches=[(0, FRESH)], recovered=(lost,))
        second = log([*steps(9, 11), (12, {VALIDATION: 0.2})], launches=[(0, resume(8))])
        [view] = assemble(experiment(), [first, second])
        assert cells(view, VALIDATION) == {12: 0.2}
        every = got(view, VALIDATION, "all")
        assert every.value.tolist() == [0.1, 0.2]
        assert every.superseded.tolist() == [True, False]

    def test_a_recovered_value_goes_to_the_run_whose_line_lost_it(self) -> None:
        one = log(
            steps(1, 9) + steps(1, 3),
            launches=[(0, FRESH), (9, FRESH)],
            recovered=(
                Recovered(2, VALIDATION, 0.4, "block", 2),
                Recovered(3, VALIDATION, 0.2, "summary", 12),
            ),
        )
        first, second = assemble(experiment(), [one])
        assert cells(first, VALIDATION) == {2: 0.4}
        assert cells(second, VALIDATION) == {3: 0.2}


class TestRows:
    def test_raw_lines_of_a_step(self) -> None:
        logs = [log(steps(1, 5)), log(steps(4, 6), name="b.log", launches=[(0, resume(3))])]
        [view] = assemble(experiment(), logs)
        assert raw_lines(view, 4) == [(Path("a.log"), 300, 99, 4), (Path("b.log"), 0, 99, 1)]
        assert raw_lines(view, 99) == []

    def test_missing_steps_are_ranges(self) -> None:
        [view] = assemble(experiment(), [log(steps(1, 2) + steps(4, 4) + steps(10**12, 10**12))])
        assert missing_steps(view) == ((3, 3), (5, 10**12 - 1))
        assert duplicate_steps(view) == ()

    def test_a_log_read_at_once(self) -> None:
        kept = log(steps(1, 3))
        whole = LoadedLog(kept.path, kept.facts, kept.lines(), dict(kept.columns))
        [view] = assemble(experiment(), [whole])
        assert cells(view) == {1: 1.0, 2: 2.0, 3: 3.0}

    def test_what_the_experiment_says_is_copied(self) -> None:
        [view] = assemble(experiment(), [log(steps(1, 2))], {"actor": {"lr": 1e-6}})
        run = view.run
        assert (run.label, run.track, run.algorithm) == ("E3", "2b", "grpo")
        assert run.options == {"cap": 16384}
        assert run.config == {"actor": {"lr": 1e-6}}
