"""Cases that people reported of other boards and trainers, as logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from components.present.coverage import source_files
from components.text import said
from data_loaders.board import BoardReader, BoardRun, Source
from data_loaders.derive.canonical import curve
from data_loaders.derive.hours import hours
from data_loaders.derive.status import status
from data_loaders.derive.trends import trend
from data_loaders.derive.validation import validations
from data_loaders.runs import missing_steps
from data_loaders.schema import Curve, Missing
from tests.growing import log_path, text, value, write


def board_of(tmp_path: Path, *logs: str) -> BoardRun:
    """The one run of logs that were started one day after the other."""
    for day, content in enumerate(logs, 1):
        write(log_path(tmp_path / "archive", started=f"2026070{day}_080000"), content)
    (run,) = BoardReader(Source((tmp_path / "archive",)), tmp_path / "cache").read().runs
    return run


def lines(steps: Sequence[int], cells: str) -> str:
    return "".join(f"step:{step} - {cells.format(step=step)}\n" for step in steps)


def test_validation_before_training(tmp_path: Path) -> None:
    """step:0 holds validation alone (verl-project/verl#2060)."""
    before = "step:0 - val-core/openai/gsm8k/reward/mean@1:0.41\n"
    run = board_of(tmp_path, before + text(1, 3))
    entropy = curve(run.view, "entropy")
    assert isinstance(entropy, Curve)
    assert entropy.step.tolist() == [1, 2, 3]
    (measured,) = validations(run.view)
    assert (measured.step.tolist(), measured.value.tolist()) == ([0], [0.41])
    assert run.pace.done == 3
    assert missing_steps(run.view) == ()


def test_a_run_that_goes_back_to_a_checkpoint(tmp_path: Path) -> None:
    """Checkpoint 200, crash at 212, resumed at 201: the last word counts (allenai/tango#152)."""
    run = board_of(tmp_path, text(1, 212), text(201, 230, seed=1))
    assert [(s.first, s.last) for s in run.view.run.segments] == [(1, 212), (201, 230)]
    series, everything = (run.view.series("actor/entropy", policy) for policy in ("last", "all"))  # type: ignore[arg-type]
    assert series is not None
    assert everything is not None
    assert series.step.tolist() == list(range(1, 231))
    assert series.value[199:202].tolist() == [value(200, 0), value(201, 0, 1), value(202, 0, 1)]
    assert everything.step[everything.superseded].tolist() == list(range(201, 213))
    assert everything.value[everything.superseded].tolist() == [value(step, 0) for step in range(201, 213)]


def test_a_log_of_every_tenth_step_misses_none(tmp_path: Path) -> None:
    """Steps 9, 19, … 79, then 80 and 90 (NVIDIA-NeMo/Speech#12290)."""
    steps = [*range(9, 80, 10), 80, 90]
    run = board_of(tmp_path, lines(steps, "actor/entropy:{step} - timing_s/step:60"))
    found = curve(run.view, "entropy")
    assert isinstance(found, Curve)
    assert found.step.tolist() == steps
    assert missing_steps(run.view) == ()
    assert not any("missing" in said(note)[1] for file in source_files(run) for note in file.notes)


def test_lines_that_ray_swallowed_are_listed_with_the_remedy(tmp_path: Path) -> None:
    """Steps 3 and 7 were taken for repetitions (ray-project/ray#45262)."""
    kept = [
        line for line in text(1, 9).splitlines(keepends=True) if line.split()[0] not in ("step:3", "step:7")
    ]
    run = board_of(tmp_path, "".join(kept))
    assert missing_steps(run.view) == ((3, 3), (7, 7))
    (told,) = [said(note) for file in source_files(run) for note in file.notes]
    for language in told:
        assert "3, 7" in language
        assert "RAY_DEDUP_LOGS=0" in language


class TestSlowSteps:
    """Six steps of nine hours each (marin-community/marin#8653)."""

    HOUR = 3600.0
    SHARES = (60.4, 31.6, 6.8, 1.2)

    @pytest.fixture
    def run(self, tmp_path: Path) -> BoardRun:
        total = 9.1 * self.HOUR
        names = ("gen", "update_actor", "old_log_prob", "reward")
        parts = " - ".join(
            f"timing_s/{name}:{total * share / 100:.3f}"
            for name, share in zip(names, self.SHARES, strict=True)
        )
        cells = f"actor/grad_norm:0.1 - timing_s/step:{total:.3f} - {parts}"
        return board_of(tmp_path, lines(range(1, 7), cells))

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


def test_a_slow_rise_is_told_by_its_trend_not_by_its_level() -> None:
    """Two runs: .011 throughout, and .011 to .036 in 30 steps (vllm-project/vime#64)."""
    steps = np.arange(1, 31)
    noise = np.random.default_rng(3).normal(0, 0.0008, (2, 30))
    flat, rising = trend(steps, 0.011 + noise[0]), trend(steps, np.linspace(0.011, 0.036, 30) + noise[1])
    assert flat is not None
    assert rising is not None
    assert (flat.direction, rising.direction) == ("flat", "rising")
    assert rising.change == pytest.approx(2.27, rel=0.15)
