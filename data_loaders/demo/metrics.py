"""Every key that a step line of the demo carries, derived from the curves of a run.

Key names, their order and what they mean follow verl v0.8 (`trainer/ppo/metric_utils.py`,
`utils/debug/metrics.py`, `workers/engine_workers.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from data_loaders.demo.config import ALGORITHMS
from data_loaders.demo.curves import SAMPLES, curves, noise
from data_loaders.demo.runs import SCALES, DemoRun
from data_loaders.schema import FloatArray

Number = float | int
Columns = dict[str, list[Number | None]]
"""Key -> one number per step; None where the key does not stand in the line."""

PEAK_FLOPS = 312e12
"""bfloat16 of one A100."""
SAVE_EVERY = 16
STAGES: Mapping[str, float] = {
    "gen": 0.66, "old_log_prob": 0.065, "ref": 0.06, "update_actor": 0.195, "update_weights": 0.012,
}  # fmt: skip
"""Share of a usual step."""
STAGE_ORDER = (
    "gen", "reward", "old_log_prob", "ref", "adv", "update_actor", "save_checkpoint", "update_weights",
)  # fmt: skip
IDLE = ("tool_calls", "num_preempted")
"""Parts of the agent loop that a single-turn run logs without using them."""


def saved(run: DemoRun, step: int) -> bool:
    """Whether a checkpoint is written at the end of this step."""
    return step % SAVE_EVERY == 0 or step == run.steps


def tested(run: DemoRun, step: int) -> bool:
    """Whether the model is validated after this step."""
    return step % SCALES[run.scale].test_every == 0 or step == run.steps


def columns(run: DemoRun) -> Columns:
    """All keys of a run over its planned steps, in the order of the printed line."""
    curve = curves(run)
    table: dict[str, Iterable[Number | None]] = {
        **_deviation(run, curve),
        **_actor(run, curve),
        **_validation(run),
        "training/global_step": range(1, run.steps + 1),
        "training/epoch": [0] * run.steps,
        **_reward(run, curve),
        **_lengths(run, curve),
        **_time(run, curve),
    }
    made: Columns = {}
    for key, values in table.items():
        made[key] = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if run.nan:
        made[run.nan[0]][run.nan[1] - 1] = float("nan")
    return made


def _scaled(run: DemoRun, curve: Mapping[str, FloatArray]) -> FloatArray | float:
    """What verl's loss aggregation multiplies a token mean with (issue #3986)."""
    horizon = ALGORITHMS[run.algorithm].settings.get("actor_rollout_ref.actor.loss_scale_factor")
    return curve["length"] / horizon if horizon else 1.0


def _deviation(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, Iterable[Number]]:
    drift, steps = curve["deviation"], run.steps
    mean = 0.0021 * np.sqrt(drift / 2.3e-4)
    return {
        "training/rollout_probs_diff_valid": [1] * steps,
        "training/rollout_probs_diff_max": np.clip(
            0.52 + 0.11 * noise(run.id, "max", steps=steps), 0.2, 0.97
        ),
        "training/rollout_probs_diff_mean": mean,
        "training/rollout_probs_diff_std": 3.4 * mean,
        "training/rollout_actor_probs_pearson_corr": 1.0 - drift,
    }


def _actor(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, Iterable[Number]]:
    steps, scaled = run.steps, _scaled(run, curve)
    keys: dict[str, Iterable[Number]] = {"actor/entropy": curve["entropy"] * scaled}
    loss = curve["pg_loss"]
    if run.kl_loss:
        keys["actor/kl_loss"] = curve["kl_loss"]
        keys["actor/kl_coef"] = [0.001] * steps
        loss = loss + 0.001 * curve["kl_loss"]
    grown = np.maximum.accumulate(noise(run.id, "memory", steps=steps))
    memory = 46.0 + 6.0 * SCALES[run.scale].parameters / 4e9 + 0.5 * grown
    keys |= {
        "actor/pg_loss": curve["pg_loss"],
        "actor/pg_clipfrac": curve["clip_share"] / 100,
        "actor/ppo_kl": curve["ppo_kl"],
        "actor/pg_clipfrac_lower": 2e-7 * np.abs(noise(run.id, "lower", steps=steps)).round(1),
        "actor/loss": loss,
        "actor/grad_norm": curve["grad_norm"],
        "actor/lr": [1e-6] * steps,
        "actor/perf/max_memory_allocated_gb": memory,
        "actor/perf/max_memory_reserved_gb": memory + 11.5,
        "actor/perf/cpu_memory_used_gb": 181.0 + 4.0 * noise(run.id, "host", steps=steps, memory=0.9),
    }
    return keys


