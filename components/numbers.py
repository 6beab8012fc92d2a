"""Numbers as text, the same in both languages: a true minus, en dashes in ranges, commas in thousands."""

from __future__ import annotations

import math

from data_loaders.derive.intervals import wilson

MINUS = "−"
NONE = "—"
"""There is no such value; 0, NaN and inf are written out."""


def number(value: float | None, decimals: int = 2, *, plus: bool = False) -> str:
    """`−0.005`, `12,588`, `+5.1`; NaN and inf as logged."""
    if value is None:
        return NONE
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else f"{MINUS}inf"
    text = f"{abs(value):,.{decimals}f}"
    zero = not any(c in "123456789" for c in text)
    return ("" if zero else MINUS if value < 0 else "+" if plus else "") + text


def percent(rate: float | None, decimals: int = 1, *, plus: bool = False) -> str:
    """A share of 1 in percent, without the sign: 0.6789 → `67.9`."""
    return number(None if rate is None else 100 * rate, decimals, plus=plus)


def half_width(half: float, decimals: int = 1) -> str:
    """`±2.1`, empty when the width is not known."""
    return f"±{half:,.{decimals}f}" if math.isfinite(half) else ""


def interval(low: float, high: float, decimals: int = 1) -> str:
    """Of a difference: `[−0.4, +10.6]`."""
    return f"[{number(low, decimals, plus=True)}, {number(high, decimals, plus=True)}]"


def wilson_percent(k: int, n: int) -> str:
    """95 % interval of k/n in percent: `[25–58]`."""
    low, high = wilson(k, n)
    return f"[{100 * low:.0f}–{100 * high:.0f}]"


WHOLE = 100.0
"""Tokens below this many are written in full where nothing beside them is in thousands."""


def thousands(value: float | None, decimals: int = 1, *, plus: bool = False, least: float = WHOLE) -> str:
    """Tokens where there is little room: `12.6k`; below `least` as they are."""
    if value is None or not math.isfinite(value) or abs(value) < least:
        return number(value, 0, plus=plus)
    return number(value / 1000, decimals, plus=plus) + "k"


def duration(hours: float | None) -> str:
    """`26 h 48 m`, `35 m`."""
    if hours is None or not math.isfinite(hours):
        return number(hours)
    whole, minutes = divmod(round(60 * hours), 60)
    return f"{whole} h {minutes:02d} m" if whole else f"{minutes} m"


def seconds(count: float) -> str:
    """`4 s`, from a minute and a half on as `2 m`, `1 h 05 m`."""
    return duration(count / 3600) if count >= 90 else f"{max(round(count), 1)} s"


def steps(first: int, last: int) -> str:
    """`133–140`; one step as `136`."""
    return f"{first}–{last}" if last != first else str(first)


def size(count: int) -> str:
    """Bytes with a decimal prefix: `2.4 MB`."""
    value, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def plain(value: object) -> str:
    """A value inside a sentence; a float that says nothing of its decimals keeps three digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}".replace("-", MINUS) if abs(value) >= 10_000 else str(value).replace("-", MINUS)
    if not math.isfinite(value) or value == 0:
        return number(value, 0)
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    if decimals > 6:
        return f"{value:.2e}".replace("-", MINUS)
    text = number(value, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text
