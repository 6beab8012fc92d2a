"""The resolved configuration that a demo log shows at its start, as verl v0.8 nests it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from data_loaders.demo.runs import SCALES, DemoRun
from data_loaders.schema import Json

ACTOR, REWARD = "actor_rollout_ref.actor", "reward"
GROUP_BOUND = 7 / 8**0.5
"""Largest advantage of 8 responses divided by their standard deviation."""


class Algorithm(NamedTuple):
    """How the demo trains with an algorithm."""

    settings: Mapping[str, Any]
    """Dotted settings that differ from the base."""
    largest_advantage: float | None
    """None: whitened over the batch, so without a bound of its own."""
    overlong: bool = False
    """Whether long answers are punished in the reward."""


ALGORITHMS: Mapping[str, Algorithm] = {
    "grpo": Algorithm(
        {
            "algorithm.adv_estimator": "grpo",
            f"{ACTOR}.use_kl_loss": True,
            f"{ACTOR}.kl_loss_type": "low_var_kl",
        },
        largest_advantage=GROUP_BOUND,
    ),
    "dapo": Algorithm(
        {
            "algorithm.adv_estimator": "grpo",
            "algorithm.filter_groups.enable": True,
            "algorithm.filter_groups.max_num_gen_batches": 10,
            "algorithm.filter_groups.metric": "acc",
            f"{ACTOR}.clip_ratio_high": 0.28,
            f"{ACTOR}.clip_ratio_c": 10.0,
            f"{REWARD}.reward_manager.name": "dapo",
        },
        largest_advantage=GROUP_BOUND,
        overlong=True,
    ),
    "drgrpo": Algorithm(
        {
            "algorithm.adv_estimator": "grpo",
            "algorithm.norm_adv_by_std_in_grpo": False,
            f"{ACTOR}.loss_agg_mode": "seq-mean-token-sum-norm",
            f"{ACTOR}.loss_scale_factor": 16384,
        },
        largest_advantage=1.75,
    ),
    "rloo": Algorithm(
        {
            "algorithm.adv_estimator": "rloo",
            f"{ACTOR}.use_kl_loss": True,
            f"{ACTOR}.kl_loss_type": "low_var_kl",
        },
        largest_advantage=2.0,
    ),
    "reinforcepp": Algorithm(
        {
            "algorithm.adv_estimator": "reinforce_plus_plus",
            f"{ACTOR}.use_kl_loss": True,
            f"{ACTOR}.kl_loss_type": "mse",
        },
        largest_advantage=None,
    ),
}


def own_settings(run: DemoRun) -> dict[str, Any]:
    """Dotted settings of a run that its algorithm changes."""
    algorithm, cap = ALGORITHMS[run.algorithm], SCALES[run.scale].response_cap
    if not algorithm.overlong:
        return dict(algorithm.settings)
    buffer = {"enable": True, "len": cap // 4, "log": False, "penalty_factor": 1.0}
    kwargs = {"max_resp_len": cap, **{f"overlong_buffer_cfg.{name}": value for name, value in buffer.items()}}
    return {
        **algorithm.settings,
        **{f"{REWARD}.reward_kwargs.{name}": value for name, value in kwargs.items()},
    }


def resolved_config(run: DemoRun) -> Json:
    """The nested configuration of a run, every key that the algorithms set included."""
    config = _base(run)
    for name, value in own_settings(run).items():
        *path, last = name.split(".")
        node = config
        for part in path:
            node = node.setdefault(part, {})
        node[last] = value
    return config


def overrides(run: DemoRun) -> list[str]:
    """The command-line words that lead from verl's defaults to the configuration."""
    scale = SCALES[run.scale]
    words = {
        "data.train_batch_size": 32,
        "data.max_response_length": scale.response_cap,
        "actor_rollout_ref.model.path": f"/models/{scale.model}",
        "actor_rollout_ref.rollout.n": 8,
        **own_settings(run),
        "trainer.n_gpus_per_node": scale.gpus,
        "trainer.test_freq": scale.test_every,
        "trainer.experiment_name": run.id,
        "trainer.total_training_steps": run.steps,
    }
    return [f"{name}={value}" for name, value in words.items()]


