"""What the start of a log says of its run."""

from __future__ import annotations

from data_loaders.probe import content_hints, first_clock

PRINTED = """\
{'actor_rollout_ref': {'actor': {'loss_agg_mode': 'token-mean',
                                 'policy_loss': {'loss_mode': 'vanilla'}},
                       'model': {'enable_gradient_checkpointing': True,
                                 'path': '/models/Qwen3.5-2B'}},
 'algorithm': {'adv_estimator': 'grpo'},
 'critic': {'model': {'path': '/models/critic'}},
 'data': {'train_files': ['/data/math/train.parquet', '/data/more.parquet']},
 'trainer': {'experiment_name': 'e1_grpo', 'project_name': 'verl_board'}}
"""


def test_hints_of_a_printed_config() -> None:
    assert content_hints(PRINTED) == {
        "experiment": "e1_grpo",
        "project": "verl_board",
        "estimator": "grpo",
        "loss_mode": "vanilla",
        "data": "/data/math/train.parquet",
        "model": "/models/Qwen3.5-2B",
    }


def test_hints_of_a_command_line() -> None:
    text = (
        "+ python3 -m verl.trainer.main_ppo algorithm.adv_estimator=rloo data.train_files=['a.parquet'] "
        'actor_rollout_ref.model.path="Qwen/Qwen3.5-4B" critic.model.path=other '
        "trainer.experiment_name=$NAME\n"
    )
    assert content_hints(text) == {"estimator": "rloo", "data": "a.parquet", "model": "Qwen/Qwen3.5-4B"}
    assert content_hints("nothing of the kind") == {}


def test_first_clock() -> None:
    assert first_clock("x 2026-13-41 10:00:00 y\n[2026-07-12 18:59:29] z 2027-01-01 00:00:00") == 1783882769.0
    assert first_clock("2026-07-12 only a date") is None
