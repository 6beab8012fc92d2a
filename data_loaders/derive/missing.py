"""Why a run has no series of a metric: the most specific reason its log and configuration allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from data_loaders.derive.config import get
from data_loaders.derive.settings import ACTOR, ROLLOUT, config_of, filtered, number
from data_loaders.metrics import Metric
from data_loaders.schema import Missing, Note, Run

Config = Mapping[str, Any]

VALIDATION = ("val-core/", "val-aux/", "val/", "test_score/")
"""Starts of keys that a line with validation alone holds."""

ALWAYS_LOGGED = (
    ("v0.2", ("response_length/clip_ratio",)),
    ("v0.3", ("perf/throughput",)),
    ("v0.4", ("actor/entropy", "training/global_step")),
    ("v0.6", ("response_length_non_aborted/mean",)),
    ("v0.8", ("actor/perf/max_memory_allocated_gb", "actor/loss")),
)
"""Keys that every RL run logs since a verl version; a log with none of a version or a newer one is older."""


class Cause(NamedTuple):
    """A reason for the absence of some metrics, given when it `holds`."""

    key: str
    metrics: frozenset[str]
    holds: Callable[[Run, Config], bool]
    setting: str = ""
    """Setting whose value the text names as `{n}`."""


def _named(*names: str) -> frozenset[str]:
    return frozenset(names)


def _setting(path: str, *values: Any, default: Any = None) -> Callable[[Run, Config], bool]:
    """Holds when a known configuration has one of these values at a path."""
    return lambda _, config: bool(config) and get(config, path, default) in values


def _both(*holds: Callable[[Run, Config], bool]) -> Callable[[Run, Config], bool]:
    return lambda run, config: all(hold(run, config) for hold in holds)


def _no_critic(_: Run, config: Config) -> bool:
    estimator = get(config, "algorithm.adv_estimator", "gae")
    return bool(config) and estimator != "gae" and get(config, "critic.enable") is not True


def _later(path: str) -> Callable[[Run, Config], bool]:
    """Holds while the run has not reached the first step that is a multiple of a setting."""
    return lambda run, config: (number(get(config, path)) or 0) > (run.last or 0)


KL_LOSS_OFF = _setting(f"{ACTOR}.use_kl_loss", False, None, default=False)
KL_REWARD_OFF = _setting("algorithm.use_kl_in_reward", False, None, default=False)
LOG_PROBS_OFF = _setting(f"{ROLLOUT}.calculate_log_probs", False, None, default=False)
FILTER = "algorithm.filter_groups.enable"

CORRECTION = _named("is_weight", "is_weight_std", "effective_samples")
ROLLOUT_LOG_PROBS = _named(
    "deviation", "probs_diff", "probs_diff_max", "probs_diff_std", "probs_diff_valid",
    "rollout_kl", "rollout_k3", "chi2_token", *CORRECTION,
)  # fmt: skip
FILTERING = _named("gen_batches", "evicted", "discarded")
CRITIC = _named(
    "values_mean", "vf_loss", "vf_clip_share", "vf_explained_variance", "critic_grad_norm", "critic_lr",
    "values_time", "update_critic_time", "mfu_critic",
)  # fmt: skip

CAUSES: tuple[Cause, ...] = (
    Cause("missing.kl_off", _named("kl_loss", "kl_coef", "ref_time"), _both(KL_LOSS_OFF, KL_REWARD_OFF)),
    Cause("missing.kl_loss_off", _named("kl_loss", "kl_coef"), KL_LOSS_OFF),
    Cause("missing.kl_reward_off", _named("reward_kl", "reward_kl_coef"), KL_REWARD_OFF),
    Cause(
        "missing.bypass",
        _named("entropy"),
        _setting("algorithm.rollout_correction.bypass_mode", True),
    ),
    Cause(
        "missing.entropy_off",
        _named("entropy"),
        _both(
            _setting(f"{ACTOR}.entropy_coeff", 0, None, default=0),
            _setting(f"{ACTOR}.calculate_entropy", False, None, default=False),
        ),
    ),
    Cause(
        "missing.no_clip",
        _named("clip_share", "dual_clip_share", "ppo_kl"),
        _setting(f"{ACTOR}.policy_loss.loss_mode", "gpg"),
    ),
    Cause("missing.log_probs_off", ROLLOUT_LOG_PROBS, LOG_PROBS_OFF),
    Cause(
        "missing.is_off",
        CORRECTION,
        _setting("algorithm.rollout_correction.rollout_is", None),
    ),
    Cause("missing.no_critic", CRITIC, _no_critic),
    Cause(
        "missing.filter_not_executed",
        FILTERING,
        _both(_setting(FILTER, True), lambda run, _: not filtered(run.keys)),
    ),
    Cause("missing.filter_off", FILTERING, _setting(FILTER, False, None)),
    Cause("missing.no_testing", _named("testing_time"), _setting("trainer.test_freq", -1, 0)),
    Cause("missing.no_saving", _named("save_time"), _setting("trainer.save_freq", -1, 0)),
    Cause("missing.first_at", _named("testing_time"), _later("trainer.test_freq"), "trainer.test_freq"),
    Cause("missing.first_at", _named("save_time"), _later("trainer.save_freq"), "trainer.save_freq"),
)

NOT_LOGGED = Cause("missing.not_logged", frozenset(), lambda _run, _config: True)


def why_missing(run: Run, metric: Metric) -> Missing:
    """The reason to show in place of a metric's chart."""
    values: dict[str, Any] = {"key": metric.aliases[0], "since": metric.since}
    key = _general_reason(run, metric)
    if not key:
        config = config_of(run)
        causes = (c for c in CAUSES if metric.name in c.metrics and c.holds(run, config))
        cause = next(causes, NOT_LOGGED)
        key = cause.key
        values |= {"n": get(config, cause.setting)} if cause.setting else {}
    return Missing(metric.name, Note(key, values))


def _general_reason(run: Run, metric: Metric) -> str:
    """A reason that needs no configuration, empty when none holds."""
    if run.first is None:
        return "missing.no_steps"
    sft = is_sft(run)
    if sft != (metric.group == "sft"):
        return "missing.sft" if sft else "missing.not_sft"
    if all(key.startswith(VALIDATION) for key in run.keys):
        return "missing.not_yet"
    return "missing.version" if metric.since and _is_older(run, metric.since) else ""


def is_sft(run: Run) -> bool:
    """Whether the run is supervised fine-tuning: no log of it holds what reinforcement learning logs."""
    kinds = {facts.kind for facts in run.facts}
    return "sft" in kinds and "rl" not in kinds


def verl_before(run: Run) -> str:
    """The verl version an RL log is certainly older than (`v0.6`), or an empty string."""
    if "response_length/mean" not in run.keys:
        return ""
    lacking = takewhile(lambda entry: not set(entry[1]) & set(run.keys), reversed(ALWAYS_LOGGED))
    return min((version for version, _ in lacking), key=_parts, default="")


def _is_older(run: Run, since: str) -> bool:
    before = verl_before(run)
    return bool(before) and _parts(before) <= _parts(since)


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.removeprefix("v").split(".")]
