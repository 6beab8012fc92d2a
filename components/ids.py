"""Every component id. Ids of plain elements are part of the contract with the page's scripts."""

from __future__ import annotations

# stores
MANIFEST = "manifest"
SELECTION = "selection"
"""What figures are made by."""
SHOWN = "shown"
"""Labels and ids of the runs that are shown; None: all."""
RANGE = "range"
RANGE_SETTLED = "range-settled"
EPISODE = "episode"
TAB = "tab"
FIGURES = "figures"
UNFOLDED = "unfolded"
"""Keys of the runs whose full version is open."""
WORDS = "words"
PAGE_TOKEN = "page-token"
"""A wish for a reading, of its own for each page: two pages never share the result of a background job."""

READING = "reading"
"""State of the background reading: state, done, total, file, rate, error."""
LOAD = "load"
"""Changes when a background reading is asked for."""
CONTENT = "content"
"""What the page is to show: `tab`, `ep`, `pins`, `steps`, `key` and `version` of its data, and `since`."""
PAGE_ANSWER = "page-answer"
"""The page as nodes, or as edits of the one before."""
AROUND = "around"
"""What is to stand around the page: `tab`, `key`, `version`."""
AROUND_ANSWER = "around-answer"
"""Tabs, chips and banners as nodes."""
TOLD = "told"
"""Name of the manifest that the page has."""
REPORT_OPEN = "report-open"
"""Version of the board whose reading report is asked for."""
REPORT_ANSWER = "report-answer"
"""The reading report as nodes."""
DRAWN = "drawn"
"""What the page's scripts answer the stores with; nobody reads it."""
NOTE_ASKED = "note-asked"
"""A note to write or to take back: `nth`, `do`, and `run`, `start`, `end`, `text`, or `id`."""
NOTED = "noted"
"""What became of it: `nth`, and `error` with `values` where it was refused."""

# places filled by callbacks
BANNERS = "banners"
TABS = "tabs"
CHIPS = "chips"
CONFIG_MENU = "config-menu"
PAGE = "page"
REPORT_BODY = "report-body"
LIVE = "live"
"""New episodes, crashes and ends, for screen readers."""

# reading
LOADING = "loading"
LOADING_TEXT = "loading-text"
PROGRESS = "progress"
CANCEL = "cancel"
RETRY = "retry"
POLL = "poll"

# panels
REPORT = "report"
DETAIL = "detail"
"""Drawer for the configuration, all metrics and raw lines of a run."""
DETAIL_TITLE = "detail-title"
DETAIL_BODY = "detail-body"
DETAIL_ASKED = "detail-asked"
"""What the drawer was opened for: `what`, `run` (its key), `nth`."""
DETAIL_ANSWER = "detail-answer"
"""What it shows: `nth`, and `title` and `body` as `components.tree` writes them."""
RUNS = "runs"
"""The table of all runs, which follows the step range."""
PINNED = "pinned"
"""Section of the metrics a reader put on the page."""

# filled by the page's scripts
STEPS = "steps"


def tab(name: str) -> str:
    """Id of the link of a tab, which names the page."""
    return f"tab-{name}"


def chart(group: str, name: str, run_key: str = "") -> str:
    """Id of a chart: `cmp-entropy`, `run-r3f2a-entropy`."""
    return "-".join(part for part in (group, run_key, name) if part)
