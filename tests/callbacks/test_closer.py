"""Charts that a page asks for when they are looked at: by id, and at chosen steps."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from components.present.figures import Part, payload
from components.style import run_key
from data_loaders.board import BoardReader
from tests.unit.components.runs import unpacked

E1 = run_key("e1_grpo_2b")
OWN = f"run-{E1}-entropy"


def test_the_charts_asked_for_and_no_others(client: FlaskClient, reader: BoardReader) -> None:
    asked = {"tab": "2b", "ep": None, "version": "", "selection": {}, "ids": [OWN, "cmp-entropy", "no-such"]}
    charts = client.post("/charts", json=asked).get_json()["charts"]
    assert set(charts) == {OWN, "cmp-entropy"}
    assert charts[OWN] == payload(reader.board(), "2b", {})["charts"][OWN]


def test_chosen_steps_come_with_their_neighbours(client: FlaskClient) -> None:
    asked = {"tab": "2b", "selection": {}, "ids": [OWN], "steps": [40, 49]}
    figure = client.post("/charts", json=asked).get_json()["charts"][OWN]
    assert unpacked(figure["data"][0]["x"]) == list(range(39, 51))
    assert figure["meta"]["sampled"] == {"size": 1, "span": [40, 49]}


def test_charts_of_an_episode(client: FlaskClient) -> None:
    asked = {
        "tab": "2b",
        "ep": "e3_drgrpo_2b:133",
        "selection": {},
        "ids": ["ep-grad_norm"],
        "steps": [130, 140],
    }
    charts = client.post("/charts", json=asked).get_json()["charts"]
    assert charts["ep-grad_norm"]["meta"]["size"] == "episode"


@pytest.mark.parametrize(
    "asked",
    [[], "x", {"tab": 3, "ids": 7}, {"tab": "2b", "ids": [None, {}], "steps": [1, 10**30], "selection": []}],
)
def test_nonsense_is_no_error_of_the_server(client: FlaskClient, asked: Any) -> None:
    answer = client.post("/charts", json=asked)
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        assert answer.get_json()["charts"] == {}


def test_what_finds_no_room_is_named_with_its_metrics(reader: BoardReader) -> None:
    whole = payload(reader.board(), "2b", {}, ())
    small = payload(reader.board(), "2b", {}, (), Part(room=0))
    assert whole["later"] == {}
    assert set(small["charts"]) | set(small["later"]) == set(whole["charts"])
    assert small["later"][OWN] == ["entropy_per_token"]
    assert all(not name.startswith("run-") for name in small["charts"])
