from __future__ import annotations

import pprint
from typing import Any

import pytest

from data_loaders.derive.config import (
    ABSENT,
    difference,
    flatten,
    get,
    parse_config,
    parse_overrides,
    resolved,
)
from data_loaders.derive.secrets import MASK, mask_secrets
from tests.unit.data_loaders.fake_run import facts

CONFIG: dict[str, Any] = {
    "actor_rollout_ref": {
        "actor": {
            "checkpoint": {"load_contents": ["model", "optimizer", "extra"], "save": True},
            "clip_ratio_high": 0.28,
            "loss_agg_mode": "token-mean",
            "optim": {"lr": 1e-06, "min_lr_ratio": None, "warmup_style": "constant"},
            "use_kl_loss": False,
        },
        "model": {"override_config": {}, "path": "it's a {path}, with: traps"},
        "rollout": {"n": 8, "stop": [], "note": "long " * 40, "val_kwargs": {"n": 1, "top_k": -1}},
    },
    "algorithm": {"adv_estimator": "grpo", "kl_ctrl": {"kl_coef": 0.0, "type": "fixed"}},
    "data": {"val_files": ["/data/a-long-folder-name/" + c * 30 for c in "abc"]},
    "trainer": {"logger": ["console", "swanlab"], "total_training_steps": 150},
}
NOISE = (
    "WARNING:2025-08-14 20:24:08,765:Waiting for register center actor x to be ready. Elapsed: 0 s",
    "Loading checkpoint shards:   0%|          | 0/4 [00:00<?, ?it/s]",
    "",
    "/opt/lib/python3.10/site-packages/vllm/connections.py:8: RuntimeWarning: Failed to read commit hash:",
    "No module named 'vllm._version'",
    "  from vllm.version import __version__ as VLLM_VERSION",
    "  warnings.warn(",
    '  "architectures": [',
    "2025-03-02 11:55:50 {'a': 1}",
)


def dumped() -> list[str]:
    return pprint.pformat(CONFIG, width=80).split("\n")


def test_a_whole_dump_is_read_exactly() -> None:
    assert parse_config("\n".join(dumped())) == CONFIG


@pytest.mark.parametrize("noise", NOISE)
def test_a_foreign_line_between_any_two_lines_changes_nothing(noise: str) -> None:
    lines = dumped()
    for at in range(1, len(lines)):
        assert parse_config("\n".join([*lines[:at], noise, *lines[at:]])) == CONFIG, f"before line {at}"


def test_many_foreign_lines_at_once() -> None:
    lines = [part for line in dumped() for part in (line, *NOISE)]
    assert parse_config("\n".join(lines)) == CONFIG


def test_a_message_glued_to_a_line_does_not_spoil_its_value() -> None:
    lines = dumped()
    at = next(at for at, line in enumerate(lines) if "'adv_estimator'" in line)
    lines[at] += "(WorkerDict pid=65860) Flash Attention 2 only supports torch.float16, but is: float32"
    assert parse_config("\n".join(lines)) == CONFIG


def test_a_lost_line_loses_only_its_own_key() -> None:
    lines = dumped()
    at = next(at for at, line in enumerate(lines) if "'loss_agg_mode'" in line)
    found = parse_config("\n".join(lines[:at] + lines[at + 1 :]))
    expected = flatten(CONFIG)
    del expected["actor_rollout_ref.actor.loss_agg_mode"]
    assert flatten(found) == expected


def test_a_dump_without_end_keeps_what_it_has() -> None:
    lines = dumped()
    at = next(at for at, line in enumerate(lines) if "'trainer'" in line)
    found = parse_config("\n".join(lines[:at]))
    assert found == {key: value for key, value in CONFIG.items() if key != "trainer"}


def test_text_after_the_dump_is_ignored() -> None:
    text = "\n".join([*dumped(), "Using dataset class: RLHFDataset", "dataset len: 17917"])
    assert parse_config(text) == CONFIG


@pytest.mark.parametrize("text", ["", "no dict here", "{", "{'a': ", "[1, 2]", "{" * 500])
def test_text_that_is_no_dump_gives_nothing(text: str) -> None:
    assert parse_config(text) in ({}, {"a": ""})


def test_infinity_and_objects_survive() -> None:
    text = "{'a': {'limit': inf,\n       'kind': <Enum.X: 1>,\n       'n': 3}}"
    assert parse_config(text) == {"a": {"limit": float("inf"), "kind": "<Enum.X: 1>", "n": 3}}


