from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from data_loaders.derive.episodes import Episode, as_json, detect, episodes
from data_loaders.derive.events import events
from data_loaders.derive.health import Event, Kind
from data_loaders.schema import FloatArray, IntArray
from tests.bench.synthetic_series import Twin, quiet_twin, two_spikes_twin, unstable_twin

SEEDS = range(20)
KEYS = {
    "grad_norm": "actor/grad_norm",
    "entropy": "actor/entropy",
    "ppo_kl": "actor/ppo_kl",
    "clip_share": "actor/pg_clipfrac",
    "response_length": "response_length/mean",
}


def _event(metric: str, start: int, end: int, kind: Kind = "episode", score: float = 6.0) -> Event:
    back = end + 1 if kind in ("episode", "startup") else None
    return Event(metric, start, end, start, 1.0, 0.2, 5.0, "up", kind, back, (score,) * (end - start + 1))


def _group(*found: Event) -> tuple[Episode, ...]:
    return episodes({event.metric: [e for e in found if e.metric == event.metric] for event in found})


def test_events_within_two_steps_are_one_episode() -> None:
    (episode,) = _group(
        _event("entropy", 12, 15, score=-9.0), _event("grad_norm", 10, 11), _event("ppo_kl", 17, 18)
    )
    assert (episode.id, episode.start, episode.end, episode.peak) == ("10", 10, 18, 12)
    assert (episode.severity, episode.kind, episode.recovered) == (3, "episode", True)
    assert episode.metrics == ("grad_norm", "entropy", "ppo_kl")


def test_events_three_steps_apart_are_two_episodes() -> None:
    found = _group(_event("grad_norm", 10, 11), _event("entropy", 14, 15))
    assert [(e.start, e.end, e.severity) for e in found] == [(10, 11, 1), (14, 15, 1)]


def test_a_long_event_holds_what_falls_inside_it() -> None:
    (episode,) = _group(_event("grad_norm", 10, 40), _event("entropy", 12, 13), _event("ppo_kl", 35, 36))
    assert (episode.start, episode.end, episode.severity) == (10, 40, 3)


def test_severity_counts_metrics_and_not_events() -> None:
    (episode,) = _group(_event("grad_norm", 10, 10), _event("grad_norm", 12, 12))
    assert (episode.severity, len(episode.events)) == (1, 2)


def test_pass_rate_time_and_settling_make_no_episode() -> None:
    assert _group(_event("pass_rate", 10, 12), _event("step_time", 10, 12)) == ()
    assert _group(_event("grad_norm", 1, 3, "startup"), _event("entropy", 1, 3, "startup")) == ()


@pytest.mark.parametrize(
    ("kinds", "expected", "recovered"),
    [
        (("episode", "episode"), "episode", True),
        (("episode", "open"), "open", False),
        (("open", "level"), "level", False),
        (("level", "nonfinite"), "nonfinite", False),
    ],
)
def test_the_gravest_kind_names_the_episode(
    kinds: tuple[Kind, Kind], expected: Kind, recovered: bool
) -> None:
    (episode,) = _group(_event("grad_norm", 10, 12, kinds[0]), _event("entropy", 10, 12, kinds[1]))
    assert (episode.kind, episode.recovered) == (expected, recovered)


def test_a_nan_that_passes_is_an_episode_that_recovered() -> None:
    value = np.full(60, 0.2)
    value[30] = math.nan
    (episode,) = detect({"grad_norm": (np.arange(60), value)})
    assert (episode.start, episode.kind, episode.recovered) == (30, "nonfinite", True)


