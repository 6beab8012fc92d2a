"""The overview: every run in one table, what needs attention, and how tracks compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from components.charts import gradient_clip
from components.numbers import number, steps
from components.present.episode_context import charts_by_metric
from components.present.episode_found import weight
from components.present.findings import headline
from components.present.rows import row
from components.present.runs import infos, of_track, tracks
from components.present.statements import statements
from components.present.times import RUNNING, now_of, progress, state_of
from components.quantities import with_unit
from components.text import inside, joined, listing, said, words
from components.view import (
    Attention,
    Bilingual,
    Finding,
    OverviewView,
    Pair,
    RunInfo,
    RunRow,
    ScaleRow,
    Sentence,
    Slope,
    SlopeForm,
    Span,
    TrackGroup,
)
from data_loaders.board import Board, BoardRun
from data_loaders.board_config import TrackConfig
from data_loaders.catalog import OTHER
from data_loaders.derive.episodes import Episode
from data_loaders.derive.health import Event
from data_loaders.schema import Note

SHOWN = 6
"""Lines of the attention list."""
NAMED = 2
"""Metrics of an episode that a line of it names."""
MOST_PEAKS = 4
"""Peaks of one line of it."""


def overview_view(board: Board) -> OverviewView:
    """Everything the overview shows."""
    now = now_of(board)
    groups = list(_groups(board, None))
    entries = [(run, r, track) for track, runs, rows in groups for run, r in zip(runs, rows, strict=True)]
    pair = _compared([(track, rows) for track, _, rows in groups])
    return OverviewView(
        facts=_facts(board, [r for _, r, _ in entries]),
        attention=tuple(_attention(entries, now))[:SHOWN],
        findings=tuple(
            Finding((_titled(track), *found.clauses), found.body)
            for track, runs, rows in groups
            if (found := headline(runs, rows, comparable=track.id != OTHER)) is not None
        ),
        statements=tuple(
            (track.track.title, told)
            for track, runs, rows in groups
            if track.id != OTHER
            and (told := statements(track.id, runs, rows, track.window, overview=True))
        ),
        groups=_shown(groups),
        slopes=tuple(_slopes(pair[0][1], pair[1][1], _short(pair[0][0], pair[1][0]))) if pair else (),
        slope_tracks=_short(pair[0][0], pair[1][0]) if pair else None,
        scale=_scale([(track, rows) for track, _, rows in groups]),
    )


Group = tuple[TrackConfig, list[BoardRun], list[RunRow]]


def _groups(board: Board, steps: Span | None) -> Iterator[Group]:
    named, now = infos(board), now_of(board)
    for track in tracks(board):
        runs = of_track(board, track.id)
        yield track, runs, [row(run, named[run.id], now, track.window, steps) for run in runs]


def run_groups(board: Board, steps: Span | None) -> tuple[TrackGroup, ...]:
    """Every run by track; numbers speak of `steps`, else of the track's window or of all steps."""
    return _shown(_groups(board, steps))


def _shown(groups: Iterable[Group]) -> tuple[TrackGroup, ...]:
    return tuple(
        TrackGroup(track.id, track.track.title, tuple(_group_facts(track)), tuple(rows))
        for track, _, rows in groups
        if rows
    )


def _short(left: TrackConfig, right: TrackConfig) -> tuple[Bilingual, Bilingual]:
    """Names of two tracks without the words they share: `2B` and `4B`."""
    one, two = (track.track.title for track in (left, right))
    pairs = [_without_common(one[lang], two[lang]) for lang in (0, 1)]
    return (pairs[0][0], pairs[1][0]), (pairs[0][1], pairs[1][1])


def _without_common(one: str, two: str) -> tuple[str, str]:
    mine, theirs = one.split(), two.split()
    while mine[1:] and theirs[1:] and mine[-1] == theirs[-1]:
        mine.pop()
        theirs.pop()
    return " ".join(mine), " ".join(theirs)


