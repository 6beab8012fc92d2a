"""Range of the reward of one response, and the pass rate it allows."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

import numpy as np

from data_loaders.derive.config import get
from data_loaders.derive.joined import beside
from data_loaders.derive.settings import config_of, filtered, overlong, response_cap, responses_per_step
from data_loaders.derive.validation import Validation, data_sources
from data_loaders.schema import FloatArray, Note, RunData, SegmentPolicy, Series

ENOUGH_STEPS = 5
"""Steps before an observed range is believed."""

TOLERANCE = 1e-6

CUT = "response_length/clip_ratio"

UNDECIDED = ("missing.range_pending", "missing.range_ambiguous", "missing.no_right_answer")

USUAL_REWARDS = (
    (re.compile(r"dapo|aime", re.IGNORECASE), (-1.0, 1.0)),
    (re.compile(r"gsm8k|geo(?:metry)?3k|math", re.IGNORECASE), (0.0, 1.0)),
)
"""verl's own reward functions by name of the data source, first match wins."""


class RewardRange(NamedTuple):
    """Reward of a wrong and of a right response."""

    wrong: float
    right: float
    penalty: float
    """Largest overlong penalty inside the reward; 0 without shaping."""
    source: Literal["options", "validation", "observed", "data source"]


class PassRate(NamedTuple):
    """Shares 0 to 1 at the steps of the score, and the remarks that belong to them."""

    value: FloatArray
    derived: Note
    notes: tuple[Note, ...]


def pass_rate(data: RunData, score: Series, key: str) -> PassRate | Note:
    """Share of right responses from the mean reward; a Note says why the reward does not give one."""
    scale = reward_range(data)
    if isinstance(scale, Note):
        return scale
    span = scale.right - scale.wrong
    value = (score.value - scale.wrong) / span
    lowest = -scale.penalty / span
    notes = [
        _shaping_note(data, scale) if scale.penalty else _grid_note(data, value),
        Note("note.filtered") if filtered(data.run.keys) else None,
        Note("note.pass_out_of_range") if np.any((value < lowest - 1e-9) | (value > 1 + 1e-9)) else None,
    ]
    words = {
        "wrong": scale.wrong, "right": scale.right, "key": key, "source": scale.source,
        "range": _written(scale.wrong, scale.right),
    }  # fmt: skip
    return PassRate(value, Note("derived.pass_rate", words), tuple(note for note in notes if note))


def pass_rate_bound(data: RunData, score: Series, policy: SegmentPolicy) -> PassRate | Note:
    """Higher lower bound of the pass rate under an overlong penalty; a Note where there is none to give.

    Source: a response cut at the cap has lost the whole penalty λ, so the mean without it is at least
    mean + λ · share of responses cut.
    """
    scale = reward_range(data)
    if isinstance(scale, Note):
        return scale
    if not scale.penalty:
        return Note("missing.not_shaped")
    cut = cut_share(data, score, policy)
    if not np.isfinite(cut).any():
        return Note("missing.not_logged", {"key": CUT})
    value = (score.value + scale.penalty * cut - scale.wrong) / (scale.right - scale.wrong)
    return PassRate(value, Note("derived.pass_rate_bound", {"penalty": scale.penalty, "key": CUT}), ())


def cut_share(data: RunData, at: Series, policy: SegmentPolicy) -> FloatArray:
    """Share of responses cut at the cap, at the cells of a series (n,); NaN where it was not logged.

    Some versions count a response as cut that is as long as the longest of its batch: none is where even the
    longest stays below the cap.
    """
    share = beside(at, data.series(CUT, policy), policy)
    cap = response_cap(data.run)
    longest = beside(at, data.series("response_length/max", policy), policy)
    return np.where(longest < cap, 0.0, share) if cap else share


def _written(wrong: float, right: float) -> str:
    """`±1`, `0–1`: the rewards of wrong and right responses in short, with what may lie between."""
    return f"±{right:g}" if wrong == -right else f"{wrong:g}–{right:g}"


def reward_range(data: RunData) -> RewardRange | Note:
    """What a response can earn: as board.toml says, as its validation proves, as observed, else as usual.

    Source: domain rule that a mean reward is a pass rate only for −1/+1 and 0/1 rewards. A 0/1 reward with
    overlong penalty spans −1…1 like an unshaped −1/+1 reward: without further evidence that is left open.
    """
    shaping = overlong(config_of(data.run))
    penalty = shaping.penalty if shaping else 0.0
    extremes = _extremes(data)
    if (given := data.run.options.get("reward_scale")) is not None:
        wrong, right = map(float, given)
        below = max(wrong - extremes[0], 0.0) if extremes else 0.0
        return RewardRange(wrong, right, penalty or below, "options")
    proven = _proven_by_validation(data)
    if proven and (extremes is None or _fits(extremes, proven, penalty)):
        return RewardRange(*proven, penalty, "validation")
    pending = Note("missing.range_pending", {"n": ENOUGH_STEPS})
    observed = _observed(*extremes, penalty) if extremes else pending
    if isinstance(observed, Note) and observed.key in UNDECIDED:
        usual = _usual_of_source(data)
        if usual and (extremes is None or _fits(extremes, usual, penalty)):
            return RewardRange(*usual, penalty, "data source")
    return observed


