"""CSV: every cell once, to the last digit, safe to open and small to stream."""

from __future__ import annotations

import csv
import io
import math
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_loaders.export import (
    BLOCK,
    BOM,
    Query,
    QueryError,
    cell,
    csv_chunks,
    file_name,
    number,
    parse_query,
    parse_steps,
    resolved,
)
from data_loaders.schema import Run
from tests.bench.bench_csv import in_process
from tests.unit.data_loaders.fake_run import FakeRun

GRAD, ENTROPY, SCORE = "actor/grad_norm", "actor/entropy", "critic/score/mean"
DDE = "=cmd|' /C calc'!A0"
HOSTILE = (
    DDE, "@SUM(1+1)", "+1", "-1+1", "\t=1", "\r=1", "\n=1", "＝1", 'a,"b"', "two\nlines",
    "<img src=x onerror=alert(1)>",
    "名字", "'quoted", 'say "hi"', " =1",
)  # fmt: skip


@dataclass
class Named(FakeRun):
    """A run with an identity of its own."""

    name: str = "run"
    label: str = ""
    track: str = "2b"
    algorithm: str = "grpo"

    @property
    def run(self) -> Run:
        return replace(
            super().run, id=self.name, label=self.label, track=self.track, algorithm=self.algorithm
        )


SUM_NORM = {
    "actor_rollout_ref": {"actor": {"loss_agg_mode": "seq-mean-token-sum-norm"}},
    "data": {"max_response_length": 1000},
}


def text(runs: Iterable[FakeRun], query: Query = Query()) -> str:  # noqa: B008
    return "".join(csv_chunks(list(runs), query))


def rows(runs: Iterable[FakeRun], query: Query = Query()) -> list[dict[str, str]]:  # noqa: B008
    """As the csv module of the standard library reads them, without any conversion."""
    return list(csv.DictReader(io.StringIO(text(runs, query).removeprefix(BOM), newline="")))


def frame(runs: Iterable[FakeRun], query: Query = Query()) -> pd.DataFrame:  # noqa: B008
    """As a plain `pandas.read_csv` of the bytes reads them."""
    return pd.read_csv(io.BytesIO(text(runs, query).encode()))


def two() -> list[Named]:
    return [
        Named({GRAD: {1: 0.5, 2: -0.25, 3: 1.0}, SCORE: {1: 0.0, 3: 0.5}}, name="one", label="E1"),
        Named({GRAD: {2: 7.0}}, name="two", label="E2", track="4b"),
    ]


def test_long_rows_are_every_cell_once() -> None:
    assert text(two()) == (
        BOM + "experiment,track,algorithm,segment,step,metric,value\r\n"
        "one,2b,grpo,1,1,actor/grad_norm,0.5\r\n"
        "one,2b,grpo,1,2,actor/grad_norm,-0.25\r\n"
        "one,2b,grpo,1,3,actor/grad_norm,1\r\n"
        "one,2b,grpo,1,1,critic/score/mean,0\r\n"
        "one,2b,grpo,1,3,critic/score/mean,0.5\r\n"
        "two,4b,grpo,1,2,actor/grad_norm,7\r\n"
    )


def test_wide_leaves_what_was_not_logged_empty() -> None:
    assert text(two(), Query(wide=True)) == (
        BOM + "experiment,track,algorithm,segment,step,actor/grad_norm,critic/score/mean\r\n"
        "one,2b,grpo,1,1,0.5,0\r\n"
        "one,2b,grpo,1,2,-0.25,\r\n"
        "one,2b,grpo,1,3,1,0.5\r\n"
        "two,4b,grpo,1,2,7,\r\n"
    )


def test_wide_holds_the_cells_of_long_over_many_blocks() -> None:
    rng = np.random.default_rng(5)
    steps = range(1, 3 * BLOCK)
    columns = {
        f"m/{nth}": {step: float(rng.normal()) for step in steps if rng.random() < share}
        for nth, share in enumerate((1.0, 0.3, 0.004))
    }
    run = Named(columns)
    long = {(row["step"], row["metric"]): row["value"] for row in rows([run])}
    wide = {
        (row["step"], name): row[name]
        for row in rows([run], Query(wide=True))
        for name in columns
        if row[name]
    }
    assert wide == long
    assert len(long) == sum(map(len, columns.values()))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query(experiments=("E1",)), {"one"}),
        (Query(experiments=("two",)), {"two"}),
        (Query(experiments=("E1", "two")), {"one", "two"}),
        (Query(tracks=("4b",)), {"two"}),
        (Query(experiments=("E1",), tracks=("4b",)), set()),
        (Query(experiments=("E9",)), set()),
    ],
)
def test_runs_by_label_id_and_track(query: Query, expected: set[str]) -> None:
    assert {row["experiment"] for row in rows(two(), query)} == expected


