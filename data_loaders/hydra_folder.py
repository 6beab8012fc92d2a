"""The folder `.hydra` that hydra leaves beside a log: the configuration it composed, as YAML.

Source: hydra writes `<output folder>/.hydra/config.yaml` before the program starts, with interpolations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from data_loaders.derive.config import ABSENT, HydraConfig, get

FILE = Path(".hydra/config.yaml")
LOG_FOLDERS = ("logs", "log")
"""Names of folders that stand below the one a program wrote to."""
MOST_BYTES = 1 << 20
DEEPEST = 50

INTERPOLATION = re.compile(r"\$\{(?:oc\.select:)?\s*([\w.-]+)\s*(?:,\s*([^${}]*))?\}")
FLOAT = re.compile(
    r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|nan)", re.IGNORECASE
)


def read_hydra(logs: Sequence[Path], roots: Sequence[Path]) -> HydraConfig | None:
    """What stands beside the newest of `logs` that has such a folder; None where none does or it is broken.

    A file outside all `roots`, by its name or through a link, is not read.
    """
    inside = [root.resolve() if root.is_dir() else root.resolve().parent for root in roots]
    places = (folder / FILE for log in reversed(logs) for folder in _folders(log))
    found = ((_document(place, inside), place) for place in places)
    return next((HydraConfig(config, place) for config, place in found if config), None)


def parse_yaml(text: str) -> Any:
    """A YAML document of plain values; interpolations are replaced where they name what stands in it.

    None for a text that is no YAML, that holds aliases or is nested too deep.
    """
    try:
        parsed = yaml.load(text, _Loader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return _filled(parsed, parsed) if isinstance(parsed, dict) else parsed


def _folders(log: Path) -> Iterator[Path]:
    yield log.parent
    if log.parent.name.lower() in LOG_FOLDERS:
        yield log.parent.parent


def _document(path: Path, inside: Sequence[Path]) -> dict[str, Any]:
    """The mapping a file holds; empty when it may not be read or holds none."""
    try:
        place = path.resolve(strict=True)
        allowed = any(place.is_relative_to(root) for root in inside)
        if not allowed or not place.is_file() or place.stat().st_size > MOST_BYTES:
            return {}
        found = parse_yaml(place.read_text("utf-8", "replace"))
    except (OSError, RuntimeError):
        return {}
    return found if isinstance(found, dict) else {}


class _Loader(yaml.SafeLoader):
    """Reads `1e-6` as a number and dates as text, as hydra does. Aliases can grow without bound: refused."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


_TAG = "tag:yaml.org,2002:"
_Loader.yaml_implicit_resolvers = {
    first: [entry for entry in entries if entry[0] not in (f"{_TAG}timestamp", f"{_TAG}float")]
    for first, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    f"{_TAG}float", re.compile(rf"(?:{FLOAT.pattern})\Z", re.IGNORECASE), list("-+0123456789.")
)


def _filled(value: Any, root: Mapping[str, Any], depth: int = 0) -> Any:
    """The same value with interpolations replaced; one that names nothing known stays as it is written."""
    if depth > DEEPEST:
        return value
    if isinstance(value, dict):
        return {str(key): _filled(item, root, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, root, depth + 1) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    if whole := INTERPOLATION.fullmatch(value):
        found = _named(whole, root)
        return value if found is ABSENT else _filled(found, root, depth + 1)
    return INTERPOLATION.sub(lambda part: _text(part, root), value)


def _named(found: re.Match[str], root: Mapping[str, Any]) -> Any:
    value = get(root, found[1], ABSENT)
    return parse_yaml(found[2]) if value is ABSENT and found[2] is not None else value


def _text(found: re.Match[str], root: Mapping[str, Any]) -> str:
    value = _named(found, root)
    return found[0] if value is ABSENT or isinstance(value, dict | list) else str(value)
