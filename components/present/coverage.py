"""What was read from each log, and what was not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from components.view import FileReport, Sentence, SourceFile, Span
from data_loaders.board import Board, BoardRun
from data_loaders.runs import missing_steps
from data_loaders.schema import LogFacts, Note

EXAMPLES = 5
"""Rejected items that are shown singly."""


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
                notes=(*_notes(facts, bool(spans)), *([_gap_note(inside)] if inside else [])),
            )
        )
    return tuple(files)


def stepless_files(board: Board) -> tuple[SourceFile, ...]:
    """Files under the roots that belong to no run or gave no step, with the reason."""
    files = [
        SourceFile(
            name=board.shown(path),
            notes=(_no_step(facts),),
        )
        for run in board.runs
        if run.view.run.last is None
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


def _reports(board: Board) -> Iterator[FileReport]:
    for run in board.runs:
        for index, (path, facts) in enumerate(zip(run.view.run.logs, run.view.run.facts, strict=True)):
            spans = _spans(run, index)
            yield FileReport(
                path=board.shown(path),
                format=facts.format,
                bytes=facts.bytes,
                steps=facts.step_lines,
                keys=len(run.view.run.keys),
                spans=spans,
                cut=len(facts.cut_lines),
                rejected=facts.rejected_count,
                examples=tuple((r.line, r.text, Note(r.why)) for r in islice(facts.rejected, EXAMPLES)),
                notes=tuple(_notes(facts, bool(spans))),
            )
    for skip in board.skipped:
        yield FileReport(board.shown(skip.path), notes=(Note(skip.reason_key, skip.values),))
    for failure in board.failures:
        why = Note("reason.unreadable", {"error": failure.why})
        yield FileReport(board.shown(str(failure.path)), notes=(why,))


def _spans(run: BoardRun, log: int) -> tuple[Span, ...]:
    return tuple((s.first, s.last) for s in run.view.run.segments if s.log == log)


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
    if facts.recovered:
        notes.append(Note("report.recovered", {"n": len(facts.recovered)}))
    return tuple(notes)


def _no_step(facts: LogFacts) -> Note:
    told = {"text": facts.end_text, "format": facts.format}
    return Note(facts.no_step_reason or "reason.no_step", told)


def _gap_note(gaps: Sequence[tuple[int, int]]) -> Note:
    shown = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in gaps[:4])
    return Note("report.missing", {"n": sum(b - a + 1 for a, b in gaps), "steps": shown})
