"""The shell around every page: stores, banners, header, filter bar, page, panels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import dash_bootstrap_components as dbc
from dash import dcc, html

from components import ids, numbers
from components.attributes import HIDDEN, act, show
from components.report import report
from components.style import mark
from components.tabs import tab_links
from components.text import both, labelled, option, sentence, span, titled, words
from components.text.client import client_words
from components.view import Banner, Chip, ShellView
from data_loaders.derive.smooth import SMOOTHERS
from data_loaders.schema import Json

STORES = (
    ids.MANIFEST, ids.SELECTION, ids.SHOWN, ids.RANGE, ids.RANGE_SETTLED, ids.EPISODE, ids.TAB, ids.FIGURES,
    ids.UNFOLDED, ids.READING, ids.LOAD, ids.DRAWN, ids.CONTENT,
    ids.PAGE_ANSWER, ids.AROUND, ids.AROUND_ANSWER, ids.TOLD, ids.REPORT_OPEN, ids.REPORT_ANSWER,
    ids.PAGE_TOKEN, ids.DETAIL_ASKED, ids.DETAIL_ANSWER, ids.NOTE_ASKED, ids.NOTED,
)  # fmt: skip

SMOOTH = ("auto", *(smoother.kind for smoother in SMOOTHERS))
X_AXES = ("step", "tokens", "hours")
UNITS = ("token", "logged")
POLICIES = ("last", "first", "all")
NOTES = ("shown", "hidden")
Y_SCALES = ("fit", "robust", "log", "zero")


def shell(
    view: ShellView, *, stores: Mapping[str, Any] | None = None, interval_ms: int = 1000, page: Any = None
) -> html.Div:
    """The whole document below `<body>`; `stores` is what stores hold at first. Callbacks fill the rest."""
    first = stores or {}
    return html.Div(
        [
            *(dcc.Store(id=name, data=first.get(name)) for name in STORES),
            dcc.Store(id=ids.WORDS, data=client_words()),
            dcc.Interval(id=ids.POLL, interval=interval_ms),
            html.Div(banners(view.banners), id=ids.BANNERS, role="region", **labelled("banner.label")),
            _loading_line(),
            header(view),
            filter_bar(view.chips),
            html.Main(_tab_panel(page or waiting(), view.active)),
            _panel(ids.REPORT, "report.title", html.Div(report(view.reports), id=ids.REPORT_BODY)),
            _panel(ids.DETAIL, "", html.Div(id=ids.DETAIL_BODY)),
        ],
        className="rl-board",
    )


def header(view: ShellView) -> html.Header:
    """Name, tabs, clock, language, theme, help."""
    clock: dict[str, Any] = {"data-slot": "clock"}
    dot: list[Any] = [html.I(**HIDDEN)] if view.live else []
    right = [
        html.Span([*dot, both("header.clock"), " ", html.Span(view.clock, **clock)], className="live no-m"),
        _button("lang", None, "header.lang"),
        _button("theme", None, "header.theme"),
        _button("help", "?", "header.help"),
    ]
    return html.Header(
        [
            html.Div([html.I(**HIDDEN), span(view.title)], className="rl-brand"),
            html.Nav(
                tab_links(view.tabs, view.active), id=ids.TABS, className="rl-tabs",
                role="tablist", **labelled("tabs.label"),
            ),
            html.Div(right, className="rl-head-r"),
        ],
        className="rl-header",
    )  # fmt: skip


def _tab_panel(page: Any, active: str) -> html.Section:
    """The page of the active tab; the page's scripts keep its name."""
    named: dict[str, Any] = {"aria-labelledby": ids.tab(active)}
    return html.Section(page, id=ids.PAGE, role="tabpanel", tabIndex=-1, **named)


