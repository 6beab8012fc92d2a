"""What a board tells unasked: grave episodes, crashes and ends. Each once, whoever tells it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from data_loaders.board import Board, BoardRun
from data_loaders.schema import Json, LogFacts

Kind = Literal["episode", "crashed", "ended", "stopped"]

GRAVE = 2
"""Metrics that moved together from which on an episode is told."""
SETTLED = "settled"
ENDS: Mapping[str, Kind] = {"crashed": "crashed", "finished": "ended", "stopped": "stopped"}


@dataclass(frozen=True, slots=True)
class News:
    """One event. `name` stays the same while the event does: an episode that goes on is told once."""

    name: str
    kind: Kind
    run: str
    label: str
    track: str
    step: int | None
    """Start of the episode, or the last step of the run."""
    end: int | None = None
    severity: int | None = None
    metrics: tuple[str, ...] = ()
    text: str = ""
    """The line that shows how the log ended."""

    def as_json(self) -> Json:
        return asdict(self)


def news(board: Board) -> tuple[News, ...]:
    """Everything there is to tell of a board, old and new."""
    return tuple(item for run in board.runs for item in _of_run(run))


def _of_run(run: BoardRun) -> Iterator[News]:
    record = run.view.run
    about = partial(News, run=record.id, label=record.label, track=record.track)
    for episode in run.episodes:
        if episode.severity >= GRAVE:
            yield about(
                name=f"{record.id}:episode:{episode.start}",
                kind="episode",
                step=episode.start,
                end=episode.end,
                severity=episode.severity,
                metrics=tuple(episode.metrics),
            )
    if record.facts and (kind := ENDS.get(record.facts[-1].end)):
        place = f"{len(record.logs)}:{_launches(record.facts)}"
        yield about(
            name=f"{record.id}:{kind}:{place}",
            kind=kind,
            step=record.last,
            text=record.facts[-1].end_text,
        )


def _launches(facts: tuple[LogFacts, ...]) -> int:
    """Starts of the program: one that ends again after a resume is news again."""
    return sum(len(each.launches) for each in facts)


class ToldOnce:
    """Remembers in a folder what was told, for all processes of all hosts and over restarts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def settled(self) -> bool:
        """Whether a board was read to its end once: only what comes after that is news."""
        return (self._folder / SETTLED).exists()

    def settle(self) -> None:
        """From now on, what is taken is news. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._folder / SETTLED).touch()

    def take(self, item: News) -> bool:
        """Whether it falls to the caller to tell this; true once per event. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(item.name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        try:
            (self._folder / name).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
