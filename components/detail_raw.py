"""The part of the drawer that shows the logs of a run as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dash import html

from components import numbers
from components.detail_view import RawView, Tail
from components.text import both, labelled, sentence
from data_loaders.raw_log import LogLine, RawExcerpt
from data_loaders.schema import Note


def raw(view: RawView) -> list[Any]:
    """The lines of steps, and how the files end."""
    return [
        html.H3([both("rawlog.lines"), " ", html.Span(_which(view), className="meta")]),
        *_excerpts(view),
        html.H3(both("rawlog.tail")),
        *(part for tail in view.tails for part in _tail(tail)),
    ]


def _which(view: RawView) -> Any:
    if view.chosen is None:
        return both("rawlog.of_last", n=view.steps)
    return both("rawlog.of_range", steps=numbers.steps(*view.chosen))


def _excerpts(view: RawView) -> list[Any]:
    if not view.excerpts:
        return [html.P(both("rawlog.none_in_range"), className="mut")]
    made: list[Any] = []
    for excerpt in view.excerpts:
        name, lines = excerpt.path.name, [_line(line) for line in excerpt.lines]
        made.append(html.P(name, className="mono"))
        made += [_scroll(lines, "rawlog.lines_of", name)] if lines else []
        made += [html.P(sentence(note), className="mut") for note in _left_out(excerpt)]
    return made


def _scroll(lines: list[html.Div], key: str, name: str) -> html.Div:
    """Lines in a region of their own, which the keyboard can scroll."""
    region: dict[str, Any] = {"tabIndex": 0, "role": "region", **labelled(key, file=name)}
    return html.Div(lines, className="raw", **region)


def _line(line: LogLine) -> html.Div:
    cut = [html.Span([" ", both("raw.cut", size=numbers.size(line.cut))], className="ln")] if line.cut else []
    text = html.Span(line.text, className="w" if line.step is None else "")
    return html.Div([html.Span(f"{line.line} ", className="ln"), text, *cut])


def _left_out(excerpt: RawExcerpt) -> Iterator[Note]:
    if excerpt.why:
        yield Note(excerpt.why)
    if excerpt.more_warnings:
        yield Note("raw.more_warnings", {"n": excerpt.more_warnings})
    if excerpt.unsearched:
        yield Note("raw.unsearched", {"size": numbers.size(excerpt.unsearched)})
    if excerpt.more_lines:
        yield Note("raw.more_lines", {"n": excerpt.more_lines})


def _tail(tail: Tail) -> list[Any]:
    if tail.lines is None:
        return [html.P(both("rawlog.unreadable", file=tail.path.name), className="mut")]
    if not tail.lines:
        return [html.P(both("rawlog.empty", file=tail.path.name), className="mut")]
    return [
        html.P(both("rawlog.tail_of", file=tail.path.name, n=len(tail.lines)), className="mut"),
        _scroll([html.Div(line) for line in tail.lines], "rawlog.end_of", tail.path.name),
    ]