def filter_bar(shown: Iterable[Chip] = ()) -> html.Div:
    """Runs, step range, smoothing, axis, episodes, reset, CSV. Sticky on every page."""
    return html.Div(
        [
            html.Div(chips(shown), id=ids.CHIPS, className="chips", role="group", **labelled("filter.runs")),
            html.Div(id=ids.STEPS, role="group", **labelled("filter.steps")),
            _select("smooth", "filter.smooth", "smooth", SMOOTH, "ctl sm"),
            _select("x", "filter.x", "x", X_AXES, "ctl sm"),
            _config(),
            _more(),
            html.Span(className="flex1 no-m"),
            _episodes(),
            html.Button(
                html.Span(**show("notes")), type="button", className="btn-t no-m",
                **act("notes-open"), **titled("filter.notes.title"),
            ),
            html.Button(both("filter.reset"), type="button", className="btn-t no-m", **act("reset")),
            html.A(
                both("filter.csv"), href="csv", className="btn-t no-m csv", **act("csv"),
                **titled("filter.csv.title"),
            ),
        ],
        className="rl-filter",
        role="region",
        **labelled("filter.label"),
    )  # fmt: skip


def chips(shown: Iterable[Chip]) -> list[html.Button]:
    """Toggles of the runs of a page; the only legend there is."""
    return [_chip(chip) for chip in shown]


def banners(shown: Iterable[Banner]) -> list[html.Div]:
    """Lines above the header."""
    return [banner(line.noun, line.text, _banner_link(line), line.bad) for line in shown]


def banner(noun: Any, text: Any, right: Any = None, bad: bool = False) -> html.Div:
    """Bold noun, plain sentence, one action at the right."""
    return html.Div(
        [
            html.B(sentence(noun), className="bad" if bad else ""),
            html.Span(sentence(text), className="cut"),
            html.Span(className="sp"),
            *([right] if right is not None else []),
        ],
        className="rl-banner",
    )


class Loading(NamedTuple):
    """Properties of the reading line: `loading`, its text, `progress`, `cancel` and `retry`."""

    hidden: bool
    text: list[Any]
    percent: float
    no_cancel: bool
    no_retry: bool


def loading(reading: Json | None) -> Loading:
    """The line of a background reading: file, bytes and percent as text and a thin bar; hidden when done.

    `reading` is what the store `reading` holds: state, done, total, file, rate, left, error (zh, en).
    """
    state = (reading or {}).get("state", "done")
    if not reading or state == "done":
        return Loading(True, [], 0.0, True, True)
    part = 100 * reading.get("done", 0) / reading["total"] if reading.get("total") else 0.0
    if state == "reading":
        return Loading(False, _progress(reading, part), part, False, True)
    zh, en = reading.get("error") or words(f"loading.{state}.text")
    why = (str(zh), str(en))
    noun = html.B(both(f"loading.{state}"), className="" if state == "cancelled" else "bad")
    return Loading(False, [noun, html.Span(span(why), className="cut")], part, True, False)


def waiting() -> html.Div:
    """The page before anything was read."""
    return html.Div(html.P(both("page.loading"), className="mut"), className="rl-page waiting")


# ---- parts of the filter bar ----


def _chip(chip: Chip) -> html.Button:
    info = chip.info
    pressed: dict[str, Any] = {"aria-pressed": "true"}
    name = [html.Span(info.name, className="nm")] if info.label else []
    state = [html.Span(both(f"state.{chip.state}"), className="st")] if chip.state else []
    return html.Button(
        [mark(info), html.Span(info.mark, className="id"), *name, *state],
        type="button", className="chip", **act("chip", chip.value), **pressed,
        **titled("filter.chip", run=chip.value),
    )  # fmt: skip


def _select(action: str, label: str, prefix: str, values: Iterable[str], name: str) -> html.Label:
    options = [option(value, f"{prefix}.{value}") for value in values]
    return html.Label([both(label), html.Select(options, className="sel", **act(action))], className=name)


