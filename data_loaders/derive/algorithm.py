"""Which algorithm a run trains with: from its configuration, else its name, else the look of its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from data_loaders import catalog
from data_loaders.derive.config import get
from data_loaders.derive.settings import (
    ACTOR,
    ROLLOUT,
    Overlong,
    filtered,
    loss_mode,
    number,
    overlong,
    reward_manager,
)
from data_loaders.schema import Note, RunData

Confidence = Literal["config", "overrides", "name", "fingerprint", "none"]
PartState = Literal["on", "off", "not_executed", "configured"]

GROUP_METHODS = frozenset({"grpo", "grpo_vectorized", "rloo", "rloo_vectorized", "grpo_passk", "opo", "gpg"})
"""Estimators that compare the responses to one prompt, and so need several."""


class Part(NamedTuple):
    """A piece of an algorithm that is chosen separately. `key` is a message key `part.*`."""

    key: str
    state: PartState
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Detected:
    """What a run trains with. `algorithm` is an id of `catalog.ALGORITHMS`."""

    algorithm: str
    name: str
    """As the catalogue writes it; of an estimator it does not know, the estimator's own name."""
    variant: str = ""
    """Message key of a departure from the named algorithm, `variant.*`; empty for none."""
    estimator: str = ""
    """Value of `algorithm.adv_estimator`, empty when not known."""
    parts: tuple[Part, ...] = ()
    flags: tuple[Note, ...] = ()
    """Facts (`flag.*`) and warnings (`warning.*`)."""
    confidence: Confidence = "none"


class Setup(NamedTuple):
    """The settings that decide. Absent ones have verl's default."""

    estimator: str
    loss_mode: str
    critic: bool
    no_std: bool
    fixed_horizon: bool
    aggregation: str
    scale_factor: float | None
    clip_low: float
    clip_high: float
    clip_c: float
    """Ratio above which the dual clip cuts answers of negative advantage."""
    filter_groups: bool
    overlong: Overlong | None
    manager: str
    group_size: int
    kl_loss: tuple[str, float] | None
    """Kind and coefficient."""
    kl_reward: tuple[str, float] | None

    @property
    def is_grpo(self) -> bool:
        return self.estimator in ("grpo", "grpo_vectorized")

    @property
    def clip_higher(self) -> bool:
        return self.clip_high > self.clip_low

    @property
    def dapo_parts(self) -> int:
        return self.clip_higher + self.filter_groups + (self.overlong is not None)

    @property
    def all_of_dapo(self) -> bool:
        no_kl = self.kl_loss is None and self.kl_reward is None
        return self.dapo_parts == 3 and self.aggregation == "token-mean" and not self.no_std and no_kl


class Rule(NamedTuple):
    algorithm: str
    variant: str
    holds: Callable[[Setup], bool]


RULES: tuple[Rule, ...] = (
    Rule("ppo", "", lambda s: s.estimator == "gae" or s.critic),
    Rule(
        "dr_grpo", "",
        lambda s: s.is_grpo and s.no_std and s.fixed_horizon and s.dapo_parts <= s.clip_higher,
    ),
    Rule(
        "dapo", "variant.dr_normalisation",
        lambda s: s.is_grpo and s.no_std and s.fixed_horizon and s.dapo_parts >= 2,
    ),
    Rule("dapo", "", lambda s: s.is_grpo and s.all_of_dapo),
    Rule(
        "dapo", "variant.dapo_in_part",
        lambda s: s.is_grpo and (s.dapo_parts >= 2 or (s.dapo_parts >= 1 and s.manager == "dapo")),
    ),
    Rule(
        "grpo", "variant.no_std_fixed_horizon",
        lambda s: s.is_grpo and s.no_std and s.fixed_horizon,
    ),
    Rule("grpo", "variant.no_std", lambda s: s.is_grpo and s.no_std),
    Rule("grpo", "variant.fixed_horizon", lambda s: s.is_grpo and s.fixed_horizon),
)  # fmt: skip
"""First match wins; a special loss comes before all of them, the estimator's own name after."""


def detect(
    config: Mapping[str, Any],
    name: str,
    data: RunData | None = None,
    *,
    source: str = "config",
) -> Detected:
    """The algorithm of a run.

    `config` and `source` (a `config.ConfigSource`) as `config.resolved` gives them; `name` holds the names of
    the run and its folders.
    Without `data`, parts that only the log can prove stay `configured`, and values are not looked at.
    """
    if data is not None and any(facts.kind == "sft" for facts in data.run.facts):
        return Detected("sft", _catalogued("sft").name, confidence="fingerprint")
    named = catalog.recognise(name, {}).algorithm
    if "algorithm" in config or "actor_rollout_ref" in config:
        return _configured(config, named, data, "overrides" if source == "overrides" else "config")
    seen = _fingerprint(data) if data is not None else ""
    guesses: tuple[tuple[str, Confidence], ...] = (
        (named if named != catalog.UNKNOWN else "", "name"), (seen, "fingerprint"), (catalog.UNKNOWN, "none")
    )  # fmt: skip
    found, confidence = next(guess for guess in guesses if guess[0])
    flags = _seen(data)
    if seen and ADVANTAGE.get(seen, seen) != ADVANTAGE.get(found, found):
        flags += (Note("warning.values_disagree", {"seen": _catalogued(seen).name}),)
    return Detected(found, _catalogued(found).name, flags=flags, confidence=confidence)