def _validation(run: DemoRun) -> dict[str, Iterable[Number | None]]:
    scale = SCALES[run.scale]
    steps = [step for step in range(1, run.steps + 1) if tested(run, step)]
    right = dict(zip(steps, run.validation, strict=True))
    accuracy = [
        right[step] / scale.validation_items if step in right else None for step in range(1, run.steps + 1)
    ]
    source = scale.validation_source
    reward = [None if value is None else _reward_of(value, 1.0, scale.format_share) for value in accuracy]
    turns = [None if value is None else 2 for value in accuracy]
    return {
        f"val-aux/{source}/reward/mean@1": reward,
        f"val-core/{source}/acc/mean@1": accuracy,
        "val-aux/num_turns/min": turns,
        "val-aux/num_turns/max": turns,
        "val-aux/num_turns/mean": [None if value is None else 2.0 for value in turns],
    }


def _clip_ratio(run: DemoRun, curve: Mapping[str, FloatArray]) -> FloatArray:
    """Share of responses cut at the cap, in whole responses."""
    share = 0.30 * (curve["length"] / SCALES[run.scale].response_cap) ** 2
    items = np.rint(SAMPLES * share + 1.5 * noise(run.id, "cut", steps=run.steps))
    return np.asarray(np.clip(items, 1, SAMPLES) / SAMPLES, dtype=np.float64)


def _reward_of(right: Any, formatted: Any, format_share: float | None) -> Any:
    """Mean reward from the share of right answers and of well-formed ones, numbers or arrays."""
    if format_share is None:
        return 2 * right - 1
    return (1 - format_share) * right + format_share * formatted