@pytest.mark.parametrize("wide", [False, True])
def test_a_step_range_is_inclusive(wide: bool) -> None:
    found = rows(two(), Query(steps=(2, 3), wide=wide))
    assert {(row["experiment"], row["step"]) for row in found} == {("one", "2"), ("one", "3"), ("two", "2")}


def test_the_metric_column_repeats_the_name_asked_for() -> None:
    run = Named({GRAD: {1: 0.5}, "training/rollout_actor_probs_pearson_corr": {1: 0.75}})
    asked = Query(metrics=("grad_norm", GRAD, "deviation", "training/rollout_actor_probs_pearson_corr", "no"))
    assert [(row["metric"], row["value"]) for row in rows([run], asked)] == [
        ("grad_norm", "0.5"), (GRAD, "0.5"), ("deviation", "0.25"),
        ("training/rollout_actor_probs_pearson_corr", "0.75"),
    ]  # fmt: skip
    wide = rows([run], replace(asked, wide=True))
    assert wide[0]["no"] == ""
    assert wide[0]["deviation"] == "0.25"


@pytest.mark.parametrize("wide", [False, True])
def test_smoothed_stands_beside_the_raw_value_and_is_not_warmed_up_in_the_range(wide: bool) -> None:
    run = Named({GRAD: {step: float(step**2) for step in range(1, 21)}})
    found = rows([run], Query(metrics=("grad_norm",), steps=(10, 12), smoothing="mean5", wide=wide))
    raw, smooth = ("grad_norm", "grad_norm (mean5)") if wide else ("value", "smoothed")
    assert [float(row[raw]) for row in found] == [100, 121, 144]
    means = [sum(s**2 for s in range(step - 4, step + 1)) / 5 for step in (10, 11, 12)]
    assert [float(row[smooth]) for row in found] == pytest.approx(means, rel=1e-15)


@pytest.mark.parametrize("wide", [False, True])
def test_superseded_rows_come_on_request_with_their_segment(wide: bool) -> None:
    run = Named({GRAD: {1: 1.0, 2: 2.0, 3: 3.0}}, resumed={GRAD: {2: 20.0}})
    value = GRAD if wide else "value"
    usual = [(r["segment"], r["step"], r[value]) for r in rows([run], Query(wide=wide))]
    assert usual == [("1", "1", "1"), ("2", "2", "20")]
    everything = [(r["segment"], r["step"], r[value]) for r in rows([run], Query(wide=wide, policy="all"))]
    assert sorted(everything) == [("1", "1", "1"), ("1", "2", "2"), ("1", "3", "3"), ("2", "2", "20")]


def test_nan_and_infinities_stand_literally() -> None:
    run = Named({GRAD: {1: math.nan, 2: math.inf, 3: -math.inf, 4: -0.0}})
    assert [row["value"] for row in rows([run])] == ["nan", "inf", "-inf", "-0"]
    value = frame([run])["value"]
    assert np.isnan(value[0])
    assert value[1:].tolist() == [math.inf, -math.inf, 0.0]


@given(st.floats())
def test_a_number_is_the_shortest_text_that_reads_back(value: float) -> None:
    written = number(value)
    back = float(written)
    assert back == value or (math.isnan(back) and math.isnan(value))
    assert math.copysign(1, back) == math.copysign(1, value) or math.isnan(value)
    assert len(written) <= len(repr(value))
    assert not written.endswith(".0")


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30))
def test_a_column_reads_back_exactly(values: list[float]) -> None:
    run = Named({GRAD: values})
    assert [float(row["value"]) for row in rows([run])] == values
    assert frame([run])["value"].astype(float).tolist() == values


