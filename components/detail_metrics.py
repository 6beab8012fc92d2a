"""The part of the drawer that lists every logged key of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import html

from components import cards, numbers
from components.detail import find, pin, row
from components.detail_view import MetricRow, MetricsView
from components.text import TEXT, both, listing, sentence, words
from data_loaders.export import number
from data_loaders.metrics import Metric, key_factor
from data_loaders.schema import Note

HEADS = ("key", "last", "values", "seen", "pin")


def metrics(view: MetricsView) -> list[Any]:
    """A table per prefix."""
    if not view.groups:
        return [cards.empty(words("metrics.none"))]
    return [
        html.P(both("metrics.count", n=view.count, steps=view.steps), className="mut"),
        find("regex", "find.regex"),
        *(_group(prefix, rows, view.steps) for prefix, rows in view.groups),
    ]


def _group(prefix: str, rows: Sequence[MetricRow], steps: int) -> html.Section:
    heads = [html.Th(both(f"metrics.{name}"), className="" if name == "key" else "num") for name in HEADS]
    attributes: dict[str, Any] = {"data-group": prefix}
    body = html.Tbody([_row(one, steps) for one in rows])
    table = html.Table([html.Thead(html.Tr(heads)), body], className="rt keys")
    title = [html.H3(prefix, className="mono")] if prefix else []
    return html.Section([*title, table], **attributes)


def _row(one: MetricRow, steps: int) -> html.Tr:
    last = numbers.NONE if one.last is None else _precise(one.last, one.decimals)
    at = [] if one.last_step is None else [html.Span(f" @{one.last_step}", className="mut")]
    cells = [
        html.Td(_about(one), className="wrap"),
        html.Td([html.Span(last, className="mono"), *at], className="num"),
        html.Td(f"{one.count:,}", className="num"),
        html.Td(both("metrics.seen_of", n=one.seen, steps=steps), className="num"),
        html.Td(_pins(one), className="num pins"),
    ]
    return html.Tr(cells, **row(_names(one)))


def _precise(value: float, decimals: int | None) -> str:
    """Every digit that the log had, with a true minus."""
    text = number(value) if decimals is None else f"{value:.{decimals}f}"
    return numbers.MINUS + text[1:] if text.startswith("-") else text


def _about(one: MetricRow) -> list[Any]:
    """The key, then what is known of it."""
    about: list[Any] = [html.Div(one.key, className="mono key")]
    if one.metric:
        about += _meaning(one.metric)
        others = [alias for alias in one.metric.aliases if alias != one.key]
        if others:
            about.append(html.Div(both("metrics.other_names", names=listing(others)), className="mut"))
    else:
        about.append(html.Div(both(one.family or "metrics.unknown"), className="mut"))
    about += [
        html.Div(both("metrics.source_of", metric=words(metric.text)), className="mut")
        for metric in one.sources
        if metric is not one.metric
    ]
    factor = key_factor(one.key)
    remarks = [Note("metrics.factor", {"factor": f"{factor:g}"})] if factor != 1 else []
    remarks += [one.not_finite] if one.not_finite else []
    remarks += [Note("metrics.decimals", {"n": one.decimals})] if one.decimals and not one.last else []
    return [*about, *(html.Div(sentence(remark), className="caveat") for remark in remarks)]


def _meaning(metric: Metric) -> list[Any]:
    unit = words(f"metric_unit.{metric.unit}")
    told: list[Any] = [html.Span(both(metric.text), className="ink"), " · ", both(f"{metric.text}.meaning")]
    told += [" ", both("metrics.unit", unit=unit)] if any(unit) else []
    made: list[Any] = [html.Div(told)]
    caveat = f"{metric.text}.caveat"
    return [*made, html.Div(both(caveat), className="caveat")] if caveat in TEXT else made


def _pins(one: MetricRow) -> list[Any]:
    """One for the key as logged, one for each metric that is computed from it."""
    made = [pin(one.key, both("pin.raw"), (one.key, one.key))]
    made += [pin(metric.name, both(metric.text), words(metric.text)) for metric in one.sources]
    return made


def _names(one: MetricRow) -> list[str]:
    """What a pattern is tried on: the key, canonical names, names in other versions."""
    known = [one.metric] if one.metric else []
    names = [name for metric in (*known, *one.sources) for name in (metric.name, *metric.aliases)]
    return list(dict.fromkeys((one.key, *names)))
