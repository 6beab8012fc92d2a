"""The settings in which runs differ, and which runs are equal but for the seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from data_loaders.derive.variants import LONGEST, MOST, variants
from data_loaders.schema import Run
from tests.unit.data_loaders.fake_run import FakeRun

LR, SEED = "actor_rollout_ref.actor.optim.lr", "data.seed"


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    for path, value in settings.items():
        *parents, last = path.split(".")
        inner = config
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return config


def run(source: str = "config", /, **settings: Any) -> Run:
    """A run whose config holds `settings`, with `__` for the dots of a path."""
    config = nested({name.replace("__", "."): value for name, value in settings.items()})
    return replace(FakeRun(columns={}).run, config=config, config_source=source, track="2b")


def sweep(lr: float, seed: int | None, **more: Any) -> Run:
    return run(**{LR.replace(".", "__"): lr, "data__seed": seed, "trainer__total_epochs": 1, **more})


class TestSettings:
    def test_keys_that_differ_with_what_each_run_says(self) -> None:
        found = variants([sweep(1e-6, 1), sweep(5e-6, None)])
        assert found.keys == (LR, SEED)
        assert [one.settings for one in found.runs] == [
            {LR: "1e-6", SEED: "1"},
            {LR: "5e-6", SEED: "None"},
        ]

    def test_equal_numbers_are_one_value_and_a_word_is_no_number(self) -> None:
        found = variants([run(a__x=1), run(a__x=1.0), run(a__x="1"), run(a__x=True)])
        assert [one.settings and one.settings["a.x"] for one in found.runs] == ["1", "1", "'1'", "True"]

    def test_a_key_only_some_have_is_left_out_of_the_others(self) -> None:
        found = variants([run(a__x=1, a__y=2), run(a__y=2)])
        assert found.keys == ("a.x",)
        assert [one.settings for one in found.runs] == [{"a.x": "1"}, {}]

    def test_what_a_bare_command_line_does_not_name_is_no_difference(self) -> None:
        assert variants([run(a__x=1, a__y=2), run("overrides", a__y=2)]).keys == ()
        assert variants([run(a__x=1, a__y=2), run("overrides", a__y=3)]).keys == ("a.y",)

    def test_a_run_without_config_has_none(self) -> None:
        found = variants([sweep(1e-6, 1), run(), sweep(5e-6, 1)])
        assert found.runs[1] == (None, "")
        assert found.keys == (LR,)

    def test_secrets_are_not_told(self) -> None:
        secret = {"trainer__wandb_api_key": "a", "env__url": "http://me:pass@host/"}
        found = variants(
            [run(**secret, a__x=1), run(trainer__wandb_api_key="b", env__url="http://host/", a__x=2)]
        )
        assert found.keys == ("a.x",)
        assert "pass" not in repr(found)

    def test_of_many_keys_the_swept_ones_come_first_and_the_rest_is_counted(self) -> None:
        many = [{f"a__k{nth:02d}": value for nth in range(MOST + 5)} for value in (1, 2)]
        found = variants([sweep(1e-6, 1, **many[0]), sweep(5e-6, 1, **many[1])])
        assert found.keys[0] == LR
        assert (len(found.keys), found.left) == (MOST, 6)

    def test_long_values_are_short_and_still_differ(self) -> None:
        paths = ["/data/" + "x" * 60 + middle + "y" * 60 for middle in "ab"]
        found = variants([run(a__train_files=path) for path in paths])
        texts = [one.settings["a.train_files"] for one in found.runs if one.settings]
        assert len(set(texts)) == 2
        assert all(len(text) <= LONGEST + 5 for text in texts)

    def test_an_empty_dict_is_told_by_what_others_have_in_it(self) -> None:
        assert variants([run(a__kwargs={}), run(a__kwargs__len=2)]).keys == ("a.kwargs.len",)


class TestAlike:
    @pytest.mark.parametrize(
        "key",
        ["data.seed", "actor_rollout_ref.actor.data_loader_seed", "actor_rollout_ref.actor.fsdp_config.seed",
         "actor_rollout_ref.actor.megatron.seed", "actor_rollout_ref.rollout.seed", "trainer.seed", "seed"],
    )  # fmt: skip
    def test_runs_that_differ_in_a_seed_are_alike(self, key: str) -> None:
        one, other = (run(**{key.replace(".", "__"): seed, "a__x": 1}) for seed in (1, 2))
        found = variants([one, other])
        assert found.runs[0].alike == found.runs[1].alike != ""
        assert found.keys == (key,)

    @pytest.mark.parametrize(
        "key",
        ["trainer.experiment_name", "trainer.project_name", "trainer.default_local_dir", "trainer.logger",
         "trainer.rollout_data_dir", "trainer.save_freq", "trainer.test_freq", "trainer.resume_mode",
         "trainer.log_val_generations", "trainer.max_actor_ckpt_to_keep", "critic.checkpoint.save_contents",
         "global_profiler.steps", "ray_init.num_cpus", "reward.server.port", "trainer.date"],
    )  # fmt: skip
    def test_what_never_changes_training_neither_parts_runs_nor_is_told(self, key: str) -> None:
        found = variants([run(**{key.replace(".", "__"): value, "a__x": 1}) for value in ("one", "two")])
        assert found.runs[0].alike == found.runs[1].alike
        assert found.keys == ()

    @pytest.mark.parametrize(
        "key",
        [LR, "data.train_files", "data.val_files", "actor_rollout_ref.model.path", "trainer.total_epochs",
         "actor_rollout_ref.rollout.n", "custom_reward_function.path", "data.seeds_per_prompt"],
    )  # fmt: skip
    def test_anything_else_parts_them(self, key: str) -> None:
        found = variants([run(**{key.replace(".", "__"): value, "a__x": 1}) for value in ("one", "two")])
        assert found.runs[0].alike != found.runs[1].alike

    def test_three_seeds_of_two_rates_are_two_groups(self) -> None:
        found = variants([sweep(lr, seed) for lr in (1e-6, 5e-6) for seed in (1, 2, 3)])
        ids = [one.alike for one in found.runs]
        assert ids[0] == ids[1] == ids[2] != ids[3] == ids[4] == ids[5]

    def test_a_command_line_is_not_a_whole_config(self) -> None:
        found = variants([run(a__x=1), run("overrides", a__x=1)])
        assert found.runs[0].alike != found.runs[1].alike

    def test_the_41st_key_parts_runs_too(self) -> None:
        many = {f"a__k{nth:02d}": 1 for nth in range(MOST)}
        runs = [run(**many, z__last=0), run(**dict.fromkeys(many, 2), z__last=0), run(**many, z__last=1)]
        found = variants(runs)
        assert found.left == 1
        assert found.runs[0].alike != found.runs[2].alike
