"""Every component id. Ids of plain elements are part of the contract with the page's scripts."""

from __future__ import annotations

# stores
MANIFEST = "manifest"
SELECTION = "selection"
RANGE = "range"
RANGE_SETTLED = "range-settled"
EPISODE = "episode"
TAB = "tab"
FIGURES = "figures"
WORDS = "words"
PAGE_TOKEN = "page-token"
"""Random per page, so that two pages never share the result of a background job."""

# places filled by callbacks
BANNERS = "banners"
TABS = "tabs"
CHIPS = "chips"
PAGE = "page"
REPORT_BODY = "report-body"
LIVE = "live"
"""New episodes, crashes and ends, for screen readers."""
CLOCK = "clock"

# reading
LOADING = "loading"
PROGRESS = "progress"
PROGRESS_TEXT = "progress-text"
CANCEL = "cancel"
POLL = "poll"

# panels
REPORT = "report"
HELP = "help"
DETAIL = "detail"
"""Drawer for the configuration, all metrics and raw lines of a run."""
DETAIL_BODY = "detail-body"

# filled by the page's scripts
STEPS = "steps"
EPISODE_COUNT = "episode-count"


def chart(group: str, name: str, run_key: str = "") -> str:
    """Id of a chart: `cmp-entropy`, `run-r3f2a-entropy`."""
    return "-".join(part for part in (group, run_key, name) if part)