def test_listing_has_the_agreed_fields_and_is_json() -> None:
    value = np.full(60, 0.2)
    value[30] = math.inf
    (episode,) = detect({"grad_norm": (np.arange(60), value)})
    entry = as_json("e3_drgrpo_2b", "2b", episode)
    assert json.loads(json.dumps(entry, allow_nan=False)) == {
        "experiment": "e3_drgrpo_2b",
        "track": "2b",
        "start": 30,
        "end": 30,
        "peak": 30,
        "severity": 1,
        "kind": "nonfinite",
        "recovered": True,
        "metrics": [
            {
                "metric": "grad_norm",
                "start": 30,
                "end": 30,
                "peak": 30,
                "value": "inf",
                "baseline": 0.2,
                "direction": "up",
            }
        ],
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_published_instability_is_one_grave_episode(seed: int) -> None:
    found = detect(unstable_twin(np.random.default_rng(seed)).pairs())
    (grave,) = [episode for episode in found if episode.severity >= 2]
    assert abs(grave.start - 133) <= 2
    assert abs(grave.end - 140) <= 2
    assert 133 <= grave.peak <= 140
    assert grave.severity >= 3
    assert {"grad_norm", "entropy", "ppo_kl", "clip_share"} <= set(grave.metrics)
    assert (grave.kind, grave.recovered) == ("episode", True)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_comparison_window_before_it_is_calm(seed: int) -> None:
    twin = unstable_twin(np.random.default_rng(seed))
    cut = {metric: (step[:129], value[:129]) for metric, (step, value) in twin.pairs().items()}
    assert all(episode.severity == 1 for episode in detect(cut))


def test_it_is_seen_live_when_it_begins() -> None:
    shown = 0
    for seed in SEEDS:
        twin = unstable_twin(np.random.default_rng(seed))
        cut = {metric: (step[:133], value[:133]) for metric, (step, value) in twin.pairs().items()}
        shown += any(e.severity >= 2 and e.kind == "open" and e.end == 133 for e in detect(cut))
    assert shown >= 19


def test_lost_steps_and_cells_do_not_hide_it() -> None:
    found = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        found += any(e.severity >= 3 and 131 <= e.start <= 136 for e in detect(_holed(rng)))
    assert found >= 19


def _holed(rng: np.random.Generator) -> dict[str, tuple[IntArray, FloatArray]]:
    """The unstable twin without a tenth of its steps and a twentieth of each metric's cells."""
    twin: Twin = unstable_twin(rng)
    kept = rng.random(150) > 0.1
    out = {}
    for metric, (step, value) in twin.pairs().items():
        cell = kept & (rng.random(150) > 0.05)
        out[metric] = (step[cell], value[cell])
    return out


@pytest.mark.parametrize("seed", SEEDS)
def test_two_published_spikes_and_nothing_else(seed: int) -> None:
    twin = two_spikes_twin(np.random.default_rng(seed)).pairs()
    found = events("grad_norm", *twin["grad_norm"])
    assert [event.peak for event in found] == [43, 59]
    assert [event.value for event in found] == [0.96, 1.13]
    assert all(event.end - event.start <= 2 for event in found)
    assert events("entropy", *twin["entropy"]) == ()


@pytest.mark.parametrize("n", [21, 150])
def test_quiet_runs_have_no_grave_episode(n: int) -> None:
    for seed in SEEDS:
        found = detect(quiet_twin(np.random.default_rng(seed), n).pairs())
        assert all(episode.severity == 1 for episode in found)


def _log_series(path: Path) -> dict[str, tuple[IntArray, FloatArray]]:
    read = pytest.importorskip("data_loaders.read", exc_type=ImportError)
    log = read.read_log(path)
    columns = {metric: log.columns[key] for metric, key in KEYS.items()}
    return {metric: (log.lines.step[column.rows], column.values) for metric, column in columns.items()}


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "falls", "within"),
    [
        ("cluster_verl__train.out", {"response_length"}, (119, 150)),
        ("agent_opd__20251129_221801-i80f2v90.log", {"response_length", "entropy"}, (5, 20)),
    ],
)
def test_collapse_of_a_public_run_is_not_a_spike(
    corpus: Path, name: str, falls: set[str], within: tuple[int, int]
) -> None:
    found = [e for e in detect(_log_series(corpus / name)) if within[0] <= e.start and e.end <= within[1]]
    collapse = max(found, key=lambda episode: episode.severity)
    assert collapse.kind in {"level", "open"}
    assert not collapse.recovered
    fallen = {e.metric for e in collapse.events if e.kind in {"level", "open"} and e.direction == "down"}
    assert falls <= fallen
