"""A track page: who leads and whether that can be said, a row per run, a section per run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from components.charts import charts, placed
from components.charts_full import SECTIONS
from components.figures import Chart
from components.present import findings
from components.present.coverage import source_files, stepless_files
from components.present.detail_config import recognised
from components.present.first_step import agreements
from components.present.rows import primary, row
from components.present.rules import rule_notes
from components.present.runs import infos, of_track, window_of
from components.present.statements import statements
from components.present.times import RUNNING, now_of, progress, state_of
from components.text import TEXT, listing, said
from components.view import Absent, ExperimentView, RunInfo, RunRow, Sentence, Span, TrackView
from data_loaders.board import Board, BoardRun
from data_loaders.board_config import TrackConfig
from data_loaders.catalog import OTHER
from data_loaders.derive.config import get
from data_loaders.derive.hours import BY_NAME
from data_loaders.derive.missing import why_missing
from data_loaders.derive.settings import config_of, number, response_cap
from data_loaders.derive.validation import parse_key
from data_loaders.derive.variants import variants
from data_loaders.schema import Note, Run

SHARED = 4
"""Charts that lack their metric for one reason are told in one line from this many on."""
STATES = ("ended", "live", "starting", "late", "stalled", "stopped", "crashed")


def track_view(board: Board, track: TrackConfig) -> TrackView:
    """Everything the page of a track shows."""
    runs, known, now = of_track(board, track.id), infos(board), now_of(board)
    window = window_of(board, track.id)
    rows = tuple(row(run, known[run.id], now, window) for run in runs)
    unmeasured = _unmeasured(runs)
    return TrackView(
        id=track.id,
        heading=track.track.heading,
        model=track.track.model,
        facts=_facts(track, runs, rows),
        log_count=sum(len(run.view.run.logs) for run in runs),
        finding=findings.headline(runs, rows, comparable=track.id != OTHER),
        rows=rows,
        steps=_hull(runs),
        window=window,
        window_notes=_window_notes(runs, known, window),
        experiments=tuple(
            _experiment(run, known[run.id], r, now, board.source.config.rules_off)
            for run, r in zip(runs, rows, strict=True)
        ),
        notes=track.notes,
        stepless=stepless_files(board) if track.id == OTHER else (),
        validation_title=_validation_title(runs),
        unmeasured=parsed.dataset if (parsed := parse_key(unmeasured)) else unmeasured,
        validation_key=unmeasured,
        charts=_names(_comparison(track, runs)),
        accepts=track.track.names,
        statements=statements(track.id, runs, rows, window) if track.id != OTHER else (),
        agreements=agreements(runs, known) if track.id != OTHER else (),
    )


def _comparison(track: TrackConfig, runs: Sequence[BoardRun]) -> Iterable[Chart]:
    """Charts of a page; of one without runs those it would show."""
    if runs:
        return placed("comparison", (run.view.run for run in runs), track.id)
    expected = (chart for chart in charts("comparison") if not chart.optional or track.id in chart.tracks)
    return tuple(expected)


def _names(found: Iterable[Chart]) -> tuple[str, ...]:
    return tuple(chart.name for chart in found)


def _unmeasured(runs: Sequence[BoardRun]) -> str:
    """Key of the validation that board.toml names, where no run has logged it; else empty."""
    wanted = {str(run.view.run.options.get("validation_key") or "") for run in runs}
    logged = {key for run in runs for key in run.view.run.keys}
    return next(iter(wanted - logged), "") if len(wanted) == 1 else ""


def _hull(runs: Sequence[BoardRun]) -> Span | None:
    spans = [(r.view.run.first, r.view.run.last) for r in runs]
    known = [(first, last) for first, last in spans if first is not None and last is not None]
    return (min(f for f, _ in known), max(n for _, n in known)) if known else None


def _facts(track: TrackConfig, runs: Sequence[BoardRun], rows: Sequence[RunRow]) -> tuple[Sentence, ...]:
    """Hardware, response cap, batch, rewards, seeds, states: board.toml first, then what all configs say."""
    facts: list[Sentence] = [track.hardware] if track.hardware else []
    caps = {cap for run in runs if (cap := response_cap(run.view.run))}
    if len(caps) == 1 and not track.hardware:
        facts.append(Note("fact.cap", {"n": f"{caps.pop():,}"}))
    batches = {batch for run in runs if (batch := _batch(run))}
    if len(batches) == 1:
        prompts, answers = batches.pop()
        facts.append(Note("fact.batch", {"prompts": prompts, "answers": answers}))
    scales = {scale for run in runs if (scale := run.view.run.options.get("reward_scale"))}
    if len(scales) == 1:
        low, high = scales.pop()
        facts.append(Note("fact.reward_scale", {"low": low, "high": high}))
    if runs and track.id != OTHER:
        facts.append(_seeds(runs))
    counted = ((state, sum(r.state == state for r in rows)) for state in STATES)
    facts += [Note("fact.state", {"n": n, "state": Note(f"state.{state}")}) for state, n in counted if n]
    return tuple(facts)


def _seeds(runs: Sequence[BoardRun]) -> Note:
    """How many groups of runs differ in nothing but the seed."""
    alike = Counter(one.alike for one in variants([run.view.run for run in runs]).runs if one.alike)
    groups = sum(count > 1 for count in alike.values())
    return Note("fact.seeds", {"n": groups}) if groups else Note("fact.single_seed")


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
    return (Note("window.snapshot", {"run": listing(ends), "step": window[1]}),) if ends else ()


def _experiment(
    run: BoardRun, info: RunInfo, shown: RunRow, now: float, rules_off: Sequence[str]
) -> ExperimentView:
    record = run.view.run
    own, absent = _own_charts(record)
    running = shown.state in RUNNING
    rules, tested = rule_notes(run, rules_off)
    return ExperimentView(
        info=info,
        character=record.options.get("title"),
        markdown=record.options.get("notes"),
        sources=source_files(run),
        config_from=recognised(run),
        metric_count=len(record.keys),
        episodes=run.episodes,
        empty=None if record.last is not None else shown.why or Note("empty.no_step"),
        state=shown.state,
        charts=own,
        absent=absent,
        full=_names(placed("full", [record])),
        without=_without(record),
        row=shown if running and record.last is not None else None,
        progress=progress(state_of(run, now)) if running else None,
        rules=rules,
        rules_tested=tested,
    )


def _own_charts(record: Run) -> tuple[tuple[str, ...], tuple[Absent, ...]]:
    """Charts with a place of their own, and those that share one reason for having nothing to draw."""
    found = placed("experiment", [record])
    lacking: dict[str, list[tuple[Chart, Note]]] = {}
    for chart in found:
        if not chart.logged_by(record):
            why = why_missing(record, BY_NAME[chart.metric]).why
            lacking.setdefault(why.key, []).append((chart, why))
    shared = [members for members in lacking.values() if len(members) >= SHARED]
    left_out = {chart.name for members in shared for chart, _ in members}
    absent = tuple(
        Absent(tuple(chart.title for chart, _ in members), _shared([why for _, why in members]))
        for members in shared
    )
    return _names(chart for chart in found if chart.name not in left_out), absent


def _shared(reasons: Sequence[Note]) -> Note:
    """One reason for several metrics; where each names a key of its own, the one that names none."""
    first = reasons[0]
    alike = all(why.key == first.key for why in reasons)
    named = len({said(why) for why in reasons}) > 1
    together = f"several.{first.key}"
    return Note(together) if alike and named and together in TEXT else first


def _without(record: Run) -> tuple[Absent, ...]:
    """Sections of the full version that the log holds nothing of, with the reason of their metrics."""
    held = {chart.section for chart in placed("full", [record])}
    found = []
    for section in SECTIONS:
        own = [BY_NAME[c.metric] for c in charts("full") if c.section == section and c.metric in BY_NAME]
        if own and section not in held:
            why = _shared([why_missing(record, metric).why for metric in own])
            found.append(Absent((f"section.{section}",), why))
    return tuple(found)


def _validation_title(runs: Sequence[BoardRun]) -> str:
    titles = {findings.validation_title(found) for run in runs if (found := primary(run))}
    return titles.pop() if len(titles) == 1 else ""
