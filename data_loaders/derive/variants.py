"""The settings in which the runs of a page differ, and which runs are equal but for the seed.

A key counts when it can change what is trained or measured: names of experiments, places things are written
to, ports, dates and how often something is saved or shown do not. Seeds differ between runs of a group.
Source of the key names: verl's trainer configs v0.2 to v0.8.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from data_loaders.derive.config import ABSENT, difference, value_text
from data_loaders.derive.secrets import MASK, mask_secrets
from data_loaders.derive.settings import ACTOR, ROLLOUT, config_of
from data_loaders.schema import Run

MOST = 40
"""Keys a page is told of; how many more there are is told too."""
LONGEST = 40
"""Characters of a value; of a longer one both ends are kept."""

SEED = re.compile(r"(?:^|[._])seeds?$")
UNRELATED = re.compile(
    r"(?:^|[._])(?:experiment|project|group|run|job|exp)_name$"
    r"|(?:^|[._])(?:dir|port|host|hostname|address|date|time|timestamp|tags|comment)$"
    r"|(?:^|[._])(?:save|output|log|cache|profile)_(?:path|file|folder)$"
    r"|(?:^|\.)(?:profiler|npu_profile|global_profiler|\w*nsight_options|checkpoint|trace|ray_init|ray_kwargs|prometheus|hydra)\."
    r"|(?:^|\.)(?:logger|loggers|save_freq|test_freq|val_before_train|val_only|disable_log_stats|profile_steps|report_to)$"
    r"|(?:^|\.)(?:log_val_generations|val_generations_to_log_to_wandb|logging_steps|save_steps|save_total_limit)$"
    r"|^trainer\.(?:resume_mode|resume_from_path|max_(?:actor|critic)_ckpt_to_keep|remove_previous_ckpt_in_save"
    r"|del_local_ckpt_after_load|esi_redundant_time|ray_wait_register_center_timeout|device)$"
)
"""Keys that change neither what is trained nor what is measured."""

FIRST = (
    "algorithm.adv_estimator", f"{ACTOR}.optim.lr", f"{ACTOR}.clip_ratio", f"{ACTOR}.clip_ratio_low",
    f"{ACTOR}.clip_ratio_high", f"{ACTOR}.clip_ratio_c", f"{ACTOR}.use_kl_loss", f"{ACTOR}.kl_loss_coef",
    f"{ACTOR}.kl_loss_type", "algorithm.use_kl_in_reward", "algorithm.kl_ctrl.kl_coef", f"{ROLLOUT}.n",
    f"{ROLLOUT}.temperature", "data.train_batch_size", f"{ACTOR}.ppo_mini_batch_size", f"{ACTOR}.ppo_epochs",
    f"{ACTOR}.entropy_coeff", f"{ACTOR}.loss_agg_mode", f"{ACTOR}.policy_loss.loss_mode",
    "data.max_response_length", "actor_rollout_ref.model.path", "critic.optim.lr", "data.seed",
)  # fmt: skip
"""Keys people sweep, in the order in which they are offered; others follow by name."""


class Variant(NamedTuple):
    """One run among those of a page."""

    settings: Mapping[str, str] | None
    """Key → value as text, of keys in which runs differ and that its configuration has; None without one."""
    alike: str
    """Same text for runs equal but for the seed; empty without configuration."""


class Variants(NamedTuple):
    """The runs of a page, in their order."""

    keys: tuple[str, ...]
    """Keys in which they differ, the usual ones first."""
    left: int
    """Keys beyond `MOST`."""
    runs: tuple[Variant, ...]


def variants(runs: Sequence[Run]) -> Variants:
    """In what runs differ. Of a bare command line only what it names counts: defaults stand behind it."""
    configs = [config_of(run) for run in runs]
    known = [at for at, config in enumerate(configs) if config]
    bare = [runs[at].config_source == "overrides" for at in known]
    rows = _compared([configs[at] for at in known])
    shown = {path: _texts(row) for path, row in rows.items() if _stated(row, bare) and not _secret(path, row)}
    keys = sorted(shown, key=lambda path: (FIRST.index(path) if path in FIRST else len(FIRST), path))
    found = [Variant(None, "")] * len(runs)
    for nth, at in enumerate(known):
        cells = ((path, shown[path][nth]) for path in keys[:MOST])
        trained = [(path, _plain(row[nth])) for path, row in rows.items() if not SEED.search(path)]
        alike = _digest([runs[at].track, bare[nth], *trained])
        found[at] = Variant({path: text for path, text in cells if text is not None}, alike)
    return Variants(tuple(keys[:MOST]), max(0, len(keys) - MOST), tuple(found))


def _compared(configs: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Keys that count, with a value per configuration; of `{}` and `{a: 1}` the row of `a` tells."""
    rows = difference(configs)
    parents = {path[:at] for path in rows for at, sign in enumerate(path) if sign == "."}
    return {path: row for path, row in rows.items() if path not in parents and not UNRELATED.search(path)}


def _stated(row: Sequence[Any], bare: Sequence[bool]) -> bool:
    """Whether cells differ among those that say something."""
    stated = {_plain(cell) for cell, words in zip(row, bare, strict=True) if not (words and cell is ABSENT)}
    return len(stated) > 1


def _secret(path: str, row: Sequence[Any]) -> bool:
    return MASK in repr(mask_secrets(dict.fromkeys(path.split("."), True) | {"": list(row)}))


def _texts(row: Sequence[Any]) -> list[str | None]:
    """Values as short text, different where they differ; None in place of an absent one."""
    whole = [None if cell is ABSENT else _plain(cell) for cell in row]
    short = {text: _shortened(text) for text in whole if text is not None}
    crowded = {one for one, count in Counter(short.values()).items() if count > 1}
    told = {text: f"{one}#{_digest(text)[:4]}" if one in crowded else one for text, one in short.items()}
    return [None if text is None else told[text] for text in whole]


def _plain(value: Any) -> str:
    """A value as text, equal for equal values: `1e-6`, `1` for 1 and 1.0."""
    if value is ABSENT:
        return ""
    if isinstance(value, float):
        return re.sub(r"e([+-])0*", lambda found: "e-" if found[1] == "-" else "e", f"{value:.12g}")
    return value_text(value)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2 - 1]}…{text[-LONGEST // 2 :]}"


def _digest(parts: Iterable[object]) -> str:
    text = repr(list(parts)).encode("utf-8", "surrogatepass")
    return hashlib.sha1(text, usedforsecurity=False).hexdigest()[:8]
