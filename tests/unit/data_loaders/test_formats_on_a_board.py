"""Files of every format under one root: found, named, joined, followed while they grow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from data_loaders.board import Board, BoardReader, BoardRun, Source
from data_loaders.cache import cached, refresh
from data_loaders.check import check_log, describe
from data_loaders.derive.canonical import curve
from data_loaders.raw_log import raw_log
from data_loaders.runs import missing_steps
from data_loaders.schema import Curve, Missing
from tests.unit.data_loaders.formats.foreign_logs import (
    FILES,
    LOSSES,
    REWARDS,
    event,
    nemo_rl,
    trainer_state,
    verl_jsonl,
    wandb_csv,
)

CONSOLE = "(TaskRunner pid=5) {'trainer': {'experiment_name': 'exp_a', 'project_name': 'math'}}\n"


def board_of(root: Path) -> Board:
    return BoardReader(Source((root,)), root.parent / "cache").read()


def put(path: Path, data: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def step_line(step: int, **values: float) -> str:
    return f"(TaskRunner pid=5) step:{step} - " + " - ".join(f"{k}:{v}" for k, v in values.items()) + "\n"


def record(step: int, **values: float | None) -> str:
    return json.dumps({"step": step, "data": values}) + "\n"


def values(run: BoardRun, key: str) -> dict[int, float]:
    series = run.view.series(key)
    assert series is not None, key
    return dict(zip(series.step.tolist(), series.value.tolist(), strict=True))


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, BoardRun]:
    """One run of each format, by format."""
    root = tmp_path_factory.mktemp("formats") / "logs"
    for path, data in FILES.values():
        put(root / path, data)
    board = board_of(root)
    assert not board.skipped
    assert not board.failures
    return {run.view.run.facts[0].format: run for run in board.runs}


def test_each_file_is_a_run_named_by_its_folder(every: Mapping[str, BoardRun]) -> None:
    assert {name: run.id for name, run in every.items()} == {
        name: path.partition("/")[0] for name, (path, _) in FILES.items()
    }
    assert {(run.view.run.first, run.view.run.last) for run in every.values()} == {(1, 4)}


CANONICAL = {
    "verl_jsonl": {"score_mean": REWARDS, "pg_loss": LOSSES},
    "tensorboard": {"score_mean": REWARDS, "pg_loss": LOSSES},
    "csv": {"score_mean": REWARDS, "pg_loss": LOSSES},
    "roll": {"score_mean": REWARDS, "pg_loss": LOSSES, "step_time": 9.5},
    "hf_trainer_state": {"score_mean": REWARDS, "loss": LOSSES, "kl_loss": {s: 0.5 * s for s in REWARDS}},
    "trl": {
        "score_mean": REWARDS, "loss": LOSSES, "grad_norm": 1.5, "lr": 1e-6, "entropy": 0.25,
        "response_length": {s: 100.0 + s for s in REWARDS}, "clip_share": 0.0, "truncation": 0.0,
    },
    "openrlhf": {
        "score_mean": REWARDS, "pg_loss": LOSSES, "kl_loss": 0.01, "lr": 1e-6, "grad_norm": 0.5,
        "response_length": {s: 200.0 + s for s in REWARDS}, "clip_share": 0.02,
    },
    "slime": {
        "score_mean": REWARDS, "loss": LOSSES, "clip_share": 0.01, "ppo_kl": 0.001, "grad_norm": 0.7,
        "lr": 1e-6, "response_length": {s: 300.0 + s for s in REWARDS}, "truncation": 0.0, "step_time": 30.5,
        "probs_diff": 0.02,
    },
    "nemo_rl": {
        "score_mean": REWARDS, "loss": {s: round(v, 4) for s, v in LOSSES.items()}, "response_length": 512.3,
        "rollout_kl": 0.0004, "step_time": 98.2,
    },
    "llamafactory": {"sft_loss": LOSSES, "lr": 1e-6, "epoch": {s: s / 4 for s in LOSSES}},
}  # fmt: skip


@pytest.mark.parametrize(("name", "metric"), [(n, m) for n, found in CANONICAL.items() for m in found])
def test_names_of_other_programs_are_the_same_metrics(
    every: Mapping[str, BoardRun], name: str, metric: str
) -> None:
    wanted = CANONICAL[name][metric]
    found = curve(every[name].view, metric)
    assert isinstance(found, Curve)
    expected = wanted if isinstance(wanted, dict) else dict.fromkeys(REWARDS, wanted)
    assert found.step.tolist() == list(expected)
    np.testing.assert_allclose(found.value, list(expected.values()), rtol=1e-7)


def test_a_loss_of_fine_tuning_is_no_loss_of_a_policy(every: Mapping[str, BoardRun]) -> None:
    missing = curve(every["llamafactory"].view, "loss")
    assert isinstance(missing, Missing)
    assert missing.why.key == "missing.sft"
    assert isinstance(curve(every["trl"].view, "sft_loss"), Missing)


def test_names_without_an_equal_keep_their_own(every: Mapping[str, BoardRun]) -> None:
    found = curve(every["nemo_rl"].view, "Validation Results/Accuracy")
    assert isinstance(found, Curve)
    assert (found.step.tolist(), found.value.tolist()) == ([4], [0.33])


def test_lines_of_a_step_can_be_shown(every: Mapping[str, BoardRun]) -> None:
    for name, run in every.items():
        (excerpt,) = raw_log(run.view, [3])
        assert excerpt.why == ("raw.binary" if name == "tensorboard" else ""), name
        if name != "tensorboard":
            assert any("0.375" in line.text or "-0.03" in line.text for line in excerpt.lines), name


def test_check_says_what_was_read_from_source_code_only(tmp_path: Path) -> None:
    for name, (path, data) in FILES.items():
        said = describe(check_log(put(tmp_path / path, data)))
        assert ("no real log" in said) == (name in ("openrlhf", "slime", "roll", "nemo_rl")), name
        assert "4 steps, 1 to 4" in said, name


# -- Several records of one training -------------------------------------------------------------------


def console(*steps: int, **more: float) -> str:
    return CONSOLE + "".join(step_line(s, a=s / 2, b=float(s), **more) for s in steps)


def test_jsonl_fills_the_gaps_of_the_console_log(tmp_path: Path) -> None:
    """The record lies where verl puts it: a folder by project, a file by experiment."""
    root = tmp_path / "logs"
    put(root / "exp_a" / "train.log", console(1, 2, 4))
    put(
        root / "math" / "exp_a.jsonl",
        "".join(record(s, a=s / 2, b=None if s == 2 else 9.0, c=s + 0.25) for s in (2, 3, 4, 5)),
    )
    (run,) = board_of(root).runs
    assert values(run, "a") == {1: 0.5, 2: 1.0, 3: 1.5, 4: 2.0, 5: 2.5}
    assert values(run, "b") == {1: 1.0, 2: 2.0, 3: 9.0, 4: 4.0, 5: 9.0}, "the console's word stands"
    assert values(run, "c") == {2: 2.25, 3: 3.25, 4: 4.25, 5: 5.25}
    series = run.view.series("a")
    assert series is not None
    assert series.recovered.tolist() == [False, False, True, False, True]
    assert (run.view.run.first, run.view.run.last, missing_steps(run.view)) == (1, 5, ())
    assert [Path(log).name for log in run.view.run.logs] == ["exp_a.jsonl", "train.log"]
    assert run.view.run.completed_by["a"] == "exp_a.jsonl"
    assert [(e.path.name, len(e.lines)) for e in raw_log(run.view, [3, 4])] == [
        ("exp_a.jsonl", 2),
        ("train.log", 1),
    ]


def test_what_was_filled_in_is_said(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    lines = [f"(TaskRunner pid=5) step:{s} - actor/entropy:0.5 - actor/grad_norm:1.0\n" for s in (1, 3)]
    put(root / "exp_a" / "train.log", CONSOLE + "".join(lines))
    put(root / "exp_a.jsonl", "".join(record(s, **{"actor/entropy": 0.5}) for s in (2, 3)))
    (run,) = board_of(root).runs
    found = curve(run.view, "entropy")
    assert isinstance(found, Curve)
    assert found.step.tolist() == [1, 2, 3]
    note = next(note for note in found.notes if note.key == "note.completed")
    assert dict(note.values) == {"n": 1, "file": "exp_a.jsonl"}


def test_a_resume_erases_the_record_and_not_the_run(tmp_path: Path) -> None:
    """verl begins the JSONL anew; the console log holds both launches."""
    root = tmp_path / "logs"
    again = "(TaskRunner pid=6) Setting global step to 2\n(TaskRunner pid=6) Resuming from x/global_step_2\n"
    text = console(1, 2, 3) + again + "".join(step_line(s, a=float(-s), b=0.0) for s in (3, 4))
    put(root / "exp_a" / "train.log", text)
    put(root / "exp_a" / "metrics.jsonl", record(3, a=-3.0, c=3.5) + record(4, a=-4.0, c=4.5))
    (run,) = board_of(root).runs
    assert values(run, "a") == {1: 0.5, 2: 1.0, 3: -3.0, 4: -4.0}
    assert values(run, "c") == {3: 3.5, 4: 4.5}
    every = run.view.series("c", "all")
    assert every is not None
    assert every.segment.tolist() == [1, 1]


def test_a_record_of_another_training_is_a_run_of_its_own(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    put(root / "exp_a" / "train.log", console(1, 2, 3))
    put(root / "exp_a" / "metrics.jsonl", "".join(record(s, a=100.0 + s, b=-7.0) for s in (1, 2, 3)))
    runs = board_of(root).runs
    assert [run.id for run in runs] == ["exp_a", "exp_a#2"]
    assert values(runs[1], "a") == {1: 101.0, 2: 102.0, 3: 103.0}


def test_two_logs_of_a_name_keep_a_record_apart(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    for folder in ("one", "two"):
        put(root / folder / "exp_a" / "train.log", console(1, 2))
    put(root / "records" / "exp_a.jsonl", record(1, a=0.5))
    assert len(board_of(root).runs) == 3


def test_event_files_of_restarts_are_one_run(tmp_path: Path) -> None:
    root = tmp_path / "logs" / "tb_run"
    first = [event(0, {}, 1e9), *(event(s, {"loss": float(s)}, 1e9 + s) for s in (1, 2, 3))]
    second = [event(0, {}, 2e9), *(event(s, {"loss": float(-s)}, 2e9 + s) for s in (3, 4))]
    put(root / "events.out.tfevents.1780000000.host.9.0", b"".join(first))
    put(root / "events.out.tfevents.1780009999.host.3.0", b"".join(second))
    (run,) = board_of(root.parent).runs
    assert run.id == "tb_run"
    assert values(run, "loss") == {1: 1.0, 2: 2.0, 3: -3.0, 4: -4.0}


def test_of_checkpoints_the_last_state_is_read(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    for number in (2, 10, 4):
        put(root / "hf_run" / f"checkpoint-{number}" / "trainer_state.json", trainer_state())
    board = board_of(root)
    (run,) = board.runs
    assert run.id == "hf_run"
    assert Path(run.view.run.logs[0]).parent.name == "checkpoint-10"
    assert {skip.reason_key for skip in board.skipped} == {"skip.older_state"}


def test_runs_of_one_table_have_names(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    put(root / "sweep.csv", '"Step","lr 1e-6 - a","lr 3e-6 - a"\n1,0.5,0.25\n2,0.5,\n')
    put(root / "late.csv", '"Step","one - a","two - a"\n50,0.5,0.25\n60,0.5,0.75\n')
    runs = {run.id: values(run, "a") for run in board_of(root).runs}
    assert runs == {
        "sweep/lr 1e-6": {1: 0.5, 2: 0.5},
        "sweep/lr 3e-6": {1: 0.25},
        "late/one": {50: 0.5, 60: 0.5},
        "late/two": {50: 0.25, 60: 0.75},
    }


def test_other_files_with_such_names_are_counted_and_not_listed(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    put(root / "exp_a" / "train.log", console(1))
    put(root / "exp_a" / "rollouts" / "1.jsonl", '{"input": "x"}\n')
    put(root / "data.jsonl", '{"prompt": "x"}\n')
    put(root / "scores.csv", "name,score\na,1\n")
    put(root / "config.json", "{}")
    board = board_of(root)
    assert [run.id for run in board.runs] == ["exp_a"]
    assert not board.skipped


# -- Live ----------------------------------------------------------------------------------------------

GROWING = {
    "jsonl": ("m.jsonl", verl_jsonl().encode(), "critic/score/mean"),
    "csv": ("m.csv", wandb_csv().encode(), "critic/score/mean"),
    "events": ("events.out.tfevents.1780000000.h", FILES["tensorboard"][1], "critic/score/mean"),
    "console": ("train.log", nemo_rl().encode(), "Training Results/Avg Reward"),
}


@pytest.mark.parametrize("name", sorted(GROWING))
def test_a_growing_file_is_read_on(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, data, key = GROWING[name]
    path = put(tmp_path / file, data[: len(data) // 2])
    cache = tmp_path / "cache"
    refresh(path, cache)
    with path.open("ab") as stream:
        stream.write(data[len(data) // 2 :])
    log = refresh(path, cache)
    assert log.column(key).values.tolist() == list(REWARDS.values())
    again = cached(path, cache)
    assert again is not None
    assert again.column(key).values.tolist() == list(REWARDS.values())
    assert again.facts == log.facts


def test_a_state_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = put(tmp_path / "trainer_state.json", trainer_state())
    cache = tmp_path / "cache"
    assert refresh(path, cache).lines().step.tolist() == [1, 2, 3, 4]
    longer = json.loads(trainer_state())
    longer["log_history"].append({"loss": 0.5, "reward": 0.75, "step": 5})
    path.write_text(json.dumps(longer, indent=2))
    log = refresh(path, cache)
    assert log.lines().step.tolist() == [1, 2, 3, 4, 5]
    assert log.column("reward").values.tolist()[-1] == 0.75


def test_a_state_read_while_it_is_written(tmp_path: Path) -> None:
    text = trainer_state()
    path = put(tmp_path / "trainer_state.json", text[: len(text) // 2])
    cache = tmp_path / "cache"
    half = refresh(path, cache)
    assert 0 < half.lines().step.size < 4
    assert half.facts.cut_lines
    with path.open("a") as stream:
        stream.write(text[len(text) // 2 :])
    whole = refresh(path, cache)
    assert whole.lines().step.tolist() == [1, 2, 3, 4]
    assert not whole.facts.cut_lines
