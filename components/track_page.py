"""A track page: finding and status, charts of all runs, a section per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards, ids, numbers
from components.attributes import act, show
from components.charts import named, sections
from components.episode_list import episode_list
from components.figures import Chart
from components.pair_section import pair_section
from components.phase_section import phase_section
from components.pinned import pinned
from components.remarks import agreement_badges, rule_notes
from components.scrolling import scrolling
from components.statements import statement_list
from components.tables import bar, state, status_table, stepless_table
from components.tabs import ALGORITHMS
from components.text import both, inside, joined, listing, sentence, span, words
from components.view import Absent, Bilingual, ExperimentView, RunInfo, TrackView


def track_page(view: TrackView, version: str = "", pinned_charts: Sequence[Chart] = ()) -> html.Div:
    """The page of one track."""
    parts: list[Any] = [_title(view)]
    if not view.rows:
        parts.append(_nothing(view))
    else:
        parts += [_lead(view), html.Div(pinned(pinned_charts), id=ids.PINNED), *_comparison(view)]
        parts += [*_said(view), *pair_section(view.rows), *phase_section(view.rows), *episode_list(view.rows)]
    parts += [experiment(run) for run in view.experiments]
    if view.stepless:
        parts += _stepless(view)
    return html.Div([*parts, footer(version)], className="rl-page")


def experiment(view: ExperimentView) -> html.Section:
    """A run's own section: what is said of it, where it comes from, its charts."""
    name = [sentence(view.character)] if view.character else []
    inspect = [*cards.episode_links(view.info, view.episodes), " ", _inspect(view.info)]
    parts: list[Any] = [cards.section_head(cards.run_heading(view.info), name, inspect)]
    if view.empty is None:
        parts += [cards.note_and_sources(view, _running(view)), *_experiment_charts(view)]
        parts += [*rule_notes(view.rules, view.rules_tested), *_full(view)]
    else:
        files = [part for file in view.sources for part in (html.Br(), *cards.source_file(file))]
        ahead = [" · ", sentence(view.progress)] if view.progress else []
        parts.append(cards.empty(words("experiment.no_data"), view.empty, [*ahead, *files]))
        parts.append(html.Div(cards.detail_links(view), className="src"))
    attributes: dict[str, Any] = {"data-of-run": view.info.key}
    return html.Section(parts, className="exp", id=f"exp-{view.info.key}", **attributes)


def _inspect(info: RunInfo) -> html.Button:
    """Opens the chosen steps of a run as an episode; the page's scripts show it while steps are chosen."""
    return html.Button(type="button", className="lnk", hidden=True, **act("inspect", info.id))


def footer(version: str) -> html.Footer:
    """Last line of every page."""
    report = html.Button(both("foot.report"), type="button", className="lnk", **act("report"))
    known = [both("foot.version", version=version)] if version else []
    return html.Footer([both("foot.source"), *known, report], className="foot")


def _said(view: TrackView) -> list[Any]:
    """What the numbers say, in sentences."""
    if not view.statements:
        return []
    return [cards.section_head(both("said.title"), [both("said.meta")]), *statement_list(view.statements)]


def _title(view: TrackView) -> html.Div:
    sources = html.Button(
        both("track.sources", n=view.log_count), type="button", className="lnk", **act("report")
    )
    about = html.A(both("track.algorithms"), href=f"?tab={ALGORITHMS}", **act("tab", ALGORITHMS))
    model = (view.model, view.model) if view.model else None
    return cards.page_title(view.heading, view.facts, [about, " · ", sources], model)


def _lead(view: TrackView) -> html.Div:
    left: list[Any] = cards.headline(view.finding) if view.finding else []
    table = status_table(view.rows, view.window or view.steps, view.validation_title)
    return html.Div([html.Div(left), scrolling(table, "track.status")], className="rl-lead")


