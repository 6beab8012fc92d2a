"""Records of what is said of a page besides its tables and charts: statements, agreement, health rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from data_loaders.schema import Note

Bilingual = tuple[str, str]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class View:
    """Where the numbers of a statement can be seen."""

    tab: str
    runs: tuple[str, ...] = ()
    """Labels or ids; empty: all of the page."""
    steps: Span | None = None
    pair: tuple[str, str] | None = None
    episode: str = ""
    chart: str = ""
    """Id of the chart to bring into view."""

    @property
    def query(self) -> str:
        """Address of the view, as `rl-12-url.js` reads it."""
        parts = [
            ("tab", self.tab),
            ("exp", ",".join(map(_name, self.runs))),
            ("steps", f"{self.steps[0]}-{self.steps[1]}" if self.steps else ""),
            ("pair", ",".join(map(_name, self.pair or ()))),
            ("ep", quote(self.episode, safe=":")),
        ]
        return "?" + "&".join(f"{key}={value}" for key, value in parts if value)


@dataclass(frozen=True, slots=True)
class Statement:
    """`id` names what it is about; `view` shows it."""

    id: str
    text: Note | Bilingual
    view: View


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether runs of one model agree at their first step."""

    units: Literal["token", "logged"] | None
    """Unit of the entropy; None: it makes no difference."""
    agrees: bool
    text: Bilingual
    """Verdict, middle and allowed distance per quantity."""
    why: Bilingual
    """Every value, and what a disagreement means."""


@dataclass(frozen=True, slots=True)
class RuleNote:
    """A health rule that fired on a run."""

    id: str
    text: Note | Bilingual
    source: str
    measured: Note | Bilingual
    """How often it fired on real logs whose end is known."""


def _name(text: str) -> str:
    """A name in a list of a link: commas and what an address gives a meaning to are written as codes."""
    return quote(text.replace("%", "%25").replace(",", "%2C"), safe="/:")
