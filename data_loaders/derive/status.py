"""Whether a run still trains, how far it is, how long it may take; limits scale with its own step time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from data_loaders.derive.config import get
from data_loaders.derive.hours import step_times
from data_loaders.derive.joined import cell_ids
from data_loaders.derive.missing import VALIDATION
from data_loaders.derive.settings import config_of, number
from data_loaders.schema import IntArray, Note, Run, RunData

State = Literal["starting", "live", "late", "stalled", "ended", "stopped", "crashed"]

LATE_STEPS = 3.0
"""Usual step times of silence after which a run is late; one slow step is common."""
STALLED_STEPS = 10.0
RECENT = 20
"""Steps the pace is taken from: responses grow and shrink over a run."""
SHORTEST_SILENCE_S = 120.0
"""Below this nothing is called late: output is buffered, file times are coarse."""
LATE_START_S = 3600.0
"""Loading a model and the first rollout take long and print no step."""
STALLED_START_S = 6 * 3600.0
SPREAD = (10.0, 90.0)
"""Percentiles of recent step times that give the remaining range."""


class Pace(NamedTuple):
    """How long the steps of a run take. Changes only when the log does."""

    done: int
    """Training steps completed; 0 before the first."""
    elapsed_s: float
    """Sum of all known step times, superseded steps included."""
    median_s: float | None
    """Of the recent steps with a known time, testing and saving left out."""
    low_s: float | None
    high_s: float | None
    """Fast and slow recent step with its share of testing and saving."""
    extra_s: float
    """Longest testing plus saving seen in one step."""
    trained: bool


@dataclass(frozen=True, slots=True)
class Status:
    """State of a run at one moment. Times are in seconds, None where the log does not allow them."""

    state: State
    why: Note
    done: int
    planned: int | None
    elapsed_s: float
    remaining_s: tuple[float, float] | None
    """Fast and slow estimate of the training left; None when ended or unknown."""
    next_validation_in: int | None
    """Steps until the next validation."""
    next_validation_s: tuple[float, float] | None
    silence_s: float | None
    late_after_s: float
    """Silence from which on the run counts as late."""
    step_s: float | None
    end_text: str
    """The line that shows how the log ended."""


def pace(data: RunData) -> Pace:
    """Pace of a run from its step times."""
    steps = _training_steps(data)
    last = int(steps[-1]) if steps.size else 0
    # verl v0.1 counts from 0: then step 434 is the 435th.
    done = last + 1 if steps.size and steps[0] == 0 else last
    times = step_times(data, "all")
    known = np.flatnonzero(np.isfinite(times.total)) if times is not None else np.empty(0, np.int64)
    if times is None or not known.size:
        return Pace(done, 0.0, None, None, None, 0.0, bool(steps.size))
    order = known[np.argsort(cell_ids(times.series, "all")[known], kind="stable")]
    # In the order they were run, not by step: after a resume the new segment counts.
    order = order[np.argsort(times.series.segment[order], kind="stable")][-RECENT:]
    training, total = times.training[order], times.total[order]
    extra = float(np.mean(total - training))
    low, high = np.percentile(training, SPREAD)
    longest = float(np.max((times.total - times.training)[known]))
    return Pace(
        done=done,
        elapsed_s=float(np.sum(times.total[known])),
        median_s=float(np.median(training)),
        low_s=float(low) + extra,
        high_s=float(high) + extra,
        extra_s=longest,
        trained=True,
    )


def status(run: Run, speed: Pace, now: float, mtime: float | None) -> Status:
    """State of a run at `now`, its newest log having changed at `mtime` (both epoch seconds).

    `mtime=None` means the log cannot be read. Nothing is called crashed without a line that shows it.
    """
    planned = planned_steps(run)
    silence = None if mtime is None else max(now - mtime, 0.0)
    late, stalled = _limits(run, speed)
    state, why = _state(run, speed, planned, silence, (late, stalled))
    going = state not in ("ended", "stopped", "crashed")
    validation = _next_validation(run, speed, planned) if going else None
    return Status(
        state=state,
        why=why,
        done=speed.done,
        planned=planned,
        elapsed_s=speed.elapsed_s,
        remaining_s=_range(planned - speed.done, speed) if going and planned is not None else None,
        next_validation_in=validation,
        next_validation_s=None if validation is None else _range(validation, speed),
        silence_s=silence,
        late_after_s=late,
        step_s=speed.median_s,
        end_text=run.facts[-1].end_text if run.facts else "",
    )


def planned_steps(run: Run) -> int | None:
    """Total training steps the newest log announces, else the configured ones."""
    announced = (facts.planned_steps for facts in reversed(run.facts))
    configured = number(get(config_of(run), "trainer.total_training_steps"))
    found = next((steps for steps in announced if steps), None)
    return found or (int(configured) if configured and configured > 0 else None)


def _time(seconds: float) -> Note:
    """Seconds as a reader says them: `35 s`, from a minute and a half on `5 m`, `1 h 05 m`."""
    if seconds < 90:
        return Note("time.seconds", {"n": round(seconds)})
    hours, minutes = divmod(round(seconds / 60), 60)
    if not hours:
        return Note("time.minutes", {"m": minutes})
    return Note("time.hours", {"h": hours, "m": f"{minutes:02d}"})


def _state(
    run: Run, speed: Pace, planned: int | None, silence: float | None, limits: tuple[float, float]
) -> tuple[State, Note]:
    newest = run.facts[-1] if run.facts else None
    ends: dict[str, tuple[State, str]] = {
        "finished": ("ended", "status.finished"),
        "stopped": ("stopped", "status.stopped"),
        "crashed": ("crashed", "status.crashed"),
    }
    if newest is not None and newest.end in ends:
        state, key = ends[newest.end]
        return state, Note(key, {"line": newest.end_line})
    # verl v0.2 trains one step less than planned and logs only validation for the last.
    if planned is not None and speed.trained and max(speed.done, run.last or 0) >= planned:
        return "ended", Note("status.all_steps", {"planned": planned})
    if silence is None:
        return "stalled", Note("status.unreadable")
    words = {"silence": _time(silence), "step": _time(speed.median_s or 0.0)}
    starting = _is_starting(run, speed)
    if silence > limits[1]:
        return "stalled", Note("status.start_stalled" if starting else "status.stalled", words)
    if silence > limits[0]:
        return "late", Note("status.start_late" if starting else "status.late", words)
    return ("starting", Note("status.starting")) if starting else ("live", Note("status.live", words))


def _is_starting(run: Run, speed: Pace) -> bool:
    """No training step yet, or none since the program was started again in a new log."""
    return not speed.trained or bool(run.facts and not run.facts[-1].step_lines)


def _limits(run: Run, speed: Pace) -> tuple[float, float]:
    """Seconds of silence that make a run late and stalled."""
    if speed.median_s is None or _is_starting(run, speed):
        slow = LATE_STEPS * speed.median_s if speed.median_s else 0.0
        return max(LATE_START_S, slow), max(STALLED_START_S, slow * STALLED_STEPS / LATE_STEPS)
    late = max(LATE_STEPS * speed.median_s + speed.extra_s, SHORTEST_SILENCE_S)
    return late, max(STALLED_STEPS * speed.median_s + speed.extra_s, 2 * late)


def _range(steps: int, speed: Pace) -> tuple[float, float] | None:
    if speed.low_s is None or speed.high_s is None:
        return None
    return max(steps, 0) * speed.low_s, max(steps, 0) * speed.high_s


def _next_validation(run: Run, speed: Pace, planned: int | None) -> int | None:
    """Steps until the next multiple of `test_freq`, or until the last step, which is always validated."""
    every = number(get(config_of(run), "trainer.test_freq"))
    if not every or every <= 0:
        return None
    ahead = int(every) - speed.done % int(every)
    return min(ahead, planned - speed.done) if planned is not None and planned > speed.done else ahead


TRAINED = ("actor/grad_norm", "critic/score/mean", "response_length/mean", "timing_s/step", "train/loss")
"""Keys of a training step; lines that hold only validation do not count as done."""


def _training_steps(data: RunData) -> IntArray:
    """Steps that stand with a training value (n,), ascending."""
    others = (key for key in data.run.keys if not key.startswith(VALIDATION))
    keys = [key for key in TRAINED if key in data.run.keys] or list(others)[:1]
    found = [series.step for key in keys if (series := data.series(key)) is not None]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)
