"""Text of the demo's logs: step lines as verl v0.8 prints them, among the noise of a Ray job."""

from __future__ import annotations

import pprint
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from data_loaders.demo.config import overrides, resolved_config
from data_loaders.demo.curves import SAMPLES
from data_loaders.demo.metrics import Columns, Number, saved, tested
from data_loaders.demo.runs import SCALES, DemoRun, Log

START_UP = timedelta(seconds=240)
"""From the time in a file name to the start of its first step."""
AFTER = timedelta(seconds=40)
"""From the end of the last step to the last write."""
FIRST_TRY: dict[str, float] = {
    "actor/entropy": 1.012, "actor/grad_norm": 1.06, "actor/kl_loss": 1.02, "response_length/mean": 1.011,
    "actor/pg_clipfrac": 1.1,
}  # fmt: skip
"""How the values of a superseded step differ from those logged after the resume."""
ONE_ITEM_LESS = ("critic/score/mean", "critic/rewards/mean")
"""Keys that differ by one answer of the batch there."""

_REDUCED = (
    "actor/pg",
    "actor/ppo",
    "actor/kl",
    "actor/loss",
    "actor/grad",
    "actor/lr",
    "actor/perf",
    "perf/mfu",
    "val-",
)
_BAR = " ▏▎▍▌▋▊▉█"


def file_name(log: Log) -> str:
    """Name of a log file; it carries the start time."""
    return f"train_{log.stamp}.log"


def started(log: Log) -> datetime:
    """Start time that the file name states, as UTC."""
    return datetime.strptime(log.stamp, "%Y%m%d_%H%M%S").replace(tzinfo=UTC)


def last_write(log: Log, columns: Columns) -> datetime:
    """Time of the last line of a log."""
    if not log.last:
        return started(log) + START_UP / 2
    trained = sum(step_seconds(columns, step) for step in range(log.first, log.last + 1))
    return started(log) + START_UP + timedelta(seconds=trained) + AFTER


def log_text(run: DemoRun, log: Log, columns: Columns) -> str:
    """A whole log."""
    clock = started(log) + START_UP
    parts = list(start_lines(run, log))
    for step in range(log.first, log.last + 1):
        clock += timedelta(seconds=step_seconds(columns, step))
        parts.extend(step_lines(run, log, columns, step, clock))
    if log.last not in (0, run.steps):
        parts.append(
            f"{_worker(log, 1)}{_stamp(clock + AFTER)}:batch of step {log.last + 1} is being generated\n"
        )
    return "".join(parts)


def step_seconds(columns: Columns, step: int) -> float:
    """Wall-clock time of a step with its validation, which v0.8 times outside the step."""
    return sum(columns[key][step - 1] or 0.0 for key in ("timing_s/step", "timing_s/testing"))


def step_lines(run: DemoRun, log: Log, columns: Columns, step: int, clock: datetime) -> Iterator[str]:
    """What the log gains by one step: workers' remarks, the progress bar, and the step line."""
    driver = _driver(log)
    if step % 7 == 3:
        yield (
            f"{_worker(log, step % 4)}WARNING {clock:%m-%d %H:%M:%S} [scheduler] sequence group preempted, "
            f"{step % 5 + 1} recomputed so far\x1b[32m [repeated {step % 6 + 2}x across cluster]\x1b[0m\n"
        )
    if step % 40 == 11:
        yield f"\x1b[33m(raylet)\x1b[0m object store at {60 + step % 17}% of its limit, spilling may start\n"
    if tested(run, step):
        items, seconds = SCALES[run.scale].validation_items, columns["timing_s/testing"][step - 1]
        yield f"{driver}validation of {items} prompts took {seconds:.1f} s\n"
    if saved(run, step):
        folder = f"checkpoints/{run.id}/global_step_{step}"
        yield f"{driver}local_global_step_folder: {folder}\n"
        yield f"{_worker(log, 0)}{_stamp(clock)}:[Rank 0] Saved model to {folder}/actor\n"
    yield driver.rstrip(" ") + _progress(run, log, columns, step) + "\n"
    if step != run.missing_step:
        yield f"{driver}{_step_line(run, log, columns, step)}\n"
    if step == run.steps:
        yield from _final_lines(run, log, columns)


def _step_line(run: DemoRun, log: Log, columns: Columns, step: int) -> str:
    again = log.resumed_from is None and any(step >= other.first for other in run.logs if other.resumed_from)
    numpy_two = SCALES[run.scale].numpy_two
    items = [f"step:{step}"]
    for key, values in columns.items():
        value = values[step - 1]
        if value is None:
            continue
        if again:
            value = value - 2 / SAMPLES if key in ONE_ITEM_LESS else value * FIRST_TRY.get(key, 1)
        items.append(f"{key}:{_number(key, value, numpy_two)}")
    return " - ".join(items)


def _number(key: str, value: Number, numpy_two: bool) -> str:
    digits = 17 if key.startswith("val-") else 9
    text = str(value) if isinstance(value, int) else repr(float(f"{value:.{digits}g}"))
    if not numpy_two:
        return text
    if "num_turns" in key:
        return f"np.float64({text})" if key.endswith("mean") else f"np.int32({text})"
    return f"np.float64({text})" if key.startswith(_REDUCED) else text


