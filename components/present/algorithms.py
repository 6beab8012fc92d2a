"""The algorithms page: what each one's runs are configured to do, and their curves."""

from __future__ import annotations

from collections.abc import Sequence

from components.numbers import plain
from components.present.runs import infos, of_track, tracks
from components.style import run_info
from components.view import AlgorithmRow, AlgorithmsView, Bilingual, RunInfo, Sentence
from data_loaders.board import Board, BoardRun
from data_loaders.catalog import ALGORITHMS, Algorithm
from data_loaders.derive.algorithm import read_setup
from data_loaders.derive.settings import config_of
from data_loaders.schema import Note, Run


def algorithms_view(board: Board) -> AlgorithmsView:
    """A row for each algorithm of the series E1 to E5; the others by name."""
    return AlgorithmsView(
        rows=tuple(_row(board, entry) for entry in ALGORITHMS if entry.label),
        others=tuple(_stand_in(entry) for entry in ALGORITHMS if not entry.label and _in_verl(entry)),
    )


def _in_verl(entry: Algorithm) -> bool:
    return bool(entry.estimators or entry.loss_modes)


def _stand_in(entry: Algorithm) -> RunInfo:
    """An algorithm named and drawn as the experiment of the series that stands for it."""
    run = Run(
        id=entry.id, label=entry.label, track="", algorithm=entry.id, logs=(), segments=(), keys=(),
        first=None, last=None, facts=(),
    )  # fmt: skip
    return run_info(run, (entry.slot, 0))


def _row(board: Board, entry: Algorithm) -> AlgorithmRow:
    named = infos(board)
    info = _stand_in(entry)
    shown: list[tuple[str, Bilingual, RunInfo | None, Sentence | None]] = []
    using: list[BoardRun] = []
    for track in tracks(board):
        runs = [run for run in of_track(board, track.id) if run.detected.algorithm == entry.id]
        using += runs
        if runs:
            run = runs[0]
            empty = Note("empty.no_step") if run.view.run.last is None else None
            shown.append((track.id, track.track.title, None if empty else named[run.id], empty))
    return AlgorithmRow(info=info, cells=_cells(using), tracks=tuple(shown), cautions=_cautions(using))


def _cells(runs: Sequence[BoardRun]) -> dict[str, Sentence]:
    """What the first run with a config says about the choices the comparison table lists."""
    run = next((run for run in runs if config_of(run.view.run)), None)
    if run is None:
        return {}
    setup = read_setup(config_of(run.view.run))
    filtering = next(
        (part.state for part in run.detected.parts if part.key == "part.dynamic_sampling"), "off"
    )
    return {
        "length": Note(f"aggregation.{setup.aggregation}"),
        "kl": _kl(setup.kl_loss, setup.kl_reward),
        "clip": (f"{plain(setup.clip_low)} / {plain(setup.clip_high)}",) * 2,
        "sampling": Note(f"sampling.{filtering}"),
        "reference": Note("answer.yes" if setup.kl_loss or setup.kl_reward else "answer.no"),
    }


def _kl(loss: tuple[str, float] | None, reward: tuple[str, float] | None) -> Sentence:
    if loss:
        return Note("kl.loss", {"kind": loss[0], "coef": f"{loss[1]:g}"})
    if reward:
        return Note("kl.reward", {"kind": reward[0], "coef": f"{reward[1]:g}"})
    return Note("answer.none")


def _cautions(runs: Sequence[BoardRun]) -> tuple[Sentence, ...]:
    seen: dict[str, Sentence] = {}
    for run in runs:
        for flag in run.detected.flags:
            if flag.key.startswith("warning."):
                seen.setdefault(flag.key, flag)
    return tuple(seen.values())
