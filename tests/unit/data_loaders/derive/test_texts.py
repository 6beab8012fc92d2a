"""Every message key the derived series can give has a text, with the same places in both languages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

import pytest

from components.text import TEXT, detection, metric_caveats, metric_meanings, metrics, reasons
from data_loaders import metrics as metric_table
from data_loaders.derive import (
    algorithm,
    canonical,
    hours,
    losses,
    missing,
    reward,
    stages,
    status,
    validation,
)

KEY = re.compile(r'"((?:missing|note|derived|flag|warning|part|variant|status)\.[a-z_]+(?:\.[a-z_]+)*)"')
MODULES = (algorithm, canonical, hours, losses, metric_table, missing, reward, stages, status, validation)


def emitted() -> set[str]:
    keys = {key for module in MODULES for key in KEY.findall(inspect.getsource(module))}
    stand_ins = {f"note.fallback.{metric.name}" for metric in metric_table.METRICS if metric.fallbacks}
    return keys | stand_ins


def test_every_emitted_key_has_a_text() -> None:
    assert not emitted() - set(TEXT)


def test_no_text_stands_unused() -> None:
    prefixes = ("missing.", "note.", "derived.", "flag.", "warning.", "part.", "variant.", "status.")
    known = {key for key in (*reasons.TEXT, *detection.TEXT) if key.startswith(prefixes)}
    assert not known - emitted()


@pytest.mark.parametrize(
    "texts", [reasons.TEXT, detection.TEXT, metrics.TEXT, metric_meanings.TEXT, metric_caveats.TEXT]
)
def test_both_languages_have_the_same_places(texts: Mapping[str, tuple[str, str]]) -> None:
    places = {key: [set(re.findall(r"{\w+}", text)) for text in pair] for key, pair in texts.items()}
    assert not {key for key, (zh, en) in places.items() if zh != en}
