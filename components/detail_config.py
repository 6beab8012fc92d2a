"""Parts of the drawer that show configurations: of one run, and what differs between runs."""

from __future__ import annotations

from typing import Any

from dash import html

from components import cards
from components.detail import find, row
from components.detail_view import ConfigView, DetectionView, Difference, DifferencesView, Setting
from components.scrolling import scrolling
from components.style import mark
from components.text import both, sentence, words
from components.view import RunInfo


def config(view: ConfigView) -> list[Any]:
    """How the algorithm was recognised, then every setting."""
    facts = [_fact("config.source", sentence(view.source)), *_detection(view.detection)]
    if not view.settings:
        return [html.Dl(facts, className="facts")]
    heads = [html.Th(both("config.path")), html.Th(both("config.value"))]
    rows = [html.Tr([html.Td(path, className="mono wrap"), _cell(s)], **row()) for path, s in view.settings]
    told: list[Any] = [both("config.count", n=len(view.settings))]
    told += [" · ", both("config.secrets", n=view.secrets)] if view.secrets else []
    return [
        html.Dl(facts, className="facts"),
        find("words", "find.words"),
        html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="rt settings"),
        html.P(told, className="mut"),
    ]


def differences(view: DifferencesView) -> list[Any]:
    """Only the settings that differ, a column per run."""
    notes = [html.P(both(key, runs=_marks(runs)), className="mut") for key, runs in _left_out(view) if runs]
    if len(view.runs) < 2:
        return [cards.empty(words("differences.alone")), *notes]
    if not view.rows:
        return [cards.empty(words("differences.none")), *notes]
    several = len({info.track for info in view.runs}) > 1
    heads = [html.Th(both("config.path")), *(html.Th(_head(info, several)) for info in view.runs)]
    return [
        html.P(both("differences.count", n=len(view.rows), same=view.same), className="mut"),
        *notes,
        find("words", "find.words"),
        scrolling(
            html.Table(
                [html.Thead(html.Tr(heads)), html.Tbody([_difference(one) for one in view.rows])],
                className="rt settings compared",
            ),
            "detail.differences",
        ),
    ]


def _fact(key: str, value: Any) -> html.Div:
    return html.Div([html.Dt(both(key)), html.Dd(value)])


def _detection(view: DetectionView) -> list[html.Div]:
    name: list[Any] = [html.B(view.name)]
    name += [" ", sentence(view.variant)] if view.variant else []
    name += [" · ", both(view.confidence)]
    name += [" · ", both("config.estimator", name=view.estimator)] if view.estimator else []
    parts = [
        html.Li([sentence(part.name), " ", html.Span(both(part.state), className=_look(part.state))])
        for part in view.parts
    ]
    remarks = [html.Li(sentence(one)) for one in view.remarks]
    remarks += [html.Li(sentence(one), className="caveat") for one in view.warnings]
    made = [_fact("config.algorithm", name)]
    made += [_fact("config.parts", html.Ul(parts, className="plain"))] if parts else []
    made += [_fact("config.flags", html.Ul(remarks, className="plain"))] if remarks else []
    return made


def _look(state: str) -> str:
    """Amber for what was configured and did not happen; what is off is grey."""
    return {"part_state.on": "ink", "part_state.not_executed": "caveat"}.get(state, "mut")


def _cell(cell: Setting) -> html.Td:
    text: list[Any] = [html.Span(cell.text, className="mono")]
    text += [html.Span([" ", both("config.cut", n=cell.cut)], className="mut")] if cell.cut else []
    text += [html.Span([" ", both(f"kind.{cell.kind}")], className="kind")] if cell.kind else []
    return html.Td(text, className="wrap")


def _difference(one: Difference) -> html.Tr:
    name: list[Any] = [html.Span(one.path, className="mono")]
    name += [html.Span([" ", both(f"kind.{one.kind}")], className="kind")] if one.kind else []
    cells = [
        html.Td(both(cell), className="mut")
        if isinstance(cell, str)
        else _cell(cell._replace(kind=""))
        for cell in one.cells
    ]
    return html.Tr([html.Th(name, scope="row", className="wrap"), *cells], **row())


def _head(info: RunInfo, several: bool) -> list[Any]:
    """A run above its column, with its track where the columns are of several."""
    return [mark(info), " ", info.mark, *([html.Span(f" {info.track}", className="mut")] if several else [])]


def _left_out(view: DifferencesView) -> list[tuple[str, tuple[RunInfo, ...]]]:
    return [("differences.without", view.without), ("differences.partial", view.partial)]


def _marks(runs: tuple[RunInfo, ...]) -> str:
    return ", ".join(info.mark for info in runs)
