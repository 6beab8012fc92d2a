"""Canonical metrics: the names a reader thinks in, and the keys every verl version logged them under.

Values are in natural units: shares and pass rates 0 to 1, KL in nats, times in seconds. What a metric means
stands in `components/text/metrics.py` under `metric.<name>`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Unit = Literal[
    "share", "tokens", "nats", "reward", "number", "count", "s", "ms_per_token", "tokens_per_s", "gib"
]
Group = Literal[
    "reward", "length", "policy", "kl", "optimizer", "mismatch", "advantage",
    "critic", "timing", "hardware", "balance", "sampling", "progress", "sft",
]  # fmt: skip

# A key such as `actor/lr(1e-4)` counts in the unit it names: 0.010 stands for 1e-6.
SCALE = re.compile(r"\((\d+(?:\.\d+)?e[-+]?\d+)\)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Metric:
    """One canonical metric."""

    name: str
    unit: Unit
    group: Group
    aliases: tuple[str, ...]
    """Keys of this quantity, newest first; a run logged under several gives one series, newest name first."""
    fallbacks: tuple[str, ...] = ()
    """Keys of a related quantity, shown with a note when no alias was logged."""
    since: str = ""
    """First verl version that logs it, where older ones are known not to."""
    derived: bool = False
    """Computed from its key, not equal to it: the raw key alone means another metric or none."""
    aggregated: bool = False
    """Averaged with the loss aggregation, so per token only under some modes."""
    fine: bool = False
    """Too small for logs printed with three decimals."""
    zero: str = "note.zero"
    """Remark when every value is exactly 0; empty where 0 is the healthy value."""

    @property
    def text(self) -> str:
        """Message key of the name; `.meaning` and `.caveat` are appended for the explanation."""
        return f"metric.{self.name}"


METRICS: tuple[Metric, ...] = (
    # Reward
    Metric(
        "pass_rate", "share", "reward", ("critic/score/mean",),
        fallbacks=("critic/rewards/mean", "reward/mean"), derived=True,
    ),
    Metric("pass_rate_bound", "share", "reward", ("critic/score/mean",), derived=True),
    Metric(
        "score_mean", "reward", "reward",
        (
            "critic/score/mean", "reward", "train/reward", "rollout/raw_reward",
            "Training Results/Avg Reward", "Training Results/Avg Total Reward",
        ),
        zero="",
    ),
    Metric("score_max", "reward", "reward", ("critic/score/max",), zero=""),
    Metric("score_min", "reward", "reward", ("critic/score/min",), zero=""),
    Metric(
        "reward_mean", "reward", "reward", ("critic/rewards/mean", "reward/mean", "rollout/rewards"), zero=""
    ),
    Metric("reward_max", "reward", "reward", ("critic/rewards/max",), zero=""),
    Metric("reward_min", "reward", "reward", ("critic/rewards/min",), zero=""),
    Metric("reward_accuracy", "share", "reward", ("reward/accuracy", "critic/accuracy/mean"), zero=""),
    Metric("reward_format", "share", "reward", ("reward/format", "critic/format/mean"), zero=""),
    # Length
    Metric(
        "response_length", "tokens", "length",
        (
            "response_length/mean", "completions/mean_length", "train/completions/mean_length",
            "completion_length", "train/completion_length", "response_length", "rollout/response_len/mean",
            "rollout/response_lengths", "Training Results/Mean Generation Length",
        ),
    ),
    Metric(
        "response_length_max", "tokens", "length",
        (
            "response_length/max", "completions/max_length", "train/completions/max_length",
            "rollout/response_len/max",
        ),
    ),
    Metric(
        "response_length_min", "tokens", "length",
        (
            "response_length/min", "completions/min_length", "train/completions/min_length",
            "rollout/response_len/min",
        ),
    ),
    Metric(
        "truncation", "share", "length",
        (
            "response_length/clip_ratio", "completions/clipped_ratio", "train/completions/clipped_ratio",
            "rollout/truncated_ratio", "rollout/truncated",
        ),
        since="v0.2", zero="note.zero_truncation",
    ),
    Metric("aborted", "share", "length", ("response/aborted_ratio",), since="v0.6", zero=""),
    Metric(
        "response_length_completed", "tokens", "length", ("response_length_non_aborted/mean",), since="v0.6"
    ),
    Metric("prompt_length", "tokens", "length", ("prompt_length/mean",)),
    Metric("prompt_length_max", "tokens", "length", ("prompt_length/max",)),
    Metric("prompt_length_min", "tokens", "length", ("prompt_length/min",)),
    Metric("prompt_truncation", "share", "length", ("prompt_length/clip_ratio",), since="v0.2", zero=""),
    # Policy
    Metric(
        "entropy", "nats", "policy",
        (
            "actor/entropy", "actor/entropy_loss", "entropy", "train/entropy", "entropy_loss",
            "train/entropy_loss", "rollout/entropy",
        ),
        aggregated=True,
    ),
    Metric(
        "loss", "number", "policy", ("actor/loss", "loss", "train/loss", "Training Results/Loss"),
        fallbacks=("actor/pg_loss", "policy_loss", "train/pg_loss"),
    ),
    Metric("pg_loss", "number", "policy", ("actor/pg_loss", "policy_loss", "train/pg_loss")),
    Metric(
        "ppo_kl", "nats", "policy", ("actor/ppo_kl", "ppo_kl", "train/ppo_kl"),
        fine=True, zero="note.zero_on_policy",
    ),
    Metric(
        "clip_share", "share", "policy",
        (
            "actor/pg_clipfrac", "clip_ratio/region_mean", "train/clip_ratio/region_mean", "clip_ratio",
            "train/clip_ratio", "ppo_clip_ratio", "train/pg_clipfrac",
        ),
        zero="note.zero_on_policy",
    ),
    Metric("dual_clip_share", "share", "policy", ("actor/pg_clipfrac_lower",), since="v0.3", zero=""),
    # KL to the reference
    Metric(
        "kl_loss", "nats", "kl", ("actor/kl_loss", "kl", "train/kl", "train/kl_loss"),
        since="v0.2", aggregated=True,
    ),
    Metric("kl_coef", "number", "kl", ("actor/kl_coef",), since="v0.2"),
    Metric("reward_kl", "nats", "kl", ("actor/reward_kl_penalty", "critic/kl")),
    Metric("reward_kl_coef", "number", "kl", ("actor/reward_kl_penalty_coeff", "critic/kl_coeff")),
    # Optimizer
    Metric(
        "grad_norm", "number", "optimizer",
        ("actor/grad_norm", "train/grad_norm", "grad_norm", "actor_grad_norm"),
    ),
    Metric(
        "lr", "number", "optimizer",
        (
            "actor/lr", "actor/lr(1e-4)", "train/lr", "train/lr(1e-3)", "learning_rate",
            "train/learning_rate", "lr", "actor_lr", "train/lr-pg_0",
        ),
        fine=True,
    ),
    # Rollout engine against trainer
    Metric(
        "deviation", "number", "mismatch", ("training/rollout_actor_probs_pearson_corr",),
        since="v0.6", derived=True, fine=True, zero="",
    ),
    Metric(
        "probs_diff", "share", "mismatch", ("training/rollout_probs_diff_mean",),
        fallbacks=(
            "sampling/sampling_logp_difference/mean", "train/sampling/sampling_logp_difference/mean",
            "train/train_rollout_logprob_abs_diff",
        ),
        since="v0.4",
    ),
    Metric("probs_diff_max", "share", "mismatch", ("training/rollout_probs_diff_max",), since="v0.4"),
    Metric("probs_diff_std", "share", "mismatch", ("training/rollout_probs_diff_std",), since="v0.4"),
    Metric("probs_diff_valid", "count", "mismatch", ("training/rollout_probs_diff_valid",), since="v0.6"),
    Metric(
        "rollout_kl", "nats", "mismatch",
        (
            "rollout_corr/kl", "actor/rollout_corr/kl", "mismatch/mismatch_kl", "vllm_kl",
            "Training Results/Generation KL Error",
        ),
        since="v0.6",
    ),
    Metric(
        "rollout_k3", "nats", "mismatch",
        ("rollout_corr/k3_kl", "actor/rollout_corr/k3_kl", "mismatch/mismatch_k3_kl"), since="v0.6",
    ),
    Metric(
        "is_weight", "number", "mismatch",
        ("rollout_corr/rollout_is_mean", "actor/rollout_corr/rollout_is_mean", "mismatch/rollout_is_mean"),
        since="v0.6",
    ),
    Metric(
        "is_weight_std", "number", "mismatch",
        ("rollout_corr/rollout_is_std", "actor/rollout_corr/rollout_is_std", "mismatch/rollout_is_std"),
        since="v0.6",
    ),
    Metric(
        "effective_samples", "share", "mismatch",
        (
            "rollout_corr/rollout_is_eff_sample_size",
            "actor/rollout_corr/rollout_is_eff_sample_size",
            "mismatch/rollout_is_eff_sample_size",
        ),
        since="v0.6",
    ),
    Metric(
        "chi2_token", "number", "mismatch",
        ("rollout_corr/chi2_token", "actor/rollout_corr/chi2_token"), since="v0.6",
    ),
    # Advantages and returns
    Metric("advantages_mean", "number", "advantage", ("critic/advantages/mean",), zero=""),
    Metric("advantages_max", "number", "advantage", ("critic/advantages/max",), zero="note.zero_signal"),
    Metric("advantages_min", "number", "advantage", ("critic/advantages/min",), zero="note.zero_signal"),
    Metric("returns_mean", "number", "advantage", ("critic/returns/mean", "return"), zero=""),
    Metric("returns_max", "number", "advantage", ("critic/returns/max",), zero=""),
    Metric("returns_min", "number", "advantage", ("critic/returns/min",), zero=""),
    # Critic
    Metric("values_mean", "reward", "critic", ("critic/values/mean",)),
    Metric("vf_loss", "number", "critic", ("critic/vf_loss",)),
    Metric("vf_clip_share", "share", "critic", ("critic/vf_clipfrac",), zero=""),
    Metric("vf_explained_variance", "number", "critic", ("critic/vf_explained_var",), since="v0.2"),
    Metric("critic_grad_norm", "number", "critic", ("critic/grad_norm",)),
    Metric("critic_lr", "number", "critic", ("critic/lr", "critic/lr(1e-4)"), fine=True),
    # Timing
    Metric(
        "step_time", "s", "timing",
        (
            "timing_s/step", "perf/time_per_step", "time_per_step", "train/time(s)", "step_time",
            "train/step_time", "perf/step_time", "Timing/Total step time", "time/step",
        ),
        fallbacks=("timing_s/update_actor", "timing/update_actor"), derived=True,
    ),
    Metric("gen_time", "s", "timing", ("timing_s/gen", "timing/gen", "perf/rollout_time")),
    Metric("reward_time", "s", "timing", ("timing_s/reward",)),
    Metric("old_log_prob_time", "s", "timing", ("timing_s/old_log_prob",)),
    Metric("ref_time", "s", "timing", ("timing_s/ref", "timing_s/RefPolicy", "timing/ref")),
    Metric("values_time", "s", "timing", ("timing_s/values", "timing/values")),
    Metric("adv_time", "s", "timing", ("timing_s/adv", "timing/adv"), zero=""),
    Metric("update_critic_time", "s", "timing", ("timing_s/update_critic", "timing/update_critic")),
    Metric("update_actor_time", "s", "timing", ("timing_s/update_actor", "timing/update_actor")),
    Metric("update_weights_time", "s", "timing", ("timing_s/update_weights",), since="v0.7"),
    Metric("testing_time", "s", "timing", ("timing_s/testing", "timing/testing")),
    Metric("save_time", "s", "timing", ("timing_s/save_checkpoint", "timing/save_checkpoint")),
    Metric("gen_per_token", "ms_per_token", "timing", ("timing_per_token_ms/gen",)),
    Metric("update_actor_per_token", "ms_per_token", "timing", ("timing_per_token_ms/update_actor",)),
    # Hardware
    Metric(
        "mfu", "share", "hardware", ("perf/mfu/actor", "mfu/actor", "train/mfu"), since="v0.2", derived=True
    ),
    Metric("mfu_infer", "share", "hardware", ("perf/mfu/actor_infer",), since="v0.7", derived=True),
    Metric("mfu_critic", "share", "hardware", ("perf/mfu/critic", "mfu/critic"), since="v0.2", derived=True),
    Metric(
        "throughput", "tokens_per_s", "hardware",
        ("perf/throughput", "Tokens/Sec/GPU", "perf/tokens_per_gpu_per_sec"), since="v0.2",
    ),
    Metric("total_tokens", "tokens", "hardware", ("perf/total_num_tokens", "total_num_tokens"), since="v0.2"),
    Metric(
        "memory_allocated", "gib", "hardware",
        ("actor/perf/max_memory_allocated_gb", "perf/max_memory_allocated_gb"), since="v0.3",
    ),
    Metric(
        "memory_reserved", "gib", "hardware",
        ("actor/perf/max_memory_reserved_gb", "perf/max_memory_reserved_gb"), since="v0.3",
    ),
    Metric(
        "memory_cpu", "gib", "hardware",
        ("actor/perf/cpu_memory_used_gb", "perf/cpu_memory_used_gb"), since="v0.3",
    ),
    # Balance between ranks
    Metric("rank_tokens", "tokens", "balance", ("global_seqlen/mean",), since="v0.2"),
    Metric("rank_tokens_min", "tokens", "balance", ("global_seqlen/min",), since="v0.2"),
    Metric("rank_tokens_max", "tokens", "balance", ("global_seqlen/max",), since="v0.2"),
    Metric("rank_tokens_spread", "tokens", "balance", ("global_seqlen/minmax_diff",), since="v0.2"),
    Metric("balanced_tokens_min", "tokens", "balance", ("global_seqlen/balanced_min",), since="v0.2"),
    Metric("balanced_tokens_max", "tokens", "balance", ("global_seqlen/balanced_max",), since="v0.2"),
    # Sampling
    Metric("gen_batches", "count", "sampling", ("train/num_gen_batches",)),
    Metric(
        "evicted", "count", "sampling",
        ("training/filter_groups/evicted_samples",), since="v0.9", zero="",
    ),
    Metric(
        "discarded", "count", "sampling",
        ("training/filter_groups/discarded_surplus_samples",), since="v0.9", zero="",
    ),
    Metric("turns", "count", "sampling", ("num_turns/mean", "training/num_turns/mean"), since="v0.5"),
    Metric("turns_max", "count", "sampling", ("num_turns/max", "training/num_turns/max"), since="v0.5"),
    # Progress
    Metric("epoch", "count", "progress", ("training/epoch", "epoch", "train/epoch"), since="v0.4", zero=""),
    # Supervised fine-tuning
    Metric("sft_loss", "nats", "sft", ("train/loss", "loss")),
    Metric("sft_val_loss", "nats", "sft", ("val/loss", "eval_loss", "eval/loss")),
)  # fmt: skip


def find_metric(name: str) -> Metric | None:
    """The metric with this canonical name, else the one logged under this key; None for any other key."""
    named = next((metric for metric in METRICS if metric.name == name), None)
    return named or logged_metric(name)


def logged_metric(key: str, *, sft: bool = False) -> Metric | None:
    """The metric that a key means, in supervised fine-tuning or else; None for a key of one's own.

    A key that a derived metric starts from means the metric it is as logged (`critic/score/mean` is the mean
    score, not the pass rate), unless only the derived one uses it.
    """
    found = [metric for metric in METRICS if key in metric.aliases]
    own = [metric for metric in found if key in aliases_in(metric, sft=sft)]
    return min(own or found, key=lambda metric: metric.derived, default=None)


def aliases_in(metric: Metric, *, sft: bool) -> tuple[str, ...]:
    """Keys under which a run logs this metric.

    `loss` and `train/loss` are what the run trains on: in supervised fine-tuning another loss than else.
    """
    if sft == (metric.group == "sft"):
        return metric.aliases
    if not sft:
        return ()
    own = {key for other in METRICS if other.group == "sft" for key in other.aliases}
    return tuple(key for key in metric.aliases if key not in own)


PER_TOKEN = "_per_token"
"""Behind the name of an aggregated metric: its values as means per token, whatever units are in force."""


def unit_name(name: str, units: str) -> str:
    """The name under which values of a metric are told apart by unit: `entropy_per_token` for `token`."""
    metric = next((metric for metric in METRICS if metric.name == name), None)
    return name + PER_TOKEN if metric and metric.aggregated and units == "token" else name


def in_tokens(name: str) -> str:
    """`entropy` of `entropy_per_token`; empty for a name that says no unit."""
    base = name.removesuffix(PER_TOKEN)
    return base if base != name and unit_name(base, "token") == name else ""


def key_factor(key: str) -> float:
    """What a cell of this key is multiplied by: 1e-4 for `actor/lr(1e-4)`, 1 for a key that names no unit."""
    found = SCALE.search(key)
    return float(found[1]) if found else 1.0
