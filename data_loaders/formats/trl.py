"""Dict lines that Hugging Face trainers print: TRL, Unsloth, and plain transformers.

Source: `{'loss': 0.01, …, 'epoch': 0.0}` after every logging step, `{'train_runtime': …}` at the end. No line
names its step: the counter of the progress bar before it does, else lines are counted.
"""

from __future__ import annotations

import re

from data_loaders.formats.findings import HIGHEST_STEP, Findings, Place, as_key
from data_loaders.formats.line_reader import Format, Piece, pieces
from data_loaders.formats.literal import read_dict
from data_loaders.formats.verl_sniff import NO_LOG_NAMES
from data_loaders.schema import Json

_BAR = re.compile(r"(?<![\d/.])(\d{1,12})/(\d{1,12}) \[[\d:?]+<")
_DICT = re.compile(r"\{(?=['\"][\w/.@ -]{1,200}['\"]: )")
_EPOCH = re.compile(r"['\"]epoch['\"]: ")
_SHOWS = re.compile(
    rb"\{'[\w/.@ -]{1,200}': [^{}\n]{0,8000}'epoch': '?[\d.]+'?\}|\{'(?:train_runtime|train_loss)': "
)
_NAMES = ("loss", "reward", "grad_norm", "learning_rate", "train_runtime", "eval_loss", "train_loss")
_CLOSING = ("train_runtime", "train_loss")


class DictLines:
    """Implements `line_reader.Parser`."""

    def __init__(self, state: Json | None = None) -> None:
        self._load(state or {})

    def _load(self, state: Json) -> None:
        self._step: int = state.get("step", 0)  # of the last training line
        self._apart: int = state.get("apart", 1)  # steps between the last two
        self._bar: list[int] | None = state.get("bar")  # counter and total of the last bar
        self._total: int = state.get("total", 0)  # of the training's bar
        self._over: bool = state.get("over", False)

    def state(self) -> Json:
        return {
            "step": self._step,
            "apart": self._apart,
            "bar": self._bar,
            "total": self._total,
            "over": self._over,
        }

    def line(self, raw: bytes, place: Place, found: Findings) -> None:
        if b"{" not in raw and b"/" not in raw:
            return
        for piece in pieces(raw, place):
            dicts = list(_DICT.finditer(piece.text))
            begun = dicts[0].start() if dicts else len(piece.text)
            for bar in _BAR.finditer(piece.text, 0, begun):
                self._see(int(bar[1]), int(bar[2]))
            for start in dicts:
                self._dict(piece, start.start(), found)

    def finish(self, found: Findings) -> None:
        """Nothing is kept back."""

    def _see(self, count: int, total: int) -> None:
        """Evaluation, loading and mapping have bars of their own; the training's does not fall back."""
        if self._total in (0, total) or (self._over and count <= 1):
            self._bar = [count, total]

    def _dict(self, piece: Piece, start: int, found: Findings) -> None:
        printed = read_dict(piece.text, start)
        numbers = {as_key(key): value for key, value in printed.numbers.items()}
        if not any(name in numbers for name in _NAMES):
            return
        if printed.end is None:
            found.cut.append(piece.place.line)
        elif "epoch" not in numbers:
            return  # a dict of another origin
        if self._over:
            self._anew(piece.place.line, found)
        if any(name in numbers for name in _CLOSING):
            self._over = True
            found.finish("finished", piece.place.line, piece.text[start:])
        elif not any(key.startswith("eval_") for key in numbers):
            self._advance()
        if self._total:
            found.planned = self._total
        found.remark("report.steps_inferred")
        found.add(self._step, numbers, piece.place)

    def _advance(self) -> None:
        """The step of the next training line."""
        counted = self._bar[0] if self._bar else 0
        step = counted if counted > self._step else self._step + self._apart
        self._apart = min(step - self._step, HIGHEST_STEP)
        self._step = min(step, HIGHEST_STEP - 1)
        if self._bar:
            self._total = self._bar[1]

    def _anew(self, line: int, found: Findings) -> None:
        """Training that follows the end of another is a run of its own."""
        found.launch(line)
        begun = self._bar if self._bar and self._bar[0] <= self._apart else None
        self._load({"bar": begun})


FORMAT = Format("trl", DictLines, console=True)


def sniff(first: bytes, last: bytes, name: str) -> bool:
    """Whether the ends of a text file hold one of its lines."""
    if name.lower().removesuffix(".gz").endswith(NO_LOG_NAMES):
        return False
    return any(_SHOWS.search(part) for part in (first, last))
