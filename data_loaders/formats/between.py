"""What a console log says between its step lines: its start, its validation blocks, its end.

Looking costs more than the search for step lines does, so a stretch without a step line is looked at only
where it matters, and at once. Its last bytes are kept until then; of older ones only lasting marks are read.
"""

from __future__ import annotations

from typing import NamedTuple

from data_loaders.formats import head, life_cycle
from data_loaders.formats.cut_lines import Cuts
from data_loaders.formats.kept import Kept, Lines
from data_loaders.schema import Json

LOOK_BACK = 1 << 19
"""Bytes that are kept to be looked at."""
CLOCK_REACH = 1 << 16
"""Bytes at the end of a log in which its last time stamp is looked for."""


class Initial(NamedTuple):
    """An initial validation block, which the next step line repeats unless that line never comes."""

    values: dict[str, float]
    step: int
    offset: int
    length: int
    line: int
    launch: int


class Between:
    """Offsets are bytes in the log. `cuts` takes what a validation block gives back."""

    def __init__(self, cuts: Cuts, state: Json | None = None) -> None:
        state = state or {}
        self._cuts = cuts
        self._kept = Kept()
        self.scanned: int = state.get("scanned", 0)
        """Offset up to which marks were read. Nothing before it is needed again."""
        self._gap: int = state.get("gap", 0)  # offset behind the last step line
        self.announced: bool = state.get("announced", False)
        """The stretch in hand holds words that announce a start."""
        self.life = life_cycle.LifeCycle.from_json(state["life"]) if state else life_cycle.LifeCycle()
        self._head = head.Head(*state["head"]) if state.get("head") else None
        self.initial = Initial(*state["initial"]) if state.get("initial") else None
        """The initial validation block since the last step line."""
        self._lone = [Initial(*block) for block in state.get("lone", ())]
        self._clock: tuple[int, float] | None = tuple(state["clock"]) if state.get("clock") else None

    @property
    def head(self) -> head.Head:
        return self._head or head.Head()

    def to_json(self, end: int) -> Json:
        return {
            "scanned": self.scanned,
            "gap": self._gap,
            "announced": self.announced,
            "life": self.life.to_json(),
            "head": list(self._head) if self._head else None,
            "initial": list(self.initial) if self.initial else None,
            "lone": [list(block) for block in self._lone],
            "clock": self.last_clock(end),
        }

    def add(self, lines: Lines) -> None:
        self._kept.append(lines)

    def kept(self) -> bytes:
        """Bytes from `scanned` on."""
        return self._kept.text(self.scanned, self._kept.end())

    def line_scanned(self) -> int | None:
        """Physical line of the byte at `scanned`; None when that is the next byte to come."""
        return self._kept.line_at(self.scanned)

    def forget(self, end: int) -> None:
        """Give up what is out of reach of the bytes from `end` on."""
        going = self._kept.ending_by(end - LOOK_BACK)
        if going > self.scanned:
            self._pass(going, end)
        self._kept.drop_until(going)

    def reach(self, step: int, offset: int, *, look: bool) -> None:
        """A step line begins at `offset`. `look`: what stands before it matters."""
        self._pass_far(offset)
        life = self.life
        if look or self.announced or self._cuts.latest or step < life.last_step or not life.has_steps:
            self._scan(offset, offset)
        if self.initial:
            apart = step - self.initial.step
            if apart == 1 or (apart > 1 and life.decided):
                self._leave_alone()

    def lone(self) -> list[Initial]:
        """Initial blocks whose step line did not come, in file order; each is given once."""
        found, self._lone = self._lone, []
        return found

    def _leave_alone(self) -> None:
        if self.initial and self.initial.values:
            self._lone.append(self.initial)
        self.initial = None

    def step(self, step: int, end: int) -> int:
        """The step line reached ends at `end`. Index of its launch, -1 when the log announced none."""
        self._cuts.latest = None
        self._gap = self.scanned = end
        self.announced = False
        return self.life.step(step)

    def finish(self, end: int, line: int) -> None:
        """The log ends. A traceback of the program with nothing behind it is a crash like a named one."""
        self._pass_far(end)
        self._scan(end, end)
        self._leave_alone()
        data = self._kept.text(max(self._gap, end - LOOK_BACK), end)
        life = self.life
        if not life.end and life_cycle.dies_of_traceback(data):
            life.end, life.end_line = "crashed", line
        if life.end == "crashed":
            life.end_text = life_cycle.last_error(data, 0, len(data)) or life.end_text

    def last_clock(self, end: int, rest: bytes = b"") -> tuple[int, float] | None:
        """Offset and epoch seconds of the last time stamp before `end`, of which `rest` is not kept here."""
        start = max(end - CLOCK_REACH, 0)
        low = max(start, self._kept.start())
        found = head.last_clock(self._kept.text(low, end) + rest)
        if found:
            return low + found[0], found[1]
        return self._clock if self._clock and self._clock[0] >= start else None

    def _pass_far(self, end: int) -> None:
        if end - self.scanned > LOOK_BACK:
            self._pass(self._kept.line_start(end - LOOK_BACK), end)

    def _pass(self, until: int, kept: int) -> None:
        """Read the lasting marks of lines far behind the place in hand; at the start of a log, every mark."""
        opening = not self.life.has_steps and self.scanned < LOOK_BACK
        data = self._kept.text(self.scanned, until)
        if opening or self.announced or any(word in data for word in life_cycle.TELLING):
            self._scan(until, kept, lasting=True)
        self.scanned = until

    def _scan(self, until: int, kept: int, *, lasting: bool = False) -> None:
        """Read the marks of the lines up to an offset; blocks that begin there may reach on to `kept`."""
        start = self.scanned
        data = self._kept.text(start, kept)
        stop = until - start
        opening = 0 if self.life.has_steps else min(max(LOOK_BACK - start, 0), stop)
        found = life_cycle.marks_before(data, stop, opening if lasting else stop)
        if self._head is None:
            self._head = head.read_head(data[:LOOK_BACK])
        elif self._head.config or start > self._gap or stop > LOOK_BACK:
            pass  # the config is known, or part of the stretch is gone
        elif any(mark.kind == "start" for mark in found):
            self._head = self._head.or_else(head.read_head(data[:stop]))
        for mark in found:
            self._take(mark, start, data)
        self.scanned = until

    def _take(self, mark: life_cycle.Mark, start: int, data: bytes) -> None:
        offset = start + mark.position
        line = self._kept.line_at(offset) or 0
        launch = len(self.life.launches) - 1
        self.life.mark(mark, line)
        if mark.kind == "initial" or len(self.life.launches) - 1 > launch:
            self._leave_alone()
        if mark.kind == "initial":
            block = life_cycle.validation_block(data, mark.position, len(data))
            size = block.end - mark.position
            self.initial = Initial(block.values, self.life.standing, offset, size, line, launch)
        elif mark.kind == "final" and self._cuts.latest:
            block = life_cycle.validation_block(data, mark.position, len(data))
            self._cuts.recover(block.values, "final_validation")
        elif mark.kind == "crashed" and not self.head.overrides:
            words = head.job_overrides(data[mark.position :])
            self._head = self.head._replace(overrides=words)
