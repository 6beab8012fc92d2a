"""Tracks and algorithms: what there is, and how a run is recognised by its name and by what its log says.

Patterns are *words*: they match case-insensitively where no letter or digit touches them, `-`, `_`, `.` and
space in a pattern match any one of these or nothing, and `*` matches anything. So `dr_grpo` finds
`e3_drgrpo_2b` and `Dr.GRPO`, and `7b` finds neither `17B` nor `1.7B`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

Bilingual = tuple[str, str]
"""The same text in Chinese and in English."""


@dataclass(frozen=True, slots=True)
class Track:
    """A page of comparable runs: one model, one task."""

    id: str
    title: Bilingual
    """Of the tab."""
    heading: Bilingual
    """Of the page."""
    model: str = ""
    """Name of the model all runs of the track train, empty when they differ."""
    names: tuple[str, ...] = ()
    """Words in the name of a run, of a folder above it, or in the logged project and experiment name."""
    contents: tuple[str, ...] = ()
    """Words in the logged model path and training files."""
    precedence: int = 0
    """When the words of several tracks match, the highest wins."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A training algorithm. `estimators` and `loss_modes` are the values verl's config uses for it."""

    id: str
    name: str
    names: tuple[str, ...] = ()
    estimators: tuple[str, ...] = ()
    """Values of `algorithm.adv_estimator`."""
    loss_modes: tuple[str, ...] = ()
    """Values of `actor_rollout_ref.actor.policy_loss.loss_mode`."""
    label: str = ""
    """The experiment that stands for it in the series E1 to E5."""
    slot: int = 0
    """Colour 1 to 5 of that experiment, 0 for none."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What names and contents tell of a run: empty label, `other` and `unknown` where they tell nothing."""

    label: str
    track: str
    algorithm: str
    evidence: Mapping[str, str] = field(default_factory=dict)
    """What `label`, `track` and `algorithm` were taken from: `name`, `folder`, or a key of the hints."""


OTHER = "other"
UNKNOWN = "unknown"

TRACKS: tuple[Track, ...] = (
    Track(
        id="2b",
        title=("2B 训练", "2B training"),
        heading=("2B 训练监控", "2B training monitor"),
        model="Qwen3.5-2B",
        names=("2b",),
        contents=("qwen3.5-2b",),
    ),
    Track(
        id="4b",
        title=("4B 训练", "4B training"),
        heading=("4B 训练监控", "4B training monitor"),
        model="Qwen3.5-4B",
        names=("4b",),
        contents=("qwen3.5-4b",),
    ),
    Track(
        id="multimodal",
        title=("多模态训练", "Multimodal training"),
        heading=("多模态训练监控", "Multimodal training monitor"),
        names=("multimodal", "multi_modal", "mm", "vl", "vlm", "vision", "geo3k", "geometry3k"),
        contents=("vl", "vlm", "vision", "geo3k", "geometry3k", "mathvista", "mathvision", "mmmu"),
        precedence=1,
    ),
    Track(
        id=OTHER,
        title=("其他训练", "Other runs"),
        heading=("其他训练监控", "Other training runs"),
    ),
)

