"""Small twin of `make soak`: some pages, some runs, some seconds."""

from __future__ import annotations

from tests.bench.soak import soaked, table


def test_no_update_is_lost_and_nothing_is_left_behind() -> None:
    outcome = soaked(minutes=0.1, pages=6, runs=4, loads=6, every=1.0)
    assert outcome.soak.errors == []
    assert (outcome.lost, outcome.left) == (0, 0)
    kinds = {sample.kind for sample in outcome.soak.samples}
    assert kinds == {"poll", "page", "figures", "cpu", "memory", "files", "threads", "logs"}
    assert all(last > 40 for told in outcome.soak.last.values() for last in told.values())
    assert "steps a page did not get: 0" in table(outcome)