@given(st.text())
def test_no_text_cell_begins_a_formula_and_all_read_back(content: str) -> None:
    (read,) = next(csv.reader(io.StringIO(cell(content) + "\r\n", newline="")), [""]) or [""]
    assert not read.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert read.removeprefix("'") == content or read == content


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_read_back_from_pandas_as_text(name: str) -> None:
    run = Named({f"{name}/loss": {1: -0.5}}, name=name, track=name, algorithm=name)
    expected = f"'{name}" if name[0] in "=+-@\t\r\n＝" else name
    read = frame([run])
    assert read.loc[0, ["experiment", "track", "algorithm"]].tolist() == [expected] * 3
    assert read.loc[0, "metric"] == f"{expected}/loss"
    assert read.loc[0, "value"] == -0.5
    wide = frame([run], Query(wide=True))
    assert wide.columns[-1] == f"{expected}/loss"


def test_negative_numbers_are_numbers_and_a_command_is_text() -> None:
    """Spreadsheets run a cell that begins like a formula; a minus before a number is none."""
    run = Named({GRAD: {1: -1.5, 2: -1e-300, 3: -math.inf}}, name=DDE)
    lines = text([run]).removeprefix(BOM).split("\r\n")[1:-1]
    assert [line.rsplit(",", 1)[1] for line in lines] == ["-1.5", "-1e-300", "-inf"]
    assert all(line.startswith("'=cmd|' /C calc'!A0,") for line in lines)
    assert not any(found.startswith(("=", "+", "@")) for row in csv.reader(lines) for found in row)


@pytest.mark.parametrize("smoothing", ["", "mean5", "ema0.9", "median5"])
@pytest.mark.parametrize("wide", [False, True])
def test_a_plain_read_csv_reads_every_form(wide: bool, smoothing: str) -> None:
    read = frame(two(), Query(wide=wide, smoothing=smoothing))
    assert read.columns[0] == "experiment"
    assert read["step"].tolist() == ([1, 2, 3, 2] if wide else [1, 2, 3, 1, 3, 2])
    values = read[GRAD] if wide else read["value"]
    assert values.dtype == np.float64
    assert text(two(), Query(wide=wide, smoothing=smoothing)).startswith(BOM)


def test_what_a_chart_draws_is_what_its_file_holds() -> None:
    """The raw line and the smoothed one over the range in view, no cell more."""
    run = Named({GRAD: {step: step / 7 for step in range(1, 31)}, SCORE: dict.fromkeys(range(1, 31), 0.5)})
    found = rows([run], Query(metrics=("grad_norm",), steps=(12, 20), smoothing="median5"))
    assert [(int(row["step"]), float(row["value"])) for row in found] == [(s, s / 7) for s in range(12, 21)]
    assert [float(row["smoothed"]) for row in found] == [(s - 2) / 7 for s in range(12, 21)]
    assert {row["metric"] for row in found} == {"grad_norm"}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query(), "rl-board_all.csv"),
        (Query(("E3",), (), ("grad_norm",), (133, 140)), "rl-board_E3_133-140_grad_norm.csv"),
        (Query(tracks=("2b",), wide=True, smoothing="mean5"), "rl-board_2b_mean5_wide.csv"),
        (Query(("E1", "E2"), policy="all"), "rl-board_E1+E2_superseded.csv"),
        (Query(('../a"b\r\n实验',)), "rl-board_.._a_b_.csv"),
    ],
)
def test_the_file_name_tells_the_filter(query: Query, name: str) -> None:
    assert file_name(query) == name
    assert file_name(query).isascii()


@given(st.text(max_size=300))
def test_a_file_name_is_one_safe_word(content: str) -> None:
    import re

    assert re.fullmatch(r"[A-Za-z0-9._+-]{1,124}", file_name(Query(experiments=(content,))))


@pytest.mark.parametrize("bad", ["a", "1-2-3", "-5", "1;2", "1e3", "9999999999999"])
def test_steps_that_are_none(bad: str) -> None:
    with pytest.raises(QueryError, match="steps must look like"):
        parse_steps(bad)


