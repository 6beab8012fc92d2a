"""What an element does when it is used, as attributes the page's scripts read."""

from __future__ import annotations

from typing import Any

HIDDEN: dict[str, Any] = {"aria-hidden": "true"}
"""For marks and bars that repeat what stands beside them."""


def act(name: str, value: str | None = None) -> dict[str, Any]:
    """`data-act` and, for actions on something, `data-value`."""
    return {"data-act": name} | ({} if value is None else {"data-value": value})


def show(name: str) -> dict[str, Any]:
    """A place whose text the scripts keep up to date."""
    return {"data-show": name}
