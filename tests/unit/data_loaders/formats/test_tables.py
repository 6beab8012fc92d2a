"""CSV exports: wide, long and turned, of one run and of several."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from data_loaders.formats import find_loader
from data_loaders.schema import Launch
from tests.unit.data_loaders.formats.feeding import assert_any_chunking, claimed, read
from tests.unit.data_loaders.formats.foreign_logs import wandb_csv


def table(*rows: Iterable[object]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def test_ranges_of_wandb_are_no_metrics() -> None:
    log = read(wandb_csv(), "wandb_export.csv")
    assert set(log.columns) == {"critic/score/mean", "actor/pg_loss"}


def test_wandbs_history_with_gaps_and_a_resume() -> None:
    text = table(
        ("", "_step", "_runtime", "_timestamp", "actor/entropy", "val-core/x/acc/mean@1", "note"),
        (0, 1, 10.5, 1780000000.5, 0.5, "", ""),
        (1, 2, 20.5, 1780000010.5, 0.4, 0.25, "warm"),
        (2, 3, 30.5, 1780000020.5, "nan", "", ""),
        (3, 2, 5.5, 1780000100.5, 0.45, 0.3, ""),
        (4, 3, 15.5, 1780000110.5, "-Infinity", "", ""),
    )
    log = read(text, "history.csv")
    assert log.steps == [1, 2, 3, 2, 3]
    assert str(log.cells("actor/entropy")) == "[(1, 0.5), (2, 0.4), (3, nan), (2, 0.45), (3, -inf)]"
    assert log.cells("val-core/x/acc/mean@1") == [(2, 0.25), (2, 0.3)]
    assert set(log.columns) == {"actor/entropy", "val-core/x/acc/mean@1"}
    assert (log.facts.clock_start, log.facts.clock_end) == (1780000000.5, 1780000110.5)
    assert log.facts.remarks == ("report.words",)
    assert_any_chunking(claimed(text.encode(), "history.csv"), text.encode())


def test_swanlab_puts_times_beside_each_metric() -> None:
    text = table(
        ("step", "loss", "loss_timestamp", "lr"), (1, 0.5, 1780000000123, 0.1), (2, 0.25, 1780000000999, 0.1)
    )
    assert set(read(text, "swanlab.csv").columns) == {"loss", "lr"}


def test_a_tag_of_tensorboard_is_named_by_its_file() -> None:
    text = table(("Wall time", "Step", "Value"), (1780000000.0, 5, 0.5), (1780000010.0, 10, 0.75))
    log = read(text, "run-e1-tag-actor_entropy.csv")
    assert log.cells("actor_entropy") == [(5, 0.5), (10, 0.75)]
    assert log.facts.clock_start == 1780000000.0
    assert list(read(text, "values.csv").columns) == ["Value"]


def test_runs_side_by_side() -> None:
    text = table(
        ("Step", '"e1 - run - a/b"', '"e1 - run - a/b__MIN"', '"e2 - a/b"', '"e2 - c"'),
        (1, 0.5, 0.5, 9, ""),
        (2, 0.25, 0.2, "", 7),
    )
    log = read(text, "export.csv")
    assert log.facts.launches == (Launch(2, "fresh", run="e1 - run"), Launch(2, "fresh", run="e2"))
    assert log.lines.launch.tolist() == [0, 0, 1, 1]
    assert log.cells("a/b") == [(1, 0.5), (2, 0.25), (1, 9.0)]
    assert log.cells("c") == [(2, 7.0)]
    assert_any_chunking(claimed(text.encode(), "export.csv"), text.encode())


def test_a_long_table_and_its_resumed_steps() -> None:
    """As this board exports it: byte order mark, a column of segments, one cell a line."""
    text = "\ufeff" + table(
        ("experiment", "track", "algorithm", "segment", "step", "metric", "value"),
        ("e1", "2b", "grpo", 1, 1, "actor/entropy", 0.5),
        ("e1", "2b", "grpo", 1, 2, "actor/entropy", 0.25),
        ("e1", "2b", "grpo", 2, 2, "actor/entropy", 0.75),
        ("e1", "2b", "grpo", 1, 2, "actor/lr", 1e-6),
        ("e2", "2b", "grpo", 1, 1, "actor/lr", 2e-6),
        ("e2", "2b", "grpo", 1, "x", "actor/lr", 2e-6),
    )
    log = read(text, "rl-board.csv")
    assert [launch.run for launch in log.facts.launches] == ["e1", "e2"]
    assert log.cells("actor/entropy") == [(1, 0.5), (2, 0.25), (2, 0.75)]
    assert log.cells("actor/lr") == [(2, 1e-6), (1, 2e-6)]
    assert [(item.line, item.why) for item in log.facts.rejected] == [(7, "rejected.no_step")]


def test_a_turned_table() -> None:
    text = table(("metric", "step_0", "step_5", "step_10"), ("a", 1, "", 3), ("b", "", 0.5, "nan"))
    log = read(text, "metrics.csv")
    assert log.cells("a") == [(0, 1.0), (10, 3.0)]
    assert str(log.cells("b")) == "[(5, 0.5), (10, nan)]"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        "step\n1\n",
        "step,prompt\nfirst,what\n",
        "name,value\nx,1\n",
        '"step,loss\n1,2\n',
    ],
)
def test_other_tables_are_not_claimed(text: str) -> None:
    assert find_loader(text.encode(), text.encode(), "a.csv") is None


def test_a_table_is_claimed_by_its_name_too() -> None:
    text = b"step,loss\n1,0.5\n"
    assert find_loader(text, text, "notes.txt") is None


def test_short_and_broken_lines_are_counted() -> None:
    text = "step,a,b\n1,0.5,0.25\n2,0.5\n\nx,1,2\n3,0.5,word\n4,0.5,0.12"
    log = read(text, "m.csv")
    assert log.cells("a") == [(1, 0.5), (2, 0.5), (3, 0.5), (4, 0.5)]
    assert log.cells("b") == [(1, 0.25), (4, 0.12)]
    assert log.facts.cut_lines == (3,)
    assert [(item.line, item.why) for item in log.facts.rejected] == [(5, "rejected.no_step")]
