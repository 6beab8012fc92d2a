"""Columns lately used, in memory: at most so many bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from data_loaders.schema import Column

ENTRY_BYTES = 500
"""What an entry takes besides its arrays."""


class ColumnMemory:
    """Keeps the columns used last. Safe to use from several threads."""

    def __init__(self, limit: int = 256 << 20) -> None:
        self.limit = limit
        self.bytes = 0
        self._columns: OrderedDict[Hashable, Column] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable, read: Callable[[], Column]) -> Column:
        """The column of a name, read when it is not here. A column larger than the limit is not kept."""
        with self._lock:
            if name in self._columns:
                self._columns.move_to_end(name)
                return self._columns[name]
        column = read()
        with self._lock:
            if name not in self._columns:
                self._columns[name] = column
                self.bytes += _size(column)
            while self.bytes > self.limit:
                _, oldest = self._columns.popitem(last=False)
                self.bytes -= _size(oldest)
        return column


def _size(column: Column) -> int:
    return column.rows.nbytes + column.values.nbytes + ENTRY_BYTES