def _base(run: DemoRun) -> Json:
    scale = SCALES[run.scale]
    return {
        "actor_rollout_ref": {
            "actor": _actor(run),
            "hybrid_engine": True,
            "model": {
                "enable_gradient_checkpointing": True,
                "external_lib": None,
                "lora_rank": 0,
                "path": f"/models/{scale.model}",
                "trust_remote_code": False,
                "use_remove_padding": True,
            },
            "ref": {
                "fsdp_config": {"param_offload": scale.offload, "reshard_after_forward": True},
                "log_prob_max_token_len_per_gpu": 36864,
                "log_prob_use_dynamic_bsz": True,
            },
            "rollout": _rollout(run),
        },
        "algorithm": {
            "adv_estimator": "gae",
            "filter_groups": {"enable": False, "max_num_gen_batches": 0, "metric": None},
            "gamma": 1.0,
            "kl_ctrl": {"horizon": 10000, "kl_coef": 0.001, "target_kl": 0.1, "type": "fixed"},
            "kl_penalty": "kl",
            "lam": 1.0,
            "norm_adv_by_std_in_grpo": True,
            "rollout_correction": {"bypass_mode": False, "rollout_is": None, "rollout_rs": None},
            "use_kl_in_reward": False,
        },
        "critic": {"enable": None, "ppo_epochs": 1, "strategy": "fsdp"},
        "data": _data(run),
        "reward": {
            "custom_reward_function": {"name": "compute_score", "path": None},
            "reward_kwargs": {},
            "reward_manager": {"name": "naive", "source": "register"},
        },
        "trainer": _trainer(run),
    }


def _trainer(run: DemoRun) -> Json:
    scale = SCALES[run.scale]
    return {
        "balance_batch": True,
        "default_local_dir": f"checkpoints/{run.id}",
        "experiment_name": run.id,
        "logger": ["console", "tensorboard"],
        "n_gpus_per_node": scale.gpus,
        "nnodes": 1,
        "project_name": f"rl_{run.scale}",
        "resume_mode": "auto",
        "save_freq": 16,
        "test_freq": scale.test_every,
        "total_epochs": 1,
        "total_training_steps": run.steps,
        "val_before_train": False,
    }


def _actor(run: DemoRun) -> Json:
    offload = SCALES[run.scale].offload
    return {
        "checkpoint": {
            "load_contents": ["model", "optimizer", "extra"],
            "save_contents": ["model", "optimizer", "extra"],
        },
        "clip_ratio": 0.2,
        "clip_ratio_c": 3.0,
        "clip_ratio_high": 0.2,
        "clip_ratio_low": 0.2,
        "entropy_coeff": 0,
        "fsdp_config": {
            "model_dtype": "fp32",
            "optimizer_offload": offload,
            "param_offload": offload,
            "reshard_after_forward": True,
            "wrap_policy": {"min_num_params": 0},
        },
        "grad_clip": 1.0,
        "kl_loss_coef": 0.001,
        "kl_loss_type": "low_var_kl",
        "loss_agg_mode": "token-mean",
        "loss_scale_factor": None,
        "optim": {
            "clip_grad": 1.0,
            "lr": 1e-06,
            "lr_scheduler_type": "constant",
            "lr_warmup_steps": 0,
            "total_training_steps": run.steps,
            "weight_decay": 0.01,
        },
        "policy_loss": {"clip_cov_ratio": 0.0002, "kl_cov_ratio": 0.0002, "loss_mode": "vanilla"},
        "ppo_epochs": 1,
        "ppo_max_token_len_per_gpu": 18432,
        "ppo_mini_batch_size": 8,
        "strategy": "fsdp",
        "ulysses_sequence_parallel_size": 1,
        "use_dynamic_bsz": True,
        "use_kl_loss": False,
    }


def _rollout(run: DemoRun) -> Json:
    scale = SCALES[run.scale]
    return {
        "calculate_log_probs": True,
        "dtype": "bfloat16",
        "enforce_eager": False,
        "gpu_memory_utilization": 0.8,
        "max_num_batched_tokens": 18432,
        "mode": "async",
        "n": 8,
        "name": "vllm",
        "temperature": 1.0,
        "tensor_model_parallel_size": scale.tensor_parallel,
        "top_k": -1,
        "top_p": 1.0,
        "val_kwargs": {"do_sample": False, "n": 1, "temperature": 0, "top_k": -1, "top_p": 1.0},
    }


def _data(run: DemoRun) -> Json:
    scale = SCALES[run.scale]
    train, test = scale.data_source.split("/")[-1], scale.validation_source.split("/")[-1]
    return {
        "apply_chat_template_kwargs": {"enable_thinking": False},
        "filter_overlong_prompts": True,
        "image_key": "images",
        "max_prompt_length": 2048,
        "max_response_length": scale.response_cap,
        "prompt_key": "prompt",
        "seed": None,
        "shuffle": True,
        "train_batch_size": 32,
        "train_files": [f"/data/{train}/train.parquet"],
        "truncation": "error",
        "val_files": [f"/data/{test}/test.parquet"],
    }
