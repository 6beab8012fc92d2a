"""Cases that people reported of other boards and trainers, as logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from components.present.coverage import source_files
from components.present.figures import payload
from components.text import said
from data_loaders.board import Board, BoardReader, BoardRun, Source
from data_loaders.derive.canonical import curve
from data_loaders.derive.hours import hours
from data_loaders.derive.stages import stage_times
from data_loaders.derive.status import status
from data_loaders.derive.trends import trend
from data_loaders.derive.validation import validations
from data_loaders.runs import missing_steps
from data_loaders.schema import Curve, Json, Missing
from tests.growing import append, log_path, text, value, write
from tests.unit.components.runs import unpacked


def board_of(tmp_path: Path, *logs: str) -> Board:
    """A board of one run, whose logs were started one day after the other."""
    for day, content in enumerate(logs, 1):
        write(log_path(tmp_path / "archive", started=f"2026070{day}_080000"), content)
    return BoardReader(Source((tmp_path / "archive",)), tmp_path / "cache").read()


def run_of(tmp_path: Path, *logs: str) -> BoardRun:
    (run,) = board_of(tmp_path, *logs).runs
    return run


class Line(NamedTuple):
    """A line as it is drawn."""

    chart: str
    role: str
    points: list[tuple[float, float]]

    @property
    def steps(self) -> list[float]:
        return [step for step, _ in self.points]


def drawn(board: Board, **choice: object) -> tuple[list[Line], Json]:
    """Lines of the 2B page, and its charts."""
    charts = payload(board, "2b", dict(choice))["charts"]
    lines = [
        Line(
            name.removeprefix("cmp-"),
            trace["meta"]["role"],
            list(zip(unpacked(trace["x"]), unpacked(trace["y"]), strict=True)),
        )
        for name, chart in charts.items()
        for trace in chart.get("data", ())
        if "role" in trace.get("meta", {}) and isinstance(trace.get("x"), dict)
    ]
    return lines, charts


def of(lines: Sequence[Line], chart: str, role: str) -> list[Line]:
    return [line for line in lines if (line.chart, line.role) == (chart, role)]


def logged(steps: Sequence[int], cells: str) -> str:
    return "".join(f"step:{step} - {cells.format(step=step)}\n" for step in steps)


def test_c15_validation_before_training(tmp_path: Path) -> None:
    """C15: step:0 holds validation alone (verl-project/verl#2060)."""
    before = "step:0 - val-core/openai/gsm8k/reward/mean@1:0.41\n"
    board = board_of(tmp_path, before + text(1, 3))
    (run,) = board.runs
    entropy = curve(run.view, "entropy")
    assert isinstance(entropy, Curve)
    assert entropy.step.tolist() == [1, 2, 3]
    (measured,) = validations(run.view)
    assert (measured.step.tolist(), measured.value.tolist()) == ([0], [0.41])
    assert run.pace.done == 3
    assert missing_steps(run.view) == ()
    lines, _ = drawn(board)
    assert of(lines, "validation", "val")[0].steps == [0]
    assert of(lines, "entropy", "raw")[0].points == [(step, value(step, 0)) for step in (1, 2, 3)]
    with_step_0 = {line.chart for line in lines if 0 in line.steps}
    assert with_step_0 == {line.chart for line in lines if line.role == "val"}


def test_c49_a_run_that_goes_back_to_a_checkpoint(tmp_path: Path) -> None:
    """C49: checkpoint 200, crash at 212, resumed at 201: the last word counts (allenai/tango#152)."""
    board = board_of(tmp_path, text(1, 212), text(201, 230, seed=1))
    (run,) = board.runs
    assert [(s.first, s.last) for s in run.view.run.segments] == [(1, 212), (201, 230)]
    series, everything = (run.view.series("actor/entropy", policy) for policy in ("last", "all"))  # type: ignore[arg-type]
    assert series is not None
    assert everything is not None
    assert series.step.tolist() == list(range(1, 231))
    assert series.value[199:202].tolist() == [value(200, 0), value(201, 0, 1), value(202, 0, 1)]
    assert everything.step[everything.superseded].tolist() == list(range(201, 213))
    overlap = [(step, value(step, 0)) for step in range(201, 213)]
    assert everything.value[everything.superseded].tolist() == [value for _, value in overlap]
    lines, charts = drawn(board)
    (line,) = of(lines, "entropy", "raw")
    assert line.points == [(n, value(n, 0)) for n in range(1, 201)] + [
        (n, value(n, 0, 1)) for n in range(201, 231)
    ]
    assert of(lines, "entropy", "old") == []
    both, _ = drawn(board, seg="all")
    assert of(both, "entropy", "raw") == [line]
    (faint,) = of(both, "entropy", "old")
    assert faint.points == overlap
    (marked,) = charts["cmp-entropy"]["meta"]["resumes"].values()
    assert marked == [201]
    first, _ = drawn(board, seg="first")
    assert of(first, "entropy", "raw")[0].points[199:213] == [
        *((n, value(n, 0)) for n in range(200, 213)),
        (213, value(213, 0, 1)),
    ]


def test_c51_a_log_of_every_tenth_step_misses_none(tmp_path: Path) -> None:
    """C51: steps 9, 19, … 79, then 80 and 90 (NVIDIA-NeMo/Speech#12290)."""
    steps = [*range(9, 80, 10), 80, 90]
    board = board_of(tmp_path, logged(steps, "actor/entropy:{step} - timing_s/step:60"))
    (run,) = board.runs
    found = curve(run.view, "entropy")
    assert isinstance(found, Curve)
    assert found.step.tolist() == steps
    assert missing_steps(run.view) == ()
    assert of(drawn(board)[0], "entropy", "raw")[0].points == [(step, step) for step in steps]
    assert not any("missing" in said(note)[1] for file in source_files(run) for note in file.notes)


def test_c93_lines_that_ray_swallowed_are_listed_with_the_remedy(tmp_path: Path) -> None:
    """C93: steps 3 and 7 were taken for repetitions (ray-project/ray#45262)."""
    kept = [
        line for line in text(1, 9).splitlines(keepends=True) if line.split()[0] not in ("step:3", "step:7")
    ]
    run = run_of(tmp_path, "".join(kept))
    assert missing_steps(run.view) == ((3, 3), (7, 7))
    (told,) = [said(note) for file in source_files(run) for note in file.notes]
    for language, steps in zip(told, ("3、7", "3, 7"), strict=True):
        assert steps in language
        assert "RAY_DEDUP_LOGS=0" in language


class TestC59SlowSteps:
    """C59: six steps of nine hours each (marin-community/marin#8653)."""

    HOUR = 3600.0
    SHARES = (60.4, 31.6, 6.8, 1.2, 0.5)
    """As reported, each rounded: together 100.5 %."""

    @pytest.fixture
    def run(self, tmp_path: Path) -> BoardRun:
        total = 9.1 * self.HOUR
        names = ("gen", "update_actor", "old_log_prob", "reward", "adv")
        parts = " - ".join(
            f"timing_s/{name}:{total * share / 100:.3f}"
            for name, share in zip(names, self.SHARES, strict=True)
        )
        cells = f"actor/grad_norm:0.1 - timing_s/step:{total:.3f} - {parts}"
        return run_of(tmp_path, logged(range(1, 7), cells))

    def test_silence_is_judged_by_the_runs_own_pace(self, run: BoardRun) -> None:
        assert run.modified is not None
        states = {
            silence: status(run.view.run, run.pace, run.modified + silence * self.HOUR, run.modified).state
            for silence in (1, 12, 26, 40, 120)
        }
        assert states == {1: "live", 12: "live", 26: "live", 40: "late", 120: "stalled"}

    def test_hours_add_up(self, run: BoardRun) -> None:
        spent = hours(run.view)
        assert not isinstance(spent, Missing)
        assert float(spent.total.sum()) == pytest.approx(6 * 9.1)
        assert float(spent.generation.sum()) == pytest.approx(6 * 9.1 * 0.604, rel=1e-4)

    def test_shares_add_up_to_a_hundred(self, run: BoardRun) -> None:
        """What exceeds the step by rounding is shrunk to fit it, and that is said."""
        found = stage_times(run.view)
        assert not isinstance(found, Missing)
        shares = {name: 100 * float(part[0] / found.total[0]) for name, part in found.parts.items()}
        assert list(shares.values()) == pytest.approx(
            [60.4 / 1.005, 1.2 / 1.005, 6.8 / 1.005, 0.5 / 1.005, 31.6 / 1.005], rel=1e-4
        )
        rest = 100 * float(found.rest[0] / found.total[0])
        assert sum(shares.values()) + rest == pytest.approx(100, abs=1e-9)
        assert [(note.key, note.values) for note in found.notes] == [("note.stages_overlap", {"n": 6})]


class TestC57Silence:
    """C57: silence for hours, then the run goes on (verl-project/verl#1696)."""

    HOURS = 3.0

    @pytest.fixture
    def logs(self) -> tuple[str, str]:
        """What was logged before the silence, and the step that ended it with what followed."""
        cells = "actor/entropy:{step} - timing_s/step:"
        after = logged([21], f"{cells}{self.HOURS * 3600}") + logged(range(22, 25), f"{cells}60")
        return logged(range(1, 21), f"{cells}60"), after

    def test_late_then_stalled_then_live_again(self, tmp_path: Path, logs: tuple[str, str]) -> None:
        run = run_of(tmp_path, logs[0])
        assert run.modified is not None
        written = run.modified
        states = [
            status(run.view.run, run.pace, written + silence, written).state
            for silence in (30, 240, 3600, 10800)
        ]
        assert states == ["live", "late", "stalled", "stalled"]
        append(log_path(tmp_path / "archive", started="20260701_080000"), logs[1])
        (run,) = BoardReader(Source((tmp_path / "archive",)), tmp_path / "cache").read().runs
        again = written + self.HOURS * 3600
        assert status(run.view.run, run.pace, again + 30, again).state == "live"
        assert status(run.view.run, run.pace, again + 240, again).state == "late", "its own pace still counts"

    def test_the_gap_stays_in_the_history(self, tmp_path: Path, logs: tuple[str, str]) -> None:
        board = board_of(tmp_path, "".join(logs))
        (run,) = board.runs
        assert run.pace.elapsed_s == 23 * 60 + self.HOURS * 3600
        spent = hours(run.view)
        assert not isinstance(spent, Missing)
        assert spent.total[20] == self.HOURS
        (took,) = [
            line for line in drawn(board)[0] if line.chart.endswith("step_time") and line.role == "raw"
        ]
        assert took.points[19:22] == [(20, 60), (21, self.HOURS * 3600), (22, 60)]


def test_c29_a_slow_rise_is_told_by_its_trend_not_by_its_level() -> None:
    """C29: two runs, .011 throughout, and .011 to .036 in 30 steps (vllm-project/vime#64)."""
    steps = np.arange(1, 31)
    noise = np.random.default_rng(3).normal(0, 0.0008, (2, 30))
    flat, rising = trend(steps, 0.011 + noise[0]), trend(steps, np.linspace(0.011, 0.036, 30) + noise[1])
    assert flat is not None
    assert rising is not None
    assert (flat.direction, rising.direction) == ("flat", "rising")
    assert rising.change == pytest.approx(2.27, rel=0.15)
