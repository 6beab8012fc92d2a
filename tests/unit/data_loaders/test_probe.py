"""What the start of a log says of its run."""

from __future__ import annotations

from pathlib import Path

from data_loaders.board_config import BoardConfig
from data_loaders.scan import scan
from data_loaders.scan.probe import content_hints, first_clock, probe_log

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


def test_look_into_a_log_of_a_known_format_and_into_other_files(tmp_path: Path) -> None:
    line = "\x1b[36m(TaskRunner pid=7)\x1b[0m "
    log = tmp_path / "a.log"
    log.write_text(
        f"2026-07-12 18:59:29,000 INFO worker.py:1747 -- Started a local Ray instance.\n"
        f"{line}{{'algorithm': {{'adv_estimator':\n{line} 'rloo'}}}}\n"
        f"{line}step:1 - actor/pg_loss:0.25 - actor/grad_norm:0.5 - timing_s/step:10.0\n"
    )
    found = probe_log(log)
    assert found.format is not None
    assert (found.hints, found.clock) == ({"estimator": "rloo"}, 1783882769.0)

    log.write_text("INFO starting web server\nGET / 200\n")
    assert probe_log(log).format is None


def test_damaged_archive_is_no_log(tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    log.write_bytes(b"\x1f\x8b\x08\x00 this is no archive")
    found = scan([log], BoardConfig())
    assert found.experiments == ()
    assert [skipped.reason_key for skipped in found.skipped] == ["skip.no_format"]
