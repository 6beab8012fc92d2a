"""JSONL, trainer states, dict lines of Hugging Face trainers: what each may hold, and real ones."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.unit.data_loaders.formats.feeding import assert_any_chunking, claimed, read
from tests.unit.data_loaders.formats.foreign_logs import trainer_state, trl, verl_jsonl


class TestVerlJsonl:
    def test_null_is_nan_and_absence_is_none(self) -> None:
        text = '{"step":1,"data":{"a":null,"b":1}}\n{"step":2,"data":{"b":NaN,"mode":"x","list":[1]}}\n'
        log = read(text, "m.jsonl")
        assert str(log.cells("a")) == "[(1, nan)]"
        assert str(log.cells("b")) == "[(1, 1.0), (2, nan)]"
        assert set(log.columns) == {"a", "b"}
        assert log.facts.remarks == ("report.words",)

    def test_values_are_those_json_reads(self) -> None:
        values = {"x": 0.1, "y": -1e-300, "z": 12345678901234567890, "t": True, "deep": {"er": 2.5}}
        log = read(json.dumps({"step": 7, "data": values}) + "\n", "m.jsonl")
        found = {key: log.cells(key) for key in log.columns}
        assert found == {
            "x": [(7, 0.1)], "y": [(7, -1e-300)], "z": [(7, float(12345678901234567890))], "t": [(7, 1.0)],
            "deep/er": [(7, 2.5)],
        }  # fmt: skip

    def test_two_writers_at_once(self) -> None:
        text = verl_jsonl() + '{"step":5,"da{"step": 6, "data": {"critic/score/mean": 0.75}}\nta":{"a":1}}\n'
        log = read(text, "m.jsonl")
        assert log.cells("critic/score/mean")[-1] == (6, 0.75)
        assert [(item.line, item.why) for item in log.facts.rejected] == [
            (5, "rejected.no_record"),
            (6, "rejected.no_record"),
        ]

    def test_the_last_line_while_it_is_written(self) -> None:
        whole = verl_jsonl()
        log = read(whole[:-9], "m.jsonl")
        assert (log.steps, log.facts.cut_lines) == ([1, 2, 3], (4,))
        assert read(whole.rstrip("\n"), "m.jsonl").steps == [1, 2, 3, 4]

    def test_steps_that_are_none(self) -> None:
        bad = ["-1", "1.5", "true", '"3"', "1e30", "null"]
        text = verl_jsonl() + "".join(f'{{"step":{step},"data":{{"a":1}}}}\n' for step in bad)
        log = read(text, "m.jsonl")
        assert log.steps == [1, 2, 3, 4]
        assert log.facts.rejected_count == len(bad)


class TestTrainerState:
    def test_entries_of_every_kind(self) -> None:
        history = [
            {"loss": 0.5, "epoch": 0.1, "step": 10},
            {"eval_loss": 0.25, "epoch": 0.1, "step": 10},
            {"train_runtime": 9.5, "total_flos": 1e18, "step": 20},
        ]
        log = read(json.dumps({"log_history": history, "max_steps": 20}), "trainer_state.json")
        assert (log.cells("loss"), log.cells("eval_loss")) == ([(10, 0.5)], [(10, 0.25)])
        assert log.cells("train_runtime") == [(20, 9.5)]
        assert (log.facts.planned_steps, log.facts.kind) == (20, "sft")

    def test_a_document_cut_short_gives_its_whole_entries(self) -> None:
        text = trainer_state()
        log = read(text[: text.rindex('"kl"')], "trainer_state.json")
        assert log.steps == [1, 2, 3]
        assert len(log.facts.cut_lines) == 1

    def test_lines_and_places_are_those_of_the_file(self) -> None:
        text = trainer_state().replace('"reward"', '"奖励"')
        log = read(text, "trainer_state.json")
        assert log.cells("奖励")[0] == (1, 0.25)
        data = text.encode()
        for at, size, line in zip(log.lines.offset, log.lines.length, log.lines.line, strict=True):
            assert data[at : at + 1] + data[at + size - 1 : at + size] == b"{}"
            assert data[:at].count(b"\n") + 1 == line

    def test_escaped_names(self) -> None:
        log = read('{"log_history": [{"\\u5956\\ud800": 1.5, "step": 1}]}', "trainer_state.json")
        assert list(log.columns) == ["奖?"]


class TestTrl:
    def test_steps_come_from_the_bar(self) -> None:
        text = "".join(
            f"\r 1%| | {step}/500 [00:01<09:59, 1s/it]\r{{'loss': 0.5, 'epoch': 0.1}}\n"
            for step in (10, 20, 30)
        )
        log = read(text, "train.log")
        assert log.steps == [10, 20, 30]
        assert log.facts.planned_steps == 500
        assert "report.steps_inferred" in log.facts.remarks

    def test_without_a_bar_lines_are_counted(self) -> None:
        log = read("{'loss': 0.5, 'epoch': 0.1}\n" * 3, "train.log")
        assert log.steps == [1, 2, 3]

    def test_a_bar_that_lags_is_not_followed_back(self) -> None:
        text = (
            " 1%| | 10/50 [00:01<00:09]\n{'loss': 1.0, 'epoch': 0.2}\n"
            " 1%| | 20/50 [00:01<00:09]\n{'loss': 0.5, 'epoch': 0.4}\n{'loss': 0.25, 'epoch': 0.6}\n"
        )
        assert read(text, "train.log").steps == [10, 20, 30]

    def test_bars_of_loading_and_evaluation_do_not_count(self) -> None:
        text = trl()
        evaluation = "".join(f"\r 10%| | {n}/999 [00:01<00:09]" for n in range(40)) + "\n"
        log = read(text.replace("\n\r", "\n" + evaluation + "\r"), "train.log")
        assert log.steps == [1, 2, 3, 4, 4]

    def test_many_bars_on_a_line(self) -> None:
        bars = "".join(f"\r  0%| | {0}/60 [00:{n:02}<?, ?it/s]" for n in range(60))
        log = read(f"{bars}\r  1%| | 1/60 [00:59<58:00]\r{{'loss': 0.5, 'epoch': 0.01}}\n", "train.log")
        assert log.steps == [1]

    def test_bare_nan_negative_zero_and_quoted_numbers(self) -> None:
        log = read("{'loss': -0.0, 'grad_norm': nan, 'learning_rate': '1e-06', 'epoch': '0.5'}\n", "a.log")
        assert math.copysign(1, log.cells("loss")[0][1]) == -1
        assert math.isnan(log.cells("grad_norm")[0][1])
        assert log.cells("learning_rate") == [(1, 1e-06)]

    def test_old_and_new_names(self) -> None:
        old = "{'loss': 0.1, 'completion_length': 9.0, 'kl': 0.5, 'rewards/f': 1, 'reward': 1, 'epoch': 0}\n"
        log = read(old, "a.log")
        assert set(log.columns) == {"loss", "completion_length", "kl", "rewards/f", "reward", "epoch"}
        assert log.facts.kind == "rl"

    def test_two_runs_in_a_file(self) -> None:
        log = read(trl() + trl(), "train.log")
        assert log.cells("loss") == [(1, 0.9), (2, 0.0625), (3, -0.03), (4, 0.01)] * 2
        assert [launch.kind for launch in log.facts.launches] == ["fresh"]
        assert log.lines.launch.tolist() == [-1] * 5 + [0] * 5
        assert log.facts.end == "finished"

    def test_an_evaluation_stands_at_the_step_before_it(self) -> None:
        text = "{'loss': 0.5, 'epoch': 0.5}\n{'eval_loss': 0.25, 'eval_runtime': 3.0, 'epoch': 0.5}\n"
        log = read(text + "{'loss': 0.4, 'epoch': 1.0}\n", "train.log")
        assert log.cells("eval_loss") == [(1, 0.25)]
        assert log.cells("loss") == [(1, 0.5), (2, 0.4)]

    def test_a_cut_line_and_another_dict(self) -> None:
        text = trl() + "{'sample': 'what', 'loss': 'none'}\n{'loss': 0.125, 'grad_norm': 0.2"
        log = read(text, "train.log")
        assert log.cells("loss")[-1] == (1, 0.125)
        assert log.facts.cut_lines == (len(text.split("\n")),)
        assert_any_chunking(claimed(text.encode(), "train.log"), text.encode(), rounds=30)


@pytest.mark.corpus
class TestRealFiles:
    def test_llamafactory(self, corpus: Path) -> None:
        data = (corpus / "llamafactory__trainer_log.jsonl").read_bytes()
        log = read(data, "trainer_log.jsonl")
        records = [json.loads(line) for line in data.splitlines()]
        assert log.steps == [record["current_steps"] for record in records]
        assert len(log.steps) == 202
        for key in ("loss", "accuracy", "lr", "epoch", "percentage"):
            assert log.cells(key) == [(record["current_steps"], record[key]) for record in records]
        assert set(log.columns) == {"loss", "accuracy", "lr", "epoch", "percentage"}
        assert log.facts.planned_steps == 5100
        assert_any_chunking(claimed(data, "trainer_log.jsonl"), data, rounds=4)

    def test_unsloth(self, corpus: Path) -> None:
        data = (corpus / "unsloth__trainer_state.json").read_bytes()
        log = read(data, "trainer_state.json")
        history = json.loads(data)["log_history"]
        assert len(history) == 250
        keys = {key for entry in history for key in entry} - {"step"}
        assert set(log.columns) == keys
        for key in keys:
            wanted = [(entry["step"], float(entry[key])) for entry in history if key in entry]
            assert log.cells(key) == wanted, key
        assert (log.facts.planned_steps, log.facts.kind) == (250, "rl")
