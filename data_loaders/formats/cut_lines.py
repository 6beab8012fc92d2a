"""Step lines that lost their end. Whether a line did may stay open until a longer line is read."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from typing import NamedTuple

from data_loaders.formats.step_line import WANDB_LIMIT
from data_loaders.schema import Json, Recovered


class Suspect(NamedTuple):
    """A line as long as wandb's limit: cut, unless the log holds a longer one."""

    row: int
    line: int
    last: str
    """Its last item."""
    taken: bool
    """The last item is whole either way, and was read."""


class CutRow(NamedTuple):
    """The step line just read, when it is taken for cut."""

    line: int
    step: int
    keys: list[str]


@dataclass(slots=True)
class Cuts:
    limit_holds: bool = True
    """No step line longer than wandb's limit was seen."""
    suspects: list[Suspect] = field(default_factory=list)
    unfinished: list[int] = field(default_factory=list)
    """Line of the unterminated last step line, when its last item does not parse."""
    latest: CutRow | None = None
    recovered: list[Recovered] = field(default_factory=list)
    """Values of validation blocks that a cut line lost."""

    def is_suspect(self, length: int) -> bool:
        return self.limit_holds and WANDB_LIMIT - 1 <= length <= WANDB_LIMIT

    def acquit(self) -> list[Suspect]:
        """A longer line was read: no line was cut by length."""
        suspects, self.suspects, self.recovered, self.latest = self.suspects, [], [], None
        self.limit_holds = False
        return suspects

    def recover(self, block: dict[str, float], source: str) -> None:
        """Take from a validation block what the line just read has lost."""
        if self.latest is None:
            return
        line, step, keys = self.latest
        lost = [key for key in block if key not in keys]
        self.recovered += [Recovered(step, key, block[key], source, line) for key in lost]

    def lines(self) -> tuple[int, ...]:
        return tuple(sorted([*(suspect.line for suspect in self.suspects), *self.unfinished]))

    def to_json(self) -> Json:
        return {
            "limit_holds": self.limit_holds,
            "suspects": [list(suspect) for suspect in self.suspects],
            "latest": list(self.latest) if self.latest else None,
            "recovered": [list(astuple(cell)) for cell in self.recovered],
        }

    @classmethod
    def from_json(cls, values: Json) -> Cuts:
        return cls(
            values["limit_holds"],
            [Suspect(*suspect) for suspect in values["suspects"]],
            [],
            CutRow(*values["latest"]) if values["latest"] else None,
            [Recovered(*cell) for cell in values["recovered"]],
        )
