"""One quantity of a page against another: everything the chart shows is in the other charts of its page."""

from __future__ import annotations

from data_loaders.schema import Json

PHASE = "phase"
"""Id of the chart."""


def phase_figure() -> Json:
    """A figure without traces: the page's scripts draw it from the lines of the charts that are its axes."""
    return {
        "data": [],
        "layout": {},
        "meta": {"size": "comparison", "kind": "phase", "along": "step", "default": "window", "csv": []},
    }
