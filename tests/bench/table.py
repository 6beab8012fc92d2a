"""Measurements as a table of plain text: ours, theirs, their ratio, and whether the aim was met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One measurement; None where a side has none, or where nothing is aimed at."""

    name: str
    mine: float | None
    other: float | None
    limit: float | None = None
    share: float | None = None
    """Of the other's that ours may be."""

    @property
    def ratio(self) -> float | None:
        return self.mine / self.other if self.mine is not None and self.other else None

    @property
    def aim(self) -> str:
        """What is aimed at, in words."""
        parts = [f"<= {self.share:g} x" if self.share else "", f"<= {self.limit:.3g}" if self.limit else ""]
        return ", ".join(part for part in parts if part)

    @property
    def met(self) -> str:
        """Whether it was reached; empty where nothing is aimed at."""
        if not self.aim or self.mine is None:
            return ""
        fast = self.limit is None or self.mine <= self.limit
        beside = self.share is None or (self.ratio is not None and self.ratio <= self.share)
        return "met" if fast and beside else "NOT met"


def table(rows: Sequence[Row]) -> str:
    """Aligned columns, one row per measurement."""

    def number(value: float | None, form: str = ".2f") -> str:
        return "-" if value is None else format(value, form)

    cells = [("", "board", "TensorBoard", "ratio", "aim", "")]
    cells += [(r.name, number(r.mine), number(r.other), number(r.ratio), r.aim, r.met) for r in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(6)]
    lines = [
        "  ".join(
            text.ljust(width) if column in (0, 4, 5) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    return "\n".join(lines)
