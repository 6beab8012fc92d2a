"""Policy losses under which a logged key means something else than its name says."""

from __future__ import annotations

from collections.abc import Mapping

from data_loaders.derive.config import get
from data_loaders.derive.settings import config_of, loss_mode
from data_loaders.schema import Note, Run

MEANINGS: Mapping[tuple[str, str], str] = {
    ("gspo", "clip_share"): "note.clip_of_sequences",
    ("cispo", "clip_share"): "note.clip_keeps_gradient",
    ("sapo", "clip_share"): "note.clip_constant",
    ("geo_mean", "clip_share"): "note.clip_upper_side",
    ("geo_mean", "dual_clip_share"): "note.clip_lower_side",
    ("clip_cov", "clip_share"): "note.clip_by_covariance",
    ("dppo_tv", "clip_share"): "note.clip_masked",
    ("dppo_kl", "clip_share"): "note.clip_masked",
    ("kl_cov", "ppo_kl"): "note.kl_absolute",
}
"""(loss mode, metric) → what the values are there. Source: verl, `core_algos.py`, v0.8 and v0.9."""

BYPASS = "algorithm.rollout_correction.bypass_mode"


def loss_note(run: Run, metric: str) -> Note | None:
    """What a metric means under the loss of the run, None where it means what it always does."""
    config = config_of(run)
    if metric == "ppo_kl" and get(config, BYPASS) is True:
        return Note("note.kl_to_rollout")
    key = MEANINGS.get((loss_mode(config), metric))
    return Note(key) if key else None
