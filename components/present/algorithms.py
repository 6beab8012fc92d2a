"""The algorithms page: what each one's runs are configured to do, and their curves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from components.numbers import plain
from components.present.runs import infos, of_track, tracks
from components.present.times import now_of, state_of
from components.style import run_info
from components.text import inside, joined, said
from components.view import AlgorithmRow, AlgorithmsView, Bilingual, RunInfo, Sentence
from data_loaders.board import Board, BoardRun
from data_loaders.board_config import TrackConfig
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
            why = state_of(run, now_of(board)).why or Note("empty.no_step")
            empty = why if run.view.run.last is None else None
            shown.append((track.id, track.track.title, None if empty else named[run.id], empty))
    return AlgorithmRow(info=info, cells=_cells(using), tracks=tuple(shown), cautions=_cautions(board, using))


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


def _cautions(board: Board, runs: Sequence[BoardRun]) -> tuple[Sentence, ...]:
    """Warnings of the runs, each once, with the tracks on which it holds."""
    named = dict(zip([track.id for track in tracks(board)], _short(tracks(board)), strict=True))
    seen: dict[str, tuple[Sentence, list[Bilingual]]] = {}
    for run in runs:
        for flag in run.detected.flags:
            if flag.key.startswith("warning."):
                where = seen.setdefault(flag.key, (flag, []))[1]
                where += [named[run.view.run.track]] * (named[run.view.run.track] not in where)
    return tuple(
        Note("algorithms.caution", {"tracks": joined(where, "、", ", "), "text": inside(said(flag))})
        for flag, where in seen.values()
    )


def _short(found: Sequence[TrackConfig]) -> list[Bilingual]:
    """Titles without a last word that several share: `2B`, `4B`."""
    zh, en = ([track.track.title[lang].split() for track in found] for lang in (0, 1))
    return list(zip(_trimmed(zh), _trimmed(en), strict=True))


def _trimmed(titles: Sequence[Sequence[str]]) -> list[str]:
    last = Counter(words[-1] for words in titles if words)
    return [" ".join(words[:-1] if words[1:] and last[words[-1]] > 1 else words) for words in titles]
