"""Texts of the episode panel: raw lines of the log, answers sampled at its steps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from dash import html

from components import numbers
from components.episode_tables import sub_head
from components.episode_view import EpisodeView, Piece, RawPart
from components.text import both, labelled, sentence
from data_loaders.raw_log import LogLine, RawExcerpt
from data_loaders.rollout_samples import Sample, StepSamples
from data_loaders.schema import Note

NAME_ENDS = re.compile(r"(?<=[a-z_]:)")


def raw_log(view: EpisodeView) -> list[Any]:
    """Per log: the items worth seeing around the peak, then the whole lines behind a fold."""
    made: list[Any] = []
    for excerpt, parts in view.raw:
        meta = both("raw.meta", file=excerpt.path.name, steps=_steps(part.step for part in parts))
        made += [sub_head("raw.head", meta if parts else excerpt.path.name)]
        made += [html.Div([_part(part) for part in parts], className="raw")] if parts else []
        made += [html.P(both(excerpt.why), className="mut")] if excerpt.why else []
        made += [_whole(excerpt)] if excerpt.lines else []
    return made


def _part(part: RawPart) -> html.Div:
    """Line number, then the items; a warning in amber."""
    number = html.Span(str(part.line), className="ln")
    pieces = html.Span([_piece(one) for one in part.pieces], className="w" if part.step is None else "")
    return html.Div([number, pieces], className="rl-ln")


def _piece(piece: Piece) -> Any:
    """A narrow line breaks after the colon of a name rather than inside its number."""
    if piece.moved:
        return html.Mark(piece.text)
    first, *rest = NAME_ENDS.split(piece.text)
    return html.Span([first, *(part for text in rest for part in (html.Wbr(), text))]) if rest else first


def _whole(excerpt: RawExcerpt) -> html.Details:
    steps = _steps(line.step for line in excerpt.lines)
    lines = [_line(line) for line in excerpt.lines]
    scroll: dict[str, Any] = {"tabIndex": 0, "role": "region", **labelled("raw.whole", steps=steps)}
    return html.Details(
        [
            html.Summary(both("raw.whole", steps=steps)),
            html.Div(lines, className="raw scroll", **scroll),
            *(html.P(sentence(note), className="mut") for note in _left_out(excerpt)),
        ],
        className="fold",
    )


def _line(line: LogLine) -> html.Div:
    cut = [html.Span([" ", both("raw.cut", size=numbers.size(line.cut))], className="ln")] if line.cut else []
    attributes: dict[str, Any] = {"data-line": str(line.line)}
    return html.Div(
        [
            html.Span(str(line.line), className="ln"),
            html.Span(line.text, className="tx w" if line.step is None else "tx"),
            *cut,
        ],
        className="rl-ln",
        **attributes,
    )


def _left_out(excerpt: RawExcerpt) -> Iterable[Note]:
    if excerpt.more_warnings:
        yield Note("raw.more_warnings", {"n": excerpt.more_warnings})
    if excerpt.unsearched:
        yield Note("raw.unsearched", {"size": numbers.size(excerpt.unsearched)})
    if excerpt.more_lines:
        yield Note("raw.more_lines", {"n": excerpt.more_lines})


def _steps(steps: Iterable[int | None]) -> str:
    known = [step for step in steps if step is not None]
    return numbers.steps(min(known), max(known)) if known else ""


def sampled(view: EpisodeView) -> list[Any]:
    """Answers of the steps around the peak: score and length of all, the first few as text."""
    return [sub_head("samples.head"), *(_samples(key, step) for key, step in view.samples)]


def _samples(kind: str, found: StepSamples) -> html.Details:
    told = both(
        "samples.step", step=found.step, kind=Note(kind), n=found.count,
        score=numbers.number(found.mean_score, 3), length=numbers.number(found.mean_length, 0),
    )  # fmt: skip
    notes = [Note("samples.unreadable", {"n": found.unreadable})] if found.unreadable else []
    notes += [Note("samples.more", {"size": numbers.size(found.more_bytes)})] if found.more_bytes else []
    return html.Details(
        [
            html.Summary(told),
            *(_sample(one) for one in found.samples),
            *(html.P(sentence(note), className="mut") for note in notes),
        ],
        className="fold",
    )


def _sample(one: Sample) -> html.Div:
    score = both("samples.one", score=numbers.number(one.score, 3), length=f"{one.length:,}")
    return html.Div(
        [
            html.P(score, className="mut"),
            html.Div([html.Span(both("samples.prompt"), className="ln"), " ", one.prompt], className="raw"),
            html.Div([html.Span(both("samples.output"), className="ln"), " ", one.output], className="raw"),
        ]
    )
