"""Cells of step lines, gathered row by row and turned into columns many lines at a time.

A run prints the same keys in the same order for thousands of lines. The first such line becomes a template;
of every further line a pattern takes the numbers out, and those of many lines are read by one C parser. It
rounds as `float` does; what it does not read the same way is handed back to be read item by item.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import orjson

from data_loaders.columns import join_columns
from data_loaders.formats.step_line import StepLine
from data_loaders.schema import Column, FloatArray, IntArray

FLUSH_ROWS = 1024
MOST_TEMPLATES = 8
_NP_VALUE = re.compile(r"np\.\w+\(")
_FIRST = rb"(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
"""A number of JSON."""
_AS_JSON = ((b",nan", b",null"), (b",True", b",1"), (b",False", b",0"))
"""Words that no JSON parser reads; numpy makes nan of null. A line never begins with one."""
_NEGATIVE_ZERO = re.compile(rb"-0(?:,|\Z)")
_NOT_NUMBERS = (b"t", b"f", b'"', b"{", b"[")
"""Bytes that other JSON values begin with, all but null: true, false, strings, objects, arrays."""


Row = tuple[int, int, bytes]
"""Row, physical line, and body of a step line: what follows its step token."""


@dataclass(slots=True)
class Template:
    """The keys of a line, and its lines not yet converted."""

    keys: tuple[str, ...]
    pattern: re.Pattern[bytes]
    """Fits the body of a line with these keys; its groups are the numbers."""
    rows: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    numbers: list[bytes] = field(default_factory=list)
    """Comma-separated."""

    def take(self, row: int, line: int, body: bytes) -> bool:
        """Keep the line's numbers; False when its keys are others or a value needs a closer look."""
        found = self.pattern.fullmatch(body)
        if found is None:
            return False
        self.rows.append(row)
        self.lines.append(line)
        self.bodies.append(body)
        self.numbers.append(b",".join(found.groups()))
        return True


def _template(line: StepLine) -> Template | None:
    """None when a key stands twice or an item is not a number."""
    keys = tuple(item.key for item in line.items)
    if len(set(keys)) < len(keys) or any(item.value is None for item in line.items):
        return None
    items: list[bytes] = []
    for item in line.items:
        wrapper = _NP_VALUE.match(item.text, len(item.key) + 1)
        before = re.escape(f"{item.key}:{wrapper[0] if wrapper else ''}".encode())
        # The first value decides whether this is a step line at all, so it is a number to its end.
        number = rb"([^ )]*+)" if wrapper else rb"([^ ]*+)"
        items.append(before + (number if items else _FIRST) + (rb"\)" if wrapper else b""))
    return Template(keys, re.compile(b" - ".join(items)))


def _numbers(texts: list[bytes], width: int) -> FloatArray | None:
    """(lines, width) numbers; None when a text is not plain JSON numbers, or would lose the sign of `-0`."""
    joined = b",".join(texts)
    if any(mark in joined for mark in _NOT_NUMBERS):
        return None
    if b"n" in joined or b"T" in joined or b"F" in joined:
        if b"null" in joined:
            return None
        for word, number in _AS_JSON:
            joined = joined.replace(word, number)
    try:
        values = orjson.loads(b"[" + joined + b"]")
    except orjson.JSONDecodeError:
        return None
    if len(values) != len(texts) * width:
        return None
    numbers = np.array(values, np.float64)
    whole_zeros = any(type(values[at]) is int for at in np.flatnonzero(numbers == 0).tolist())
    if whole_zeros and _NEGATIVE_ZERO.search(joined):
        return None
    return numbers.reshape(len(texts), width)


class CellTable:
    """Cells by key, of lines whose rows only grow. A later cell of the same row and key wins."""

    def __init__(self) -> None:
        self._templates: list[Template] = []  # newest first
        self._columns: defaultdict[str, list[Column]] = defaultdict(list)
        self._single: dict[tuple[str, ...], tuple[list[int], list[list[float]]]] = {}
        self._difficult: list[Row] = []

    def take(self, row: int, line: int, body: bytes) -> bool:
        """Take a line that matches a template; False when it matches none."""
        for template in self._templates:
            if template.take(row, line, body):
                if len(template.rows) >= FLUSH_ROWS:
                    self._convert(template)
                return True
        return False

    def learn(self, line: StepLine) -> None:
        """Make a template of a line that matched none."""
        template = _template(line)
        if template is None:
            return
        if any(template.pattern == other.pattern for other in self._templates):
            return
        if len(self._templates) >= MOST_TEMPLATES:
            self._convert(self._templates.pop())
        self._templates.insert(0, template)

    def add(self, row: int, cells: dict[str, float]) -> None:
        """Take cells that were read item by item."""
        rows, values = self._single.setdefault(tuple(cells), ([], []))
        rows.append(row)
        values.append(list(cells.values()))

    def difficult(self) -> list[Row]:
        """Lines whose numbers the parser did not read; they are to be read item by item and added."""
        self._convert_all()
        rows, self._difficult = self._difficult, []
        return sorted(rows)

    def columns(self) -> dict[str, Column]:
        """Everything taken so far, which is forgotten. Columns are in order of rows."""
        self._convert_all()
        for keys, (rows, values) in self._single.items():
            self._store(keys, np.array(rows, np.int64), np.array(values, np.float64).reshape(len(rows), -1))
        self._single.clear()
        columns = {key: join_columns(parts) for key, parts in self._columns.items()}
        self._columns.clear()
        return columns

    def _convert_all(self) -> None:
        for template in self._templates:
            self._convert(template)

    def _convert(self, template: Template) -> None:
        if not template.rows:
            return
        matrix = _numbers(template.numbers, len(template.keys))
        if matrix is not None:
            self._store(template.keys, np.array(template.rows, np.int64), matrix)
        else:
            self._convert_singly(template)
        template.rows, template.lines, template.bodies, template.numbers = [], [], [], []

    def _convert_singly(self, template: Template) -> None:
        rows, single = [], []
        for at, text in enumerate(template.numbers):
            numbers = _numbers([text], len(template.keys))
            if numbers is None:
                self._difficult.append((template.rows[at], template.lines[at], template.bodies[at]))
            else:
                rows.append(template.rows[at])
                single.append(numbers)
        if rows:
            self._store(template.keys, np.array(rows, np.int64), np.concatenate(single))

    def _store(self, keys: tuple[str, ...], rows: IntArray, matrix: FloatArray) -> None:
        for key, values in zip(keys, np.ascontiguousarray(matrix.T), strict=True):
            self._columns[key].append(Column(rows, values))