def start_lines(run: DemoRun, log: Log) -> Iterator[str]:
    """Everything before the first step: launch, configuration, sizes, checkpoint."""
    driver, begin = _driver(log), started(log)
    yield f"+ python3 -m verl.trainer.main_ppo {' '.join(overrides(run))}\n"
    milliseconds = 104 + 13 * begin.second
    yield f"{begin:%Y-%m-%d %H:%M:%S},{milliseconds}\tINFO worker.py:2012 -- Started a local Ray instance.\n"
    yield f"{driver}TaskRunner hostname: gpu-{SCALES[run.scale].gpus}a, PID: {_pid(log)}\n"
    yield from _config_lines(run, log)
    if not (log.last or log.running):
        yield f"{_worker(log, 1)}Loading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]\n"
        return
    batches = SCALES[run.scale].prompts // 32
    yield f"{driver}Size of train dataloader: {batches}, Size of val dataloader: 1\n"
    yield f"{driver}Total training steps: {run.steps}\n"
    for shard in range(3):
        yield (
            f"{_worker(log, 0)}\rLoading checkpoint shards: {50 * shard:3d}%|{_BAR[-1] * 5 * shard:<10}| "
            f"{shard}/2 [00:0{shard}<00:0{2 - shard}, 1.31s/it]\n"
        )
    ready = f"{_stamp(begin + START_UP / 3)}:weights on device, cache blocks reserved"
    yield f"{_worker(log, 2)}{ready}\x1b[32m [repeated 3x across cluster]\x1b[0m\n"
    yield from _resume_lines(run, log)


def _resume_lines(run: DemoRun, log: Log) -> Iterator[str]:
    driver, folder = _driver(log), f"checkpoints/{run.id}"
    if log.resumed_from is None:
        yield f"{driver}Checkpoint tracker file does not exist: {folder}/latest_checkpointed_iteration.txt\n"
        yield f"{driver}Training from scratch\n"
    else:
        step = f"{folder}/global_step_{log.resumed_from}"
        yield f"{driver}Found checkpoint: %s {step}\n"
        yield f"{driver}Load from checkpoint folder: {step}\n"
        yield f"{driver}Setting global step to {log.resumed_from}\n"
        yield f"{driver}Resuming from {step}\n"
    done = log.resumed_from or 0
    share = done / run.steps
    bar = f"{100 * share:3.0f}%|{_bar(share)}| {done}/{run.steps} [00:00<?, ?it/s]"
    yield f"{driver}\rTraining Progress: {bar}\n"


def _config_lines(run: DemoRun, log: Log) -> Iterator[str]:
    """The printed configuration, with lines of other writers inside, as happens in real logs."""
    driver, begin = _driver(log), started(log) + START_UP / 6
    strangers = {
        31: f"{_worker(log, 1)}{_stamp(begin, 'WARNING')}:peer group not ready, asking again in 1 s\n",
        64: "\x1b[33m(raylet)\x1b[0m object store reserves 120 GB of shared memory\n",
        88: f"{driver}{_stamp(begin, 'WARNING')}:attention runs in bfloat16, weights are float32\n",
    }
    for index, line in enumerate(pprint.pformat(resolved_config(run), width=80).splitlines()):
        yield strangers.get(index, "")
        yield f"{driver}{line}\n"


def _final_lines(run: DemoRun, log: Log, columns: Columns) -> Iterator[str]:
    values = {key: column[-1] for key, column in columns.items() if key.startswith("val-")}
    text = ", ".join(
        f"{key!r}: {_number(key, value, SCALES[run.scale].numpy_two)}"
        for key, value in values.items()
        if value is not None
    )
    for line in pprint.pformat(f"Final validation metrics: {{{text}}}", width=80).splitlines():
        yield f"{_driver(log)}{line}\n"


def _progress(run: DemoRun, log: Log, columns: Columns, step: int) -> str:
    """A tqdm update; once in a while two of them share a physical line."""
    spent = sum(step_seconds(columns, number) for number in range(log.first, step + 1))
    each = spent / (step - log.first + 1)
    left = each * (run.steps - step)
    share = step / run.steps
    bar = (
        f"\rTraining Progress: {round(100 * share):3d}%|{_bar(share)}| {step}/{run.steps} "
        f"[{_span(spent)}<{_span(left)}, {each:.2f}s/it]"
    )
    return bar + bar if step % 33 == 5 else bar


def _bar(share: float) -> str:
    eighths = round(80 * share)
    return f"{_BAR[-1] * (eighths // 8)}{_BAR[eighths % 8] if eighths % 8 else ''}".ljust(10)


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _pid(log: Log) -> int:
    return 20_000 + zlib.crc32(log.stamp.encode()) % 40_000


def _driver(log: Log) -> str:
    return f"\x1b[36m(TaskRunner pid={_pid(log)})\x1b[0m "


def _worker(log: Log, rank: int) -> str:
    return f"\x1b[36m(WorkerDict pid={_pid(log) + 211 + 7 * rank})\x1b[0m "


def _stamp(clock: datetime, level: str = "INFO") -> str:
    return f"{level}:{clock:%Y-%m-%d %H:%M:%S},{clock.microsecond // 1000:03d}"
