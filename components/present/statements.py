"""What a page's numbers say, as short statements: one entry of `MAKERS` per question asked of every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from components.present import statements_course as course
from components.present import statements_rates as rates
from components.present import statements_setup as setup
from components.present import statements_validation as validation
from components.present.compared import Member, members
from components.view import RunRow, Span
from components.view_remarks import Statement
from data_loaders.board import BoardRun


class Maker(NamedTuple):
    make: Callable[[str, Sequence[Member], Span | None], Iterator[Statement]]
    """From the id of the track, its runs with steps, and its aligned window."""
    overview: bool = False
    """Whether the overview tells it too."""


MAKERS: tuple[Maker, ...] = (
    Maker(rates.ends, overview=True),
    Maker(setup.bounds, overview=True),
    Maker(validation.last, overview=True),
    Maker(validation.falls),
    Maker(validation.selected),
    Maker(rates.starts),
    Maker(rates.crossings),
    Maker(rates.leads),
    Maker(course.entropies),
    Maker(course.entropy_units),
    Maker(course.lengths),
    Maker(course.gradients),
    Maker(course.episodes),
    Maker(course.spikes),
    Maker(course.hours, overview=True),
    Maker(setup.references),
    Maker(setup.shared_kl),
    Maker(setup.sampling, overview=True),
    Maker(setup.dual_clip),
    Maker(setup.corrections),
    Maker(setup.constants),
    Maker(rates.swings),
)
"""In the order in which they are told."""


def statements(
    track: str,
    runs: Sequence[BoardRun],
    rows: Sequence[RunRow],
    window: Span | None,
    *,
    overview: bool = False,
) -> tuple[Statement, ...]:
    """Everything there is to say of a track, or the part of it that the overview repeats."""
    found = members(runs, rows)
    makers = (maker for maker in MAKERS if maker.overview or not overview)
    return tuple(said for maker in makers for said in maker.make(track, found, window))
