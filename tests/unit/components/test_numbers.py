"""Numbers read the same in both languages."""

from __future__ import annotations

import math

import pytest

from components import numbers
from components.figures_slope import form_of


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (67.92, 1, "67.9"),
        (-0.0049, 3, "−0.005"),
        (12588.4, 0, "12,588"),
        (-0.0001, 2, "0.00"),
        (0.0, 1, "0.0"),
        (None, 1, "—"),
        (math.nan, 1, "NaN"),
        (math.inf, 1, "inf"),
        (-math.inf, 1, "−inf"),
    ],
)
def test_numbers(value: float | None, decimals: int, text: str) -> None:
    assert numbers.number(value, decimals) == text


def test_signs_are_shown_where_asked_for() -> None:
    assert numbers.number(5.12, 1, plus=True) == "+5.1"
    assert numbers.number(0.0, 1, plus=True) == "0.0"
    assert numbers.interval(-0.4, 10.55) == "[−0.4, +10.6]"


def test_rates_and_intervals() -> None:
    assert numbers.percent(0.679) == "67.9"
    assert numbers.half_width(2.1) == "±2.1"
    assert numbers.half_width(math.nan) == ""
    assert numbers.wilson_percent(10, 30) == "[19–51]"


@pytest.mark.parametrize(
    ("tokens", "text"), [(12588, "12.6k"), (942, "0.9k"), (12, "12"), (-3300, "−3.3k"), (None, "—")]
)
def test_tokens(tokens: float | None, text: str) -> None:
    assert numbers.thousands(tokens) == text


def test_tokens_beside_thousands_are_thousands_too() -> None:
    assert numbers.thousands(-92, plus=True, least=0) == "−0.1k"
    assert form_of("tokens", [-92, 240])(-92) == "−0.1k"
    assert form_of("tokens", [-92, 12])(-92) == "−92"


@pytest.mark.parametrize(
    ("hours", "text"),
    [(26.8, "26 h 48 m"), (21.2, "21 h 12 m"), (0.5, "30 m"), (1.999, "2 h 00 m"), (None, "—")],
)
def test_durations(hours: float | None, text: str) -> None:
    assert numbers.duration(hours) == text


def test_steps_and_sizes() -> None:
    assert (numbers.steps(133, 140), numbers.steps(136, 136)) == ("133–140", "136")
    assert [numbers.size(n) for n in (999, 2_400_000, 12_000_000_000)] == ["999 B", "2.4 MB", "12.0 GB"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (16384, "16,384"),
        (-2, "−2"),
        (0.001, "0.001"),
        (0.12345, "0.123"),
        (2.0, "2"),
        (1e-9, "1.00e−09"),
        (0.0, "0"),
        (True, "True"),
        ("x-y", "x-y"),
    ],
)
def test_values_inside_sentences(value: object, text: str) -> None:
    assert numbers.plain(value) == text
