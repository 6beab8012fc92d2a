"""Pass rates of two runs of a page over the same steps: their difference, and what it may be called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from components.present.runs import points
from components.view import RunInfo, RunRow, Span
from data_loaders.board import BoardRun
from data_loaders.derive.pairing import obstacles
from data_loaders.derive.statistics import Mean, mean_over, paired_difference, unpaired_difference


class Member(NamedTuple):
    """A run of a page with steps."""

    run: BoardRun
    row: RunRow

    @property
    def info(self) -> RunInfo:
        return self.row.info

    @property
    def mark(self) -> str:
        return self.row.info.mark

    @property
    def name(self) -> str:
        """What a link calls it."""
        return self.info.label if self.info.label and not self.info.twin else self.info.id


class Gap(NamedTuple):
    """Difference of two pass rates, fractions of 1."""

    mean: Mean
    paired: bool
    """Whether both runs saw the same prompts at the same steps."""


def members(runs: Sequence[BoardRun], rows: Sequence[RunRow]) -> list[Member]:
    """Runs that have steps, in the order of the page."""
    return [Member(run, row) for run, row in zip(runs, rows, strict=True) if row.last is not None]


def gap(one: BoardRun, other: BoardRun, span: Span, metric: str = "pass_rate") -> Gap | None:
    """one − other over `span`: paired where the prompts are the same, else of two independent runs."""
    mine, theirs = points(one, metric), points(other, metric)
    if not obstacles(one.view.run, other.view.run):
        found = paired_difference(mine.step, mine.value, theirs.step, theirs.value, span)
        return Gap(found, True) if found else None
    first, second = mean_over(mine.step, mine.value, *span), mean_over(theirs.step, theirs.value, *span)
    return Gap(unpaired_difference(first, second), False) if first and second else None


def ranked(found: Sequence[Member], mean: str = "last10") -> list[tuple[Member, Mean]]:
    """Members by a mean pass rate of their row, highest first, without those whose rate is a lower bound."""
    known = [(one, value) for one in found if (value := getattr(one.row, mean)) is not None]
    return sorted(
        ((one, value) for one, value in known if not one.row.lower_bound), key=lambda entry: -entry[1].value
    )


def bounded(found: Sequence[Member]) -> list[Member]:
    """Members whose pass rate is a lower bound, so that they have no place in an order."""
    return [one for one in found if one.row.lower_bound and one.row.last10 is not None]
