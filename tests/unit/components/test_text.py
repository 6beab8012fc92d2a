"""Texts stand in both languages, once, with the same places; and nowhere but in `components/text`."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from components import charts, formulas
from components.layout import POLICIES, SMOOTH, UNITS, X_AXES, Y_SCALES
from components.overview_page import LOOKS
from components.text import TEXT, joined, modules, said, words
from data_loaders.schema import Note

ROOT = Path(__file__).resolve().parents[3]
HAN = re.compile(r"[\u3400-\u9fff]")
PROSE = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
CALLS = {"Note", "words", "both", "titled", "labelled"}


def sources() -> list[Path]:
    """Python files that may show text but must not hold any."""
    found = [*(ROOT / "components").rglob("*.py"), *(ROOT / "callbacks").rglob("*.py")]
    return sorted(path for path in found if path.parent.name != "text")


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every string that is no docstring."""
    docs = {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in ast.iter_child_nodes(node)
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node


def test_every_key_stands_once() -> None:
    written = [
        key.value
        for path in (ROOT / "components" / "text").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(value, ast.Tuple)
    ]
    assert [key for key, count in Counter(written).items() if count > 1] == []
    assert sum(len(texts) for _, texts in modules()) == len(TEXT)


@pytest.mark.parametrize("key", sorted(TEXT))
def test_both_languages_say_the_same_with_the_same_places(key: str) -> None:
    pair = TEXT[key]
    assert len(pair) == 2
    assert all(isinstance(text, str) for text in pair)
    assert bool(pair[0]) == bool(pair[1])
    places = [set(re.findall(r"\{(\w+)\}", text)) for text in pair]
    assert places[0] == places[1]
    assert set(re.findall(r"\{(\w+):", "".join(pair))) <= places[1], "a word follows a value that is there"
    assert not HAN.search(pair[1])


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_outside_the_text_modules(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    hidden = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    hidden += [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "className"]
    unseen = {id(node) for part in hidden for node in ast.walk(part)}
    found = [
        node.value
        for node in strings(tree)
        if id(node) not in unseen and (HAN.search(node.value) or PROSE.search(node.value))
    ]
    assert found == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_key_used_is_written(path: Path) -> None:
    used = {
        call.args[0].value
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in CALLS
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    assert used - set(TEXT) == set()


def test_every_chart_is_named() -> None:
    for chart in charts.CHARTS:
        assert {chart.title, f"{chart.title}.caption", f"unit.{chart.unit}"} <= set(TEXT)
        assert {reference.word for reference in chart.references} <= set(TEXT)


def test_every_choice_is_named() -> None:
    choices = {"smooth": SMOOTH, "x": X_AXES, "units": UNITS, "seg": POLICIES, "yscale": Y_SCALES}
    named = {f"{name}.{value}" for name, values in choices.items() for value in values}
    assert named | {f"kind.{kind}" for kind in LOOKS} <= set(TEXT)


def test_every_formula_belongs_to_a_described_algorithm() -> None:
    for algorithm in formulas.FORMULAS:
        assert f"algorithm.{algorithm}.changes" in TEXT


def test_places_are_filled_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TEXT, "a", ("共 {n} 个：{what}", "{n} in all: {what}"))  # type: ignore[arg-type]
    monkeypatch.setitem(TEXT, "b", ("熵", "entropy"))  # type: ignore[arg-type]
    assert words("a", n=-3, what=Note("b")) == ("共 −3 个：熵", "−3 in all: entropy")
    assert words("a", n=2, what=("乙", "B")) == ("共 2 个：乙", "2 in all: B")


def test_a_value_cannot_open_a_place_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TEXT, "a", ("{x}{y}", "{x}{y}"))  # type: ignore[arg-type]
    assert words("a", x="{y}", y="1") == ("{y}1", "{y}1")


@pytest.mark.parametrize(
    ("n", "told"),
    [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), ("136", "136 step"), ("133–140", "133–140 steps")],
)
def test_a_word_follows_its_number(n: int | str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text stands for a range of steps, so one number is one step."""
    monkeypatch.setitem(TEXT, "a", ("{n} 步", "{n} {n:step|steps}"))  # type: ignore[arg-type]
    assert words("a", n=n) == (f"{n} 步", told)


PLURAL = re.compile(r"\{(\w+)\} (?:more |watched |cut |log |unreadable )?([a-z]+s)\b(?!:)")
COUNTS = {"n", "steps", "count", "done", "planned", "runs", "tracks", "files", "limit", "digits", "length"}
NOT_COUNTED = {"does", "ends", "has", "is", "leads", "names", "was", "points"}
"""Verbs, and a unit that stands after a number with decimals."""
BY_MEANING = {"moved.many", "note.cut_lines.badge"}
"""Several by their key, or after names."""


def test_no_plural_stands_alone_after_a_number() -> None:
    """`{n} steps` would say `1 steps`."""
    alone = {
        key: found[0]
        for key, (_, en) in TEXT.items()
        for found in PLURAL.finditer(en)
        if found[1] in COUNTS and found[2] not in NOT_COUNTED
    }
    assert set(alone) - BY_MEANING == set(), alone


def test_an_unknown_key_shows_itself() -> None:
    assert words("no.such.key") == ("no.such.key", "no.such.key")
    assert said(("甲", "A")) == ("甲", "A")
    assert joined([("甲", "A"), ("乙", "B")], "、", ", ") == ("甲、乙", "A, B")
