"""Log formats. A new format is one file here and one entry in `LOADERS`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from data_loaders.formats import (
    hf_trainer_state,
    llamafactory,
    metric_csv,
    nemo_rl,
    openrlhf,
    roll,
    slime,
    tfevents,
    trl,
    verl_console,
    verl_jsonl,
    verl_sniff,
)
from data_loaders.formats.line_reader import reader_of
from data_loaders.formats.whole_file import whole_reader
from data_loaders.schema import LogReader


class Loader(NamedTuple):
    name: str
    sniff: Callable[[bytes, bytes, str], bool]
    """Given the first and last bytes of a file (at most 256 KB each) and its name: is it such a log?"""
    reader: Callable[..., LogReader]
    """A fresh reader (given None), or one that goes on from a saved state (given its JSON)."""
    named: bool = False
    """The reader takes the file's name too, as `name`."""
    lines: bool = True
    """A last word without an end may go on. False for files written whole, or with lengths before records."""


VERL_CONSOLE = Loader(verl_console.NAME, verl_sniff.sniff, verl_console.VerlConsoleReader)
LOADERS: tuple[Loader, ...] = (
    VERL_CONSOLE,
    Loader(verl_jsonl.FORMAT.name, verl_jsonl.sniff, reader_of(verl_jsonl.FORMAT)),
    Loader(tfevents.NAME, tfevents.sniff, tfevents.EventReader, lines=False),
    Loader(
        hf_trainer_state.FORMAT.name,
        hf_trainer_state.sniff,
        whole_reader(hf_trainer_state.FORMAT),
        lines=False,
    ),
    Loader(llamafactory.FORMAT.name, llamafactory.sniff, reader_of(llamafactory.FORMAT)),
    Loader(openrlhf.FORMAT.name, openrlhf.sniff, reader_of(openrlhf.FORMAT)),
    Loader(slime.FORMAT.name, slime.sniff, reader_of(slime.FORMAT)),
    Loader(roll.FORMAT.name, roll.sniff, reader_of(roll.FORMAT)),
    Loader(nemo_rl.FORMAT.name, nemo_rl.sniff, reader_of(nemo_rl.FORMAT)),
    Loader(trl.FORMAT.name, trl.sniff, reader_of(trl.FORMAT)),
    Loader(metric_csv.NAME, metric_csv.sniff, metric_csv.CsvReader, named=True),
)
"""First match wins. Of two records of one training the earlier format is the one that tells of its starts."""


def find_loader(head: bytes, tail: bytes, name: str) -> Loader | None:
    found = next((loader for loader in LOADERS if loader.sniff(head, tail, name)), None)
    if found is None or not found.named:
        return found
    return found._replace(reader=partial(found.reader, name=name))


def loader_of(head: bytes, tail: bytes, name: str) -> Loader:
    """The loader that claims a file, else the console's: a step line may stand anywhere in a file."""
    return find_loader(head, tail, name) or VERL_CONSOLE
