"""Statements on what the configurations make of the numbers: bounds, KL, filters, clips, corrections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from components import ids
from components.numbers import number, percent
from components.present.compared import Member
from components.present.runs import points
from components.present.statements_rates import listed, names
from components.text import listing, words
from components.view import Span
from components.view_remarks import Statement, View
from data_loaders.derive.algorithm import Setup, read_setup
from data_loaders.derive.settings import config_of
from data_loaders.schema import Note

PASS = ids.chart("cmp", "pass_rate")


def _setups(found: Sequence[Member]) -> list[tuple[Member, Setup]]:
    known = [(one, config_of(one.run.view.run)) for one in found]
    return [(one, read_setup(config)) for one, config in known if config]


def bounds(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """By how much an overlong penalty lowers a pass rate at least."""
    for one in found:
        cut = points(one.run, "truncation").value
        if not one.row.lower_bound or one.row.last10 is None:
            continue
        setup = read_setup(config_of(one.run.view.run))
        share = float(np.nanmean(cut)) if np.isfinite(cut).any() else 0.0
        penalty = setup.overlong.penalty if setup.overlong else 1.0
        values = {
            "run": one.mark, "rate": percent(one.row.last10.value), "penalty": penalty, "cut": percent(share),
            "points": number(100 * share * penalty / 2, 1),
        }  # fmt: skip
        yield Statement("bounds", Note("said.bound", values), View(track, (one.name,), chart=PASS))


def references(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Which runs pay for a reference model: a cost that several share explains no difference between them."""
    spent = []
    for one in found:
        seconds = points(one.run, "ref_time").value
        if np.isfinite(seconds).any():
            spent.append((one, float(np.nansum(seconds)) / 3600))
    if len(spent) < 2:
        return
    told = [(f"{one.mark} {number(hours, 1)} h",) * 2 for one, hours in spent]
    view = View(track, names([one for one, _ in spent]), chart=ids.chart("cmp", "hours"))
    yield Statement("references", Note("said.references", {"runs": listed(told)}), view)


def shared_kl(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Runs with one KL term in common: it cannot be why one of them does better."""
    groups: dict[tuple[str, float], list[Member]] = {}
    for one, setup in _setups(found):
        if setup.kl_loss is not None:
            groups.setdefault(setup.kl_loss, []).append(one)
    for (kind, coef), sharing in groups.items():
        if len(sharing) > 1:
            values = {"runs": listing(one.mark for one in sharing), "kind": kind, "coef": coef}
            view = View(track, names(sharing), chart=PASS)
            yield Statement("shared_kl", Note("said.shared_kl", values), view)


def sampling(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Dynamic sampling that is configured: whether it ran, and whether the rates could be those of it."""
    for one, setup in _setups(found):
        if not any(part.state == "not_executed" for part in one.run.detected.parts) or setup.group_size < 2:
            continue
        most = (setup.group_size - 1) / setup.group_size
        rate = points(one.run, "pass_rate").value
        highest = float(np.nanmax(rate)) if np.isfinite(rate).any() else 0.0
        over = int((rate > most).sum())
        values = {
            "run": one.mark, "most": percent(most), "highest": percent(highest), "n": over,
            "of": int(np.isfinite(rate).sum()),
        }  # fmt: skip
        key = "said.sampling_over" if over else "said.sampling"
        yield Statement("sampling", Note(key, values), View(track, (one.name,), chart=PASS))


def dual_clip(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """What the lower clip share is not."""
    highest = {
        one.mark: float(np.nanmax(value))
        for one in found
        if np.isfinite(value := points(one.run, "dual_clip_share").value).any()
    }
    if not highest:
        return
    mark = max(highest, key=lambda name: highest[name])
    ratio = sorted({setup.clip_c for _, setup in _setups(found)})
    values = {
        "c": " / ".join(number(c, 0) for c in ratio) or "3", "run": mark,
        "share": number(100 * highest[mark], 3),
    }  # fmt: skip
    one = next(m for m in found if m.mark == mark)
    view = View(track, (one.name,), chart=ids.chart("run", "clip_share", one.info.key))
    yield Statement("dual_clip", Note("said.dual_clip", values), view)


def corrections(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Which bias each of two corrections removes, and which of them the others have at all."""
    known = _setups(found)
    corrected = [(one, s) for one, s in known if s.is_grpo and s.no_std and s.fixed_horizon]
    plain = [(one, setup) for one, setup in known if setup.is_grpo and not setup.no_std]
    for one, _ in corrected:
        for other, setup in plain[:1]:
            per_answer = setup.aggregation == "seq-mean-token-mean"
            key = "said.corrections_both" if per_answer else "said.corrections"
            values = {"run": one.mark, "other": other.mark, "mode": setup.aggregation}
            yield Statement("corrections", Note(key, values), _beside(track, one, other))


def constants(track: str, found: Sequence[Member], _window: Span | None) -> Iterator[Statement]:
    """Leave-one-out and group mean without deviation are one advantage up to a constant."""
    known = _setups(found)
    rloo = [(one, s) for one, s in known if s.estimator.startswith("rloo")]
    centred = [(one, s) for one, s in known if s.is_grpo and s.no_std]
    for one, setup in rloo:
        for other, theirs in centred:
            if setup.group_size != theirs.group_size or setup.group_size < 2:
                continue
            values = {
                "run": one.mark, "other": other.mark, "g": setup.group_size, "less": setup.group_size - 1,
                "differ": listed(_differing(setup, theirs)),
            }  # fmt: skip
            yield Statement("constants", Note("said.constants", values), _beside(track, one, other))


def _beside(track: str, one: Member, other: Member) -> View:
    two = (one.name, other.name)
    return View(track, two, pair=two, chart=ids.chart("pair", "pass_rate"))


def _differing(one: Setup, other: Setup) -> list[tuple[str, str]]:
    parts = (
        ("differs.aggregation", one.aggregation != other.aggregation),
        ("differs.kl", (one.kl_loss, one.kl_reward) != (other.kl_loss, other.kl_reward)),
        ("differs.clip", (one.clip_low, one.clip_high) != (other.clip_low, other.clip_high)),
    )
    return [words(key) for key, differs in parts if differs]
