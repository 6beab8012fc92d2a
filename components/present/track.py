"""A track page: who leads and whether that can be said, a row per run, a section per run."""

from __future__ import annotations

from collections.abc import Sequence

from components.present import findings
from components.present.coverage import source_files, stepless_files
from components.present.rows import primary, row
from components.present.runs import infos, of_track, window_of
from components.present.times import now_of
from components.view import ExperimentView, RunInfo, RunRow, Sentence, Span, TrackView
from data_loaders.board import Board, BoardRun
from data_loaders.board_config import TrackConfig
from data_loaders.catalog import OTHER
from data_loaders.derive.config import get
from data_loaders.derive.settings import config_of, number, response_cap
from data_loaders.schema import Note


def track_view(board: Board, track: TrackConfig) -> TrackView:
    """Everything the page of a track shows."""
    runs, named, now = of_track(board, track.id), infos(board), now_of(board)
    window = window_of(board, track.id)
    rows = tuple(row(run, named[run.id], now, window) for run in runs)
    return TrackView(
        id=track.id,
        heading=track.track.heading,
        model=track.track.model,
        facts=_facts(track, runs),
        log_count=sum(len(run.view.run.logs) for run in runs),
        finding=findings.headline(runs, rows, comparable=track.id != OTHER),
        rows=rows,
        steps=_hull(runs),
        window=window,
        window_notes=_window_notes(runs, named, window),
        experiments=tuple(_experiment(run, named[run.id], r) for run, r in zip(runs, rows, strict=True)),
        notes=track.notes,
        stepless=stepless_files(board) if track.id == OTHER else (),
        validation_title=_validation_title(runs),
    )


def _hull(runs: Sequence[BoardRun]) -> Span | None:
    spans = [(r.view.run.first, r.view.run.last) for r in runs]
    known = [(first, last) for first, last in spans if first is not None and last is not None]
    return (min(f for f, _ in known), max(n for _, n in known)) if known else None


def _facts(track: TrackConfig, runs: Sequence[BoardRun]) -> tuple[Sentence, ...]:
    """Hardware, response cap, batch, seeds: board.toml first, then what all configs agree on."""
    facts: list[Sentence] = [track.hardware] if track.hardware else []
    caps = {cap for run in runs if (cap := response_cap(run.view.run))}
    if len(caps) == 1 and not track.hardware:
        facts.append(Note("fact.cap", {"n": f"{caps.pop():,}"}))
    batches = {batch for run in runs if (batch := _batch(run))}
    if len(batches) == 1:
        prompts, answers = batches.pop()
        facts.append(Note("fact.batch", {"prompts": prompts, "answers": answers}))
    if runs:
        facts.append(Note("fact.single_seed"))
    return tuple(facts)


def _batch(run: BoardRun) -> tuple[int, int] | None:
    config = config_of(run.view.run)
    prompts, answers = (
        number(get(config, "data.train_batch_size")),
        number(get(config, "actor_rollout_ref.rollout.n")),
    )
    return (int(prompts), int(answers)) if prompts and answers else None


def _window_notes(
    runs: Sequence[BoardRun], named: dict[str, RunInfo], window: Span | None
) -> tuple[Sentence, ...]:
    """Why the comparison opens on a window: which run's first log ends there."""
    if window is None:
        return ()
    ends = [
        named[run.id].mark
        for run in runs
        if run.view.run.segments
        and run.view.run.segments[0].last == window[1]
        and len(run.view.run.segments) > 1
    ]
    return (Note("window.snapshot", {"run": ", ".join(ends), "step": window[1]}),) if ends else ()


def _experiment(run: BoardRun, info: RunInfo, shown: RunRow) -> ExperimentView:
    record = run.view.run
    return ExperimentView(
        info=info,
        character=record.options.get("title"),
        markdown=record.options.get("notes"),
        sources=source_files(run),
        config_from=Note(f"config_from.{run.detected.confidence}", {"name": run.detected.name}),
        metric_count=len(record.keys),
        episodes=run.episodes,
        empty=None if record.last is not None else shown.why or Note("empty.no_step"),
        state=shown.state,
    )


def _validation_title(runs: Sequence[BoardRun]) -> str:
    titles = {findings.validation_title(found) for run in runs if (found := primary(run))}
    return titles.pop() if len(titles) == 1 else ""
