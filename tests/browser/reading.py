"""A page as a reader of either language has it: its texts, and what its charts hold once they came into view."""

from __future__ import annotations

from typing import Any, NamedTuple

from playwright.sync_api import Page

TEXTS = """(selector) => [...document.querySelectorAll(selector)].filter((el) => el.getClientRects().length)
  .map((el) => el.innerText.replace(/\\s+/g, ' ').trim())"""
CHART = """(id) => {
  const both = (el, name) => ['zh-CN', 'en'].map((lang) => {
    if (!el) return '';
    const copy = el.cloneNode(true);
    for (const part of copy.querySelectorAll(`[lang]:not([lang="${lang}"])`)) part.remove();
    return (copy.textContent + ' ' + (el.getAttribute(`data-title-${lang.slice(0, 2)}`) || '')).trim();
  });
  const figure = document.querySelector(`figure[data-chart="${id}"]`);
  if (!figure) return null;
  const plot = figure.querySelector('.js-plotly-plot'), data = plot ? rlboard.records().find((record) => record.figure === figure).data : [];
  return {
    title: both(figure.querySelector('h3')), caption: both(figure.querySelector('.ch-c')),
    empty: figure.querySelector('.empty') ? figure.querySelector('.empty').innerText.trim() : '',
    points: data.filter((t) => !/^ref_|_lab_|_end_|part_names/.test(t.uid)).reduce((n, t) => n + [...t.y].filter(Number.isFinite).length, 0),
    uids: data.map((t) => t.uid), words: data.flatMap((t) => (Array.isArray(t.text) ? t.text : [])),
    x: plot ? plot._fullLayout.xaxis.range.map(Number) : null,
  };
}"""
DRAWN = "() => window.rlboard && rlboard.ready && document.querySelector('.rl-page h1')"


class Chart(NamedTuple):
    """A chart on the page: title with its tip and caption in Chinese and English, traces, finite values."""

    title: list[str]
    caption: list[str]
    empty: str
    """The reason in its place, in the language in force."""
    points: int
    uids: list[str]
    words: list[str]
    x: list[float] | None


def language(page: Page, lang: str) -> None:
    page.evaluate("(lang) => rlboard.set({ lang })", lang)
    page.wait_for_function(DRAWN)


def open_tab(page: Page, tab: str) -> None:
    """Go to a tab of an open board, until its page and its charts are there."""
    if page.evaluate("() => rlboard.state.tab") == tab:
        return
    before = page.locator("h1").inner_text()
    page.evaluate("(tab) => rlboard.openTab(tab)", tab)
    page.wait_for_function("(before) => document.querySelector('h1')?.innerText !== before", arg=before)
    page.wait_for_function(
        "(tab) => rlboard.payload().tab === tab && rlboard.ready && [...document.querySelectorAll('figure[data-chart^=cmp]')]"
        ".every((figure) => figure.dataset.chart in rlboard.payload().charts)",
        arg=tab,
    )
    page.wait_for_function(DRAWN)


def texts(page: Page, selector: str) -> list[str]:
    """What is written in the visible elements of a selector, white space as one blank."""
    found: list[str] = page.evaluate(TEXTS, selector)
    return found


def chart(page: Page, id_: str) -> Chart:
    """A chart after it was scrolled into view and drawn."""
    figure = page.locator(f'figure[data-chart="{id_}"]')
    figure.scroll_into_view_if_needed()
    page.wait_for_function(
        "(id) => { const f = document.querySelector(`figure[data-chart='${id}']`);"
        " return rlboard.ready && f && f.querySelector('.js-plotly-plot, .empty'); }",
        arg=id_,
    )
    told: dict[str, Any] = page.evaluate(CHART, id_)
    return Chart(**told)


def run_key(page: Page, label: str, track: str) -> str:
    """Key of the run with a label on a track."""
    key: str = page.evaluate(
        "([label, track]) => Object.entries(rlboard.payload().runs)"
        ".find(([, run]) => run.label === label && run.track === track)[0]",
        [label, track],
    )
    return key
