"""The drawer and the pinned section, asked for as a page asks: through the application, without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient
from plotly.utils import PlotlyJSONEncoder

from callbacks.detail import PARTS, drawer
from components import ids
from components.detail import PANES, SCOPES
from components.present import pages
from components.present.figures import payload
from components.style import run_key
from data_loaders.board import BoardReader

E2 = run_key("e2_dapo_2b")


def call(client: FlaskClient, output: str, values: Mapping[str, Any], changed: str) -> Any:
    """Value of the output `id.property` when the store `changed` did; None when there is nothing to say.

    `values` are the stores of the page by id; the others are empty.
    """
    place, prop = output.rsplit(".", 1)
    wired = client.get("/_dash-dependencies").get_json()
    spec = next(spec for spec in wired if spec["output"] == output)
    inputs, state = (
        [part | {"value": values.get(part["id"])} for part in spec[kind]] for kind in ("inputs", "state")
    )
    request = {
        "output": output,
        "outputs": {"id": place, "property": prop},
        "inputs": inputs,
        "state": state,
        "changedPropIds": [f"{changed}.data"],
    }
    answer = client.post("/_dash-update-component", json=request)
    assert answer.status_code in (200, 204), answer.text
    return json.loads(answer.text)["response"][place][prop] if answer.status_code == 200 else None


def asked(
    client: FlaskClient, what: str, run: str = E2, exp: Any = None, steps: Any = None
) -> dict[str, Any]:
    values = {
        ids.DETAIL_ASKED: {"what": what, "run": run, "nth": 7},
        ids.SHOWN: exp,
        ids.RANGE_SETTLED: steps,
    }
    answer = call(client, f"{ids.DETAIL_ANSWER}.data", values, ids.DETAIL_ASKED)
    assert isinstance(answer, dict)
    return answer


def elements(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for part in node:
            yield from elements(part)
    elif isinstance(node, dict):
        yield node
        yield from elements(node["in"])


def english(node: Any) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, list):
        return "".join(map(english, node))
    return "" if node["with"].get("lang", "en") != "en" else english(node["in"])


def rows(answer: Mapping[str, Any]) -> list[list[str]]:
    """Texts of the cells of every row that can be filtered."""
    found = (element for element in elements(answer["body"]) if "data-row" in element["with"])
    return [[english(cell) for cell in row["in"]] for row in found]


def test_an_answer_carries_the_number_of_its_question_and_the_name_of_its_run(client: FlaskClient) -> None:
    answer = asked(client, "config")
    assert answer["nth"] == 7
    assert english(answer["title"]).split() == ["E2", "DAPO", "e2_dapo_2b"]


def test_the_config_of_the_run(client: FlaskClient) -> None:
    cells = dict(rows(asked(client, "config")))
    assert cells["actor_rollout_ref.actor.clip_ratio_high"] == "0.28"
    assert cells["algorithm.norm_adv_by_std_in_grpo"] == "True"
    assert "configured, not seen running" in english(asked(client, "config")["body"])


def test_differences_hold_only_what_differs(client: FlaskClient) -> None:
    found = {row[0]: row[1:] for row in rows(asked(client, "differences"))}
    assert found["actor_rollout_ref.actor.clip_ratio_high"] == ["0.2", "0.28", "0.2", "0.2", "0.2"]
    assert found["algorithm.adv_estimator"] == ["grpo", "grpo", "grpo", "rloo", "reinforce_plus_plus"]
    assert all(len(set(cells)) > 1 for cells in found.values())
    assert "data.train_batch_size" not in found


def test_differences_follow_the_selection(client: FlaskClient) -> None:
    found = {row[0]: row[1:] for row in rows(asked(client, "differences", exp=["E4"]))}
    assert found["algorithm.adv_estimator"] == ["grpo", "rloo"]
    assert "actor_rollout_ref.actor.loss_scale_factor" not in found


def test_every_key_of_the_run_is_listed(client: FlaskClient, reader: BoardReader) -> None:
    answer = asked(client, "metrics")
    run = next(run for run in reader.board().runs if run.id == "e2_dapo_2b")
    pins = [
        element["with"]["data-value"]
        for element in elements(answer["body"])
        if element["with"].get("data-act") == "pin"
    ]
    assert set(run.view.run.keys) <= set(pins)
    assert len(rows(answer)) == len(run.view.run.keys)
    assert "6 of 150 steps" in english(answer["body"])


def test_raw_lines_follow_the_range(client: FlaskClient) -> None:
    words = english(asked(client, "raw", steps=[43, 44])["body"])
    assert "step:43 - " in words
    assert "step:44 - " in words
    assert "step:45 - " not in words.split("End of the file")[0]


@pytest.mark.parametrize("what", ["config", "nothing"])
def test_a_run_that_is_gone_and_an_unknown_part(client: FlaskClient, what: str) -> None:
    run = "r00000" if what == "config" else E2
    assert "no longer under the log folders" in english(asked(client, what, run=run)["body"])


def test_a_shut_drawer_asks_nothing(client: FlaskClient) -> None:
    assert call(client, f"{ids.DETAIL_ANSWER}.data", {}, ids.DETAIL_ASKED) is None


def test_a_run_without_steps_can_be_looked_at(reader: BoardReader) -> None:
    board = reader.board()
    for what in PANES:
        title, body = drawer(board, {"what": what, "run": run_key("e5_reinforcepp_2b")}, {}, None)
        assert title
        assert body
    assert set(PARTS) == {*PANES, *SCOPES}


def test_pins_add_places_to_the_page_and_figures_to_the_store(
    client: FlaskClient, reader: BoardReader
) -> None:
    selection = {"pin": ["critic/advantages/max", "grad_norm", "no/such=key"]}
    expected = [f"cmp-pin-{name}" for name in selection["pin"]]
    content = {"tab": "2b", "ep": None, "pins": selection["pin"], "steps": None, "key": "", "version": ""}
    answer = call(client, f"{ids.PAGE_ANSWER}.data", {ids.CONTENT: content}, ids.CONTENT)
    assert all(name in json.dumps(answer["nodes"]) for name in expected)
    charts = payload(reader.board(), "2b", selection)["charts"]
    assert list(charts)[:3] == expected
    runs = {trace["meta"]["run"] for trace in charts[expected[0]]["data"]}
    assert runs == {run_key(f"{name}_2b") for name in ("e1_grpo", "e2_dapo", "e3_drgrpo", "e4_rloo")}
    assert "no/such=key" in charts[expected[2]]["empty"]["title"][1]


def test_a_page_opens_with_what_its_link_pins(client: FlaskClient, reader: BoardReader) -> None:
    page = pages.page(reader.board(), "2b", ("entropy",))
    assert "cmp-pin-entropy" in json.dumps(page, cls=PlotlyJSONEncoder)
    assert "cmp-pin-" not in json.dumps(pages.page(reader.board(), "2b"), cls=PlotlyJSONEncoder)
