"""Lines that tell how a run lives: starts, resumes, validation blocks, ends. And what they add up to.

A mark is looked for by a plain needle and believed only when its whole line fits. Texts are those of verl
v0.1 to v0.9, of Ray, torch and hydra.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from data_loaders.formats.foreign import BINARY
from data_loaders.formats.noise import STARTS
from data_loaders.formats.step_line import plain, value_of, writer_of
from data_loaders.schema import Json, Launch

Kind = Literal["start", "fresh", "resume", "total", "initial", "final", "stopped", "crashed", "error"]
End = Literal["", "finished", "stopped", "crashed"]

MAX_LINE = 4000
"""Bytes of a line that are looked at for a mark."""
MAX_LAUNCHES = 1000


class Pattern(NamedTuple):
    needle: bytes
    line: re.Pattern[str]
    kind: Kind
    rank: int = 0
    """Order of the marks of one start; a mark that ranks lower than the last one begins another start."""


def _patterns(*entries: tuple[str, str, Kind, int]) -> tuple[Pattern, ...]:
    return tuple(Pattern(n.encode(), re.compile(line), kind, rank) for n, line, kind, rank in entries)


_STAMP = r"^(?:\[?(?:INFO|WARNING)\W.*?:\s*)?"
_PROGRAM = r"^(?:[+$] )?(?:\w+=\S* )*(?:nohup |exec )?\S*(?:python[\d.]*|torchrun|accelerate)\b.* -m "

PATTERNS = _patterns(
    (" -m verl.", _PROGRAM + r"verl\.", "start", 1),
    (" -m recipe.", _PROGRAM + r"recipe\.", "start", 1),
    ("Started a local Ray instance", r"INFO worker\.py:\d+ -- Started a local Ray", "start", 2),
    ("Connecting to existing Ray", r"INFO worker\.py:\d+ -- Connecting to existing Ray cluster", "start", 2),
    ("TaskRunner hostname:", r"^TaskRunner hostname:", "start", 3),
    ("{'actor_rollout_ref'", r"^\{'actor_rollout_ref'", "start", 4),
    ("Using LocalLogger is dep", r"^Using LocalLogger is deprecated", "start", 5),
    ("Checkpoint tracker file", r"^Checkpoint tracker file does not exist", "start", 6),
    ("Training from scratch", _STAMP + r"Training from scratch\s*$", "fresh", 7),
    ("Found checkpoint:", r"^Found checkpoint: .*global_step_(\d{1,18})\W*$", "resume", 7),
    ("Load from checkpoint", r"^Load from checkpoint folder: .*global_step_(\d{1,18})\W*$", "resume", 7),
    ("etting global step to", r"[sS]etting global step to (\d{1,18})\b", "resume", 7),
    ("Resuming from ", _STAMP + r"Resuming from .*global_step_(\d{1,18})\b", "resume", 7),
    ("Total training steps:", r"^Total training steps: (\d{1,18})\s*$", "total", 0),
    ("Initial validation metrics:", r"^\(?[\"']?Initial validation metrics:", "initial", 0),
    ("Final validation metrics:", r"^\(?[\"']?Final validation metrics:", "final", 0),
    ("KeyboardInterrupt", r"(?:^|[\s\]])KeyboardInterrupt\b", "stopped", 0),
    ("SIGTERM", r"(?i:received|got|caught) (?:signal )?(?:15|SIGTERM)\b|\*\*\* SIGTERM", "stopped", 0),
    ("CANCELLED AT", r"^(?:slurmstepd|srun): .*CANCELLED AT", "stopped", 0),
    ("Error executing job with", r"^Error executing job with overrides:", "crashed", 0),
    ("HYDRA_FULL_ERROR", r"^Set the environment variable HYDRA_FULL_ERROR=1", "crashed", 0),
    ("Unhandled error (suppress", r"Unhandled error \(suppress with", "crashed", 0),
    ("RayTaskError", r"^(?:\[rank\d+\]: )?ray\.exceptions\.RayTaskError", "crashed", 0),
    ("ray.exceptions.", r"^ray\.exceptions\.\w*(?:Died|Crashed|OutOfMemory|Unavailable)\w*", "crashed", 0),
    ("OutOfMemoryError", r"^(?:\[rank\d+\]:\s*)?torch\.(?:cuda\.)?OutOfMemoryError", "crashed", 0),
    ("ChildFailedError", r"^torch\.distributed\.elastic\S*ChildFailedError", "crashed", 0),
    ("[rank", r"^\[rank\d+\]: (?!KeyboardInterrupt)[\w.]*(?:Error|Exception)\b", "crashed", 0),
    ("Fatal Python error", r"^Fatal Python error", "crashed", 0),
)  # fmt: skip
TELLING = (b"validation metrics:", b"Error executing job with")
LASTING = tuple(p for p in PATTERNS if p.needle in STARTS or any(word in p.needle for word in TELLING))
"""Patterns that count wherever they stand; `noise.Searcher` or one of `TELLING` tells of their lines."""
_ERROR = re.compile(r"^(?:\[rank\d+\]:\s*)?(?:[a-zA-Z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: .*)?$")
_TRACEBACK = b"Traceback (most recent call last)"


class Mark(NamedTuple):
    position: int
    kind: Kind
    rank: int
    number: int | None
    """Step that a resume names, or the total number of steps."""
    text: str


def marks(data: bytes, start: int, end: int, patterns: Sequence[Pattern] = PATTERNS) -> list[Mark]:
    """Marks in the whole lines `data[start:end]`, in order, at most one per line and kind."""
    found: dict[tuple[int, Kind], Mark] = {}
    for pattern in patterns:
        at = data.find(pattern.needle, start, end)
        while at >= 0:
            left, right = line_around(data, at, start, end)
            mark = _mark(pattern, data[left : min(right, left + MAX_LINE)], left)
            if mark is not None:
                found.setdefault((left, mark.kind), mark)
            at = data.find(pattern.needle, right, end)
    return sorted(found.values(), key=lambda mark: (mark.position, mark.rank))


def marks_before(data: bytes, end: int, every: int) -> list[Mark]:
    """Marks in the lines up to `end`: every one of those that begin before `every`, then lasting ones."""
    if every >= end:
        return marks(data, 0, end)
    line_end = data.find(b"\n", every, end)
    first = marks(data, 0, end if line_end < 0 else line_end) if every else []
    found = {(mark.position, mark.kind): mark for mark in marks(data, 0, end, LASTING)}
    found.update(((mark.position, mark.kind), mark) for mark in first if mark.position < every)
    return sorted(found.values(), key=lambda mark: (mark.position, mark.rank))


def _mark(pattern: Pattern, raw: bytes, position: int) -> Mark | None:
    if (pattern.rank == 2 or pattern.kind == "stopped") and writer_of(raw):
        return None  # workers join Ray long after the program did, and are stopped when it ends in any way
    text = plain(raw)
    match = pattern.line.search(text)
    if match is None:
        return None
    number = int(match[1]) if match.re.groups else None
    return Mark(position, pattern.kind, pattern.rank, number, text.strip().lstrip("(\"'"))


def is_verl(data: bytes) -> bool:
    """Some line can only come from verl."""
    return any(_is_verl(mark) for mark in marks(data, 0, len(data)))


def _is_verl(mark: Mark) -> bool:
    return mark.kind in ("total", "initial", "final") or mark.rank not in (0, 2)


def line_around(data: bytes, at: int, start: int, end: int) -> tuple[int, int]:
    """Range of the line around a position; a carriage return ends a line too."""
    left = max(data.rfind(b"\n", start, at), data.rfind(b"\r", max(start, at - MAX_LINE), at)) + 1
    rights = [right for right in (data.find(b"\n", at, end), data.find(b"\r", at, end)) if right >= 0]
    return max(left, start), min(rights, default=end)


def last_error(data: bytes, start: int, end: int) -> str:
    """The last line that names an exception, as the end of a traceback does; empty when there is none."""
    at = data.rfind(b"Error", start, end)
    while at >= 0:
        left, right = line_around(data, at, start, end)
        text = plain(data[left : min(right, left + MAX_LINE)]).strip()
        if _ERROR.match(text):
            return text
        at = data.rfind(b"Error", start, left)
    return ""


def dies_of_traceback(data: bytes) -> bool:
    """The program's own traceback ends the log: its last line without prefix names an exception."""
    if _TRACEBACK not in data:
        return False
    lines = [plain(line).strip() for line in data[-8000:].split(b"\n") if not writer_of(line)]
    last = next((line for line in reversed(lines) if line), "")
    return _ERROR.match(last) is not None


