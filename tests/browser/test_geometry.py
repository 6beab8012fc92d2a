"""The pure functions of the scripts: numbers as text, label places, y ranges."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        ("67.94", ".1f", "67.9"), ("-0.0051", ".3f", "−0.005"), ("-0.0001", ".3f", "0.000"), ("12588", ".1s", "12.6k"),
        ("12588", ",.0f", "12,588"), ("4600", "+.1s", "+4.6k"), ("-200", "+.1s", "−200"), ("0", "+.1f", "0.0"),
        ("NaN", ".1f", "NaN"), ("-Infinity", ".1f", "−inf"), ("0.000123", ".3~g", "0.000123"), ("16384", "~s", "16.4k"),
        ("500000000", ".1f", "5.00e8"), ("-12345678.9", ".2f", "−1.23e7"), ("9999999", ".0f", "9999999"),
    ],
)  # fmt: skip
def test_numbers_as_text(numbers: Page, value: str, spec: str, text: str) -> None:
    assert numbers.evaluate(f"rlboard.number({value}, '{spec}')") == text


@pytest.fixture(scope="module")
def numbers(harness: str, chromium: Browser) -> Iterator[Page]:
    """One page for the pure functions."""
    page = chromium.new_page()
    page.goto(harness)
    page.wait_for_function("window.rlboard && rlboard.ready")
    yield page
    page.close()


def test_labels_are_pushed_apart_and_clamped(numbers: Page) -> None:
    spread = "places => rlboard.spread(places, 13, 4, 180)"
    assert numbers.evaluate(spread, [50, 51, 120]) == [44, 57, 120]
    assert numbers.evaluate(spread, [2, 3]) == [4, 17]
    assert numbers.evaluate(spread, [179, 180, 178]) == [167, 180, 154]


def test_y_range_of_special_cases(numbers: Page) -> None:
    fit = "([values, how]) => rlboard.fitY({values, low: Math.min(...values), high: Math.max(...values)}, Object.assign({pad: .06}, how)).range"
    assert numbers.evaluate(fit, [[2.0, 4.0], {"zero": True}]) == pytest.approx([0, 4.24])
    assert numbers.evaluate(fit, [[-1.0, 1.0], {"zero": True}]) == pytest.approx([-1.12, 1.12])
    assert numbers.evaluate(fit, [[1.0, 3.0], {"include": [5.0]}]) == pytest.approx([0.76, 5.24])
    assert numbers.evaluate(fit, [[1.0, 100.0], {"log": True}]) == pytest.approx([-0.12, 2.12])
    low, high = numbers.evaluate(fit, [[7.0, 7.0], {}])
    assert low < 7 < high


def test_ranges_are_read_from_text(numbers: Page) -> None:
    texts = ["133-140", "133–140", " 5 - 3 ", "136", "-5", "a-b", "1-2-3"]
    assert numbers.evaluate("texts => texts.map(rlboard.parseRange)", texts) == [
        [133, 140],
        [133, 140],
        [3, 5],
        [136, 136],
        None,
        None,
        None,
    ]


def test_steps_of_two_runs_along_hours(numbers: Page) -> None:
    chart = """() => ({meta: {}, payload: {xkind: 'hours', runs: {a: {id: 'a'}, b: {id: 'b'}}, steps: [1, 4]}, lines: [
        {key: 'a', steps: [1, 2, 3, 4], trace: {x: [0.5, 1, 1.5, 2]}}, {key: 'b', steps: [1, 2, 3, 4], trace: {x: [1, 2, 3, 4]}}]})"""
    view = "(state, chart) => rlboard.viewOf(chart, {}, Object.assign({}, rlboard.defaults, state))"
    dragged = numbers.evaluate(
        f"() => {{ const c = ({chart})(); return rlboard.stepsOf(c, ({view})({{}}, c), [0.9, 2.1]) }}"
    )
    assert dragged == [1, 4]
    shown = numbers.evaluate(f"() => {{ const c = ({chart})(); return ({view})({{range: [2, 3]}}, c).x }}")
    assert shown == [1, 3]
    alone = numbers.evaluate(
        f"() => {{ const c = ({chart})(); return ({view})({{range: [2, 3], exp: ['a']}}, c).x }}"
    )
    assert alone == [1, 1.5]


def test_peak_is_the_value_furthest_from_the_level_beside_it(numbers: Page) -> None:
    steps = list(range(1, 41))
    trough = [0.05 if step == 22 else 0.13 for step in steps]
    assert numbers.evaluate("([s, y]) => rlboard.peak(s, y, 20, 25)", [steps, trough]) == [22, 0.05]
    assert numbers.evaluate("([s, y]) => rlboard.peak(s, y, 60, 70)", [steps, trough]) is None


def test_robust_range_leaves_out_only_what_lies_far_out(numbers: Page) -> None:
    fit = """values => rlboard.fitY({values, low: Math.min(...values), high: Math.max(...values)}, {pad: 0, robust: true})"""
    level = [1.0 + 0.01 * (n % 10) for n in range(100)]
    found = numbers.evaluate(fit, [*level, 50.0])
    assert found["range"] == pytest.approx([1.0, 1.09])
    assert found["outside"] == 1
    assert numbers.evaluate(fit, level)["outside"] == 0


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0.8, 120, [1, 2, 5, 10, 20, 50, 100]), (30, 78, [30, 40, 50, 60, 70]), (1e-6, 1, [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1])],
)  # fmt: skip
def test_ticks_of_a_log_axis(numbers: Page, low: float, high: float, ticks: list[float]) -> None:
    assert numbers.evaluate("([a, b]) => rlboard.ticksLog(a, b)", [low, high]) == pytest.approx(ticks)
