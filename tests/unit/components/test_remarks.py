"""Remarks on meaning and noise beside charts, pairs of runs, agreement at the first step, health rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from components.charts import CHARTS
from components.pair_section import pair_section
from components.present.first_step import agreements
from components.present.rules import rule_notes
from components.present.runs import infos, of_track
from components.text import said
from components.tree import nodes
from components.view import RunRow, Selection
from data_loaders.board import Board, BoardReader, Source
from data_loaders.board_config import load_config
from data_loaders.derive.intervals import batch_pass_error
from data_loaders.schema import Json
from tests.unit.components.runs import chart_run, stepless, unpacked

SUMMED = "seq-mean-token-sum-norm"


def config(**actor: Any) -> dict[str, Any]:
    return {
        "algorithm": {"adv_estimator": "grpo"},
        "data": {"train_batch_size": 32, "max_response_length": 1000, "train_files": "a"},
        "actor_rollout_ref": {"actor": actor, "rollout": {"n": 8}},
    }


def build(name: str, *runs: Any, group: str = "comparison", units: Any = "token") -> Json:
    one = next(chart for chart in CHARTS if chart.name == name and chart.group == group)
    return one.build(one, runs, Selection(units=units))


def differs(figure: Json) -> dict[str, dict[str, str]]:
    """Aspect → run → what holds, in English."""
    return {
        part["name"][1]: {key: value[1] for key, value in part["of"].items()}
        for badge in figure["meta"]["badges"]
        for part in badge.get("differs", ())
    }


def columns(entropy: float = 0.4) -> dict[str, Any]:
    cells = {"actor/entropy": entropy, "response_length/mean": 500.0, "actor/grad_norm": 0.3}
    return {key: (value,) * 20 for key, value in cells.items()}


def test_remarks_name_what_holds_for_each_run() -> None:
    plain = chart_run("E1", columns=columns(), config=config())
    summed = chart_run("E3", (3, 0), columns=columns(0.2), config=config(loss_agg_mode=SUMMED))
    one, other = plain.info.key, summed.info.key
    found = differs(build("grad_norm", plain, summed))
    assert found == {"aggregation": {one: "token-mean", other: f"{SUMMED} (÷ 1000)"}}
    assert differs(build("response_length", plain, summed)) == {}
    assert differs(build("entropy", plain, summed)) == {}
    assert list(differs(build("entropy", plain, summed, units="logged"))) == ["aggregation"]


def test_a_chart_of_one_run_and_of_equal_runs_says_nothing() -> None:
    plain, same = (chart_run(label, columns=columns(), config=config()) for label in ("E1", "E2"))
    assert differs(build("grad_norm", plain)) == {}
    assert differs(build("grad_norm", plain, same)) == {}


def test_error_of_one_step_stands_beside_the_pass_rate() -> None:
    rng = np.random.default_rng(0)
    cells = {
        "critic/score/mean": (2 * rng.binomial(256, 0.6, 60) / 256 - 1).tolist(),
        "critic/score/min": (-1.0,) * 60,
        "critic/score/max": (1.0,) * 60,
    }
    run = chart_run("E1", columns=cells, config=config())
    figure = build("pass_rate", run)
    (badge,) = [one for one in figure["meta"]["badges"] if one["text"][1].startswith("step ±")]
    late = (np.array(cells["critic/score/mean"])[-10:].mean() + 1) / 2
    assert badge["text"][1] == f"step ±{100 * float(batch_pass_error(late)):.1f}"
    # 256 independent answers at 60 % scatter by 3.06 points, as with answers that are not correlated.
    assert "measured ±3" in badge["title"][1] or "measured ±2.9" in badge["title"][1]


# ---- pairs ----


def pair(*runs: Any, name: str = "entropy") -> Json:
    return build(name, *runs, group="pair")


def test_a_pair_gets_every_run_at_its_own_steps() -> None:
    short = chart_run("E1", columns={"actor/entropy": {2: 0.4, 3: float("nan"), 5: 0.3}}, config=config())
    long = chart_run("E2", (2, 0), columns={"actor/entropy": (0.5,) * 6}, config=config())
    figure = pair(short, long)
    assert [unpacked(trace["x"]) for trace in figure["data"]] == [[2, 5], [1, 2, 3, 4, 5, 6]]
    told = figure["meta"]
    assert (told["kind"], told["along"], told["bucket"]) == ("pair", "step", 1)
    assert told["order"][short.info.key] == told["order"][long.info.key]


def test_a_pair_names_the_runs_whose_values_are_bounds() -> None:
    scores = {
        "critic/score/mean": (0.2,) * 6, "critic/score/min": (-2.0,) * 6, "critic/score/max": (1.0,) * 6
    }  # fmt: skip
    plain = chart_run("E1", columns=scores | {"critic/score/min": (-1.0,) * 6}, config=config())
    shaped = chart_run("E2", (2, 0), columns=scores, config=config())
    assert pair(plain, shaped, name="pass_rate")["meta"]["bounds"] == [shaped.info.key]


def test_long_runs_are_given_as_means_of_equally_many_steps() -> None:
    values = np.random.default_rng(3).standard_normal((2, 5000))
    runs = [
        chart_run(f"E{nth}", (nth, 0), columns={"actor/entropy": row.tolist()}, config=config())
        for nth, row in enumerate(values, 1)
    ]
    figure = pair(*runs)
    size = figure["meta"]["bucket"]
    one, other = (np.array(unpacked(trace["y"])) for trace in figure["data"])
    assert 1 < one.size <= 801
    whole = slice(1, -1)
    starts = [int(start) for start in unpacked(figure["data"][0]["x"])]
    middle = slice(starts[1] - 1, starts[-1] - 1)
    assert (one - other)[whole].mean() == pytest.approx((values[0] - values[1])[middle].mean())
    assert (middle.stop - middle.start) % size == 0


def test_a_run_alone_and_a_run_without_steps_make_no_pair() -> None:
    run = chart_run("E1", columns=columns(), config=config())
    assert "empty" in pair(run, stepless("E2"))
    rows = [RunRow(info=run.info, state="ended", last=20), RunRow(info=stepless("E2").info, state="starting")]
    assert pair_section(rows) == []


def test_the_choice_offers_labels_and_ids_of_twins() -> None:
    known = (("E1", "a"), ("E2", "b"), ("E2", "c"))
    found = [chart_run(label, (1, 0), run_id, columns=columns()).info for label, run_id in known]
    made = str(nodes(pair_section([RunRow(info=info, state="ended", last=9) for info in found])))
    assert all(f"'value': '{value}'" in made for value in ("E1", "b", "c"))
    assert "'value': 'E2'" not in made


# ---- the demo ----


@pytest.fixture(scope="module")
def board(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    known = load_config(demo / "board.toml")
    return BoardReader(Source(tuple(known.logs), known), tmp_path_factory.mktemp("cache")).read()


@pytest.mark.parametrize("track", ["2b", "4b"])
def test_first_steps_agree_in_token_units_and_not_as_logged(board: Board, track: str) -> None:
    token, logged = agreements(of_track(board, track), infos(board))
    assert (token.units, token.agrees) == ("token", True)
    assert (logged.units, logged.agrees) == ("logged", False)
    assert token.text[1] == "Step 1 agrees"
    assert "E1 0." in token.why[1]
    assert "E3 0." in logged.text[1]
    assert "outside" in logged.text[1]
    assert "pass rate without E2" in token.why[1]
    assert "通过率不含 E2" in token.why[0]


def test_where_units_change_nothing_one_remark_is_enough(board: Board) -> None:
    (only,) = agreements(of_track(board, "multimodal"), infos(board))
    assert (only.units, only.agrees) == (None, True)


def test_rules_are_remarks_with_source_and_false_alarms(board: Board) -> None:
    run = next(one for one in of_track(board, "multimodal") if one.view.run.label == "E4")
    found, tested = rule_notes(run, ())
    by_id = {note.id: note for note in found}
    zh, en = said(by_id["R1"].text)
    assert "step 73" in en
    assert "last good step 72" in en
    assert "72" in zh
    assert "verl-project/verl" in by_id["R1"].source
    assert "false alarm on 0 of 5 healthy" in said(by_id["R1"].measured)[1]
    fewer, left = rule_notes(run, ("R1", "R39"))
    assert {note.id for note in fewer} == set(by_id) - {"R1", "R39"}
    assert left == tested - 2


def test_pairs_open_on_the_runs_with_most_common_steps_that_are_no_bounds() -> None:
    def of(label: str, first: int, n: int) -> Any:
        return chart_run(label, columns={"actor/entropy": dict.fromkeys(range(first, first + n), 0.5)})

    runs = [of("E1", 1, 11), of("E2", 1, 50), of("E3", 40, 60), of("E4", 20, 40)]
    # common steps: E2 and E3 11, E2 and E4 31, E3 and E4 20, E1 with any at most 11
    made = build("entropy", *runs, group="pair")
    assert made["meta"]["longest"] == [runs[1].info.key, runs[3].info.key]
    alike = [of(f"E{n}", 1, 20) for n in (1, 2, 3)]
    assert build("entropy", *alike, group="pair")["meta"]["longest"] == [one.info.key for one in alike[:2]]
