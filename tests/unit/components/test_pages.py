"""Pages show what their records hold, as text; every place for a chart has a figure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dash import html
from dash.development.base_component import Component

from components import charts, layout
from components.algorithms_page import COMPARED, algorithms_page
from components.cards import episode_links
from components.overview_page import overview_page
from components.report import report
from components.report_view import FileReport
from components.sparkline import sparkline
from components.tables import status_table
from components.tabs import TABS, tab_links, tabs
from components.track_page import experiment, track_page
from components.view import (
    AlgorithmRow,
    AlgorithmsView,
    Attention,
    Banner,
    Chip,
    Count,
    ExperimentView,
    Finding,
    OverviewView,
    Pair,
    RunInfo,
    RunRow,
    Selection,
    ShellView,
    Slope,
    SourceFile,
    TabView,
    TrackGroup,
    TrackView,
)
from data_loaders.catalog import TRACKS
from data_loaders.derive.episodes import Episode
from data_loaders.derive.statistics import Mean
from data_loaders.schema import Note
from tests.unit.components.runs import chart_run, stepless

HOSTILE = '<img src=x onerror="alert(1)">'


def walk(part: Any) -> Iterator[Any]:
    """Every component and text below a component."""
    if isinstance(part, (list, tuple)):
        for each in part:
            yield from walk(each)
    elif part is not None:
        yield part
        if isinstance(part, Component):
            yield from walk(getattr(part, "children", None))


def text(part: Any, lang: str = "en") -> str:
    """What a reader of one language sees."""
    if isinstance(part, (list, tuple)):
        return "".join(text(each, lang) for each in part)
    if not isinstance(part, Component):
        return "" if part is None else str(part)
    own = getattr(part, "lang", None)
    if own is not None and not own.startswith(lang):
        return ""
    return text(getattr(part, "children", None), lang)


def acts(part: Any) -> set[tuple[str, str | None]]:
    """(data-act, data-value) of everything that acts."""
    found = (each.to_plotly_json()["props"] for each in walk(part) if isinstance(each, Component))
    return {(props["data-act"], props.get("data-value")) for props in found if "data-act" in props}


def chart_places(part: Any) -> list[str]:
    props = (each.to_plotly_json()["props"] for each in walk(part) if isinstance(each, html.Figure))
    return [found["data-chart"] for found in props]


def info(label: str, slot: int = 1, **other: Any) -> RunInfo:
    return replace(chart_run(label, (slot, 0), columns={}).info, **other)


def row(label: str, slot: int = 1, **other: Any) -> RunRow:
    mean = Mean(0.679, 0.019, 120, 129, 10, 10.0)
    filled: dict[str, Any] = {
        "state": "ended", "last": 150, "planned": 150, "pass_rate": (0.3, 0.5, 0.7), "last10": mean,
        "first5": mean, "validation": Count(12, 30, 150), "best": Count(13, 30, 125), "hours": 26.4,
        "length_pair": Pair(10300.0, 12600.0), "entropy_pair": Pair(0.43, 0.13), "grad_median": 0.16,
        "grad_peak": 0.91,
    }  # fmt: skip
    return RunRow(info=info(label, slot), **(filled | other))


def episode(start: int, severity: int) -> Episode:
    return Episode(str(start), start, start + 7, start + 3, severity, "episode", True, ())


def test_every_place_for_a_chart_has_a_figure_and_every_figure_a_place() -> None:
    runs = [chart_run("E1", columns={"actor/grad_norm": [0.1, 0.2]}), stepless("E5")]
    sections = (
        ExperimentView(info=runs[0].info),
        ExperimentView(info=runs[1].info, empty=("还没有", "nothing yet")),
    )
    view = TrackView("2b", ("2B", "2B"), rows=(row("E1"), row("E5", 5)), experiments=sections)
    places = chart_places(track_page(view))
    made = charts.figures("2b", runs, Selection())["charts"]
    assert len(places) == len(set(places))
    assert set(places) <= set(made)
    assert set(made) - set(places) == {id_ for id_ in made if runs[1].info.key in id_}


def test_status_table_shows_means_bounds_counts_and_episodes() -> None:
    rows = (row("E2", 2, lower_bound=True, episodes=(episode(133, 4), episode(20, 1))), row("E3", 3))
    table = status_table(rows, (1, 129), "AIME24 acc@1")
    shown = text(table)
    assert "≥ 67.9 ±1.9" in shown
    assert "12/30 [25–58]" in shown
    assert "26.4 h" in shown
    assert "150/150" in shown
    assert "AIME24 acc@1 at 150 [95 % CI]" in shown
    assert ("episode", "e2:133") in acts(table)
    assert {("run", "e2"), ("run", "e3")} <= acts(table)


def test_a_validation_without_counted_items_is_a_share_without_interval() -> None:
    table = status_table((row("E1", validation=None, accuracy=(0.621, 99)),), None, "")
    assert "62.1 % @99" in text(table)
    assert "95 % CI" not in text(table)


def test_a_value_that_is_not_there_is_a_dash_and_zero_is_zero() -> None:
    bare = RunRow(info=info("E1"), state="live", last=3, planned=None)
    zero = replace(bare, hours=0.0, last10=Mean(0.0, math.nan, 1, 3, 3, 3.0))
    assert text(status_table((bare,), None, "")).count("—") == 5
    assert "0.0 h" in text(status_table((zero,), None, ""))
    assert "±" not in text(status_table((zero,), None, ""))


def test_a_run_without_steps_gives_its_reason_instead_of_numbers() -> None:
    waiting = RunRow(info=info("E5", 5), state="starting", why=("还没有 step 行", "no step line yet"))
    assert "no step line yet" in text(status_table((waiting,), None, ""))
    assert "还没有 step 行" in text(status_table((waiting,), None, ""), "zh")


def test_a_log_without_config_has_no_links_to_one() -> None:
    links = acts(experiment(ExperimentView(info=info("E1"), config_from=Note("config_from.none"))))
    assert {value.split(":")[0] for name, value in links if name == "detail"} == {"reading", "raw"}


def test_an_experiment_without_data_has_no_places_for_charts() -> None:
    files = (SourceFile("train.log", notes=(("只有启动信息", "start-up lines only"),)),)
    empty = ExperimentView(info=info("E5", 5), empty=("尚无", "nothing yet"), sources=files)
    page = track_page(TrackView("2b", ("2B", "2B"), rows=(row("E5", 5, last=None),), experiments=(empty,)))
    assert not [place for place in chart_places(page) if place.startswith("run-")]
    assert "nothing yet" in text(page)
    assert "start-up lines only" in text(page)


def test_a_track_without_runs_says_so() -> None:
    page = track_page(TrackView("multimodal", ("多模态", "Multimodal")))
    assert "No run on this page yet" in text(page)
    assert chart_places(page) == []


def test_files_without_steps_are_listed_with_their_reason() -> None:
    file = SourceFile("broken/x.log", notes=(("崩溃", "crashed before step 1"),))
    page = track_page(TrackView("other", ("其他", "Other"), stepless=(file,)))
    assert "broken/x.log" in text(page)
    assert "crashed before step 1" in text(page)


def test_hostile_names_and_notes_stay_text() -> None:
    run = info("", id=HOSTILE, name=HOSTILE)
    view = TrackView(
        HOSTILE, (HOSTILE, HOSTILE), model=HOSTILE, facts=((HOSTILE, HOSTILE),),
        finding=Finding(((HOSTILE, HOSTILE),), ((HOSTILE, HOSTILE),)),
        rows=(RunRow(info=run, state="ended", last=1),), notes=(HOSTILE, HOSTILE),
        experiments=(ExperimentView(info=run, markdown=(HOSTILE, HOSTILE), sources=(SourceFile(HOSTILE),)),),
    )  # fmt: skip
    page = track_page(view)
    assert HOSTILE in text(page)
    for part in walk(page):
        if isinstance(part, Component):
            props = part.to_plotly_json()["props"]
            assert not props.get("dangerously_allow_html")
            assert part.__class__.__name__ not in {"Script", "Iframe", "Img"}
            assert HOSTILE not in str(props.get("href", "")) + str(props.get("src", ""))
            assert HOSTILE not in str(props.get("data-math", ""))


def test_overview_leads_to_what_it_names() -> None:
    attention = (
        Attention(
            "metrics", (info("E3", 3),), ("2B", "2B"), ("四项", "four moved"), episode="e3:133", count=4
        ),
        Attention("crashed", (info("E1"),), ("4B", "4B"), ("崩溃", "out of memory"), "action.log", tab="4b"),
    )
    groups = (TrackGroup("2b", ("2B 训练", "2B training"), (), (row("E3", 3), row("E5", 5, last=None))),)
    slope = Slope("hours", ((info("E3", 3), 26.4, 31.7),), "hours", ("次序不变", "same order"))
    view = OverviewView(
        facts=(("一个", "one run"),), attention=attention, groups=groups,
        findings=(Finding((("长度反转", "length reverses"),), (("甲", "more"), ("乙", "and more"))),),
        slopes=(slope,), slope_tracks=(("2B", "2B"), ("4B", "4B")),
    )  # fmt: skip
    page = overview_page(view)
    assert {("episode", "e3:133"), ("tab", "4b"), ("run", "e3")} <= acts(page)
    assert "4 metrics" in text(page)
    assert "10.3k → 12.6k" in text(page)
    assert chart_places(page) == ["slope-hours"]
    assert "length reverses. more" in text(page)
    assert "and more" not in text(page)


def test_algorithms_are_compared_by_what_their_runs_are_configured_to_do() -> None:
    run = info("E1")
    rows = (
        AlgorithmRow(
            info("E1", algorithm="grpo"),
            {"kl": ("损失侧", "in the loss")},
            (("2b", ("2B", "2B"), run, None),),
        ),
        AlgorithmRow(
            info("E3", 3, algorithm="dr_grpo"), tracks=(("2b", ("2B", "2B"), None, ("无", "no data")),)
        ),
    )
    page = algorithms_page(AlgorithmsView(rows, (info("", name="ReMax", algorithm="remax"),)))
    shown = text(page)
    assert "in the loss" in shown
    assert "fixed C" in shown
    assert "no data" in shown
    assert "ReMax" in shown
    assert "greedy answer" in shown
    made = charts.algorithm_figures(
        "algorithms", [chart_run("E1", columns={})], [row.info for row in rows], Selection()
    )
    assert set(chart_places(page)) == set(made["charts"])
    different = [
        text(part)
        for part in walk(page)
        if isinstance(part, html.Td) and getattr(part, "className", "") == "d"
    ]
    assert {"none", "fixed C"} <= set(different)
    assert len(COMPARED) == sum(isinstance(part, html.Tr) for part in walk(page)) - 1


def test_shell_holds_the_contract_with_the_scripts() -> None:
    chip = Chip("E3", info("E3", 3), "live")
    view = ShellView(
        ("看板", "Board"), (TabView("overview", ("总览", "Overview")), TabView("2b", ("2B", "2B"), 1)), "2b",
        banners=(Banner(("演示", "Demo"), ("合成", "synthetic"), ("own-logs", ("换", "Use your own logs"))),),
        chips=(chip,),
    )  # fmt: skip
    page = layout.shell(view)
    components = [part for part in walk(page) if isinstance(part, Component)]
    ids = [part.id for part in components if getattr(part, "id", None)]
    assert len(ids) == len(set(map(str, ids)))
    assert {
        "manifest",
        "selection",
        "range",
        "range-settled",
        "episode",
        "tab",
        "figures",
        "words",
        "steps",
    } <= set(ids)
    wanted = {("chip", "E3"), ("tab", "2b"), ("episode-prev", None), ("episode-next", None), ("reset", None)}
    wanted |= {
        (name, None) for name in ("lang", "theme", "help", "csv", "smooth", "x", "units", "seg", "yscale")
    }
    assert wanted <= acts(page)
    on = [part for part in components if getattr(part, "role", "") == "tab"]
    assert [part.to_plotly_json()["props"]["aria-selected"] for part in on] == ["false", "true"]
    assert "1 live" in text(page)


def test_tabs_follow_the_tracks() -> None:
    assert [tab.id for tab in TABS] == ["overview", "algorithms", *(track.id for track in TRACKS)]
    added = tabs([("7b", ("7B 训练", "7B training"))], {"7b": 2})
    assert [(tab.id, tab.live) for tab in added] == [("overview", 0), ("algorithms", 0), ("7b", 2)]
    assert text(tab_links(added, "7b")[-1]) == "7B training2 live"


def test_reading_line_tells_what_is_read_and_when_it_stopped() -> None:
    state = {"state": "reading", "done": 5_000_000, "total": 20_000_000, "file": HOSTILE, "rate": 1_000_000.0}
    line = layout.loading(state)
    assert (line.hidden, line.percent, line.no_cancel, line.no_retry) == (False, 25.0, False, True)
    assert f"{HOSTILE}, 5.0 MB of 20.0 MB · 25 % · 1.0 MB per second" in text(line.text)
    failed = layout.loading({"state": "failed", "error": ["OSError: disk"] * 2})
    assert (failed.hidden, failed.no_cancel, failed.no_retry) == (False, True, False)
    assert "OSError: disk" in text(failed.text)
    assert layout.loading({"state": "done"}).hidden
    assert layout.loading(None).hidden


def test_report_counts_what_was_not_read() -> None:
    file = FileReport(
        "a/run.log", "verl", 2_400_000, 149, 92, ((1, 129), (130, 150)), cut=2, rejected=1,
        examples=((17, "loss:abc", ("不是数", "no number")),), notes=(("截断", "two lines were cut"),),
    )  # fmt: skip
    shown = text(report([file]))
    assert all(part in shown for part in ("2.4 MB", "1–129, 130–150", "line 17", "loss:abc", "no number"))
    assert "two lines were cut" in shown
    unread = text(report([FileReport("b/other.txt", notes=(("不是日志", "no log"),))]))
    assert "not read" in unread
    assert "0 B" not in unread
    assert "0 B" in text(report([FileReport("c/empty.log", "verl", 0)])), "an empty file was read"
    assert "No file has been read yet" in text(report([]))


def test_sparklines_break_at_what_is_not_a_number() -> None:
    mask = sparkline((1.0, 2.0, math.nan, 3.0, 4.0), info("E1")).style["--m"]
    assert mask.count("M") == 2
    assert "nan" not in mask
    assert sparkline((math.nan,), info("E1")).style["--m"].startswith('url("data:image/svg+xml')


def test_links_to_episodes_stand_in_the_order_of_their_steps() -> None:
    found = (episode(300, 3), episode(20, 4), episode(7, 2), episode(90, 5), episode(50, 1))
    links = [
        node for node in episode_links(row("E3", 3).info, found) if getattr(node, "className", "") == "ep-tag"
    ]
    starts = [int(link.to_plotly_json()["props"]["data-value"].rpartition(":")[2]) for link in links]
    assert starts == [20, 90, 300], "the three gravest, by step"
