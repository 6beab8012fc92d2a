"""The overview: every run in one table, what needs attention, and how tracks compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from components.numbers import duration, number
from components.present.findings import headline
from components.present.rows import row
from components.present.runs import infos, of_track, tracks
from components.present.times import RUNNING, now_of, state_of
from components.text import joined, words
from components.view import (
    Attention,
    Bilingual,
    Finding,
    OverviewView,
    Pair,
    RunInfo,
    RunRow,
    Sentence,
    Slope,
    TrackGroup,
)
from data_loaders.board import Board, BoardRun
from data_loaders.board_config import TrackConfig
from data_loaders.catalog import OTHER
from data_loaders.derive.status import Status
from data_loaders.schema import Note

HOUR = 3600.0
SHOWN = 6
"""Lines of the attention list."""


def overview_view(board: Board) -> OverviewView:
    """Everything the overview shows."""
    named, now = infos(board), now_of(board)
    groups, entries = [], []
    for track in tracks(board):
        runs = of_track(board, track.id)
        rows = [row(run, named[run.id], now, track.window) for run in runs]
        groups.append((track, runs, rows))
        entries += [(run, r, track) for run, r in zip(runs, rows, strict=True)]
    pair = _compared([(track, rows) for track, _, rows in groups])
    return OverviewView(
        facts=_facts(board, [r for _, r, _ in entries]),
        attention=tuple(_attention(entries, now))[:SHOWN],
        findings=tuple(
            Finding((_titled(track), *found.clauses), found.body)
            for track, runs, rows in groups
            if (found := headline(runs, rows, comparable=track.id != OTHER)) is not None
        ),
        groups=tuple(
            TrackGroup(track.id, track.track.title, tuple(_group_facts(track)), tuple(rows))
            for track, _, rows in groups
            if rows
        ),
        slopes=tuple(_slopes(pair[0][1], pair[1][1])) if pair else (),
        slope_tracks=(pair[0][0].track.title, pair[1][0].track.title) if pair else None,
    )


def _titled(track: TrackConfig) -> Bilingual:
    zh, en = track.track.title
    return f"{zh}：", f"{en}: "


def _facts(board: Board, rows: Sequence[RunRow]) -> tuple[Sentence, ...]:
    filled = {r.info.track for r in rows}
    live = sum(r.state in RUNNING for r in rows)
    ended = sum(r.state in ("ended", "stopped") for r in rows)
    logs = sum(len(run.view.run.logs) for run in board.runs)
    return (
        Note("overview.runs", {"runs": len(rows), "tracks": len(filled)}),
        Note("overview.states", {"ended": ended, "live": live}),
        Note(
            "overview.logs" if not board.unread else "overview.logs_waiting",
            {"n": logs, "w": len(board.unread)},
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
                    text=_progress(state_of(run, now)) if kind == "live" else r.why or Note(f"state.{kind}"),
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
                    text=Note(
                        key, {"steps": f"{episode.start}–{episode.end}", "moved": _moved(episode.metrics)}
                    ),
                    episode=f"{r.info.id}:{episode.start}",
                    count=episode.severity,
                )
    yield from _never_ran(entries)
    for _, r, track in entries:
        single = [episode for episode in r.episodes if episode.severity == 1]
        if single:
            steps = ", ".join(str(episode.peak) for episode in single[:4])
            yield Attention(
                kind="metric",
                runs=(r.info,),
                where=track.track.title,
                tab=track.id,
                text=Note("attention.single", {"steps": steps, "moved": _moved(single[0].metrics)}),
                episode=f"{r.info.id}:{single[0].start}",
                count=1,
            )


def _progress(state: Status) -> Bilingual:
    """How far a run is, how long it took, and what comes next."""
    parts = [words("progress.steps", done=state.done, planned=state.planned or "?")]
    if state.elapsed_s:
        parts.append(words("progress.elapsed", time=duration(state.elapsed_s / HOUR)))
    if state.remaining_s:
        low, high = (number(seconds / HOUR, 0 if seconds > 10 * HOUR else 1) for seconds in state.remaining_s)
        parts.append(words("progress.remaining", range=low if low == high else f"{low}–{high}"))
    if state.next_validation_in is not None:
        soon = state.next_validation_s
        minutes = number(sum(soon) / 2 / 60, 0) if soon else "?"
        parts.append(words("progress.validation", steps=state.next_validation_in, minutes=minutes))
    return joined(parts, "；", "; ")


def _never_ran(entries: Sequence[Entry]) -> Iterator[Attention]:
    """Parts of an algorithm that a config asks for and no log line shows, per algorithm over its tracks."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if any(part.state == "not_executed" for part in entry[0].detected.parts):
            found.setdefault(entry[0].detected.algorithm, []).append(entry)
    for group in found.values():
        parts = [part.key for part in group[0][0].detected.parts if part.state == "not_executed"]
        names = tuple(", ".join(track.track.title[lang] for _, _, track in group) for lang in (0, 1))
        yield Attention(
            kind="config",
            runs=(group[0][1].info,),
            where=(names[0], names[1]),
            tab=group[0][2].id,
            text=Note("attention.not_executed", {"part": Note(parts[0])}),
            action="action.evidence",
        )


def _moved(metrics: Sequence[str]) -> Bilingual:
    return joined([words(f"metric.{name}") for name in metrics], "、", ", ")


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


def _slopes(left: Sequence[RunRow], right: Sequence[RunRow]) -> Iterator[Slope]:
    questions = (
        ("length", "tokens", lambda r: _change(r.length_pair), 0.0),
        ("pass_rate", "points", _gain, None),
        ("entropy", "percent", lambda r: _share(r.entropy_pair), 100.0),
        ("hours", "hours", lambda r: r.hours, None),
    )
    there = {r.info.label: r for r in right if r.info.label}
    for name, form, value, zero in questions:
        found: list[tuple[RunInfo, float, float]] = []
        for r in left:
            other = there.get(r.info.label)
            mine, theirs = value(r), value(other) if other else None
            if mine is not None and theirs is not None and r.planned == (other.planned if other else None):
                found.append((r.info, mine, theirs))
        if len(found) >= 2:
            yield Slope(name, "", "", tuple(found), form, _order(found), zero)  # type: ignore[arg-type]


def _order(values: Sequence[tuple[RunInfo, float, float]]) -> Note:
    """Whether the order of the runs is the same on both sides, and where its top stands on each."""
    left = [info.mark for info, _, _ in sorted(values, key=lambda v: -v[1])]
    right = [info.mark for info, _, _ in sorted(values, key=lambda v: -v[2])]
    if left == right:
        return Note("slope.same_order", {"order": " > ".join(left)})
    rank = right.index(left[0]) + 1
    return Note(
        "slope.reversed" if rank == len(right) else "slope.changed",
        {
            "run": left[0],
            "rank": number(rank, 0),
            "other": right[0],
        },
    )
