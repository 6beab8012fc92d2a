"""The full version of a run: everything beyond its eight charts, in sections that show where logged."""

from __future__ import annotations

from components.figures import Chart, Reference
from components.figures_lines import line_chart
from components.figures_stages import stages_chart

CORRELATION = "training/rollout_actor_probs_pearson_corr"
CONCERN = Reference(lambda _run: 0.01, "ref.concern")
"""Mean probability difference that verl's FAQ takes for a problem."""

SECTIONS: tuple[str, ...] = (
    "speed", "timing", "memory", "balance", "length", "advantage", "kl", "optimizer", "mismatch",
    "correction", "critic", "sampling",
)  # fmt: skip
"""In page order; texts `section.<name>`."""

FULL: tuple[Chart, ...] = (
    Chart(
        "mfu", "full", ("mfu", "mfu_infer"), line_chart, "percent",
        scale=100, value=".1f", zero=True, section="speed",
    ),
    Chart("throughput", "full", ("throughput",), line_chart, "tokens_per_s", value=",.0f", section="speed"),
    Chart(
        "per_token", "full", ("gen_per_token", "update_actor_per_token"), line_chart, "ms_per_token",
        value=".3f", zero=True, section="speed",
    ),
    Chart(
        "stages", "full", ("gen_time", "update_actor_time"), stages_chart, "s",
        value=",.0f", zero=True, section="timing", wide=True,
    ),
    Chart("step_time", "full", ("step_time",), line_chart, "s", value=",.0f", section="timing"),
    Chart(
        "memory", "full", ("memory_allocated", "memory_reserved"), line_chart, "gib",
        value=".1f", section="memory",
    ),
    Chart("memory_cpu", "full", ("memory_cpu",), line_chart, "gib", value=".0f", section="memory"),
    Chart(
        "rank_tokens", "full", ("rank_tokens", "rank_tokens_min", "rank_tokens_max"), line_chart, "tokens",
        value="~s", tick="~s", hover=",.0f", section="balance",
    ),
    Chart(
        "rank_spread", "full", ("rank_tokens_spread",), line_chart, "tokens",
        value="~s", tick="~s", hover=",.0f", zero=True, section="balance",
    ),
    Chart(
        "balanced", "full", ("balanced_tokens_max", "balanced_tokens_min"), line_chart, "tokens",
        value="~s", tick="~s", hover=",.0f", section="balance",
    ),
    Chart(
        "truncation", "full", ("truncation",), line_chart, "percent", scale=100, zero=True, section="length",
    ),
    Chart(
        "length_ends", "full", ("response_length_max", "response_length_min"), line_chart, "tokens",
        value="~s", tick="~s", hover=",.0f", zero=True, section="length",
    ),
    Chart(
        "prompt_length", "full", ("prompt_length", "prompt_length_max", "prompt_length_min"), line_chart,
        "tokens", value=",.0f", section="length",
    ),
    Chart("aborted", "full", ("aborted",), line_chart, "percent", scale=100, zero=True, section="length"),
    Chart(
        "score", "full", ("score_mean", "score_max", "score_min"), line_chart, "reward",
        section="advantage",
    ),
    Chart(
        "advantages", "full", ("advantages_mean", "advantages_max", "advantages_min"), line_chart, "none",
        section="advantage",
    ),
    Chart(
        "returns", "full", ("returns_mean", "returns_max", "returns_min"), line_chart, "none",
        section="advantage",
    ),
    Chart("kl_loss", "full", ("kl_loss",), line_chart, "nats", value=".4f", zero=True, section="kl"),
    Chart("kl_coef", "full", ("kl_coef",), line_chart, "none", value=".4f", section="kl"),
    Chart("reward_kl", "full", ("reward_kl",), line_chart, "nats", value=".4f", section="kl"),
    Chart("lr", "full", ("lr",), line_chart, "e_minus_6", scale=1e6, zero=True, section="optimizer"),
    Chart("pg_loss", "full", ("pg_loss",), line_chart, "none", value=".3f", section="optimizer"),
    Chart(
        "probs_diff", "full", ("probs_diff", "probs_diff_std"), line_chart, "none",
        value=".4f", zero=True, references=(CONCERN,), section="mismatch",
    ),
    Chart(
        "probs_diff_max", "full", ("probs_diff_max",), line_chart, "none", zero=True, section="mismatch",
    ),
    Chart(
        "correlation", "full", (CORRELATION,), line_chart, "percent",
        scale=100, value=".3f", section="mismatch",
    ),
    Chart(
        "rollout_kl", "full", ("rollout_kl", "rollout_k3"), line_chart, "nats",
        value=".4f", section="correction",
    ),
    Chart(
        "is_weight", "full", ("is_weight", "is_weight_std"), line_chart, "none",
        value=".3f", section="correction",
    ),
    Chart(
        "effective_samples", "full", ("effective_samples",), line_chart, "percent",
        scale=100, value=".1f", section="correction",
    ),
    Chart("chi2_token", "full", ("chi2_token",), line_chart, "none", value=".4f", section="correction"),
    Chart("vf_loss", "full", ("vf_loss",), line_chart, "none", value=".3f", section="critic"),
    Chart(
        "explained", "full", ("vf_explained_variance",), line_chart, "none", value=".2f", section="critic",
    ),
    Chart("values", "full", ("values_mean",), line_chart, "reward", section="critic"),
    Chart(
        "vf_clip", "full", ("vf_clip_share",), line_chart, "percent", scale=100, zero=True, section="critic",
    ),
    Chart("critic_norm", "full", ("critic_grad_norm",), line_chart, "l2", section="critic"),
    Chart("gen_batches", "full", ("gen_batches",), line_chart, "count", zero=True, section="sampling"),
    Chart("filtered", "full", ("evicted", "discarded"), line_chart, "count", value=".0f", section="sampling"),
    Chart("turns", "full", ("turns", "turns_max"), line_chart, "count", value=".1f", section="sampling"),
)  # fmt: skip