def _score(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Mean, largest and smallest score of each batch.

    Where long answers are punished, the pass-rate curve is the one with the penalty already in it.
    """
    share, ones = SCALES[run.scale].format_share, np.ones(run.steps)
    formatted = np.rint(SAMPLES * (1 - 0.04 * np.exp(-np.arange(run.steps) / 30))) / SAMPLES
    mean = _reward_of(curve["items"] / SAMPLES, formatted, share)
    lowest = _reward_of(0 * ones, 0 * ones, share)
    if ALGORITHMS[run.algorithm].overlong:
        mean = mean + 0.15 * noise(run.id, "penalty", steps=run.steps) / SAMPLES
        lowest = lowest - np.clip(_clip_ratio(run, curve) * SAMPLES / 9, 0.35, 1.0)
    return {"mean": mean, "max": ones, "min": lowest}


def _reward(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, Iterable[Number]]:
    score, advantage = _score(run, curve), _advantage(run, curve)
    groups = (("score", score), ("rewards", score), ("advantages", advantage), ("returns", advantage))
    return {f"critic/{name}/{part}": values for name, parts in groups for part, values in parts.items()}


def _advantage(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    spread = noise(run.id, "advantage", steps=run.steps)
    centre = noise(run.id, "advantage mean", steps=run.steps)
    bound = ALGORITHMS[run.algorithm].largest_advantage
    if bound is None:
        right = np.clip(curve["items"] / SAMPLES, 0.05, 0.95)
        odds = np.sqrt(right / (1 - right))
        return {"mean": 1e-9 * centre, "max": 1 / odds, "min": -odds}
    best, worst = (bound * np.where(side * spread > 1.6, 0.86, 1.0) for side in (1, -1))
    return {"mean": 0.012 * centre, "max": best, "min": -worst}


def _prompt_mean(run: DemoRun) -> FloatArray:
    """Mean prompt length in tokens, of 32 prompts: on a grid of 1/32."""
    usual = SCALES[run.scale].prompt_tokens[0] * np.exp(0.07 * _of_prompts(run, "prompt"))
    return np.asarray(np.rint(32 * usual) / 32, dtype=np.float64)


def _of_prompts(run: DemoRun, name: str) -> FloatArray:
    """Noise of the prompts of a step: runs share them, but one that drew further prompts ends with others."""
    own = (run.id,) if run.resamples else ()
    return noise(SCALES[run.scale].data_source, name, *own, steps=run.steps)


def _lengths(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, Iterable[Number]]:
    scale, steps = SCALES[run.scale], run.steps
    _, smallest, largest = scale.prompt_tokens
    shortest = np.rint(curve["length"] * np.exp(-2.6 + 0.3 * noise(run.id, "short", steps=steps)))
    parts = {
        "mean": curve["length"],
        "max": np.full(steps, float(scale.response_cap)),
        "min": shortest,
        "clip_ratio": _clip_ratio(run, curve),
    }
    spread = _of_prompts(run, "prompts")
    return {
        **{f"response_length/{part}": values for part, values in parts.items()},
        **{f"response_length_non_aborted/{part}": values for part, values in parts.items()},
        "response/aborted_ratio": [0.0] * steps,
        "prompt_length/mean": _prompt_mean(run),
        "prompt_length/max": np.rint(largest * np.exp(0.12 * spread)),
        "prompt_length/min": np.rint(smallest * np.exp(0.08 * spread)),
        "prompt_length/clip_ratio": [0.0] * steps,
        "num_turns/min": [2] * steps,
        "num_turns/max": [2] * steps,
        "num_turns/mean": [2.0] * steps,
    }


def _stage_seconds(run: DemoRun, tokens: FloatArray) -> tuple[dict[str, FloatArray], FloatArray]:
    """Seconds of each stage and of each validation (0 where there is none), `run.seconds` together."""
    steps = run.steps
    load = tokens / tokens[: run.timed].mean()
    spent: dict[str, FloatArray] = {}
    for name, share in STAGES.items():
        if name == "ref" and not run.kl_loss:
            continue
        growth = 0.4 + 0.6 * load if name == "gen" else np.ones(steps) if name == "update_weights" else load
        spent[name] = share * growth * np.exp(0.02 * noise(run.id, "time", name, steps=steps))
    numbers = range(1, steps + 1)
    spent["save_checkpoint"] = np.array([0.035 if saved(run, step) else 0.0 for step in numbers])
    testing = np.array([0.24 if tested(run, step) else 0.0 for step in numbers])
    total = sum((values[: run.timed].sum() for values in spent.values()), testing[: run.timed].sum())
    again = [log.first for log in run.logs if log.resumed_from is not None]
    total += sum(float(values[step - 1]) for values in spent.values() for step in again)
    unit = run.seconds / 1.01 / total
    return {name: unit * values for name, values in spent.items()}, 1.01 * unit * testing


def _time(run: DemoRun, curve: Mapping[str, FloatArray]) -> dict[str, Iterable[Number | None]]:
    prompt = _prompt_mean(run)
    tokens = np.rint(SAMPLES * (curve["length"] + prompt))
    spent, testing = _stage_seconds(run, tokens)
    step = 1.01 * sum(spent.values(), np.zeros(run.steps))
    return {
        "timing_s/start_profile": [0.0] * run.steps,
        **_agent_loop(run, curve["length"], prompt, spent["gen"]),
        **_stages(run, tokens, spent),
        "timing_s/step": step,
        "timing_s/testing": [float(value) or None for value in testing],
        "timing_s/stop_profile": [0.0] * run.steps,
        "timing_per_token_ms/gen": 1000 * spent["gen"] / (SAMPLES * curve["length"]),
        "timing_per_token_ms/adv": 1000 * _advantage_seconds(tokens) / tokens,
        **{
            f"timing_per_token_ms/{name}": 1000 * spent[name] / tokens
            for name in ("ref", "update_actor")
            if name in spent
        },
        **_ranks(run, tokens),
        "perf/total_num_tokens": tokens.astype(int),
        "perf/time_per_step": step,
        "perf/throughput": tokens / step / SCALES[run.scale].gpus,
        "perf/mfu/actor": _mfu(run, 6 * tokens, spent["update_actor"]),
        "perf/mfu/actor_infer": _mfu(run, 2 * tokens, spent["old_log_prob"]),
        **_sampling(run),
    }


def _agent_loop(
    run: DemoRun, length: FloatArray, prompt: FloatArray, generation: FloatArray
) -> dict[str, Iterable[Number]]:
    """Times of single samples, which stand inside `timing_s/gen`."""
    cap, steps = SCALES[run.scale].response_cap, run.steps
    slowest = 0.985 * generation
    turn = {"min": 0.06 * slowest, "max": slowest, "mean": slowest * (0.15 + 0.7 * length / cap)}
    check = {"min": np.full(steps, 0.0011), "max": 0.02 + 3e-4 * length, "mean": 0.004 + 3e-5 * length}
    prefix = "timing_s/agent_loop"
    return {
        **{f"{prefix}/{idle}/{part}": [0] * steps for idle in IDLE for part in ("min", "max", "mean")},
        **{f"{prefix}/generate_sequences/{part}": values for part, values in turn.items()},
        **{f"{prefix}/compute_score/{part}": values for part, values in check.items()},
        f"{prefix}/slowest/generate_sequences": slowest,
        **{f"{prefix}/slowest/{idle}": [0] * steps for idle in IDLE},
        f"{prefix}/slowest/compute_score": check["mean"],
        f"{prefix}/slowest/prompt_length": np.rint(1.1 * prompt).astype(int),
        f"{prefix}/slowest/response_length": [cap] * steps,
    }


def _stages(
    run: DemoRun, tokens: FloatArray, spent: Mapping[str, FloatArray]
) -> dict[str, Iterable[Number | None]]:
    """Stages of a step in their order; a checkpoint only where one is written."""
    saving = spent["save_checkpoint"].tolist()
    stages: dict[str, Iterable[Number | None]] = {
        **spent,
        "reward": 0.02 + 1e-8 * tokens,
        "adv": _advantage_seconds(tokens),
        "save_checkpoint": [seconds if saved(run, step) else None for step, seconds in enumerate(saving, 1)],
    }
    return {f"timing_s/{name}": stages[name] for name in STAGE_ORDER if name in stages}


def _advantage_seconds(tokens: FloatArray) -> FloatArray:
    return np.asarray(0.05 + 2e-8 * tokens, dtype=np.float64)


def _ranks(run: DemoRun, tokens: FloatArray) -> dict[str, Iterable[Number]]:
    """Tokens per data-parallel rank, before and after balancing."""
    uneven = 1 + 0.06 * np.abs(noise(run.id, "ranks", steps=run.steps))
    mean = tokens / SCALES[run.scale].gpus
    low, high = np.rint(mean / uneven).astype(int), np.rint(mean * uneven).astype(int)
    return {
        "global_seqlen/min": low,
        "global_seqlen/max": high,
        "global_seqlen/minmax_diff": high - low,
        "global_seqlen/balanced_min": np.floor(mean).astype(int),
        "global_seqlen/balanced_max": np.ceil(mean).astype(int),
        "global_seqlen/mean": mean,
    }


def _sampling(run: DemoRun) -> dict[str, Iterable[Number]]:
    """What dynamic sampling leaves in the log where it really runs."""
    if not run.resamples:
        return {}
    batches = 2.2 + 0.6 * noise(run.id, "refill", steps=run.steps)
    return {"train/num_gen_batches": np.rint(np.clip(batches, 1, None)).astype(int)}


def _mfu(run: DemoRun, work: FloatArray, seconds: FloatArray) -> FloatArray:
    scale = SCALES[run.scale]
    return np.asarray(
        run.mfu * work * scale.parameters / (seconds * scale.gpus * PEAK_FLOPS), dtype=np.float64
    )