def _titled(track: TrackConfig) -> Bilingual:
    zh, en = track.track.title
    return f"{zh}：", f"{en}: "


def _facts(board: Board, rows: Sequence[RunRow]) -> tuple[Sentence, ...]:
    filled = {r.info.track for r in rows}
    live = sum(r.state in RUNNING for r in rows)
    ended = sum(r.state in ("ended", "stopped") for r in rows)
    logs = sum(len(run.view.run.logs) for run in board.runs)
    left = len(board.skipped) + len(board.failures)
    values = {"runs": len(rows), "tracks": len(filled)}
    return (
        Note("overview.runs", values),
        Note("overview.states", {"ended": ended, "live": live}),
        Note(
            "overview.logs_waiting" if board.unread else "overview.logs_left" if left else "overview.logs",
            {"n": logs, "w": len(board.unread), "left": left},
        ),
    )


def _group_facts(track: TrackConfig) -> Iterator[Sentence]:
    if track.track.model:
        yield (track.track.model, track.track.model)
    if track.hardware:
        yield track.hardware
    if track.window:
        yield Note("overview.window", {"first": track.window[0], "last": track.window[1]})


Entry = tuple[BoardRun, RunRow, TrackConfig]


def _attention(entries: Sequence[Entry], now: float) -> Iterator[Attention]:
    """Crashes first, then what runs late, what runs, what moved, what is configured but never ran."""
    for kind in ("crashed", "stalled", "late", "live"):
        for run, r, track in entries:
            if r.state == kind:
                yield Attention(
                    kind=kind,
                    runs=(r.info,),
                    where=track.track.title,
                    text=progress(state_of(run, now)) if kind == "live" else r.why or Note(f"state.{kind}"),
                    action="action.follow",
                    tab=track.id,
                )
    for _, r, track in entries:
        for episode in r.episodes:
            if episode.severity >= 2:
                key = "attention.recovered" if episode.recovered else "attention.not_recovered"
                yield Attention(
                    kind="metrics",
                    runs=(r.info,),
                    where=track.track.title,
                    tab=track.id,
                    text=Note(key, {"steps": steps(episode.start, episode.end), "moved": _peaks(episode)}),
                    episode=f"{r.info.id}:{episode.start}",
                    count=episode.severity,
                )
    yield from _never_ran(entries)
    for run, r, track in entries:
        single: dict[tuple[str, ...], list[Episode]] = {}
        for episode in r.episodes:
            if episode.severity == 1:
                single.setdefault(episode.metrics, []).append(episode)
        for found in single.values():
            yield Attention(
                kind="metric",
                runs=(r.info,),
                where=track.track.title,
                tab=track.id,
                text=_alone(run, found),
                episode=f"{r.info.id}:{found[0].start}",
                count=1,
            )