ALGORITHMS: tuple[Algorithm, ...] = (
    Algorithm("grpo", "GRPO", ("grpo",), ("grpo", "grpo_vectorized"), label="E1", slot=1),
    Algorithm("dapo", "DAPO", ("dapo",), label="E2", slot=2),
    Algorithm("dr_grpo", "Dr.GRPO", ("dr_grpo",), label="E3", slot=3),
    Algorithm("rloo", "RLOO", ("rloo",), ("rloo", "rloo_vectorized"), label="E4", slot=4),
    Algorithm(
        "reinforce_pp",
        "REINFORCE++",
        ("reinforce_pp", "reinforce++", "reinforce_plus_plus", "rpp", "rf++"),
        ("reinforce_plus_plus",),
        label="E5",
        slot=5,
    ),
    Algorithm("ppo", "PPO", ("ppo", "gae"), ("gae",)),
    Algorithm(
        "reinforce_pp_baseline",
        "REINFORCE++-baseline",
        ("reinforce_pp_baseline", "reinforce++_baseline", "reinforce_plus_plus_baseline", "rf++_baseline"),
        ("reinforce_plus_plus_baseline",),
    ),
    Algorithm("remax", "ReMax", ("remax",), ("remax",)),
    Algorithm("grpo_passk", "GRPO pass@k", ("grpo_pass_k", "pass_k", "pass@k"), ("grpo_passk",)),
    Algorithm("opo", "OPO", ("opo",), ("opo",)),
    Algorithm("gpg", "GPG", ("gpg",), ("gpg",), ("gpg",)),
    Algorithm("gdpo", "GDPO", ("gdpo",), ("gdpo",)),
    Algorithm(
        "optimal_token_baseline",
        "Optimal token baseline",
        ("optimal_token_baseline", "otb"),
        ("optimal_token_baseline",),
    ),
    Algorithm(
        "tir_optimal_token_baseline",
        "Optimal token baseline (tool use)",
        ("tir_optimal_token_baseline", "tir_otb"),
        ("tir_optimal_token_baseline",),
    ),
    Algorithm("gspo", "GSPO", ("gspo",), loss_modes=("gspo",)),
    Algorithm("cispo", "CISPO", ("cispo",), loss_modes=("cispo",)),
    Algorithm("sapo", "SAPO", ("sapo",), loss_modes=("sapo",)),
    Algorithm("clip_cov", "Clip-Cov", ("clip_cov",), loss_modes=("clip_cov",)),
    Algorithm("kl_cov", "KL-Cov", ("kl_cov",), loss_modes=("kl_cov",)),
    Algorithm("geo_mean", "GMPO", ("geo_mean", "gmpo"), loss_modes=("geo_mean",)),
    Algorithm("dppo_tv", "DPPO (TV)", ("dppo_tv",), loss_modes=("dppo_tv",)),
    Algorithm("dppo_kl", "DPPO (KL)", ("dppo_kl",), loss_modes=("dppo_kl",)),
    Algorithm("dro", "DRO", ("dro",), loss_modes=("dro",)),
    Algorithm(
        "bypass_mode",
        "Rollout policy as old policy",
        ("bypass_mode",),
        loss_modes=("bypass_mode", "rollout_correction"),
    ),
    Algorithm("sft", "SFT", ("sft",)),
    Algorithm("custom", "Custom estimator"),
    Algorithm(UNKNOWN, ""),
)

# `e3_drgrpo_2b` and `exp-3` name experiment 3; `exp2card` (two cards), `1e3` and `e2e` name none.
LABEL = re.compile(r"(?<![a-z0-9.])e(?:xp[-_]?)?([1-9]\d{0,2})(?![a-z0-9]|\.\d)", re.IGNORECASE)

SEPARATORS = "-_. "


@lru_cache(maxsize=1024)
def word(pattern: str) -> re.Pattern[str]:
    """The regular expression of a word pattern (see the module's docstring)."""
    body = "".join(
        "[-_. ]?" if c in SEPARATORS else ".*" if c == "*" else re.escape(c) for c in pattern.strip()
    )
    return re.compile(rf"(?<![a-z0-9])(?<!\d\.){body}(?![a-z0-9])", re.IGNORECASE)


def label_in(name: str) -> str:
    """The experiment label a name carries (`e3_drgrpo_2b` → `E3`), or an empty string."""
    found = LABEL.search(name)
    return f"E{int(found[1])}" if found else ""


