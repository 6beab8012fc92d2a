"""The page of an open episode and its figures, from a board."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from components import figures_episode
from components.episode_page import episode_page as layout
from components.episode_page import unknown_episode
from components.episode_view import EpisodeView, Piece, RawPart, StepTable
from components.present import episode_context, episode_words
from components.present.episode_found import Opened, opened
from components.present.episode_numbers import moved_metrics, step_table
from components.present.figures import EVERYTHING, Part, payload, selection
from components.present.runs import chart_runs, infos, of_track, window_of
from components.view import Bilingual
from data_loaders.board import Board
from data_loaders.raw_log import LogLine, RawExcerpt, raw_log
from data_loaders.rollout_samples import StepSamples, samples
from data_loaders.schema import Json

NEAR = 1
"""Steps on each side of the peak whose raw lines are shown in parts."""
ITEM = re.compile(r" - (?=\S+:)")


def episode_page(board: Board, tab: str, ep: str) -> Any:
    """Layout of an open episode; `ep` is `<run id>:<start>` or `<run id>:<first>-<last>`."""
    found = opened(board, ep)
    return unknown_episode(ep, tab) if found is None else layout(episode_view(board, found))


def episode_figures(board: Board, tab: str, ep: str, raw: Json, part: Part = EVERYTHING) -> Json:
    """Figures of an open episode, of every run of its track.

    When `ep` names nothing they are those of the tab: the page's scripts see that the episode is not among
    them, say so and go back.
    """
    found = opened(board, ep)
    if found is None:
        return payload(board, tab, raw, part=part)
    track = found.run.view.run.track
    runs = chart_runs(board, of_track(board, track))
    focus = next(run for run in runs if run.info.id == found.run.id)
    return figures_episode.episode_figures(
        tab, runs, focus, (found.id, found.episode), selection(raw, part),
        window=window_of(board, track), version=board.version,
    )  # fmt: skip


def episode_view(board: Board, found: Opened) -> EpisodeView:
    """Everything the page of an episode shows."""
    named, record, episode = infos(board), found.run.view.run, found.episode
    mates = of_track(board, record.track)
    info = named[found.run.id]
    moved, table = moved_metrics(found), step_table(found)
    others = episode_context.other_runs(found, mates, named)
    charts = figures_episode.episode_charts(episode.metrics)
    chart_run = chart_runs(board, [found.run])[0]
    captions = {c.name: text for c in charts if (text := episode_words.caption(c, found, chart_run))}
    index, previous, following = _place(found)
    title, model = _track(board, record.track)
    return EpisodeView(
        id=found.id,
        info=info,
        track_title=title,
        model=model,
        span=(episode.start, episode.end),
        peak=episode.peak if episode.events else None,
        detected=found.detected,
        severity=episode.severity,
        moved=moved,
        window=episode_words.width(found),
        facts=episode_words.facts(found),
        sentences=episode_words.sentences(found, moved, others),
        charts=charts,
        captions=captions,
        table=table,
        others=others,
        followed=episode_context.what_followed(found),
        raw=_raw(found, table),
        samples=_samples(found, board.source.roots),
        index=index,
        count=len(found.run.episodes),
        previous=previous,
        next=following,
        csv=_csv(found, table),
    )


def _place(found: Opened) -> tuple[int, str, str]:
    """Number of the episode among those of its run, and the ids of its neighbours."""
    run, starts = found.run, [episode.start for episode in found.run.episodes]
    before = [start for start in starts if start < found.episode.start]
    after = [start for start in starts if start > found.episode.start]
    index = starts.index(found.episode.start) + 1 if found.detected else 0
    return (
        index,
        f"{run.id}:{before[-1]}" if before else "",
        f"{run.id}:{after[0]}" if after else "",
    )


def _track(board: Board, track: str) -> tuple[Bilingual, str]:
    config = next((one for one in board.source.config.tracks if one.id == track), None)
    return (config.track.title, config.track.model) if config else ((track, track), "")


def _csv(found: Opened, table: StepTable) -> str:
    """The step table as CSV: the canonical metrics of its columns over all of its steps."""
    steps = [row.step for row in table.rows] or [found.episode.start]
    metrics = ",".join(chart.metric for chart in table.charts)
    return f"csv?exp={quote(found.run.id, safe='')}&steps={steps[0]}-{steps[-1]}&metrics={metrics}&wide=1"


def _raw(found: Opened, table: StepTable) -> tuple[tuple[RawExcerpt, tuple[RawPart, ...]], ...]:
    """Whole lines of the table's steps; of those next to the peak the items that the table shows."""
    known, peak = found.known(), found.episode.peak
    moved = {known[metric].source for metric in found.episode.metrics if metric in known}
    shown = moved | {known[chart.metric].source for chart in table.charts}
    near = range(peak - NEAR, peak + NEAR + 1)
    return tuple(
        (excerpt, tuple(_parts(_around(excerpt.lines, near), shown, moved)))
        for excerpt in raw_log(found.run.view, (row.step for row in table.rows))
    )


def _around(lines: Sequence[LogLine], near: range) -> Iterable[LogLine]:
    """Lines of the steps near the peak, and the warnings between the first and the last of them."""
    at = [nth for nth, line in enumerate(lines) if line.step in near]
    return lines[at[0] : at[-1] + 1] if at else ()


def _parts(lines: Iterable[LogLine], shown: set[str], moved: set[str]) -> Iterable[RawPart]:
    for line in lines:
        pieces = [Piece(line.text)] if line.step is None else _pieces(line.text, shown, moved)
        yield RawPart(line.line, line.step, tuple(pieces))


def _pieces(text: str, shown: set[str], moved: set[str]) -> list[Piece]:
    """The step and the items of `shown`; what is left out between them is an ellipsis."""
    head, *items = ITEM.split(text)
    pieces, gap = [Piece(head)], False
    for item in items:
        key, _, value = item.rpartition(":")
        if key not in shown:
            gap = True
            continue
        pieces += [Piece(f" … {key}:" if gap else f" - {key}:"), Piece(value, key in moved)]
        gap = False
    return [*pieces, *([Piece(" …")] if gap else [])]


def _samples(found: Opened, roots: Sequence[Path]) -> tuple[tuple[str, StepSamples], ...]:
    """Answers dumped at the peak and one step around it, and at the validations before and after."""
    record, peak = found.run.view.run, found.episode.peak
    rollout = samples(record, roots, range(peak - NEAR, peak + NEAR + 1))
    validated = samples(record, roots, episode_context.validation_steps(found), "validation")
    return (
        *(("samples.rollout", one) for one in rollout),
        *(("samples.validation", one) for one in validated),
    )
