"""Values of a configuration that must not be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

MASK = "•••"

SECRET_WORDS = frozenset(
    {"secret", "secrets", "password", "passwd", "credential", "credentials", "apikey", "authorization"}
)
SECRET_KEYS = frozenset(
    {"api", "access", "private", "secret", "wandb", "swanlab", "openai", "anthropic", "hf", "ssh"}
)
"""Words before `key` that make it a secret; `prompt_key` and `image_key` name a column."""
MODEL_TOKENS = frozenset(
    {"pad", "eos", "bos", "unk", "sep", "cls", "mask", "stop", "special", "image", "video", "audio",
     "per", "think", "start", "end"}
)  # fmt: skip
"""Words before `token` that make it a token of the model's vocabulary."""

SECRET_VALUE = re.compile(
    r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?<=KEY=)[^\s'\"&]+|(?<=TOKEN=)[^\s'\"&]+|(?<=SECRET=)[^\s'\"&]+|(?<=PASSWORD=)[^\s'\"&]+"
    r"|(?<=key=)[^\s'\"&]{16,}|(?<=token=)[^\s'\"&]{16,}|(?<=secret=)[^\s'\"&]+|(?<=password=)[^\s'\"&]+"
    r"|\b(?:hf|ghp|gho|sk|glpat|xox[bp])[-_][A-Za-z0-9_-]{16,}"
    r"|\bAKIA[A-Z0-9]{16}\b"
    r"|(?<=[Bb]earer )\S+"
)


def mask_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """The same configuration with passwords, keys and access tokens replaced, at any depth."""
    return {key: MASK if value and _names_secret(key) else _masked(value) for key, value in config.items()}


def mask_text(text: str) -> str:
    """A text with what looks like a password, key or access token replaced."""
    return SECRET_VALUE.sub(MASK, text)


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return mask_secrets(value)
    if isinstance(value, (list, tuple)):
        return [_masked(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value


def _names_secret(key: object) -> bool:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(key))
    words = [word for word in re.split(r"[^a-z0-9]+", parted.lower()) if word]
    if not words:
        return False
    names_key = any(one in SECRET_KEYS and two == "key" for one, two in pairwise(words))
    if names_key or SECRET_WORDS.intersection(words):
        return True
    return words[-1] == "token" and (len(words) == 1 or words[-2] not in MODEL_TOKENS)
