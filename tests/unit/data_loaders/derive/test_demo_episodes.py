"""The stated episodes of the demo under 20 sets of other noise; `tests/bench` takes 1,000."""

from __future__ import annotations

from tests.bench.bench_demo_episodes import measure


def test_stated_episodes_are_found_and_none_is_made_up() -> None:
    tally = measure(range(1, 21))
    assert tally.sets == 20
    assert (tally.e3, tally.step_43, tally.step_59, tally.false_sets) == (20, 20, 20, 0)
