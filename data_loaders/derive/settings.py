"""What a run's configuration and board.toml say of the few settings its series are read by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from data_loaders.derive.config import HydraConfig, get, resolved
from data_loaders.schema import Run

ACTOR = "actor_rollout_ref.actor"
ROLLOUT = "actor_rollout_ref.rollout"

OVERLONG = (
    "reward.reward_kwargs.overlong_buffer_cfg",
    "reward_model.reward_kwargs.overlong_buffer_cfg",
    "reward_model.overlong_buffer",
)
"""Where verl versions keep the soft overlong penalty, newest first."""

MANAGER = ("reward.reward_manager.name", "reward_model.reward_manager")

FILTER_METRICS = ("train/num_gen_batches", "training/filter_groups/")
"""Starts of keys that only dynamic sampling logs."""


class Aggregation(NamedTuple):
    """How a run averages its loss, and with it entropy and KL, over tokens and sequences."""

    mode: str
    horizon: float | None
    """Tokens that `seq-mean-token-sum-norm` divides by; None when nothing says it."""
    horizon_from: str
    """`loss_scale_factor` or `max_response_length`; empty without horizon."""


class Overlong(NamedTuple):
    """Soft penalty on responses longer than `cap - buffer`, up to `penalty` at the cap."""

    buffer: float | None
    penalty: float


def configured(run: Run, hydra: HydraConfig | None = None) -> Run:
    """The run with its configuration: as its logs show it, else as `hydra` left it beside them."""
    found = resolved(run.facts, hydra.config if hydra else None)
    stands = run.logs[found.log] if found.log is not None else ""
    file = str(hydra.path) if hydra and found.source == "hydra" else stands
    return replace(run, config=found.config, config_source=found.source, config_file=file)


def config_of(run: Run) -> Mapping[str, Any]:
    """The run's configuration; read from its logs when the record does not carry it."""
    return run.config or resolved(run.facts).config


def number(value: Any) -> float | None:
    """A setting as a number; None for null, text and booleans."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def response_cap(run: Run) -> int | None:
    """Longest response allowed, in tokens."""
    config = config_of(run)
    places = (get(config, "data.max_response_length"), get(config, f"{ROLLOUT}.response_length"))
    found = (number(value) for value in (run.options.get("response_cap"), *places))
    return next((int(value) for value in found if value), None)


def aggregation(run: Run) -> Aggregation | None:
    """None when no configuration is known; verl's default is `token-mean`."""
    config = config_of(run)
    if not config:
        return None
    mode = str(get(config, f"{ACTOR}.loss_agg_mode") or "token-mean")
    if factor := number(get(config, f"{ACTOR}.loss_scale_factor")):
        return Aggregation(mode, factor, "loss_scale_factor")
    cap = response_cap(run)
    return Aggregation(mode, cap, "max_response_length" if cap else "")


def overlong(config: Mapping[str, Any]) -> Overlong | None:
    """The overlong penalty, None when it is off or not mentioned."""
    for place in OVERLONG:
        if get(config, f"{place}.enable") is True:
            penalty = number(get(config, f"{place}.penalty_factor"))
            return Overlong(number(get(config, f"{place}.len")), 1.0 if penalty is None else penalty)
    return None


def loss_mode(config: Mapping[str, Any]) -> str:
    """Name of the policy loss with underscores; verl's default is `vanilla`."""
    return str(get(config, f"{ACTOR}.policy_loss.loss_mode") or "vanilla").lower().replace("-", "_")


def reward_manager(config: Mapping[str, Any]) -> str:
    """Name of the reward manager, empty when not mentioned."""
    return next((name for place in MANAGER if isinstance(name := get(config, place), str)), "")


def filtered(keys: tuple[str, ...]) -> bool:
    """Whether the log shows that dynamic sampling really ran."""
    return any(key.startswith(FILTER_METRICS) for key in keys)


def responses_per_step(run: Run) -> int | None:
    """Prompts times responses per prompt in one training step."""
    config = config_of(run)
    prompts = number(get(config, "data.train_batch_size"))
    group = number(get(config, f"{ROLLOUT}.n", 1))
    return int(prompts * group) if prompts and group else None