def _configured(
    config: Mapping[str, Any], named: str, data: RunData | None, confidence: Confidence
) -> Detected:
    setup = read_setup(config)
    algorithm, variant = _decide(setup)
    keys = data.run.keys if data is not None and data.run.first is not None else None
    parts = _parts(setup, keys)
    disagrees = named not in (catalog.UNKNOWN, algorithm)
    name_note = Note("warning.name_disagrees", {"named": _catalogued(named).name}) if disagrees else None
    return Detected(
        algorithm=algorithm,
        name=setup.estimator if algorithm == "custom" else _catalogued(algorithm).name,
        variant=variant,
        estimator=setup.estimator,
        parts=parts,
        flags=tuple(note for note in (*_flags(config, setup, algorithm, parts), name_note) if note),
        confidence=confidence,
    )


def _decide(setup: Setup) -> tuple[str, str]:
    special = [entry.id for entry in catalog.ALGORITHMS if setup.loss_mode in entry.loss_modes]
    if special:
        return special[0], ""
    matches = ((rule.algorithm, rule.variant) for rule in RULES if rule.holds(setup))
    by_name = ((entry.id, "") for entry in catalog.ALGORITHMS if setup.estimator in entry.estimators)
    return next(matches, None) or next(by_name, ("custom", ""))


def _catalogued(algorithm: str) -> catalog.Algorithm:
    return next(entry for entry in catalog.ALGORITHMS if entry.id == algorithm)


def read_setup(config: Mapping[str, Any]) -> Setup:
    """The deciding settings of a configuration."""

    def real(path: str, default: float) -> float:
        found = number(get(config, path))
        return default if found is None else found

    mode = str(get(config, f"{ACTOR}.loss_agg_mode") or "token-mean")
    kl_loss = (
        str(get(config, f"{ACTOR}.kl_loss_type", "low_var_kl")),
        real(f"{ACTOR}.kl_loss_coef", 0.001),
    )
    kl_reward = (
        str(get(config, "algorithm.kl_penalty", "kl")),
        real("algorithm.kl_ctrl.kl_coef", 0.001),
    )
    return Setup(
        estimator=str(get(config, "algorithm.adv_estimator") or "gae"),
        loss_mode=loss_mode(config),
        critic=get(config, "critic.enable") is True,
        no_std=get(config, "algorithm.norm_adv_by_std_in_grpo", True) is False,
        fixed_horizon=mode == "seq-mean-token-sum-norm",
        aggregation=mode,
        scale_factor=number(get(config, f"{ACTOR}.loss_scale_factor")),
        clip_low=real(f"{ACTOR}.clip_ratio_low", 0.2),
        clip_high=real(f"{ACTOR}.clip_ratio_high", 0.2),
        clip_c=real(f"{ACTOR}.clip_ratio_c", 3.0),
        filter_groups=get(config, "algorithm.filter_groups.enable") is True,
        overlong=overlong(config),
        manager=reward_manager(config),
        group_size=int(real(f"{ROLLOUT}.n", 1)),
        kl_loss=kl_loss if get(config, f"{ACTOR}.use_kl_loss") is True else None,
        kl_reward=kl_reward if _kl_in_reward(config) else None,
    )


def _kl_in_reward(config: Mapping[str, Any]) -> bool:
    """verl before v0.3 has no switch: it subtracts the KL whenever there is no KL loss."""
    switch = get(config, "algorithm.use_kl_in_reward")
    if switch is not None:
        return switch is True
    # A full dump names the controller's type; a command line that leaves the switch out means the default.
    dumped = get(config, "algorithm.kl_ctrl.type") is not None
    return dumped and get(config, f"{ACTOR}.use_kl_loss") is not True


def _parts(setup: Setup, keys: tuple[str, ...] | None) -> tuple[Part, ...]:
    def state(on: bool) -> PartState:
        return "on" if on else "off"

    sampling: PartState = state(setup.filter_groups)
    if setup.filter_groups and keys is None:
        sampling = "configured"
    elif setup.filter_groups and keys is not None and not filtered(keys):
        sampling = "not_executed"
    shaping = setup.overlong
    words = {"buffer": shaping.buffer, "penalty": shaping.penalty} if shaping else {}
    return (
        Part("part.clip_higher", state(setup.clip_higher), {"low": setup.clip_low, "high": setup.clip_high}),
        Part("part.dynamic_sampling", sampling, {}),
        Part("part.token_mean", state(setup.aggregation == "token-mean"), {"mode": setup.aggregation}),
        Part("part.overlong", state(shaping is not None), words),
        Part("part.no_std", state(setup.no_std), {}),
        Part("part.fixed_horizon", state(setup.fixed_horizon), {"factor": setup.scale_factor}),
    )


