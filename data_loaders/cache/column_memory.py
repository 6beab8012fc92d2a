"""Columns lately used, in memory: one version of each, and at most so many bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

from data_loaders.schema import Column

ENTRY_BYTES = 500
"""What an entry takes besides its arrays."""


class _Kept(NamedTuple):
    """A column, and the version of its log that it was read from."""

    version: str
    column: Column

    @property
    def bytes(self) -> int:
        return self.column.rows.nbytes + self.column.values.nbytes + ENTRY_BYTES


class ColumnMemory:
    """Keeps the columns used last. Safe to use from several threads."""

    def __init__(self, limit: int = 256 << 20) -> None:
        self.limit = limit
        self.bytes = 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable, version: str, read: Callable[[], Column]) -> Column:
        """The column of a name, read when it is not here in this version, which it then replaces.

        So a log that grows for days takes the room of what it holds. A column above the limit is not kept.
        """
        with self._lock:
            kept = self._kept.get(name)
            if kept is not None and kept.version == version:
                self._kept.move_to_end(name)
                return kept.column
        column = read()
        with self._lock:
            self._drop(name)
            self._kept[name] = _Kept(version, column)
            self.bytes += self._kept[name].bytes
            while self.bytes > self.limit:
                self._drop(next(iter(self._kept)))
        return column

    def _drop(self, name: Hashable) -> None:
        if (old := self._kept.pop(name, None)) is not None:
            self.bytes -= old.bytes