def _never_ran(entries: Sequence[Entry]) -> Iterator[Attention]:
    """Parts of an algorithm that a config asks for and no log line shows, per algorithm over its tracks."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if any(part.state == "not_executed" for part in entry[0].detected.parts):
            found.setdefault(entry[0].detected.algorithm, []).append(entry)
    for group in found.values():
        parts = [part.key for part in group[0][0].detected.parts if part.state == "not_executed"]
        where = joined([track.track.title for _, _, track in group], "、", ", ")
        yield Attention(
            kind="config",
            runs=(group[0][1].info,),
            where=where,
            tab=group[0][2].id,
            text=Note("attention.not_executed", {"part": Note(parts[0])}),
            action="action.evidence",
        )


def _peaks(episode: Episode) -> Bilingual:
    """The first metrics that moved, with their values furthest out; the others are counted."""
    told = []
    for metric in episode.metrics:
        event = max((event for event in episode.events if event.metric == metric), key=weight)
        told.append(joined([inside(words(f"metric.{metric}")), _value(event)], " ", " "))
    rest = len(told) - NAMED
    more = [words("attention.more", n=rest)] if rest > 0 else []
    return joined([*told[:NAMED], *more], "、", ", ")


def _alone(run: BoardRun, found: Sequence[Episode]) -> Sentence:
    """Peaks of one metric at the steps at which it moved by itself; those above a clip are named."""
    events = [max(episode.events, key=weight) for episode in found[:MOST_PEAKS]]
    clip = gradient_clip(run.view.run) if events[0].metric == "grad_norm" else None
    told = [
        words(
            "attention.over" if clip is not None and event.value > clip else "attention.at",
            value=_value(event), step=event.peak, clip=number(clip, 1),
        )
        for event in events
    ]  # fmt: skip
    metric = inside(words(f"metric.{events[0].metric}"))
    return Note("attention.single", {"metric": metric, "told": joined(told, "，", ", ")})


def _value(event: Event) -> Bilingual:
    chart = charts_by_metric().get(event.metric)
    return with_unit(chart, event.value) if chart else (number(event.value),) * 2


def _compared(
    groups: Sequence[tuple[TrackConfig, Sequence[RunRow]]],
) -> tuple[tuple[TrackConfig, Sequence[RunRow]], tuple[TrackConfig, Sequence[RunRow]]] | None:
    """The first two tracks that share at least two labels."""
    for i, (one, rows) in enumerate(groups):
        for other, more in groups[i + 1 :]:
            shared = {r.info.label for r in rows if r.info.label} & {r.info.label for r in more}
            if len(shared) >= 2:
                return (one, rows), (other, more)
    return None


def _change(pair: Pair | None) -> float | None:
    return None if pair is None else pair.end - pair.start


def _share(pair: Pair | None) -> float | None:
    return None if pair is None or not pair.start else 100 * pair.end / pair.start


def _gain(r: RunRow) -> float | None:
    return None if r.first5 is None or r.last10 is None else 100 * (r.last10.value - r.first5.value)


def _gain_half(r: RunRow) -> float:
    """Half width of the interval of a gain, in points; a run too short to tell is not told apart from any."""
    halves = [100 * mean.half for mean in (r.first5, r.last10) if mean is not None]
    return math.inf if any(map(math.isnan, halves)) else math.hypot(*halves)


Value = Callable[[RunRow], float | None]


class Question(NamedTuple):
    """Something asked of every track."""

    name: str
    """Message keys `slope.<name>.title`, `.unit`, and `.most`, `.least` of the two ends of an order."""
    form: SlopeForm
    value: Value
    zero: float | None
    """Reference line."""
    half: Callable[[RunRow], float] = lambda _: 0.0
    """Half width of the interval of a value, in its unit; 0 where it was counted."""
    ranks: Callable[[RunRow], bool] = lambda _: True
    """Whether the value of a run has a place in an order."""


QUESTIONS: tuple[Question, ...] = (
    Question("length", "tokens", lambda r: _change(r.length_pair), 0.0),
    # A difference of two lower bounds is neither exact nor a bound itself.
    Question("pass_rate", "points", _gain, None, _gain_half, lambda r: not r.lower_bound),
    Question("entropy", "percent", lambda r: _share(r.entropy_pair), 100.0),
    Question("hours", "hours", lambda r: r.hours, None),
)


class Asked(NamedTuple):
    """A value of a run with the half width of its interval."""

    label: str
    value: float
    half: float

    def above(self, other: Asked) -> bool:
        """Whether the interval of the difference excludes 0."""
        return self.value - other.value > math.hypot(self.half, other.half)


def _ordered(values: Iterable[Asked]) -> list[Asked]:
    return sorted(values, key=lambda one: -one.value)


def _in_order(values: Iterable[Asked]) -> str:
    """`E3 > E4 ≈ E1`: neighbours whose difference has 0 in its interval are joined by ≈."""
    order = _ordered(values)
    signs = [" > " if one.above(other) else " ≈ " for one, other in pairwise(order)]
    return "".join(one.label + sign for one, sign in zip(order, [*signs, ""], strict=True))


def _slopes(
    left: Sequence[RunRow], right: Sequence[RunRow], ends: tuple[Bilingual, Bilingual]
) -> Iterator[Slope]:
    there = {r.info.label: r for r in right if r.info.label}
    for asked in QUESTIONS:
        found: list[tuple[RunInfo, Asked, Asked]] = []
        unranked: list[RunInfo] = []
        for r in left:
            other = there.get(r.info.label)
            mine, theirs = asked.value(r), asked.value(other) if other else None
            if other is None or mine is None or theirs is None or r.planned != other.planned:
                continue
            one, two = Asked(r.info.mark, mine, asked.half(r)), Asked(r.info.mark, theirs, asked.half(other))
            found.append((r.info, one, two))
            if not (asked.ranks(r) and asked.ranks(other)):
                unranked.append(r.info)
        if len(found) >= 2:
            values = tuple((info, one.value, two.value) for info, one, two in found)
            ranked = [(one, two) for info, one, two in found if info not in unranked]
            order = said(_order(asked.name, ranked, ends))
            if unranked:
                left_out = words("slope.unranked", runs=listing(info.mark for info in unranked))
                order = joined([order, left_out], "；", "; ")
            yield Slope(asked.name, values, asked.form, order, asked.zero)


def _order(
    name: str, values: Sequence[tuple[Asked, Asked]], ends: tuple[Bilingual, Bilingual]
) -> Sentence:
    """Whether the order of the runs is the same on both sides, and where its ends stand on each."""
    if len(values) < 2:
        return Note("slope.too_few")
    left, right = _ordered(one for one, _ in values), _ordered(two for _, two in values)
    sides: dict[str, Any] = {"left": ends[0], "right": ends[1]}
    if not all(side[0].above(side[1]) for side in (left, right)):
        return Note("slope.open", sides | {"one": _in_order(left), "two": _in_order(right)})
    names, theirs = [one.label for one in left], [one.label for one in right]
    if names == theirs:
        return Note("slope.same_order", {"order": _in_order(left)})
    told = sides | {"run": names[0], "most": Note(f"slope.{name}.most"), "least": Note(f"slope.{name}.least")}
    lowest, lowest_there = _lowest(left), _lowest(right)
    if names[0] == theirs[0]:
        key = "slope.same_ends" if lowest and lowest == lowest_there else "slope.same_top"
        return Note(key, told | {"last": lowest})
    if names == theirs[::-1] and "≈" not in _in_order(left) + _in_order(right):
        return Note("slope.reversed", told)
    key = "slope.first_last" if lowest_there == names[0] else "slope.changed"
    return Note(key, told | {"rank": number(theirs.index(names[0]) + 1, 0)})


def _lowest(order: Sequence[Asked]) -> str:
    """Label of the last one, empty where it is not told apart from the one before."""
    return order[-1].label if order[-2].above(order[-1]) else ""


def _scale(groups: Sequence[tuple[TrackConfig, Sequence[RunRow]]]) -> tuple[ScaleRow, ...]:
    """The same questions of every track with labelled runs, each with the order of those that are ranked."""
    shared = [
        (track, {r.info.label: r for r in rows if r.info.label and r.last and r.last == r.planned})
        for track, rows in groups
        if track.id != OTHER
    ]
    made = []
    for asked in QUESTIONS:
        for track, rows in shared:
            known = {label: found for label, r in rows.items() if (found := asked.value(r)) is not None}
            if len(known) >= 2:
                unranked = frozenset(label for label in known if not asked.ranks(rows[label]))
                runs = [
                    Asked(label, value, asked.half(rows[label]))
                    for label, value in known.items()
                    if label not in unranked
                ]
                order = _in_order(runs)
                made.append(ScaleRow(asked.name, track.track.title, asked.form, known, order, unranked))
    return tuple(made)
