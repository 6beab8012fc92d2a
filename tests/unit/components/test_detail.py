"""The drawer shows what its records hold as text, in both languages, with nothing a log says as markup."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from dash import html

from components import detail
from components.detail_config import config, differences
from components.detail_metrics import metrics
from components.detail_raw import raw
from components.detail_view import (
    ConfigView,
    DetectionView,
    Difference,
    DifferencesView,
    MetricRow,
    MetricsView,
    PartView,
    RawView,
    Setting,
    Tail,
)
from components.figures_metric import metric_chart
from components.pinned import pinned
from components.report import reading
from components.report_view import FileReport, PartialNames
from components.tree import tree
from components.view import Selection
from data_loaders.metrics import METRICS, find_metric
from data_loaders.raw_log import LogLine, RawExcerpt
from data_loaders.schema import Note
from tests.unit.components.runs import chart_run, unpacked
from tests.unit.components.test_pages import HOSTILE, acts, info, text, walk

WHERE = Note("report.only_on", {"steps": "25, 50"})
REPORT = FileReport(
    "a.log", "verl", 10, 3, 9, values=27, cut=1, more=(Note("report.cut_at", {"lines": "7"}),),
    partial=(PartialNames(("val/a",), 2, 150, WHERE), PartialNames(tuple("abcdefgh"), 3, 150, WHERE)),
)  # fmt: skip
HOSTILE_PAIR = (HOSTILE, HOSTILE)
DETECTION = DetectionView("DAPO", Note("variant.no_std"), "confidence.config", "grpo")


def row_of(key: str, **other: Any) -> MetricRow:
    filled: dict[str, Any] = {
        "metric": find_metric(key), "family": "", "sources": (), "last": 0.25, "last_step": 150, "count": 151,
        "seen": 150,
    }  # fmt: skip
    return MetricRow(key, **(filled | other))


def attributes(part: Any, name: str) -> list[str]:
    return [
        props[name]
        for each in walk(part)
        if hasattr(each, "to_plotly_json") and name in (props := each.to_plotly_json()["props"])
    ]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_nothing_that_is_shown_is_a_key_without_text(lang: str) -> None:
    part = PartView(Note("part.clip_higher.name"), "part_state.off")
    two = (info("E1"), info("E2"))
    other = Difference("p.q", ("value.absent", "value.unstated"), "name")
    known = tuple(row_of(key) for metric in METRICS for key in metric.aliases)
    own = (row_of("my/key"), row_of("actor/lr(1e-4)", family="family.timing"))
    odd = RawExcerpt(Path("a"), why="raw.changed", more_warnings=1, unsearched=5, more_lines=2)
    detected = DetectionView("D", None, "confidence.none", parts=(part,))
    shown = [
        config(ConfigView(Note("config.source.none"), DETECTION)),
        config(
            ConfigView(
                Note("config.source.config", {"file": "f"}), detected, (("p.q", Setting("1", "secret", 7)),)
            )
        ),
        differences(DifferencesView((), (), without=(info("E5"),), partial=(info("E4"),))),
        differences(DifferencesView(two, (), 5)),
        differences(DifferencesView(two, (other,))),
        metrics(MetricsView(0)),
        metrics(MetricsView(9, (("actor/", known), ("my/", own)))),
        raw(RawView(None, 3)),
        reading((REPORT, FileReport("b.log", "verl", 10, values=0))),
        raw(RawView((1, 2), 0, (odd,), (Tail(Path("a"), None), Tail(Path("b"), ())))),
        pinned([metric_chart("entropy"), metric_chart("my/key")]),
        detail.gone(),
    ]
    words = text(shown, lang)
    assert "{" not in words
    for prefix in (
        "detail.",
        "find.",
        "config.",
        "differences.",
        "metrics.",
        "family.",
        "rawlog.",
        "kind.",
        "value.",
    ):
        assert not re.search(rf"\b{re.escape(prefix)}[a-z]", words), prefix


class TestConfig:
    def test_rows_hold_path_and_value(self) -> None:
        view = ConfigView(
            Note("config.source.none"),
            DETECTION,
            (("a.b", Setting("0.28")), ("a.c", Setting("•••", "secret"))),
        )
        shown = config(view)
        rows = [text(each) for each in walk(shown) if isinstance(each, html.Tr)]
        assert rows == ["SettingValue", "a.b0.28", "a.c••• secret"]
        assert "2 settings · 1 secret masked" in text(shown)
        assert (
            "DAPO without standard deviation · from the resolved config · advantage estimator grpo"
            in text(shown)
        )

    def test_only_rows_can_be_filtered(self) -> None:
        shown = config(ConfigView(Note("config.source.none"), DETECTION, (("a.b", Setting("1")),)))
        assert attributes(shown, "data-find") == ["words"]
        assert len(attributes(shown, "data-row")) == 1


class TestDifferences:
    def test_a_column_per_run(self) -> None:
        rows = (Difference("a.b", (Setting("1"), Setting("/x", "path"), "value.absent"), "path"),)
        view = DifferencesView((info("E1"), info("E2"), info("E3")), rows, 94)
        shown = differences(view)
        cells = [text(each) for each in walk(shown) if isinstance(each, html.Td)]
        assert cells == ["1", "/x", "not there"]
        assert "1 setting differs, 94 are equal" in text(shown)
        heads = [text(each).strip() for each in walk(shown) if isinstance(each, html.Th)]
        assert heads == ["Setting", "E1", "E2", "E3", "a.b path"]


class TestMetrics:
    def test_a_row_says_everything_of_its_key(self) -> None:
        (shown,) = (
            each
            for each in walk(
                metrics(
                    MetricsView(
                        150, (("actor/", (row_of("actor/entropy", sources=(find_metric("entropy"),)),)),)
                    )
                )
            )
            if isinstance(each, html.Tbody)
        )
        words = text(shown)
        for part in (
            "actor/entropy",
            "Uncertainty of the policy",
            "unit: nat",
            "Dr.GRPO",
            "in other versions: actor/entropy_loss",
            "0.25 @150",
            "151",
            "150 of 150 steps",
        ):
            assert part in words
        assert acts(shown) == {("pin", "actor/entropy"), ("pin", "entropy")}

    def test_small_and_negative_values_keep_every_digit(self) -> None:
        shown = metrics(
            MetricsView(
                1,
                (
                    (
                        "a/",
                        (
                            row_of("a/x", last=-5.39935329e-05),
                            row_of("a/y", last=float("nan")),
                            row_of("a/z", last=None, last_step=None),
                        ),
                    ),
                ),
            )
        )
        words = text(shown)
        assert "−5.39935329e-05 @150" in words
        assert "nan @150" in words
        assert "—151" in words

    def test_patterns_are_tried_on_every_name(self) -> None:
        shown = metrics(
            MetricsView(
                1, (("critic/", (row_of("critic/score/mean", sources=(find_metric("pass_rate"),)),)),)
            )
        )
        (names,) = attributes(shown, "data-row")
        assert {"critic/score/mean", "score_mean", "pass_rate"} <= set(names.split("\n"))
        assert attributes(shown, "data-find") == ["regex"]


def test_a_hostile_log_stays_text() -> None:
    key = HOSTILE + "/=1+1" + "x" * 3000
    excerpt = RawExcerpt(Path(HOSTILE), (LogLine(1, 2, HOSTILE, 9),))
    tail = Tail(Path("a"), (HOSTILE,))
    shown = [
        metrics(MetricsView(1, ((HOSTILE, (row_of(key, metric=None),)),))),
        config(ConfigView((HOSTILE, HOSTILE), DETECTION, ((key, Setting(HOSTILE)),))),
        raw(RawView(None, 1, (excerpt,), (tail,))),
        reading((FileReport(HOSTILE, "", 0, partial=(PartialNames((HOSTILE,) * 9, 1, 2, HOSTILE_PAIR),)),)),
        pinned([metric_chart(key)]),
    ]  # fmt: skip
    allowed = {"Markdown", "Store"}
    for part in shown:
        assert key in text(part) or HOSTILE in text(part)
        kinds = {type(each).__name__ for each in walk(part) if hasattr(each, "to_plotly_json")}
        assert not kinds & (allowed | {"Img", "Script", "Iframe"})


class TestMetricChart:
    def test_a_metric_of_every_page_is_drawn_as_there(self) -> None:
        chart = metric_chart("ppo_kl")
        assert (chart.group, chart.metrics, chart.scale, chart.unit) == (
            "comparison",
            ("ppo_kl",),
            1e5,
            "e_minus_5",
        )
        assert chart.named == ("PPO KL", "PPO KL")
        assert chart.caption == "plot.ppo_kl.caption"
        assert metric_chart("clip_share").metrics == ("clip_share",)

    def test_any_other_metric_by_its_unit(self) -> None:
        mfu = metric_chart("mfu")
        assert (mfu.unit, mfu.scale, mfu.caption) == ("percent", 100, "metric.mfu.meaning")

    @pytest.mark.parametrize(
        ("key", "unit", "caption"),
        [
            ("critic/advantages/max", "number", "metric.advantages_max.meaning"),
            ("response_length/mean", "tokens", "metric.response_length.meaning"),
            ("training/rollout_actor_probs_pearson_corr", "none", "pin.as_logged"),
            ("actor/lr(1e-4)", "none", "pin.as_logged"),
            ("my/own", "none", "pin.as_logged"),
        ],
    )
    def test_a_logged_key_under_its_own_name(self, key: str, unit: str, caption: str) -> None:
        chart = metric_chart(key)
        assert (chart.named, chart.unit, chart.caption, chart.scale) == ((key, key), unit, caption, 1.0)

    def test_its_figure_holds_the_values_as_logged(self) -> None:
        run = chart_run("E1", columns={"my/own": [3.0, float("nan"), 5.0]})
        figure = metric_chart("my/own").build(metric_chart("my/own"), [run], Selection())
        (trace,) = figure["data"]
        values = unpacked(trace["y"])
        assert values[0] == 3.0
        assert values[1] != values[1]
        assert values[2] == 5.0

    def test_a_run_that_does_not_log_it_is_told(self) -> None:
        runs = [chart_run("E1", columns={"my/own": [1.0]}), chart_run("E2", columns={"other": [1.0]})]
        chart = metric_chart("my/own")
        assert any(
            "E2" in badge["text"][1] for badge in chart.build(chart, runs, Selection())["meta"]["badges"]
        )
        empty = chart.build(chart, runs[1:], Selection())["empty"]
        assert "my/own" in empty["title"][1]
        assert "my/own is not in the log" in empty["why"][1]

    def test_every_canonical_metric_has_a_chart_with_texts(self) -> None:
        for metric in METRICS:
            place = pinned([metric_chart(metric.name)])
            assert "unit." not in text(place)
            assert f"{metric.text}." not in text(place)

    def test_a_pin_never_takes_the_place_of_a_chart_of_the_page(self) -> None:
        (place,) = attributes(pinned([metric_chart("grad_norm")]), "data-chart")
        assert place == "cmp-pin-grad_norm"
        assert pinned([]) == []


class TestTree:
    def test_elements_attributes_and_text(self) -> None:
        values: dict[str, Any] = {"data-row": "a", "aria-current": "true"}
        node = html.Td(
            [html.B("x"), None, 5, ["y", html.Br()]], className="num", colSpan=2, hidden=True, **values
        )
        assert tree(node) == {
            "tag": "td",
            "with": {"class": "num", "colspan": "2", "hidden": "", "data-row": "a", "aria-current": "true"},
            "in": [{"tag": "b", "with": {}, "in": ["x"]}, "5", "y", {"tag": "br", "with": {}, "in": []}],
        }

    def test_what_needs_react_is_refused(self) -> None:
        from dash import dcc

        with pytest.raises(TypeError):
            tree(html.Div(dcc.Store(id="x")))
