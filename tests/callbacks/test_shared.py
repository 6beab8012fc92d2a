from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from callbacks.shared import SharedAnswers


def test_an_answer_that_many_ask_for_is_made_once() -> None:
    answers, made = SharedAnswers(), []
    together = threading.Barrier(4)

    def ask(_: int) -> object:
        together.wait(timeout=30)
        return answers.get("page", lambda: made.append(1) or {"steps": [1, 2]})

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, range(4)))
    assert found == [{"steps": [1, 2]}] * 4
    assert made == [1]


def test_an_answer_belongs_to_who_asked() -> None:
    answers = SharedAnswers()
    answers.get("page", lambda: {"steps": [1]})["steps"].append(2)
    assert answers.known("page") == {"steps": [1]}
    assert answers.known("other") is None


def test_those_asked_for_longest_ago_are_forgotten() -> None:
    answers = SharedAnswers(2)
    for name in ("a", "b", "a", "c"):
        answers.get(name, lambda name=name: name)
    assert [answers.known(name) for name in "abc"] == ["a", None, "c"]