def _comparison(view: TrackView) -> list[Any]:
    meta: list[Any] = [html.Span(**show("range"))]
    for note in view.window_notes:
        meta += [" · ", sentence(note)]
    right: list[Any] = []
    if view.window and view.steps:
        meta += [" · ", both("track.validation_free")]
        right = [
            _window_link("all", "track.show_all", numbers.steps(*view.steps)),
            _window_link("aligned", "track.show_window", numbers.steps(*view.window)),
        ]
    titles = {"validation": (view.validation_title,) * 2} if view.validation_title else {}
    shown = named("comparison", view.charts)
    grid = [cards.chart_place(chart, title=titles.get(chart.name)) for chart in shown]
    return [
        html.Div(
            cards.section_head(both("track.comparison"), meta, right, agreement_badges(view.agreements)),
            className="first-step",
        ),
        html.Div(grid, className="g3"),
        *_below(view),
    ]


def _below(view: TrackView) -> list[Any]:
    """What board.toml says of the track, beside the validation it names and no log holds."""
    parts: list[Any] = []
    if view.unmeasured:
        why = words("validation.unmeasured.why", key=view.validation_key)
        parts.append(cards.empty(words("validation.unmeasured", name=view.unmeasured), why))
    if view.notes:
        parts.append(cards.markdown(view.notes))
    return [html.Div(parts, className="track-notes")] if parts else []


def _window_link(value: str, key: str, steps: str) -> html.A:
    return html.A(both(key, steps=steps), href="#", **act("window", value))


def _experiment_charts(view: ExperimentView) -> list[Any]:
    """The run's own charts; those that all lack their metric for one reason are one line."""
    places = [
        cards.chart_place(chart, view.info, captioned=False) for chart in named("experiment", view.charts)
    ]
    absent = [(words("experiment.absent", charts=inside(_titles(one))), one.why) for one in view.absent]
    told = [cards.empty(charts, why) for charts, why in absent]
    return [*told, *([html.Div(places, className="g4")] if places else [])]


def _running(view: ExperimentView) -> list[Any]:
    if view.row is None or view.progress is None:
        return []
    return [html.Div([*bar(view.row), state(view.row), " · ", sentence(view.progress)], className="running")]


def _full(view: ExperimentView) -> list[Any]:
    """Everything else that the run logs, folded; its charts are asked for when it is opened."""
    groups = list(sections(view.full))
    if not groups:
        return []
    listed = joined([words(f"section.{name}") for name, _ in groups], "、", ", ")
    count = sum(len(members) for _, members in groups)
    head = html.Summary([
        html.B(both("full.title")), " ", html.Span(both("full.count", n=count), className="n"), " ",
        html.Span(span(listed), className="cut"),
    ])  # fmt: skip
    body: list[Any] = []
    for name, members in groups:
        places = [cards.chart_place(chart, view.info, captioned=False) for chart in members]
        body += [html.H3(both(f"section.{name}")), html.Div(places, className="g4")]
    lacks = [html.Li([html.B(span(_titles(one))), " ", sentence(one.why)]) for one in view.without]
    if lacks:
        body.append(html.Div([html.Span(both("full.without")), html.Ul(lacks)], className="without"))
    attributes: dict[str, Any] = {"data-full": view.info.key}
    return [html.Details([head, *body], className="full", **attributes)]


def _titles(one: Absent) -> Bilingual:
    first, *more = (words(title) for title in one.titles)
    return joined([first, *map(inside, more)], "、", ", ")


def _nothing(view: TrackView) -> html.Div:
    """What would make runs appear here, and what the page would show of them."""
    known = listing(view.accepts)
    hint = [" ", both("track.empty.words", words=known)] if view.accepts else []
    drawn = joined([inside(words(chart.title)) for chart in named("comparison", view.charts)], "、", ", ")
    return cards.empty(
        words("track.empty"), words("track.empty.why"), [*hint, " ", both("track.empty.charts", charts=drawn)]
    )


def _stepless(view: TrackView) -> list[Any]:
    head = cards.section_head(both("track.stepless"), [both("track.stepless.meta")])
    return [html.Section([head, scrolling(stepless_table(view.stepless), "track.stepless")], className="exp")]