def test_overrides_of_a_command_line() -> None:
    words = [
        "algorithm.adv_estimator=grpo",
        "+reward_model.reward_kwargs.overlong_buffer_cfg.enable=True",
        "++actor_rollout_ref.actor.optim.lr=1e-6",
        "trainer.logger=[\"console\",\"swanlab\"]",
        "'data.val_files=[/data/aime-2024.parquet]'",
        "data.seed=null",
        "trainer.total_training_steps=200",
        "trainer.total_training_steps=300",
        "actor_rollout_ref.rollout.top_k=-1",
        "extra={a: 1, b: [x, y]}",
        "name='1e-3'",
        "~trainer.balance",
        "notaword",
    ]
    assert parse_overrides(words) == {
        "algorithm": {"adv_estimator": "grpo"},
        "reward_model": {"reward_kwargs": {"overlong_buffer_cfg": {"enable": True}}},
        "actor_rollout_ref": {"actor": {"optim": {"lr": 1e-6}}, "rollout": {"top_k": -1}},
        "trainer": {"logger": ["console", "swanlab"], "total_training_steps": 300},
        "data": {"val_files": ["/data/aime-2024.parquet"], "seed": None},
        "extra": {"a": 1, "b": ["x", "y"]},
        "name": "1e-3",
    }


def test_get_tells_null_from_absent() -> None:
    config = {"a": {"b": None, "c": 0}}
    assert get(config, "a.b", "default") is None
    assert get(config, "a.c", "default") == 0
    assert get(config, "a.d", "default") == "default"
    assert get(config, "a.c.e", "default") == "default"


def test_the_newest_dump_wins_and_its_command_line_fills_what_it_lost() -> None:
    first = facts(config_text="{'trainer': {'total_training_steps': 100}}")
    second = facts(
        config_text="{'trainer': {'total_training_steps': 150}}",
        overrides=("trainer.total_training_steps=1", "trainer.test_freq=25"),
    )
    expected = {"trainer": {"total_training_steps": 150, "test_freq": 25}}
    assert resolved([first, second, facts()]) == (expected, "config", 1)


def test_without_dump_the_command_line_counts() -> None:
    log = facts(overrides=("algorithm.adv_estimator=rloo",))
    assert resolved([log]) == ({"algorithm": {"adv_estimator": "rloo"}}, "overrides", 0)
    assert resolved([facts()]) == ({}, "none", None)


def test_difference_shows_differing_paths_only() -> None:
    one = {"a": {"x": 1, "same": [1]}, "flag": True, "only": None}
    two = {"a": {"x": 2, "same": [1]}, "flag": 1}
    assert difference([one, two]) == {"a.x": (1, 2), "flag": (True, 1), "only": (None, ABSENT)}
    assert difference([one, one]) == {}
    assert difference([one]) == {}


def test_secrets_are_masked_at_any_depth() -> None:
    config = {
        "ray": {"env_vars": {"WANDB_API_KEY": "0123456789abcdef", "NCCL_DEBUG": "INFO"}},
        "hf_token": "hf_abcdefghijklmnopqrst",
        "url": "https://me:hunter2@example.com/x",
        "hooks": ["curl -H 'Authorization: Bearer abc.def'"],
        "password": "",
        "openaiApiKey": "sk1",
        "clientSecret": "s",
        "setup": "export SWANLAB_API_KEY=abc123 NCCL_DEBUG=INFO",
        "endpoint": "https://example.com/v1?token=0123456789abcdef01&n=3",
    }
    assert mask_secrets(config) == {
        "ray": {"env_vars": {"WANDB_API_KEY": MASK, "NCCL_DEBUG": "INFO"}},
        "hf_token": MASK,
        "url": f"https://{MASK}@example.com/x",
        "hooks": [f"curl -H 'Authorization: Bearer {MASK}"],
        "password": "",
        "openaiApiKey": MASK,
        "clientSecret": MASK,
        "setup": f"export SWANLAB_API_KEY={MASK} NCCL_DEBUG=INFO",
        "endpoint": f"https://example.com/v1?token={MASK}&n=3",
    }


def test_settings_that_only_sound_like_secrets_stay() -> None:
    config = {
        "prompt_key": "prompt",
        "reward_fn_key": "data_source",
        "tokenizer": "path",
        "ppo_max_token_len_per_gpu": 20480,
        "pad_token": "<pad>",
        "loss_agg_mode": "token-mean",
        "imageKey": "images",
        "note": "data.prompt_key=prompt data.max_token=3",
    }
    assert mask_secrets(config) == config
