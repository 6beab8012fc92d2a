"""What the pages say of files that complete a run, and of formats known from source code only."""

from __future__ import annotations

from pathlib import Path

from components.present.coverage import reports, run_reports, source_files
from components.text import TEXT
from data_loaders.board import Board, BoardReader, Source
from data_loaders.check import REMARKS
from tests.unit.data_loaders.formats.foreign_logs import FILES, verl_jsonl


def board_of(root: Path, files: dict[str, bytes]) -> Board:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return BoardReader(Source((root,)), root.parent / "cache").read()


def test_a_file_that_completes_a_run_is_told_with_its_steps(tmp_path: Path) -> None:
    console = b"step:1 - critic/score/mean:0.25\nstep:3 - critic/score/mean:0.375\n"
    files = {"e1_grpo/train.log": console, "e1_grpo/metrics.jsonl": verl_jsonl().encode()}
    board = board_of(tmp_path / "logs", files)
    (run,) = board.runs
    record, log = source_files(run)
    assert (record.name, record.coverage) == ("metrics.jsonl", ((1, 4),))
    assert [note.key for note in record.notes] == ["report.completes"]
    assert (log.name, log.coverage, log.notes) == ("train.log", ((1, 3),), ())
    assert [report.spans for report in reports(board)] == [((1, 4),), ((1, 3),)]
    assert [(report.keys, report.values) for report in run_reports(board, run)] == [(2, 8), (1, 2)]


def test_every_format_has_a_report(tmp_path: Path) -> None:
    board = board_of(tmp_path / "logs", dict(FILES.values()))
    told = {report.format: {note.key for note in report.notes} for report in reports(board)}
    source = {name for name, keys in told.items() if "report.from_source" in keys}
    assert source == {"openrlhf", "slime", "roll", "nemo_rl"}
    assert set(told) == set(FILES)


def test_remarks_have_texts() -> None:
    assert set(REMARKS) <= set(TEXT)
