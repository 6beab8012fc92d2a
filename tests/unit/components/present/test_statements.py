"""Statements on the demo's pages, against numbers worked out from logged cells; the thirteen contradictions
of pages that were written by hand, each settled by the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from components.charts import CHARTS, comparison_places, run_places
from components.present import statements as made
from components.present.compared import Member
from components.present.overview import overview_view
from components.present.pages import page
from components.present.runs import chart_runs, of_track
from components.present.track import track_view
from components.text import TEXT, said
from components.text.statements import TEXT as STATEMENTS
from components.tree import nodes
from components.view import Finding, Selection, Span
from components.view_remarks import Statement, View
from data_loaders.board import Board, BoardReader, Source
from data_loaders.board_config import load_config
from data_loaders.runs import RunView
from tests.fact_table import AIME, SCORE, cells, spent

TRACKS = ("2b", "4b")


class Told(NamedTuple):
    """What a track page says, in English: its headline and its statements by id."""

    headline: str
    statements: Mapping[str, str]
    views: Mapping[str, Statement]


@pytest.fixture(scope="module")
def board(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    config = load_config(demo / "board.toml")
    return BoardReader(Source(tuple(config.logs), config), tmp_path_factory.mktemp("cache")).read()


@pytest.fixture(scope="module")
def told(board: Board) -> Mapping[str, Told]:
    found = {}
    for track in board.source.config.tracks:
        if track.id in TRACKS:
            view = track_view(board, track)
            assert view.finding is not None
            by_id: dict[str, str] = {}
            for one in view.statements:
                by_id[one.id] = f"{by_id.get(one.id, '')} {said(one.text)[1]}".strip()
            found[track.id] = Told(sentences(view.finding), by_id, {one.id: one for one in view.statements})
    return found


def sentences(finding: Finding) -> str:
    return " ".join(said(part)[1] for part in (*finding.clauses, *finding.body))


def views(board: Board, track: str) -> dict[str, RunView]:
    return {run.view.run.label: run.view for run in of_track(board, track)}


def at(view: RunView, key: str, step: int) -> float:
    steps, values = cells(view, key)
    return float(values[steps == step][0])


def items(view: RunView, step: int) -> int:
    return round(30 * at(view, AIME, step))


def pass_rate(view: RunView, first: int, last: int) -> float:
    steps, values = cells(view, SCORE)
    return float(50 * (values[(steps >= first) & (steps <= last)].mean() + 1))


def test_contradiction_1_fastest_by_the_sum_of_logged_seconds(board: Board, told: Mapping[str, Told]) -> None:
    totals = {
        label: float(spent(view)[1].sum() / 3600)
        for label, view in views(board, "4b").items()
        if view.run.last == 150
    }
    order = sorted(totals, key=lambda label: totals[label])
    assert order[0] == "E3"
    text = told["4b"].statements["hours"]
    assert ", ".join(f"{label} {totals[label]:.1f} h" for label in order) in text


def test_contradiction_2_the_largest_count_is_one_run_and_selected(
    board: Board, told: Mapping[str, Told]
) -> None:
    counts = {(label, step): items(view, step) for label, view in views(board, "4b").items()
              for step in (range(25, 151, 25) if view.run.last == 150 else ())}  # fmt: skip
    top = max(counts.values())
    (where,) = [place for place, count in counts.items() if count == top]
    text = told["4b"].statements["selected"]
    assert f"{top}/30 (83 %, {where[0]} @{where[1]}), selected from {len(counts)}" in text
    assert where == ("E4", 125)
    assert counts["E3", 125] == top - 1
    rate = np.mean(list(counts.values())) / 30
    best = sum(1 - stats.binom.cdf(k, 30, rate) ** len(counts) for k in range(30)) / 30
    assert f"averages {100 * best:.0f} %" in text


def test_contradiction_3_all_runs_with_the_same_count_are_named(
    board: Board, told: Mapping[str, Told]
) -> None:
    last = {label: items(view, 150) for label, view in views(board, "4b").items() if view.run.last == 150}
    assert last == {"E1": 19, "E2": 23, "E3": 23, "E4": 23}
    text = told["4b"].statements["validation"]
    assert all(f"{label} {count}/30" in text for label, count in last.items())
    assert "not distinguishable" in text


def test_contradiction_4_every_run_that_fell_is_named(board: Board, told: Mapping[str, Told]) -> None:
    change = {
        label: items(view, 150) - items(view, 125)
        for label, view in views(board, "4b").items()
        if view.run.last == 150
    }
    fell = {label: by for label, by in change.items() if by < 0}
    assert set(fell) == {"E1", "E3", "E4"}
    text = told["4b"].statements["falls"]
    assert f"{len(fell)} of {len(change)} fell" in text
    assert all(f"{label} −{-by}" in text for label, by in fell.items())
    assert "within noise" in text


def test_contradiction_5_no_run_is_tied_with_one_that_has_fewer(
    board: Board, told: Mapping[str, Told]
) -> None:
    last = {label: items(views(board, "2b")[label], 150) for label in ("E1", "E2", "E3", "E4")}
    assert last == {"E1": 10, "E2": 9, "E3": 12, "E4": 12}
    text = told["2b"].statements["validation"]
    order = [f"{label} {last[label]}/30" for label in ("E3", "E4", "E1", "E2")]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "not distinguishable" in text


@pytest.mark.parametrize("track", TRACKS)
def test_no_winner_of_a_validation_is_named(board: Board, told: Mapping[str, Told], track: str) -> None:
    everything = told[track].headline + told[track].statements["validation"]
    for word in ("wins", "best", "winner", "highest accuracy", "leads AIME"):
        assert word not in everything
    overview = " ".join(sentences(finding) for finding in overview_view(board).findings)
    assert "AIME24 acc@1 has only 30 items" in overview
    assert "at least one pair" not in overview


def test_contradiction_6_the_lowest_start_is_that_of_the_bounded_run(
    board: Board, told: Mapping[str, Told]
) -> None:
    start = {label: pass_rate(views(board, "2b")[label], 1, 5) for label in ("E1", "E2", "E3", "E4")}
    assert min(start, key=lambda label: start[label]) == "E2"
    text = told["2b"].statements["starts"]
    assert f"E2 ≥ {start['E2']:.1f} % (lower bound, not ranked)" in text
    assert f"> E3 {start['E3']:.1f}" in text


def test_contradiction_7_five_steps_rank_and_one_does_not(board: Board, told: Mapping[str, Told]) -> None:
    runs = views(board, "2b")
    first = {label: pass_rate(runs[label], 1, 1) for label in ("E1", "E3", "E4")}
    five = {label: pass_rate(runs[label], 1, 5) for label in first}
    assert max(first, key=lambda label: first[label]) == "E1"
    assert max(five, key=lambda label: five[label]) == "E4"
    text = told["2b"].statements["starts"]
    assert f"(1–5), %: E4 {five['E4']:.1f}" in text
    rate = first["E1"] / 100
    error = 100 * np.sqrt(rate * (1 - rate) / 256 * (1 + 7 * 0.5))
    assert f"At step 1 alone E1 is highest ({first['E1']:.1f} %)" in text
    assert f"one step has a standard error of ±{error:.1f}" in text


def test_contradiction_8_the_reference_forward_is_paid_by_both(
    board: Board, told: Mapping[str, Told]
) -> None:
    paying = {
        label: float(cells(view, "timing_s/ref")[1].sum() / 3600)
        for label, view in views(board, "2b").items()
        if "timing_s/ref" in view.run.keys
    }
    assert set(paying) == {"E1", "E4"}
    text = told["2b"].statements["references"]
    assert all(f"{label} {hours:.1f} h" in text for label, hours in paying.items())
    assert "explains no difference between them" in text


def test_contradiction_9_a_shared_kl_explains_no_advantage(board: Board, told: Mapping[str, Told]) -> None:
    actor = [view.run.config["actor_rollout_ref"]["actor"] for label, view in views(board, "2b").items()
             if label in ("E1", "E4")]  # fmt: skip
    assert actor[0]["kl_loss_type"] == actor[1]["kl_loss_type"] == "low_var_kl"
    text = told["2b"].statements["shared_kl"]
    assert text.startswith("E1, E4 have the same KL loss (low_var_kl, 0.001)")


@pytest.mark.parametrize("track", TRACKS)
def test_contradiction_10_the_dual_clip_is_not_the_low_side(told: Mapping[str, Told], track: str) -> None:
    text = told[track].statements["dual_clip"]
    assert "negative advantage, ratio above 3 / 10" in text
    assert "not the low side" in text
    for key in ("metric.dual_clip_share.caveat", "plot.clip_share.caption"):
        assert "low side of" not in TEXT[key][1] or TEXT[key][1].startswith("Not the low side")


@pytest.mark.parametrize(("track", "raw"), [("2b", 0.275), ("4b", 0.081)])
def test_contradiction_11_tightest_entropy_and_lowest_gradient_are_units(
    board: Board, told: Mapping[str, Told], track: str, raw: float
) -> None:
    run, other = views(board, track)["E3"], views(board, track)["E1"]
    logged = at(run, "actor/entropy", 1)
    token = logged * 16384 / at(run, "response_length/mean", 1)
    assert logged == pytest.approx(raw, abs=0.0005)
    assert abs(token - at(other, "actor/entropy", 1)) < 0.02
    text = told[track].statements["entropy_units"]
    assert f"starts at {logged:.3f}" in text
    assert f"Per token it starts at {token:.3f}" in text
    assert "A low level is not calmness" in told[track].statements["gradients"]
    if track == "2b":
        assert "not a matter of length" in told[track].statements["episodes"]


def test_contradiction_12_two_corrections_remove_two_biases(told: Mapping[str, Told]) -> None:
    text = told["2b"].statements["corrections"]
    assert "leaving out the deviation removes the difficulty bias alone" in text
    assert "the fixed divisor the length bias alone" in text
    assert "E1 averages by token-mean and has no length bias to begin with" in text
    assert "8/7" in told["2b"].statements["constants"]


def test_contradiction_13_filtering_that_never_ran_and_a_bound_that_is_not_ranked(
    board: Board, told: Mapping[str, Told]
) -> None:
    run = views(board, "4b")["E2"]
    rate = 50 * (cells(run, SCORE)[1] + 1)
    over = int((rate > 87.5).sum())
    assert pass_rate(run, 141, 150) > 87.5
    text = told["4b"].statements["sampling"]
    assert f"exceeds 87.5 % at {over} of 150 steps" in text
    for track in TRACKS:
        assert "E2 ≥" in told[track].headline
        assert "a lower bound (overlong penalty), not ranked" in told[track].headline
        assert "Standing below others does not show that it is worse" in told[track].statements["bounds"]


# ---- what holds for every statement ----


def test_every_statement_leads_to_a_chart_of_its_page(board: Board, told: Mapping[str, Told]) -> None:
    for track in TRACKS:
        runs = chart_runs(board, of_track(board, track))
        known = {place.id for place in comparison_places(runs, Selection(), track=track)}
        known |= {place.id for place in run_places(runs, "experiment", Selection())}
        labels = {run.info.label for run in runs}
        for one in told[track].views.values():
            assert one.view.tab == track
            assert one.view.chart in known or one.view.episode, one.id
            assert set(one.view.runs) <= labels
            assert one.view.query.startswith(f"?tab={track}")


def test_every_statement_has_numbers_in_both_languages(board: Board) -> None:
    for track in board.source.config.tracks:
        for one in track_view(board, track).statements:
            for text in said(one.text):
                assert any(character.isdigit() for character in text), one.id
                assert "{" not in text


def test_statements_stand_on_the_page_and_on_the_overview(board: Board) -> None:
    shown = str(nodes(page(board, "2b")))
    assert shown.count("'data-said'") >= 18
    assert "?tab=2b&steps=120-129" in shown
    overview = str(nodes(page(board, "overview")))
    assert "'data-said': 'validation'" in overview
    assert "?tab=4b" in overview


def test_ends_tie_what_cannot_be_told_apart(board: Board, told: Mapping[str, Told]) -> None:
    """4B: 91.1, 90.4 and 89.9 % are neighbours within their intervals, and a shorter run is told apart."""
    text = told["4b"].statements["ends"]
    means = {label: pass_rate(views(board, "4b")[label], 141, 150) for label in ("E3", "E4", "E1")}
    assert f"E3 {means['E3']:.1f}" in text
    assert text.index("E3") < text.index("≈ E4") < text.index("≈ E1")
    assert "E5" in text.split(";")[1]
    assert "(steps 12–21)" in text
    assert "cannot be told apart" in told["4b"].headline
    intervals = re.findall(r"E3 − (E\d) \[−[\d.]+, \+[\d.]+\]", told["4b"].headline)
    assert intervals == ["E4", "E1"], "every run that is named against the first"


def test_the_noise_of_intervals_is_said_once_on_the_overview(board: Board) -> None:
    shown = str(nodes(page(board, "overview")))
    assert shown.count("step noise only") == 1
    assert "Step noise only" not in shown
    assert "3.5 points above E4 (95 % CI excludes 0)" in shown


def test_every_text_of_a_statement_is_used() -> None:
    assert all(key.startswith(("said.", "rules.")) for key in STATEMENTS)
    assert len({chart.name for chart in CHARTS if chart.group == "pair"}) == 3


def test_gains_inside_their_intervals_have_no_order(board: Board) -> None:
    """4B: the runs gain 9 to 12 points, each with an interval of more than three: nobody leads."""
    view = overview_view(board)
    slopes = {slope.name: said(slope.finding)[1] for slope in view.slopes}
    assert slopes["pass_rate"] == "No settled order. 2B: E3 > E1 ≈ E4; 4B: E3 ≈ E4 ≈ E1; E2 not ranked"
    assert slopes["length"] == "Order changes: E3 largest on 2B, smallest on 4B"
    assert slopes["entropy"] == "E2 highest, E3 lowest on both; the others change places"
    assert slopes["hours"] == "Order changes: E4 longest on 2B, ranks 2 on 4B"
    orders = {(row.name, row.track[1]): row.order for row in view.scale}
    assert orders["pass_rate", "4B training"] == "E3 ≈ E4 ≈ E1"
    assert {row.name for row in view.scale if row.unranked} == {"pass_rate"}
    assert {label for row in view.scale for label in row.unranked} == {"E2"}
    assert "≈" not in orders["hours", "4B training"]


def test_a_new_statement_is_one_entry(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    def count(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
        yield Statement("count", (f"{len(found)} 个", f"{len(found)} runs"), View(track))

    monkeypatch.setattr(made, "MAKERS", (*made.MAKERS, made.Maker(count)))
    shown = str(nodes(page(board, "2b")))
    assert "'data-said': 'count'" in shown
    assert "4 runs" in shown
