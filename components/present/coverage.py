"""What was read from each log, and what was not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from components import numbers
from components.report_view import FileReport, PartialNames
from components.text import listing, said
from components.view import Sentence, SourceFile, Span
from data_loaders.board import Board, BoardRun
from data_loaders.derive.secrets import mask_text
from data_loaders.file_reading import FileReading, Names, file_readings
from data_loaders.runs import RunView, missing_steps
from data_loaders.schema import LogFacts, Note

EXAMPLES = 5
"""Rejected items that the report of all files shows singly; that of one run shows all it has."""
LISTED = 12
"""Numbers or ranges of them in one list."""


def source_files(run: BoardRun) -> tuple[SourceFile, ...]:
    """The logs of a run with the steps each holds."""
    gaps = missing_steps(run.view)
    files = []
    for index, (path, facts) in enumerate(zip(run.view.run.logs, run.view.run.facts, strict=True)):
        spans = _spans(run, index)
        inside = [gap for gap in gaps if spans and spans[0][0] <= gap[0] <= spans[-1][1]]
        files.append(
            SourceFile(
                name=path.rsplit("/", 1)[-1],
                coverage=spans,
                notes=(
                    *_beside(run, index),
                    *_notes(facts, bool(spans)),
                    *([_gap_note(inside)] if inside else []),
                ),
            )
        )
    return tuple(files)


def stepless_files(board: Board) -> tuple[SourceFile, ...]:
    """Files under the roots that belong to no run or gave no training step, with the reason."""
    files = [
        SourceFile(
            name=board.shown(path),
            notes=(Note("reason.untrained") if run.view.run.last is not None else _no_step(facts),),
        )
        for run in board.runs
        if not run.pace.trained
        for path, facts in zip(run.view.run.logs, run.view.run.facts, strict=True)
    ]
    files += [
        SourceFile(name=board.shown(skip.path), notes=(Note(skip.reason_key, skip.values),))
        for skip in board.skipped
    ]
    files += [
        SourceFile(name=board.shown(str(f.path)), notes=(Note("reason.unreadable", {"error": f.why}),))
        for f in board.failures
    ]
    return tuple(files)


def reports(board: Board) -> tuple[FileReport, ...]:
    """The reading report: an entry per file."""
    return tuple(_reports(board))


def run_reports(board: Board, run: BoardRun) -> tuple[FileReport, ...]:
    """The reading report of one run with everything that is known: every column of it is read."""
    return tuple(
        replace(
            _report(board, run, index, len(found.facts.rejected)),
            keys=found.keys,
            values=found.values,
            more=tuple(_more(found)),
            partial=tuple(_partial(names) for names in found.partial),
        )
        for index, found in enumerate(file_readings(run.view))
    )


def _reports(board: Board) -> Iterator[FileReport]:
    for run in board.runs:
        for index in range(len(run.view.run.logs)):
            yield _report(board, run, index, EXAMPLES)
    for skip in board.skipped:
        yield FileReport(board.shown(skip.path), notes=(Note(skip.reason_key, skip.values),))
    for failure in board.failures:
        why = Note("reason.unreadable", {"error": failure.why})
        yield FileReport(board.shown(str(failure.path)), notes=(why,))


def _report(board: Board, run: BoardRun, index: int, examples: int) -> FileReport:
    path, facts = run.view.run.logs[index], run.view.run.facts[index]
    spans = _spans(run, index)
    return FileReport(
        path=board.shown(path),
        format=facts.format,
        bytes=facts.bytes,
        steps=facts.step_lines,
        keys=len(run.view.run.keys),
        spans=spans,
        cut=len(facts.cut_lines),
        rejected=facts.rejected_count,
        examples=tuple((r.line, r.text, Note(r.why)) for r in islice(facts.rejected, examples)),
        notes=(*_beside(run, index), *_notes(facts, bool(spans))),
    )


def _more(found: FileReading) -> Iterator[Note]:
    """Where lines were cut, which steps stand twice and which are missing, what is not listed."""
    facts = found.facts
    if facts.cut_lines:
        yield Note("report.cut_at", {"lines": _listed([(line, line) for line in facts.cut_lines])})
    if found.duplicates:
        yield Note("report.twice", {"n": _count(found.duplicates), "steps": _listed(found.duplicates)})
    if found.missing:
        yield Note("report.missing", {"n": _count(found.missing), "steps": _listed(found.missing)})
    if facts.rejected_count > len(facts.rejected):
        yield Note("report.rejected_more", {"n": facts.rejected_count - len(facts.rejected)})


def _partial(names: Names) -> PartialNames:
    key, steps = ("report.only_on", names.on) if names.on else ("report.not_on", names.not_on)
    where = Note(key, {"n": _count(steps), "steps": _listed(steps)})
    return PartialNames(names.keys, names.seen, names.seen + names.absent, where)


def _count(ranges: Sequence[Span]) -> int:
    return sum(last - first + 1 for first, last in ranges)


def _listed(ranges: Sequence[Span]) -> Sentence:
    """Numbers and ranges of them; of many the first ones, and how many more there are."""
    shown = listing(numbers.steps(*span) for span in ranges[:LISTED])
    left = len(ranges) - LISTED
    return said(Note("report.and_more", {"steps": shown, "n": left})) if left > 0 else shown


def _spans(run: BoardRun, log: int) -> tuple[Span, ...]:
    return tuple(_steps_in(run.view, run.view.run.logs[log]))


def _steps_in(view: RunView, path: str) -> Iterator[Span]:
    """First and last step of every segment that a file holds, also of one that only completes the run."""
    for record in view.records:
        yield from _steps_in(record, path)
    yield from ((s.first, s.last) for s in view.run.segments if view.run.logs[s.log] == path)


def _beside(run: BoardRun, log: int) -> list[Note]:
    """What there is to say of a file that only completes the run."""
    path = run.view.run.logs[log]
    completes = any(path in record.run.logs for record in run.view.records)
    return [Note("report.completes")] if completes else []


def _notes(facts: LogFacts, has_steps: bool) -> tuple[Sentence, ...]:
    notes: list[Sentence] = []
    if not has_steps:
        notes.append(_no_step(facts))
    if facts.damage:
        notes.append(Note(facts.damage))
    notes += [Note(key) for key in facts.remarks]
    if facts.cut_lines:
        notes.append(Note("report.cut", {"n": len(facts.cut_lines)}))
    if facts.rejected_count:
        notes.append(Note("report.rejected", {"n": facts.rejected_count}))
    if facts.blocks:
        notes.append(Note("report.blocks", {"n": len(facts.blocks)}))
    if facts.recovered:
        notes.append(Note("report.recovered", {"n": len(facts.recovered)}))
    return tuple(notes)


def _no_step(facts: LogFacts) -> Note:
    told = {"text": mask_text(facts.end_text), "format": facts.format}
    return Note(facts.no_step_reason or "reason.no_step", told)


def _gap_note(gaps: Sequence[tuple[int, int]]) -> Note:
    return Note("report.missing", {"n": _count(gaps), "steps": _listed(gaps)})
