"""A log as its cache entry holds it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from data_loaders.cache.part_files import DamagedError, PartReader
from data_loaders.cache.store import Record, read_record
from data_loaders.columns import join_columns, join_lines
from data_loaders.schema import Column, LogFacts, StepLines


class StoredLog:
    """A log whose columns are in the parts and the tail of a record (a `columns.LogData`)."""

    def __init__(self, folder: Path, record: Record) -> None:
        self.folder = folder
        self.record = record
        self._parts = tuple(PartReader(folder, part) for part in record.parts)
        self._numbers = {key: number for number, key in enumerate(record.keys)}

    @property
    def path(self) -> Path:
        return Path(self.record.path)

    @property
    def facts(self) -> LogFacts:
        facts = self.record.facts
        return replace(facts, recovered=facts.recovered + self.record.recovered)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(sorted({*self.record.keys, *self.record.tail.columns}))

    def lines(self) -> StepLines:
        return join_lines([*(part.lines() for part in self._parts), self.record.tail.lines])

    def column(self, key: str) -> Column:
        found = [self.record.tail.columns[key]] if key in self.record.tail.columns else []
        if key in self._numbers:
            cells = (part.column(self._numbers[key]) for part in self._parts)
            found = [*(column for column in cells if column is not None), *found]
        return join_columns(found)

    def is_damaged(self, file: str) -> bool:
        """Whether a file is missing or altered that the entry needs now, not only this record of it."""
        try:
            now = read_record(self.folder, self.record.parser)
        except DamagedError:
            return True
        return now is not None and file in {part.file for part in now.parts}