@dataclass(slots=True)
class LifeCycle:
    """Starts and end of the program, from marks and step lines given in file order."""

    launches: list[Launch] = field(default_factory=list)
    rank: int = 0
    """Rank of the last mark of the current start."""
    decided: bool = False
    """The log said whether the current start is fresh or a resume."""
    first_step: int | None = None
    """First step logged since the current start."""
    last_step: int = -1
    """Step of the last step line."""
    closing: bool = False
    """A step line followed the final validation, as it does in verl v0.2."""
    verl: bool = False
    """A mark was seen that only verl writes."""
    planned: int | None = None
    end: End = ""
    end_line: int | None = None
    end_text: str = ""

    @property
    def has_steps(self) -> bool:
        return self.last_step >= 0

    @property
    def standing(self) -> int:
        """Step at which the training stands: the last one logged, or the one it was started from."""
        if self.first_step is not None or not self.launches:
            return max(self.last_step, 0)
        return self.launches[-1].resumed_from or 0

    def mark(self, mark: Mark, line: int) -> None:
        """Take the next mark; `line` is its physical line."""
        self.verl = self.verl or _is_verl(mark)
        if mark.kind == "total":
            self.planned = mark.number
        elif mark.kind in ("start", "fresh", "resume"):
            self._start(mark, line)
        elif mark.kind == "final":
            self.end, self.end_line, self.end_text = "finished", line, mark.text
        elif mark.kind in ("stopped", "crashed") and not self.end:
            self.end, self.end_line, self.end_text = cast(End, mark.kind), line, mark.text

    def step(self, step: int) -> int:
        """Take the next step line; index of its launch, -1 when the log announced none."""
        if self.end in ("stopped", "crashed") or self.closing:
            self._goes_on()
        self.closing = self.end == "finished"
        if self.first_step is None and self.launches and not self.decided and step > 1:
            self.launches[-1] = Launch(self.launches[-1].line, "resume")
        if self.first_step is None:
            self.first_step = step
        self.last_step = step
        return len(self.launches) - 1

    def _start(self, mark: Mark, line: int) -> None:
        if self._is_new(mark) and len(self.launches) < MAX_LAUNCHES:
            self.launches.append(Launch(line, "fresh"))
            self.decided, self.first_step = False, None
            self._goes_on()
        self.rank = mark.rank
        if mark.kind != "start":
            self.decided = True
            self.launches[-1] = Launch(
                self.launches[-1].line, "resume" if mark.kind == "resume" else "fresh", mark.number
            )

    def _goes_on(self) -> None:
        self.end, self.end_line, self.end_text, self.closing = "", None, "", False

    def _is_new(self, mark: Mark) -> bool:
        if not self.launches:
            return True
        if mark.kind != "start" and self._belongs(mark):
            return False
        begun = bool(self.end) or self.first_step is not None
        return begun or mark.rank < self.rank or self._contradicts(mark)

    def _belongs(self, mark: Mark) -> bool:
        """A decision may reach the log after the first line of its start: stderr and stdout race."""
        if self.decided or self.end:
            return False
        checkpoint = mark.number or 0
        return self.first_step is None or self.first_step in (checkpoint, checkpoint + 1)

    def _contradicts(self, mark: Mark) -> bool:
        known = (self.launches[-1].kind, self.launches[-1].resumed_from)
        return mark.kind != "start" and self.decided and known != (mark.kind, mark.number)

    def to_json(self) -> Json:
        values = {name: getattr(self, name) for name in self.__slots__}
        launches = [[launch.line, launch.kind, launch.resumed_from] for launch in self.launches]
        return values | {"launches": launches}

    @classmethod
    def from_json(cls, values: Json) -> LifeCycle:
        return cls(**(values | {"launches": [Launch(*launch) for launch in values["launches"]]}))


