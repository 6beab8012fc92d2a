"""Lines that lost their end: which ones, what of them is kept, and what stands in for the rest."""

from __future__ import annotations

import pytest

from tests.unit.data_loaders.formats.reading import read

LIMIT = 4096


def line(step: int, length: int, end: str, prefix: str = "") -> str:
    """A step line of so many characters whose last item is `end`; the items before it are whole."""
    text = f"{prefix}step:{step} - first/item:1.5 - "
    room = length - len(text) - len(end)
    filler = [f"fill/{number:03d}:0.125" for number in range((room - 20) // 17)]
    used = sum(len(item) + 3 for item in filler)
    filler.append("p" * (room - used - len(":7 - ")) + ":7")
    text += " - ".join([*filler, end])
    assert len(text) == length
    return text


def test_a_line_at_the_limit_loses_an_item_that_looks_whole() -> None:
    log = read(line(1, LIMIT, "z/last:12.5") + "\nstep:2 - z/last:1\n")
    assert log.facts.cut_lines == (1,)
    assert log.cells("z/last") == [(2, 1.0)]
    assert log.cells("first/item") == [(1, 1.5)]
    assert log.facts.rejected == ()


@pytest.mark.parametrize(
    ("length", "end", "kept"),
    [
        (LIMIT - 1, "z/last:12.5", 12.5),
        (LIMIT, "z/last:12.5 -", 12.5),
        (LIMIT, "z/last:np.float64(12.5)", 12.5),
        (LIMIT, "z/last:np.float64(12.5", None),
        (LIMIT, "z/last:np.float64(-0.", None),
        (LIMIT, "z/la", None),
        (LIMIT - 1, "z/la", None),
    ],
)
def test_what_is_kept_of_the_last_item(length: int, end: str, kept: float | None) -> None:
    log = read(line(1, length, end) + "\n")
    assert log.facts.cut_lines == (1,)
    assert log.facts.rejected_count == 0
    assert (log.cells("z/last")[0][1] if "z/last" in log.columns else None) == kept


@pytest.mark.parametrize("length", [LIMIT - 2, LIMIT + 1])
def test_other_lengths_are_not_cut(length: int) -> None:
    log = read(line(1, length, "z/last:12.5") + "\n")
    assert log.facts.cut_lines == ()
    assert log.cells("z/last") == [(1, 12.5)]


def test_the_limit_counts_characters_not_bytes_and_no_colours() -> None:
    log = read(line(1, LIMIT + 9, "é/last:12.5", prefix="\x1b[36m\x1b[0m") + "\n")
    assert log.facts.cut_lines == (1,)


@pytest.mark.parametrize("longer_first", [True, False])
def test_a_longer_line_anywhere_acquits_all(longer_first: bool) -> None:
    at_limit = [
        line(1, LIMIT, "z/last:12.5"),
        line(2, LIMIT - 1, "z/broken"),
        line(3, LIMIT, "z/last:np.int32(4)"),
    ]
    longer = [line(4, LIMIT + 1, "z/last:5")]
    log = read("\n".join([*longer, *at_limit] if longer_first else [*at_limit, *longer]) + "\n")
    assert log.facts.cut_lines == ()
    assert sorted(log.cells("z/last")) == [(1, 12.5), (3, 4.0), (4, 5.0)]
    assert [item.text for item in log.facts.rejected] == ["z/broken"]


@pytest.mark.parametrize(
    ("end", "cut", "value"),
    [
        ("b/c:2.5", 0, 2.5),
        ("b/c:np.float64(2.5)", 0, 2.5),
        ("b/c:np.float64(2.5", 1, None),
        ("b/c:-", 1, None),
        ("b/c:1e-", 1, None),
        ("b/c", 1, None),
        ("b/c:na", 1, None),
        ("b/c:2.5 -", 0, 2.5),
        ("b/c:2.5 - ", 1, 2.5),
    ],
)
def test_last_line_without_newline(end: str, cut: int, value: float | None) -> None:
    log = read(f"step:1 - a:1 - b/c:0\nstep:2 - a:1 - {end}")
    assert len(log.facts.cut_lines) == cut
    assert log.cells("b/c")[1:] == ([] if value is None else [(2, value)])
    assert log.steps == [1, 2]
    assert log.facts.rejected_count == 0


def test_an_unterminated_line_of_a_single_broken_item_is_text() -> None:
    log = read("step:1 - a:1\nstep:2 - a:")
    assert (log.steps, log.facts.cut_lines) == ([1], ())


def test_a_bad_item_elsewhere_is_rejected() -> None:
    log = read("x\nstep:1 - a:1 - b:tensor(2) - plain words - c:3\n")
    assert [(item.line, item.text, item.why) for item in log.facts.rejected] == [
        (2, "b:tensor(2)", "rejected.no_number"),
        (2, "plain words", "rejected.no_colon"),
    ]
    assert log.cells("c") == [(1, 3.0)]


def test_rejected_items_are_counted_beyond_those_listed() -> None:
    log = read("".join(f"step:{step} - a:1 - b:x\n" for step in range(1, 301)))
    assert log.facts.rejected_count == 300
    assert [item.line for item in log.facts.rejected] == list(range(1, 201))


BLOCK = "\n".join(
    [
        "(\"Initial validation metrics: {'val/a': \"",
        " \"np.float64(0.25), 'val/b (x)': \"",
        "(raylet) object store is filling up",
        " \"-1.5, 'first/item': 9.0}\")",
    ]
)


def test_an_initial_block_gives_back_what_a_cut_line_lost() -> None:
    log = read(f"{BLOCK}\n{line(0, LIMIT, 'val/a:np.float64(0.2')}\n")
    assert [(cell.step, cell.key, cell.value, cell.source) for cell in log.facts.recovered] == [
        (0, "val/a", 0.25, "initial_validation"),
        (0, "val/b (x)", -1.5, "initial_validation"),
    ]


def test_a_final_block_gives_back_what_the_line_before_it_lost() -> None:
    block = "\"Final validation metrics: {'val/a': 0.75}\""
    log = read(f"step:1 - a:1\n{line(2, LIMIT, 'val/a:0.7')}\nsaved\n{block}\n")
    assert [(cell.step, cell.key, cell.value) for cell in log.facts.recovered] == [(2, "val/a", 0.75)]
    assert log.facts.end == "finished"


@pytest.mark.parametrize("rest", ["step:0 - val/a:0.25\n", "step:0 - val/a:0.25\nstep:1 - a:1\n" * 2])
def test_whole_lines_need_nothing_from_a_block(rest: str) -> None:
    cut = line(2, LIMIT, "z/last:1")
    assert read(f"{BLOCK}\n{rest}").facts.recovered == ()
    assert read(f"{BLOCK}\n{rest}{cut}\n").facts.recovered == ()


def test_nothing_is_recovered_once_a_longer_line_shows_that_none_was_cut() -> None:
    log = read(f"{BLOCK}\n{line(0, LIMIT, 'val/a:0.25')}\n{line(1, LIMIT + 5, 'val/a:0.5')}\n")
    assert log.facts.recovered == ()
    assert log.cells("val/a") == [(0, 0.25), (1, 0.5)]
