"""The configuration that hydra leaves beside a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from components.present.detail_config import config_view
from components.text import said
from data_loaders.board import BoardReader, BoardRun, Source
from data_loaders.derive.config import get
from data_loaders.hydra_folder import MOST_BYTES, parse_yaml, read_hydra

LOG = "".join(f"step:{step} - actor/entropy:0.5 - actor/grad_norm:0.{step}\n" for step in range(1, 4))
YAML = """\
algorithm:
  adv_estimator: rloo
  use_kl_in_reward: false
actor_rollout_ref:
  model:
    path: /models/qwen
  actor:
    optim:
      lr: 1e-06
      min_lr_ratio: null
    use_kl_loss: true
    loss_agg_mode: token-mean
    tokenizer: ${actor_rollout_ref.model.path}
    use_torch_compile: ${oc.select:actor_rollout_ref.missing,true}
  rollout:
    n: 8
trainer:
  logger: [console, wandb]
  started: 2026-07-16
  default_local_dir: checkpoints/${trainer.project_name}/${now:%Y}
  project_name: aime
  nothing: ${trainer.itself}
  itself: ${trainer.nothing}
"""


def board(root: Path, cache: Path) -> tuple[BoardRun, ...]:
    return BoardReader(Source((root,)), cache).read().runs


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("inside", ["", "logs"])
def test_a_log_without_dump_takes_the_folder_beside_it(tmp_path: Path, inside: str) -> None:
    root = tmp_path / "archive"
    put(root / "first" / inside / "train_20260716_020000.log", LOG)
    put(root / "first/.hydra/config.yaml", YAML)
    (run,) = board(root, tmp_path / "cache")
    assert (run.detected.algorithm, run.detected.confidence) == ("rloo", "config")
    assert run.view.run.config_source == "hydra"
    view = config_view(run)
    for language in said(view.source):
        assert "first/.hydra/config.yaml" in language
    settings = {path: setting.text for path, setting in view.settings}
    assert settings["actor_rollout_ref.actor.optim.lr"] == "1e-06"


def test_what_the_log_itself_prints_stands_before(tmp_path: Path) -> None:
    root = tmp_path / "archive"
    dump = "{'algorithm': {'adv_estimator': 'grpo'}, 'trainer': {'n': 1}}\n"
    put(root / "a/train_20260716_020000.log", dump + LOG)
    put(root / "a/.hydra/config.yaml", YAML)
    words = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=remax data.seed=7\n"
    put(root / "b/train_20260716_020000.log", words + LOG)
    put(root / "b/.hydra/config.yaml", YAML)
    first, second = board(root, tmp_path / "cache")
    assert (first.detected.algorithm, first.view.run.config_source) == ("grpo", "config")
    assert (second.detected.algorithm, second.view.run.config_source) == ("remax", "hydra")
    assert get(second.view.run.config, "data.seed") == 7
    assert get(second.view.run.config, "actor_rollout_ref.rollout.n") == 8


def test_a_folder_of_several_experiments_says_nothing_of_any(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    for name in ("one.log", "two.log"):
        put(root / name, LOG)
    put(root / ".hydra/config.yaml", YAML)
    runs = board(root, tmp_path / "cache")
    assert [run.view.run.config_source for run in runs] == ["none", "none"]


def test_nothing_outside_the_roots_is_read(tmp_path: Path) -> None:
    log = put(tmp_path / "first/logs/train.log", LOG)
    put(tmp_path / "first/.hydra/config.yaml", YAML)
    assert read_hydra([log], [tmp_path / "first/logs"]) is None
    elsewhere = put(tmp_path / "elsewhere.yaml", YAML)
    (tmp_path / "first/logs/.hydra").mkdir()
    (tmp_path / "first/logs/.hydra/config.yaml").symlink_to(elsewhere)
    assert read_hydra([log], [tmp_path / "first/logs"]) is None
    assert read_hydra([log], [tmp_path]) is not None


def test_values_are_read_as_hydra_reads_them() -> None:
    config: dict[str, Any] = parse_yaml(YAML)
    assert get(config, "actor_rollout_ref.actor.optim.lr") == 1e-6
    assert get(config, "actor_rollout_ref.actor.optim.min_lr_ratio", "absent") is None
    assert get(config, "trainer.started") == "2026-07-16"
    assert get(config, "trainer.logger") == ["console", "wandb"]


def test_interpolations_are_filled_in_as_far_as_they_go() -> None:
    config: dict[str, Any] = parse_yaml(YAML)
    assert get(config, "actor_rollout_ref.actor.tokenizer") == "/models/qwen"
    assert get(config, "actor_rollout_ref.actor.use_torch_compile") is True
    assert get(config, "trainer.default_local_dir") == "checkpoints/aime/${now:%Y}"
    assert get(config, "trainer.nothing").startswith("${trainer.")


@pytest.mark.parametrize(
    "text",
    ["", "a: [", "a: b: c", "- 1\n- 2\n", "&a [*a, *a]", "a: &x [1]\nb: *x\n", "[" * 5000, "\x00\x01",
     "!!python/object:os.system {}"],
)  # fmt: skip
def test_what_is_no_plain_configuration_gives_none(tmp_path: Path, text: str) -> None:
    log = put(tmp_path / "train.log", LOG)
    put(tmp_path / ".hydra/config.yaml", text)
    assert read_hydra([log], [tmp_path]) is None


def test_a_file_too_large_for_a_configuration_is_not_read(tmp_path: Path) -> None:
    log = put(tmp_path / "train.log", LOG)
    put(tmp_path / ".hydra/config.yaml", "a: " + "x" * MOST_BYTES)
    assert read_hydra([log], [tmp_path]) is None
