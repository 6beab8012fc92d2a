"""The details of a run: what its config says, where runs differ, what every key is, how its logs end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callbacks.detail import drawer
from components.detail_view import MetricRow, Setting
from components.present.detail import LAST_STEPS, Opened, opened, raw_view
from components.present.detail_config import LONGEST, config_view, differences_view
from components.present.detail_metrics import metrics_view
from components.present.figures import MOST_PINS, pins, selection
from components.present.runs import infos
from components.text import TEXT, said
from components.tree import tree
from data_loaders.board import Board, BoardRun, Source
from data_loaders.derive.algorithm import detect
from data_loaders.derive.config import value_text
from data_loaders.derive.secrets import MASK
from data_loaders.derive.settings import configured
from data_loaders.derive.status import pace
from data_loaders.runs import assemble
from data_loaders.scan import Experiment
from data_loaders.schema import Launch, Note
from tests.unit.data_loaders.test_runs import log

TOKEN = "hf_abcdefghijklmnopqrst"
ACTOR = {"optim": {"lr": 1e-6}, "clip_ratio_high": 0.28, "loss_agg_mode": "token-mean", "use_kl_loss": False}


def config(**changes: Any) -> dict[str, Any]:
    """A small config dump; `trainer` and `actor` are merged into it."""
    trainer = {"experiment_name": "a", "save_freq": 25} | changes.get("trainer", {})
    actor = ACTOR | changes.get("actor", {})
    return {
        "actor_rollout_ref": {"actor": actor, "rollout": {"n": 8}},
        "algorithm": {"adv_estimator": "grpo"},
        "trainer": trainer,
    }


def run_of(
    name: str,
    dump: dict[str, Any] | None = None,
    overrides: tuple[str, ...] = (),
    rows: list[tuple[int, dict[str, float]]] | None = None,
    launches: list[tuple[int, Launch]] | None = None,
) -> BoardRun:
    """A run with a label of its own on the same track."""
    made = log(rows or [(1, {"actor/lr": 1e-6})], name=f"{name}.log", launches=launches)
    facts = replace(made.facts, config_text=repr(dump) if dump else "", overrides=overrides)
    (view,) = assemble(
        Experiment(name, Path(), (), label=name.upper(), track="2b", algorithm="unknown"),
        [replace(made, facts=facts)],
    )
    view = replace(view, run=configured(view.run))
    detected = detect(view.run.config, name, view, source=view.run.config_source)
    return BoardRun(
        view=view, version="1", content="1", detected=detected, pace=pace(view), episodes=(), modified=None
    )


def board_of(*runs: BoardRun) -> Board:
    return Board(Source(roots=()), runs=runs)


def differ(*runs: BoardRun) -> dict[str, tuple[Any, ...]]:
    """Path → texts of the cells, message keys as they are."""
    view = differences_view(runs, infos(board_of(*runs)))
    return {row.path: tuple(c.text if isinstance(c, Setting) else c for c in row.cells) for row in view.rows}


class TestConfig:
    def test_every_setting_by_path_with_its_source(self) -> None:
        view = config_view(run_of("a", config()))
        settings = dict(view.settings)
        assert settings["actor_rollout_ref.actor.clip_ratio_high"] == Setting("0.28")
        assert settings["actor_rollout_ref.actor.optim.lr"] == Setting("1e-06")
        assert [path for path, _ in view.settings] == sorted(settings)
        assert len(settings) == 8
        assert view.source == Note("config.source.config", {"file": "a.log"})

    def test_secrets_are_masked_wherever_they_stand(self) -> None:
        dump = config(trainer={"wandb_api_key": "abc123", "env": {"note": f"use {TOKEN}"}, "password": ""})
        view = config_view(run_of("a", dump))
        settings = dict(view.settings)
        assert settings["trainer.wandb_api_key"] == Setting(MASK, "secret")
        assert settings["trainer.env.note"] == Setting(f"use {MASK}", "secret")
        assert settings["trainer.password"].kind == ""
        assert view.secrets == 2
        assert TOKEN not in repr(view)
        assert "abc123" not in repr(view)

    def test_paths_and_names_are_marked(self) -> None:
        dump = config(
            trainer={"default_local_dir": "checkpoints/a", "files": ["/data/a.parquet"], "uri": "s3://b/c"}
        )
        settings = dict(config_view(run_of("a", dump)).settings)
        kinds = {path: setting.kind for path, setting in settings.items() if path.startswith("trainer.")}
        assert kinds == {
            "trainer.default_local_dir": "path", "trainer.files": "path", "trainer.uri": "path",
            "trainer.experiment_name": "name", "trainer.save_freq": "",
        }  # fmt: skip

    def test_a_long_value_is_cut_and_says_so(self) -> None:
        settings = dict(config_view(run_of("a", config(trainer={"note": "x" * 5000}))).settings)
        assert len(settings["trainer.note"].text) == LONGEST
        assert settings["trainer.note"].cut == 5000 - LONGEST

    @pytest.mark.parametrize(
        ("value", "text"),
        [("token-mean", "token-mean"), ("None", "'None'"), ("0.5", "'0.5'"), ("", "''"), (" a", "' a'"),
         (None, "None"), (True, "True"), (1e-6, "1e-06"), ({}, "{}"), (["a", 1], "['a', 1]")],
    )  # fmt: skip
    def test_text_is_told_from_what_it_looks_like(self, value: Any, text: str) -> None:
        assert value_text(value) == text

    def test_a_command_line_and_nothing_at_all_are_told_apart(self) -> None:
        bare = config_view(run_of("a", overrides=("data.train_batch_size=32",)))
        assert bare.source == Note("config.source.overrides", {"file": "a.log"})
        assert bare.settings == (("data.train_batch_size", Setting("32")),)
        nothing = config_view(run_of("b"))
        assert nothing.settings == ()
        assert nothing.source.key == "config.source.none"
        assert nothing.detection.confidence == "confidence.none"

    def test_how_the_algorithm_was_recognised(self) -> None:
        dump = config()
        dump["algorithm"]["filter_groups"] = {"enable": True}
        dump["reward"] = {"reward_kwargs": {"overlong_buffer_cfg": {"enable": True, "len": None}}}
        detection = config_view(run_of("a", dump)).detection
        assert detection.name == "DAPO"
        assert detection.estimator == "grpo"
        assert detection.confidence == "confidence.config"
        parts = {said(part.name)[1]: part.state for part in detection.parts}
        assert parts["Clip-higher (0.2 / 0.28)"] == "part_state.on"
        assert parts["Dynamic sampling"] == "part_state.not_executed"
        assert parts["Overlong penalty (buffer —, up to −1)"] == "part_state.on"
        assert parts["No standard deviation"] == "part_state.off"
        assert [said(one)[1] for one in detection.warnings] == [
            "Dynamic sampling is configured, but no log line shows that it ran"
        ]
        assert "no KL" in [said(one)[1] for one in detection.remarks]

    def test_a_part_that_is_off_has_no_open_places(self) -> None:
        dump = config(actor={"clip_ratio_high": 0.2})
        names = [said(part.name) for part in config_view(run_of("a", dump)).detection.parts]
        assert not any("{" in text for pair in names for text in pair)
        assert ("放宽上裁剪", "Clip-higher") in names


class TestDifferences:
    def test_only_what_differs(self) -> None:
        one = config(trainer={"save_freq": 16})
        two = config(actor={"clip_ratio_high": 0.2})
        assert differ(run_of("a", one), run_of("b", two)) == {
            "actor_rollout_ref.actor.clip_ratio_high": ("0.28", "0.2"),
            "trainer.save_freq": ("16", "25"),
        }

    def test_equal_settings_are_counted(self) -> None:
        view = differences_view(
            (run_of("a", config()), run_of("b", config(trainer={"save_freq": 16}))),
            infos(board_of(run_of("a"), run_of("b"))),
        )
        assert (len(view.rows), view.same) == (1, 7)

    def test_a_key_that_is_not_there_differs_from_none(self) -> None:
        assert differ(run_of("a", config(trainer={"seed": None})), run_of("b", config())) == {
            "trainer.seed": ("None", "value.absent")
        }

    def test_an_empty_group_is_told_by_what_stands_in_the_other(self) -> None:
        one, two = config(trainer={"extra": {}}), config(trainer={"extra": {"a": 1}})
        assert differ(run_of("a", one), run_of("b", two)) == {"trainer.extra.a": ("value.absent", "1")}

    def test_secrets_that_differ_are_masked_in_all(self) -> None:
        one = config(trainer={"auth": {"secret": {"id": "alice"}}, "api_key": "one"})
        two = config(trainer={"auth": {"secret": {"id": "bob"}}, "api_key": "two"})
        runs = (run_of("a", one), run_of("b", two))
        view = differences_view(runs, infos(board_of(*runs)))
        assert [(row.path, row.kind) for row in view.rows] == [
            ("trainer.api_key", "secret"), ("trainer.auth.secret.id", "secret"),
        ]  # fmt: skip
        assert {cell for row in view.rows for cell in row.cells} == {Setting(MASK, "secret")}

    def test_of_a_command_line_only_what_it_names_counts(self) -> None:
        bare = run_of("b", overrides=("trainer.save_freq=16", "trainer.experiment_name=a"))
        view = differences_view((run_of("a", config()), bare), infos(board_of(run_of("a"), bare)))
        assert [row.path for row in view.rows] == ["trainer.save_freq"]
        assert [info.label for info in view.partial] == ["B"]

    def test_a_third_run_shows_what_a_command_line_leaves_open(self) -> None:
        runs = (
            run_of("a", config()),
            run_of("b", config(trainer={"save_freq": 16})),
            run_of("c", overrides=("x=1",)),
        )
        assert differ(*runs)["trainer.save_freq"] == ("25", "16", "value.unstated")

    def test_runs_without_config_are_named_and_left_out(self) -> None:
        runs = (run_of("a", config()), run_of("b"), run_of("c", config(trainer={"save_freq": 1})))
        view = differences_view(runs, infos(board_of(*runs)))
        assert [info.label for info in view.runs] == ["A", "C"]
        assert [info.label for info in view.without] == ["B"]
        assert [row.path for row in view.rows] == ["trainer.save_freq"]

    def test_the_selected_runs_of_the_track_are_compared_the_open_one_always(self) -> None:
        board = board_of(run_of("a"), run_of("b"), run_of("c"))
        key = infos(board)["b"].key

        def compared(exp: list[str] | None) -> list[str]:
            found = opened(board, key, {"exp": exp}, None)
            assert found is not None
            return [run.id for run in found.compared]

        assert compared(None) == ["a", "b", "c"]
        assert compared(["C"]) == ["b", "c"]
        assert compared(["a", "nothing"]) == ["a", "b"]
        assert opened(board, "r00000", {}, None) is None

    def test_selected_runs_of_other_pages_are_compared_on_request(self) -> None:
        far = run_of("d", config(trainer={"save_freq": 16}))
        far = replace(far, view=replace(far.view, run=replace(far.view.run, track="4b")))
        board = board_of(run_of("a", config()), run_of("b"), far)
        found = opened(board, infos(board)["a"].key, {"exp": ["D"]}, None)
        assert found is not None
        assert [run.id for run in found.compared] == ["a"]
        assert [run.id for run in found.everywhere] == ["a", "d"]
        answer = drawer(board, {"what": "everywhere", "run": found.info.key}, {"exp": ["D"]}, None)
        text = json.dumps(tree(answer[1]), ensure_ascii=False)
        assert "trainer.save_freq" in text
        assert " 4b" in text
        assert "trainer.save_freq" not in json.dumps(
            tree(drawer(board, {"what": "differences", "run": found.info.key}, {"exp": ["D"]}, None)[1])
        )


def rows_of(run: BoardRun) -> dict[str, MetricRow]:
    return {row.key: row for _, rows in metrics_view(run.view).groups for row in rows}


class TestMetrics:
    def test_every_key_once_by_prefix(self) -> None:
        cells = {"b/two": 1.0, "alone": 1.0, "a/one": 1.0, "b/one": 1.0, "zz": 2.0}
        view = metrics_view(run_of("a", rows=[(1, cells)]).view)
        assert [(prefix, [row.key for row in rows]) for prefix, rows in view.groups] == [
            ("", ["alone", "zz"]), ("a/", ["a/one"]), ("b/", ["b/one", "b/two"]),
        ]  # fmt: skip
        assert (view.count, view.steps) == (5, 1)

    def test_last_value_count_and_steps_it_was_seen_on(self) -> None:
        rows = [
            (step, {"x/a": step / 10} | ({"x/v": 0.5} if step % 2 == 0 else {})) for step in (1, 2, 3, 4, 5)
        ]
        found = rows_of(run_of("a", rows=rows))
        assert (found["x/a"].last, found["x/a"].last_step, found["x/a"].count, found["x/a"].seen) == (
            0.5,
            5,
            5,
            5,
        )
        assert (found["x/v"].last_step, found["x/v"].count, found["x/v"].seen) == (4, 2, 2)

    def test_superseded_values_are_counted_and_not_seen(self) -> None:
        rows = [(1, {"x/a": 1.0}), (2, {"x/a": 2.0}), (3, {"x/a": 3.0}), (2, {"x/a": 9.0})]
        run = run_of("a", rows=rows, launches=[(0, Launch(1, "fresh")), (3, Launch(9, "resume", 1))])
        found = rows_of(run)["x/a"]
        assert (found.count, found.seen, found.last, found.last_step) == (4, 2, 9.0, 2)

    def test_not_a_number_is_a_value_and_is_told(self) -> None:
        rows = [(1, {"x/a": 1.0}), (2, {"x/a": float("nan")}), (3, {"x/a": float("inf")})]
        found = rows_of(run_of("a", rows=rows))["x/a"]
        assert found.count == 3
        assert found.last == float("inf")
        assert found.not_finite == Note("note.not_finite", {"n": 2, "step": 2})

    def test_what_a_key_means_and_what_is_computed_from_it(self) -> None:
        keys = [
            "actor/grad_norm", "critic/score/mean", "actor/entropy",
            "training/rollout_actor_probs_pearson_corr", "timing_s/agent_loop/slowest/response_length",
            "my/own",
        ]  # fmt: skip
        found = rows_of(run_of("a", rows=[(1, dict.fromkeys(keys, 0.5))]))
        told = {
            key: (row.metric.name if row.metric else "", [m.name for m in row.sources], row.family)
            for key, row in found.items()
        }
        assert told == {
            "actor/grad_norm": ("grad_norm", [], ""),
            "critic/score/mean": ("score_mean", ["pass_rate", "pass_rate_bound"], ""),
            "training/rollout_actor_probs_pearson_corr": ("", ["deviation"], ""),
            "actor/entropy": ("entropy", ["entropy"], ""),
            "timing_s/agent_loop/slowest/response_length": ("", [], "family.slowest"),
            "my/own": ("", [], ""),
        }

    def test_a_key_named_like_a_metric_is_not_that_metric(self) -> None:
        assert rows_of(run_of("a", rows=[(1, {"pass_rate": 1.0})]))["pass_rate"].metric is None

    def test_families_have_texts(self) -> None:
        from components.present.detail_metrics import FAMILIES

        assert {key for _, key in FAMILIES} <= set(TEXT)


class TestPins:
    def test_names_once_in_order(self) -> None:
        assert pins({"pin": ["b", "a/x", "b"]}) == ("b", "a/x")
        assert selection({"pin": ["entropy"]}).pins == ("entropy",)

    @pytest.mark.parametrize("raw", [{}, {"pin": None}, {"pin": "abc"}, {"pin": [1, None, "", "x" * 1001]}])
    def test_what_is_no_name_is_left_out(self, raw: dict[str, Any]) -> None:
        assert pins(raw) == ()

    def test_no_more_than_a_page_holds(self) -> None:
        assert len(pins({"pin": [f"x/{n}" for n in range(200)]})) == MOST_PINS


class TestRaw:
    @pytest.fixture
    def asked(self, tmp_path: Path) -> Opened:
        from tests.unit.components.present.boards import read_board, write_log

        steps = {"actor/lr": dict.fromkeys(range(1, 21), 1e-6)}
        write_log(tmp_path / "logs", "e1", steps)
        board = read_board(tmp_path / "logs", tmp_path / "cache")
        found = opened(board, infos(board)[board.runs[0].id].key, {}, None)
        assert found is not None
        return found

    def test_the_last_steps_without_a_range(self, asked: Opened) -> None:
        view = raw_view(asked)
        assert view.chosen is None
        assert [line.step for line in view.excerpts[0].lines] == list(range(20, 20 - LAST_STEPS, -1))[::-1]

    def test_the_steps_of_a_chosen_range(self, asked: Opened) -> None:
        view = raw_view(replace(asked, steps=(5, 7)))
        assert [(line.step, line.text) for line in view.excerpts[0].lines] == [
            (step, f"(TaskRunner pid=1) step:{step} - actor/lr:1e-06") for step in (5, 6, 7)
        ]
        assert view.chosen == (5, 7)

    def test_a_range_without_a_line(self, asked: Opened) -> None:
        assert raw_view(replace(asked, steps=(90, 99))).excerpts == ()

    def test_the_end_of_the_file(self, asked: Opened) -> None:
        view = raw_view(asked)
        ((_, lines),) = view.tails
        assert lines is not None
        assert lines[-1] == "(TaskRunner pid=1) step:20 - actor/lr:1e-06"

    def test_a_log_that_is_gone_says_so(self, asked: Opened) -> None:
        Path(asked.run.view.run.logs[0]).unlink()
        view = raw_view(asked)
        assert view.tails[0].lines is None
        assert view.excerpts[0].why == "raw.unreadable"
