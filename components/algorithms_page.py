"""The algorithms page: settings side by side, what normalisation does to one group, a row per algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards, ids, numbers
from components.attributes import act
from components.charts import charts
from components.figures_advantage import DEFAULT, SIZES
from components.formulas import FORMULAS
from components.scrolling import scrolling
from components.text import TEXT, Bilingual, Sentence, both, labelled, said, sentence, span, words
from components.track_page import footer
from components.view import AlgorithmRow, AlgorithmsView, RunInfo

COMPARED = ("baseline", "std", "length", "kl", "clip", "sampling", "reference", "unbiased")
"""Rows of the comparison table; texts `compared.<row>`, defaults `algorithm.<id>.<row>`."""


def algorithms_page(view: AlgorithmsView, version: str = "") -> html.Div:
    """The whole page."""
    return html.Div(
        [
            cards.page_title(words("algorithms.title"), [words("algorithms.meta")]),
            html.Div([_comparison(view.rows), _advantage()], className="att"),
            *(algorithm(row) for row in view.rows),
            *([_others(view.others)] if view.others else []),
            footer(version),
        ],
        className="rl-page",
    )


def algorithm(row: AlgorithmRow) -> html.Div:
    """Name and formula, what it changes, how it fails, its runs as small curves."""
    id_ = row.info.algorithm
    return html.Div(
        [
            html.Div([html.H2(cards.run_heading(row.info)), *_formula(id_), *_about(row)]),
            html.Div([_kind("changes"), *_paragraph(id_, "changes"), *_told(id_, "cost")]),
            html.Div([
                _kind("fails"), *_paragraph(id_, "fails"),
                *(html.Div(sentence(caution), className="warn") for caution in row.cautions),
                *_told(id_, "watch"),
            ]),
            html.Div([_kind("mini"), html.Div([_mini(*track) for track in row.tracks], className="minis")]),
        ],
        className="alg",
        id=f"algorithm-{id_}",
    )  # fmt: skip


def _comparison(rows: Sequence[AlgorithmRow]) -> html.Div:
    heads = [html.Th(cards.run_heading(row.info), scope="col") for row in rows]
    body = []
    for name in COMPARED:
        cells = [_cell(row, name) for row in rows]
        body.append(
            html.Tr([
                html.Td(both(f"compared.{name}")),
                *(html.Td(span(cell), className="d" if cell != cells[0] else "") for cell in cells),
            ])
        )  # fmt: skip
    table = html.Table([html.Thead(html.Tr([html.Td(), *heads])), html.Tbody(body)], className="cmp")
    head = cards.section_head(both("algorithms.comparison"), [both("algorithms.comparison.meta")])
    return html.Div([head, scrolling(table, "algorithms.comparison")])


def _cell(row: AlgorithmRow, name: str) -> Bilingual:
    """What the configuration says, else what the method says by itself."""
    if name in row.cells:
        return said(row.cells[name])
    key = f"algorithm.{row.info.algorithm}.{name}"
    return words(key) if key in TEXT else (numbers.NONE, numbers.NONE)


def _advantage() -> html.Div:
    options = [html.Option(str(size), value=str(size)) for size in SIZES]
    select = html.Select(options, className="sel", **act("advantage-group"), **labelled("advantage.size"))
    places = [
        html.Div(
            cards.place(
                ids.chart("advantage", str(size)), "advantage", words("advantage.title"),
                words("unit.advantage"), cards.caption("advantage.caption"),
            ),
            hidden=size != DEFAULT,
            **_of_size(size),
        )
        for size in SIZES
    ]  # fmt: skip
    head = cards.section_head(both("advantage.heading"), [], [html.Label(["G ", select], className="ctl")])
    return html.Div([head, *places])


def _of_size(size: int) -> dict[str, Any]:
    return {"data-of-group": str(size)}


def _formula(id_: str) -> list[html.Div]:
    """Filled by the page's scripts: Dash has no elements for mathematics."""
    made = []
    for formula in FORMULAS.get(id_, ()):
        attributes: dict[str, Any] = {"data-math": formula}
        made.append(html.Div(className="mth", **attributes))
    return made


def _about(row: AlgorithmRow) -> list[Any]:
    key = f"algorithm.{row.info.algorithm}.source"
    source: list[Any] = [html.Div(both(key), className="t12 mut")] if key in TEXT else []
    links: list[Any] = []
    for tab, name, info, _ in row.tracks:
        if info is not None:
            links += [*([" · "] if links else []), html.A(span(name), href=f"?tab={tab}&exp={info.mark}")]
    if links:
        source.append(html.Div([both("algorithms.only", run=row.info.mark), *links], className="t12"))
    return source


def _kind(name: str) -> html.P:
    return html.P(both(f"algorithms.{name}"), className="k")


def _paragraph(id_: str, part: str) -> list[html.P]:
    key = f"algorithm.{id_}.{part}"
    return [html.P(both(key))] if key in TEXT else []


def _told(id_: str, part: str) -> list[html.Div]:
    """Cost, or the charts to watch, after its own word."""
    key = f"algorithm.{id_}.{part}"
    return [html.Div(both(f"algorithms.{part}", text=words(key)), className="t12")] if key in TEXT else []


def _mini(_tab: str, name: Bilingual, info: RunInfo | None, why: Sentence | None) -> html.Div:
    title = html.B(span(name), className="ink")
    if info:
        return html.Div([cards.bare_place(chart, info, title) for chart in charts("mini")])
    absent = cards.empty(why or words("experiment.no_data"))
    return html.Div([html.Div(title, className="t12 mut"), absent])


def _others(known: Sequence[RunInfo]) -> html.Section:
    head = cards.section_head(both("algorithms.others"), [both("algorithms.others.meta")])
    entries = [html.Div([html.Dt(_name(info)), html.Dd(both(_short(info)))]) for info in known]
    return html.Section([head, html.Dl(entries, className="others")], className="exp")


def _name(info: RunInfo) -> Any:
    """The name that runs are labelled with; where it is words, with their meaning."""
    key = f"algorithm.{info.algorithm}.name"
    return both(key) if key in TEXT else info.name


def _short(info: RunInfo) -> str:
    key = f"algorithm.{info.algorithm}.short"
    return key if key in TEXT else "algorithms.others.none"