def style(label: str) -> tuple[int, int] | None:
    """Colour slot 1 to 5 and dash 0 to 2 of a label `E<n>`; None for any other label.

    The sixth and later experiments repeat the five colours, dashed.
    """
    found = re.fullmatch(r"[Ee]([1-9]\d*)", label)
    if found is None:
        return None
    round_, place = divmod(int(found[1]) - 1, 5)
    return place + 1, min(round_, 2)


@lru_cache(maxsize=1 << 16)
def _fit(patterns: tuple[str, ...], text: str) -> tuple[int, int]:
    """Length and negated position of the best word in a text: longest, then first; (0, 0) for none."""
    found = (word(pattern).search(text) for pattern in patterns)
    return max(((m.end() - m.start(), -m.start()) for m in found if m is not None), default=(0, 0))


def _algorithm_in(name: str, algorithms: Sequence[Algorithm]) -> str:
    """Id of the algorithm a name holds; the longest word wins (`dr_grpo` over `grpo`)."""
    fits = [(_fit(algorithm.names, name), algorithm.id) for algorithm in algorithms]
    best, found = max(fits, key=lambda pair: pair[0], default=((0, 0), ""))
    return found if best[0] else ""


def _track_in(
    sources: Sequence[tuple[str, str]], tracks: Sequence[Track], names: bool
) -> Iterator[tuple[str, str]]:
    """Track ids and where they were found, best first: by precedence, then source, then fit."""
    found = [
        (track.precedence, -place, fit, track.id, where)
        for place, (where, text) in enumerate(sources)
        for track in tracks
        if (fit := _fit(track.names if names else track.contents, text))[0]
    ]
    return ((track, where) for *_, track, where in sorted(found, key=lambda f: f[:3], reverse=True))


def _algorithms_in(
    hints: Mapping[str, str], names: Sequence[tuple[str, str]], algorithms: Sequence[Algorithm]
) -> Iterator[tuple[str, str]]:
    """Algorithm ids and where they were found, best evidence first."""
    for where, name in [*names, ("experiment", hints.get("experiment", ""))]:
        if found := _algorithm_in(name, algorithms):
            yield found, where
    loss_mode, estimator = (
        hints.get(key, "").lower().replace("-", "_") for key in ("loss_mode", "estimator")
    )
    yield from ((a.id, "loss_mode") for a in algorithms if loss_mode in a.loss_modes)
    yield from ((a.id, "estimator") for a in algorithms if estimator in a.estimators)


def recognise(
    name: str,
    content_hints: Mapping[str, str],
    *,
    folders: Sequence[str] = (),
    tracks: Sequence[Track] | None = None,
    algorithms: Sequence[Algorithm] | None = None,
) -> Recognised:
    """Label, track and algorithm of a run; its name is believed first, then the folders, then the contents.

    `content_hints` may hold `experiment`, `project`, `model`, `data`, `estimator` and `loss_mode` as logged.
    `folders` are the names of the folders above the run, nearest first. The algorithm is a first guess by
    name: the resolved config decides where a log shows one.
    """
    tracks = TRACKS if tracks is None else tracks
    algorithms = ALGORITHMS if algorithms is None else algorithms
    names = [("name", name), *(("folder", folder) for folder in folders)]
    logged = [(key, content_hints.get(key, "")) for key in ("experiment", "project")]
    contents = [(key, content_hints.get(key, "")) for key in ("model", "data")]

    labels = ((found, where) for where, text in [*names, logged[0]] if (found := label_in(text)))
    found_tracks = chain(
        _track_in(names, tracks, names=True),
        _track_in(logged, tracks, names=True),
        _track_in(contents, tracks, names=False),
    )
    label, label_from = next(labels, ("", ""))
    track, track_from = next(found_tracks, (OTHER, ""))
    algorithm, algorithm_from = next(_algorithms_in(content_hints, names, algorithms), (UNKNOWN, ""))
    evidence = {"label": label_from, "track": track_from, "algorithm": algorithm_from}
    return Recognised(label, track, algorithm, {what: where for what, where in evidence.items() if where})