def _more() -> html.Details:
    """What is chosen rarely, and on narrow pages what does not fit."""
    return html.Details(
        [
            html.Summary("···", className="btn-t", **labelled("filter.more"), **titled("filter.more")),
            html.Div(
                [
                    _select("smooth", "filter.smooth", "smooth", SMOOTH, "ctl narrow"),
                    _select("x", "filter.x", "x", X_AXES, "ctl narrow"),
                    _select("yscale", "filter.yscale", "yscale", Y_SCALES, "ctl"),
                    _select("units", "filter.units", "units", UNITS, "ctl"),
                    _select("seg", "filter.seg", "seg", POLICIES, "ctl"),
                    _select("base", "filter.base", "base", ("",), "ctl"),
                    _select("notes", "filter.notes", "notes", NOTES, "ctl"),
                    _notify(),
                ],
                className="rl-menu",
            ),
        ],
        className="rl-more no-m",
    )


def _config() -> html.Details:
    """Groups, hues and choice of runs by their settings; the page's scripts fill it."""
    panel = html.Div(id=ids.CONFIG_MENU, className="rl-menu")
    name = html.Summary(both("filter.config"), className="btn-t", **titled("filter.config.title"))
    return html.Details([name, panel], className="rl-config no-m")


def _notify() -> html.Button:
    """Asks the browser for desktop notifications; shown by the page's scripts where there can be any."""
    return html.Button(
        both("filter.notify"), type="button", className="btn-t", hidden=True, **act("notify"),
        **titled("filter.notify.title"),
    )  # fmt: skip


def _episodes() -> html.Div:
    return html.Div(
        [
            html.Button("‹", type="button", **act("episode-prev"), **labelled("filter.previous")),
            html.Span(**show("episodes")),
            html.Button("›", type="button", **act("episode-next"), **labelled("filter.next")),
        ],
        className="epnav no-m",
        role="group",
        **labelled("filter.episodes"),
    )


def _button(action: str, text: str | None, label: str) -> html.Button:
    """Buttons without text get it from the page's scripts, which know what they switch to."""
    return html.Button(text, type="button", **act(action), **labelled(label), **titled(label))


def _banner_link(line: Banner) -> Any:
    if line.link is None:
        return None
    action, text = line.link
    return html.Button(sentence(text), type="button", className="lnk", **act(action))


def _loading_line() -> html.Div:
    """Its parts are always there, as callbacks listen to the buttons; `loading` says what is shown.

    The bar is decoration: the text beside it says the percentage.
    """
    cancel = html.Button(both("loading.cancel"), id=ids.CANCEL, type="button", className="lnk", hidden=True)
    retry = html.Button(both("loading.retry"), id=ids.RETRY, type="button", className="lnk", hidden=True)
    return html.Div(
        [
            html.Div(id=ids.LOADING_TEXT, className="cut"),
            html.Span(className="sp"),
            cancel,
            retry,
            html.Div(dbc.Progress(id=ids.PROGRESS, value=0, className="rl-progress"), **HIDDEN),
        ],
        id=ids.LOADING,
        className="rl-banner loading",
        hidden=True,
        role="status",
    )


def _progress(reading: Json, part: float) -> list[Any]:
    done, total = (numbers.size(int(reading.get(name, 0))) for name in ("done", "total"))
    told: list[Any] = [span(words("loading.of", file=str(reading.get("file", "")), done=done, total=total))]
    told.append(f" · {part:.0f} %")
    if rate := reading.get("rate"):
        told += [" · ", both("loading.rate", rate=numbers.size(int(rate)))]
        told += [" · ", both("loading.left", time=numbers.seconds(reading.get("left", 0.0)))]
    return [html.B(both("loading.title")), " ", html.Span(told)]


def _panel(id_: str, title: str, body: Any) -> html.Dialog:
    """A drawer at the right edge, opened and closed by the page's scripts."""
    close = html.Button(both("report.close"), type="button", className="btn-t", **act("close"))
    heading = html.H2(both(title) if title else None, id=f"{id_}-title")
    label: dict[str, Any] = {"aria-labelledby": f"{id_}-title"}
    head = html.Div([heading, close], className="rl-drawer-h")
    return html.Dialog([head, body], id=id_, className="rl-drawer", **label)
