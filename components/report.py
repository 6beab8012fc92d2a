"""The reading report: what was read from every file, and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import numbers
from components.text import both, sentence
from components.view import FileReport

HEADS = ("file", "format", "size", "steps", "coverage", "keys", "cut", "rejected")
NUMERIC = {"size", "steps", "keys", "cut", "rejected"}


def report(files: Sequence[FileReport]) -> list[Any]:
    """Content of the report panel."""
    if not files:
        return [html.P(both("report.none"))]
    heads = [html.Th(both(f"report.head.{n}"), className="num" if n in NUMERIC else "") for n in HEADS]
    body = [row for file in files for row in _rows(file)]
    return [html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="rt report")]


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


def _counted(file: FileReport, size: int) -> list[html.Td]:
    """What was found in a file that was read: 0 is a count."""
    spans = ", ".join(numbers.steps(*covered) for covered in file.spans)
    counts = (file.steps, file.keys, file.cut, file.rejected)
    steps, *others = [html.Td(f"{count:,}", className="num") for count in counts]
    return [
        html.Td(file.format or numbers.NONE), html.Td(numbers.size(size), className="num"),
        steps, html.Td(spans or numbers.NONE), *others,
    ]  # fmt: skip