def no_step_reason(life: LifeCycle, size: int, foreign: str) -> str:
    """Message key that says why a log of so many bytes gave no step. `foreign`: see `foreign.recognise`."""
    if not size:
        return "reason.empty"
    if foreign == BINARY:
        return "reason.binary"
    if foreign and not life.verl:
        return "reason.other_format"
    if life.end:
        return "reason.stopped" if life.end == "stopped" else "reason.crashed"
    return "reason.starting" if life.verl else "reason.not_a_log"


_PAIR = re.compile(r"""['"]((?:[^'"\\{}]|\\.)+)['"]: *([^,}\s]+)""")
_QUOTED = re.compile(r"""^\s*\(?((?:'(?:[^'\\]|\\.)*')|(?:"(?:[^"\\]|\\.)*"))\)?\s*$""")


class Block(NamedTuple):
    values: dict[str, float]
    end: int
    """Where its last line ends."""


def validation_block(data: bytes, position: int, end: int, most_lines: int = 3000) -> Block:
    """The printed validation block that begins on the line at `position`.

    verl pretty-prints a string: one quoted line, or a tuple of quoted lines, each with the writer's Ray
    prefix. Lines of other writers in between are passed over.
    """
    first_end = data.find(b"\n", position, end)
    first = data[position : end if first_end < 0 else first_end]
    writer = writer_of(first)
    texts = list(_contents(_lines(data, position, end, most_lines), writer))
    values = ((key, value_of(text)) for key, text in _PAIR.findall("".join(text for text, _ in texts)))
    return Block({key: value for key, value in values if value is not None}, texts[-1][1])


def _lines(data: bytes, position: int, end: int, most: int) -> Iterator[tuple[bytes, int]]:
    for _ in range(most):
        if position >= end:
            return
        line_end = data.find(b"\n", position, end)
        line_end = end if line_end < 0 else line_end
        yield data[position:line_end].rstrip(b"\r"), line_end
        position = line_end + 1


def _contents(lines: Iterator[tuple[bytes, int]], writer: str) -> Iterator[tuple[str, int]]:
    """Unquoted text of the block's lines and where they end, up to the brace that ends it."""
    for index, (line, end) in enumerate(lines):
        text = plain(line) if writer_of(line) == writer else ""
        quoted = _QUOTED.match(text)
        if quoted:
            text = str(ast.literal_eval(quoted[1]))
        elif index:
            continue
        yield text, end
        if text.rstrip().endswith("}"):
            return
