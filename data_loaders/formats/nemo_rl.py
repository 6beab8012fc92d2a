"""NeMo-RL's console blocks: a banner `=== Step 3/500 ===`, then sections of `• name: value`.

Source: print formats of NeMo-RL's grpo and sft loops. The step in the banner begins anew with every epoch.
"""

from __future__ import annotations

import re

from data_loaders.formats.findings import HIGHEST_STEP, Findings, Place, as_key
from data_loaders.formats.line_reader import Format, pieces, spanning
from data_loaders.schema import Json

_BANNER = re.compile(r"={5,} Step (\d{1,15})/(\d{1,15}) ={5,}")
_SECTION = re.compile(
    r"(Training Results|Validation Results|Timing|Performance Metrics|Validation Timing)\s?:\s*$"
)
_ITEM = re.compile(
    r"•\s*([^:\n]{1,120}?)\s*:\s*([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf))(%?)(?![\d.])"
)
_SHOWS = re.compile(rb"={5,} Step \d+/\d+ ={5,}")


class Blocks:
    """Implements `line_reader.Parser`. A block is one row; it ends where the next banner stands."""

    def __init__(self, state: Json | None = None) -> None:
        state = state or {}
        self._step: int | None = state.get("step")
        self._banner: list[int] = state.get("banner", [0, 0])  # step and total of the banner in hand
        self._base: int = state.get("base", 0)  # steps of the epochs before
        self._section: str = state.get("section", "")
        self._cells: dict[str, float] = dict(state.get("cells", {}))
        self._first: Place | None = Place(*state["first"]) if state.get("first") else None
        self._last: Place | None = Place(*state["last"]) if state.get("last") else None

    def state(self) -> Json:
        return {
            "step": self._step,
            "banner": list(self._banner),
            "base": self._base,
            "section": self._section,
            "cells": dict(self._cells),
            "first": list(self._first) if self._first else None,
            "last": list(self._last) if self._last else None,
        }

    def line(self, raw: bytes, place: Place, found: Findings) -> None:
        if b"Step " not in raw and b":" not in raw:
            return
        for piece in pieces(raw, place):
            if banner := _BANNER.search(piece.text):
                self.finish(found)
                self._begin(int(banner[1]), int(banner[2]), piece.place, found)
            elif self._step is None:
                continue
            elif section := _SECTION.search(piece.text):
                self._section = section[1]
            elif self._section:
                self._items(piece.text, piece.place)

    def _items(self, text: str, place: Place) -> None:
        for item in _ITEM.finditer(text):
            value = float(item[2]) / (100 if item[3] else 1)
            self._cells[as_key(f"{self._section}/{item[1]}")] = value
            self._last = place

    def _begin(self, step: int, total: int, place: Place, found: Findings) -> None:
        before, size = self._banner
        if step <= before and step == 1 and before >= size:
            self._base += before  # the epoch before was trained to its end
            found.remark("report.steps_inferred")
        elif step <= before and step == 1:
            self._base = 0
            found.launch(place.line)
        self._banner = [step, total]
        self._step = self._base + step if self._base + step < HIGHEST_STEP else None
        self._first = self._last = place
        self._section = ""

    def finish(self, found: Findings) -> None:
        if self._step is not None and self._cells and self._first and self._last:
            found.add(self._step, self._cells, spanning(self._first, self._last))
        self._cells = {}


FORMAT = Format("nemo_rl", Blocks, console=True, from_source=True)


def sniff(first: bytes, last: bytes, _name: str) -> bool:
    """Whether the ends of a file hold its banner."""
    return any(_SHOWS.search(part) for part in (first, last))