def test_a_link_as_a_query() -> None:
    asked = {
        "exp": "E1, e3", "track": "2b", "metrics": "grad_norm,a%2Cb,100%25", "steps": "140-133", "wide": "1",
        "smooth": "mean5", "superseded": "0", "lang": "zh",
    }  # fmt: skip
    assert parse_query(asked) == Query(
        ("E1", "e3"), ("2b",), ("grad_norm", "a,b", "100%"), (133, 140), True, "mean5", "last"
    )
    assert parse_query({"superseded": "1"}) == parse_query({"seg": "all"}) == Query(policy="all")
    assert parse_query({"seg": "first", "units": "logged"}) == Query(policy="first", units="logged")
    for key, value in (("smooth", "mean7"), ("seg", "none"), ("units", "bits")):
        with pytest.raises(QueryError, match=f"{key} must be one of"):
            parse_query({key: value})


def test_an_episode_stands_for_its_run_and_steps() -> None:
    known = [("a:b", 3, 5), ("other", 3, 9)]
    assert resolved(Query(episode="a:b:3"), known) == Query(("a:b",), steps=(3, 5))
    assert resolved(Query(episode="a:b:4-8"), known) == Query(("a:b",), steps=(4, 8))
    assert resolved(Query(episode="a:b:3", steps=(1, 2)), known) == Query(("a:b",), steps=(1, 2))
    for unknown in ("a:b:4", "nobody:3", "words"):
        with pytest.raises(QueryError, match="no episode"):
            resolved(Query(episode=unknown), known)


def test_a_million_rows_are_streamed() -> None:
    """C95: what is held is a piece, not the file."""
    found = in_process(10, 1000, 100, "long")
    assert found["rows"] == 1_000_000
    assert found["bytes"] > 50e6
    assert found["piece"] < 1e6
    assert found["peak"] < 20e6


def test_a_wide_file_is_streamed() -> None:
    found = in_process(4, 5000, 50, "wide")
    assert found["rows"] == 20_000
    assert found["piece"] < 1e6
    assert found["peak"] < 20e6


def test_libreoffice_shows_text_where_there_is_text(tmp_path: Path) -> None:
    """What a spreadsheet makes of hostile names: the same text, and nothing computed."""
    office = shutil.which("soffice") or shutil.which("libreoffice")
    if office is None:
        pytest.skip("no LibreOffice on this machine")
    runs = [Named({GRAD: {1: -0.5}}, name=name) for name in HOSTILE]
    (tmp_path / "board.csv").write_bytes(text(runs).encode())
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    for source, target in (("board.csv", "ods"), ("board.ods", "csv:Text - txt - csv (StarCalc):44,34,76")):
        given = ["--infilter=CSV:44,34,76"] if source.endswith("csv") else []
        command = [office, profile, "--headless", *given, "--convert-to", target, "--outdir", str(tmp_path)]
        subprocess.run([*command, str(tmp_path / source)], check=True, timeout=180, capture_output=True)
    with zipfile.ZipFile(tmp_path / "board.ods") as sheet:
        content = sheet.read("content.xml").decode()
    assert "table:formula" not in content
    back = list(csv.DictReader((tmp_path / "board.csv").read_text("utf-8-sig").splitlines()))
    assert [float(row["value"]) for row in back] == [-0.5] * len(HOSTILE)
    assert not any(row["experiment"].startswith(("=", "+", "-", "@")) for row in back)


@pytest.mark.parametrize("units", ["token", "logged"])
def test_a_name_that_says_its_unit_keeps_it(units: str) -> None:
    """A sum over 500 tokens divided by 1,000 is half the mean per token."""
    columns = {ENTROPY: [0.1, 0.2], "response_length/mean": [500.0, 400.0]}
    run = Named(columns, SUM_NORM)
    query = Query(metrics=("entropy", "entropy_per_token", ENTROPY), units=units)  # type: ignore[arg-type]
    values: dict[str, list[float]] = {}
    for row in rows([run], query):
        values.setdefault(row["metric"], []).append(float(row["value"]))
    assert values["entropy_per_token"] == pytest.approx([0.2, 0.5])
    assert values[ENTROPY] == [0.1, 0.2]
    assert values["entropy"] == pytest.approx([0.2, 0.5] if units == "token" else [0.1, 0.2])


def test_only_aggregated_metrics_have_a_name_per_token() -> None:
    columns = {GRAD: [0.1, 0.2], "response_length/mean": [500.0, 400.0]}
    assert not rows([Named(columns, SUM_NORM)], Query(metrics=("grad_norm_per_token",)))
    own = {"pass_rate_per_token": [1.0]}
    assert [row["value"] for row in rows([Named(own)], Query(metrics=("pass_rate_per_token",)))] == ["1"]