def is_accuracy(data: RunData, found: Validation) -> bool:
    """Whether a validation is a share of right answers: scores of other rewards than 0 and 1 are none."""
    known = found.value[np.isfinite(found.value)]
    if np.any((known < -TOLERANCE) | (known > 1 + TOLERANCE)):
        return False
    scale = reward_range(data) if found.variable != "acc" else None
    return not isinstance(scale, RewardRange) or (_near(scale.wrong, 0) and _near(scale.right, 1))


def _observed(low: float, high: float, penalty: float) -> RewardRange | Note:
    allowed = penalty or 1.0  # λ = 1 is the usual penalty where the configuration is unknown
    words = {"low": low, "high": high}
    if _near(high, 1) and _near(low, -1):
        if penalty:
            return Note("missing.range_ambiguous", words)
        return RewardRange(-1.0, 1.0, 0.0, "observed")
    if _near(high, 1) and _near(low, 0):
        return RewardRange(0.0, 1.0, penalty, "observed")
    if _near(high, 1) and -1 - allowed - TOLERANCE <= low < -1:
        return RewardRange(-1.0, 1.0, allowed, "observed")
    if _near(high, -1) or (_near(high, 0) and low >= 0):
        return Note("missing.no_right_answer", words)
    return Note("missing.not_a_pass_rate", words)


def _near(value: float, target: float) -> bool:
    return abs(value - target) <= TOLERANCE


def _fits(extremes: tuple[float, float], scale: tuple[float, float], penalty: float) -> bool:
    low, high = extremes
    return scale[0] - penalty - TOLERANCE <= low and high <= scale[1] + TOLERANCE


def _extremes(data: RunData) -> tuple[float, float] | None:
    """Lowest and highest score of any response, once enough steps have been seen."""
    low, high = data.series("critic/score/min"), data.series("critic/score/max")
    if low is None or high is None:
        low, high = data.series("critic/rewards/min"), data.series("critic/rewards/max")
    if low is None or high is None:
        return None
    lows, highs = low.value[np.isfinite(low.value)], high.value[np.isfinite(high.value)]
    if min(lows.size, highs.size) < ENOUGH_STEPS:
        return None
    return float(lows.min()), float(highs.max())


def _proven_by_validation(data: RunData) -> tuple[float, float] | None:
    """Validation that logs score and accuracy side by side: score = 2·acc − 1 means ±1, score = acc 0/1."""
    for key in data.run.keys:
        head, _, tail = key.rpartition("/acc/mean@")
        if not head:
            continue
        source = head.removeprefix("val-core/").removeprefix("val-aux/")
        acc, score = data.series(key), data.series(f"val-aux/{source}/score/mean@{tail}")
        if acc is None or score is None:
            continue
        right, earned = acc.value, beside(acc, score, "last")
        both = np.isfinite(right) & np.isfinite(earned)
        right, earned = right[both], earned[both]
        if right.size and np.allclose(earned, 2 * right - 1, rtol=0, atol=1e-3):
            return -1.0, 1.0
        if np.any(right > 0) and np.allclose(earned, right, rtol=0, atol=1e-3):
            return 0.0, 1.0
    return None


def _usual_of_source(data: RunData) -> tuple[float, float] | None:
    """Range of verl's own reward function for the data named in the log; None with a custom function."""
    config = config_of(data.run)
    if get(config, "custom_reward_function.path") or get(config, "reward.custom_reward_function.path"):
        return None
    names = " ".join([str(get(config, "data.train_files", "")), *data_sources(data.run.keys)])
    return next((scale for pattern, scale in USUAL_REWARDS if pattern.search(names)), None)


def _shaping_note(data: RunData, scale: RewardRange) -> Note:
    """The penalty lowers the mean; responses cut at the cap alone cost `points` percentage points."""
    words: dict[str, Any] = {"penalty": scale.penalty}
    cut = data.series(CUT)
    shares = cut_share(data, cut, "last") if cut is not None else np.empty(0)
    finite = shares[np.isfinite(shares)]
    if not finite.size:
        return Note("note.lower_bound", words)
    share = float(finite.mean())
    points = 100 * share * scale.penalty / (scale.right - scale.wrong)
    return Note("note.lower_bound_by", words | {"points": points, "cut": 100 * share})


def _grid_note(data: RunData, value: FloatArray) -> Note | None:
    """A pure right-or-wrong reward gives whole numbers of right responses."""
    responses = responses_per_step(data.run)
    finite = value[np.isfinite(value)]
    if not responses or finite.size < ENOUGH_STEPS or filtered(data.run.keys):
        return None
    right = finite * responses
    off = np.abs(right - np.round(right)) > max(0.01, 0.0006 * responses)
    return Note("note.off_grid", {"n": responses}) if off.mean() > 0.1 else None