def _flags(
    config: Mapping[str, Any], setup: Setup, algorithm: str, parts: tuple[Part, ...]
) -> tuple[Note | None, ...]:
    group = setup.estimator in GROUP_METHODS
    batch, mini = get(config, "data.train_batch_size"), get(config, f"{ACTOR}.ppo_mini_batch_size")
    on_policy = batch is not None and batch == mini and get(config, f"{ACTOR}.ppo_epochs", 1) == 1
    idle = any(part.state == "not_executed" for part in parts)
    low, high = setup.clip_low, setup.clip_high
    return (
        Note("flag.no_kl") if not setup.kl_loss and not setup.kl_reward else None,
        _kl_flag("flag.kl_loss", setup.kl_loss),
        _kl_flag("flag.kl_reward", setup.kl_reward),
        Note("flag.clip_asymmetric", {"low": low, "high": high}) if low != high else None,
        Note("flag.group_size", {"n": setup.group_size}),
        Note("flag.on_policy") if on_policy else None,
        Note("flag.steps_are_updates") if setup.filter_groups and not idle else None,
        _correction_flag(config),
        Note("flag.rloo_loss_kl") if algorithm == "rloo" and setup.kl_loss else None,
        Note("warning.single_response") if group and setup.group_size == 1 else None,
        Note("warning.no_scale_factor") if setup.fixed_horizon and setup.scale_factor is None else None,
        Note("warning.filter_not_executed") if idle else None,
    )


def _kl_flag(key: str, kl: tuple[str, float] | None) -> Note | None:
    return Note(key, {"kind": kl[0], "coef": kl[1]}) if kl else None


def _correction_flag(config: Mapping[str, Any]) -> Note | None:
    """Importance weights against the rollout engine, under the names of verl v0.5 to v0.9."""
    now = get(config, "algorithm.rollout_correction")
    now = now if isinstance(now, Mapping) else {}
    if level := now.get("rollout_is") or now.get("rollout_rs") or (now.get("bypass_mode") and "bypass"):
        return Note("flag.rollout_correction", {"level": level, "limit": now.get("rollout_is_threshold")})
    limit = get(config, "algorithm.rollout_is_threshold")
    if get(config, "algorithm.rollout_is") and limit:
        return Note("flag.rollout_correction", {"level": "token", "limit": limit})
    if cap := number(get(config, f"{ACTOR}.tis_imp_ratio_cap")):
        return Note("flag.rollout_correction", {"level": "token", "limit": cap}) if cap > 0 else None
    return None


# -- Fingerprints --------------------------------------------------------------------------------------

ADVANTAGE = {"dapo": "grpo"}
"""Algorithms whose advantages are those of another one."""
GROUP_SIZES = (4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 64)
NEAR = 2e-3


def _fingerprint(data: RunData) -> str:
    """Algorithm id from the size of the advantages, empty when they do not tell.

    Source: with ±1 rewards a group of G gives at most (G−1)/√G under GRPO, 2(G−1)/G under Dr.GRPO and exactly
    2 under RLOO; whitening over the batch makes the token mean exactly 0.
    """
    if "critic/values/mean" in data.run.keys:
        return "ppo"
    highest, mean = _values(data, "critic/advantages/max"), _values(data, "critic/advantages/mean")
    if highest.size < 3 or not highest.any():
        return ""
    top = float(highest.max())
    shaped = bool(np.any(_values(data, "critic/score/min") < -1))
    if any(abs(top - (size - 1) / size**0.5) < NEAR for size in GROUP_SIZES if size > 4):
        return "dapo" if shaped or filtered(data.run.keys) else "grpo"
    if abs(top - 2.0) < NEAR:
        return "rloo"
    if abs(top - 1.75) < NEAR:
        return "dr_grpo"
    return "reinforce_pp" if mean.size >= 3 and np.all(np.abs(mean) < 1e-4) else ""


def _seen(data: RunData | None) -> tuple[Note, ...]:
    """What the logged metrics alone prove of the settings."""
    if data is None:
        return ()
    keys = data.run.keys
    proofs = (
        ("flag.seen_kl_reward", "actor/reward_kl_penalty" in keys),
        ("flag.seen_kl_loss", "actor/kl_loss" in keys),
        ("flag.seen_reference", "timing_s/ref" in keys and "actor/kl_loss" not in keys),
        ("flag.seen_overlong", bool(np.any(_values(data, "critic/score/min") < -1))),
        ("flag.seen_filter", filtered(keys)),
    )
    return tuple(Note(key) for key, holds in proofs if holds)


def _values(data: RunData, key: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    series = data.series(key)
    return series.value[np.isfinite(series.value)] if series is not None else np.empty(0)
