"""The reading report: what was read from every file, and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import numbers
from components.report_view import FileReport, PartialNames
from components.scrolling import scrolling
from components.text import both, sentence

HEADS = ("file", "format", "size", "steps", "coverage", "keys", "cut", "rejected")
FEW = 6
"""Names with the same steps that are shown without unfolding them."""
NUMERIC = {"size", "steps", "keys", "cut", "rejected"}


def report(files: Sequence[FileReport]) -> list[Any]:
    """Content of the report panel."""
    if not files:
        return [html.P(both("report.none"))]
    heads = [html.Th(both(f"report.head.{n}"), className="num" if n in NUMERIC else "") for n in HEADS]
    body = [row for file in files for row in _rows(file)]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="rt report")
    return [scrolling(table, "report.title")]


def _rows(file: FileReport) -> list[html.Tr]:
    name = html.Td(file.path, className="mono wrap")
    if file.bytes is None:
        row = html.Tr([name, html.Td(both("report.not_read"), colSpan=len(HEADS) - 1, className="mut")])
    else:
        row = html.Tr([name, *_counted(file, file.bytes)])
    notes = [html.Div(sentence(note)) for note in file.notes]
    notes += [
        html.Div([both("report.line", line=line), " ", html.Span(text, className="mono"), " ", sentence(why)])
        for line, text, why in file.examples
    ]
    return [row, *([html.Tr(html.Td(notes, colSpan=len(HEADS), className="wrap mut"))] if notes else [])]


def reading(files: Sequence[FileReport]) -> list[Any]:
    """Content of the part of the drawer that says everything of the files of one run."""
    return [*report(files), *(part for file in files for part in _details(file))]


def _details(file: FileReport) -> list[Any]:
    if not file.more and not file.partial and file.values is None:
        return []
    counted = [html.P(both("report.counted", keys=file.keys, values=file.values))] if file.values else []
    return [
        html.H3(file.path.rsplit("/", 1)[-1], className="mono"),
        *counted,
        *(html.P(sentence(note)) for note in file.more),
        *([_partial(file.partial)] if file.partial else []),
    ]


def _partial(names: Sequence[PartialNames]) -> html.Div:
    """Keys that are not on every step of the file."""
    named = (("names", ""), ("seen", "num"), ("where", ""))
    heads = [html.Th(both(f"report.partial.{head}"), className=look) for head, look in named]
    rows = [
        html.Tr([
            html.Td(_keys(one.keys), className="mono wrap"),
            html.Td(both("report.seen_of", n=one.seen, steps=one.steps), className="num"),
            html.Td(sentence(one.where), className="wrap"),
        ])
        for one in names
    ]  # fmt: skip
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody(rows)], className="rt partial")
    return html.Div([html.P(both("report.partial"), className="mut"), scrolling(table, "report.partial")])


def _keys(keys: Sequence[str]) -> Any:
    """Names one below the other; many of them unfold."""
    names = [html.Div(key) for key in keys]
    if len(keys) <= FEW:
        return names
    more = html.Span(both("report.names_more", n=len(keys) - 1), className="mut")
    return html.Details([html.Summary([keys[0], " ", more]), *names[1:]])


def _counted(file: FileReport, size: int) -> list[html.Td]:
    """What was found in a file that was read: 0 is a count."""
    spans = ", ".join(numbers.steps(*covered) for covered in file.spans)
    counts = (file.steps, file.keys, file.cut, file.rejected)
    steps, *others = [html.Td(f"{count:,}", className="num") for count in counts]
    return [
        html.Td(file.format or numbers.NONE), html.Td(numbers.size(size), className="num"),
        steps, html.Td(spans or numbers.NONE), *others,
    ]  # fmt: skip
