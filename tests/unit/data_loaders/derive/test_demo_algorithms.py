"""The demo's five algorithms are found with their dumps, and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from components.present.detail_config import config_view
from data_loaders.board import BoardReader, BoardRun, Source
from data_loaders.board_config import load_config
from data_loaders.derive.algorithm import detect
from data_loaders.runs import RunView

NAMES = {"E1": "GRPO", "E2": "DAPO", "E3": "Dr.GRPO", "E4": "RLOO", "E5": "REINFORCE++"}
IDS = {"E1": "grpo", "E2": "dapo", "E3": "dr_grpo", "E4": "rloo", "E5": "reinforce_pp"}


@pytest.fixture(scope="module")
def runs(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, str], BoardRun]:
    config = load_config(demo / "board.toml")
    board = BoardReader(Source(config.logs, config), tmp_path_factory.mktemp("cache")).read()
    return {(run.view.run.track, run.view.run.label): run for run in board.runs}


def without_dump(run: BoardRun) -> RunView:
    record = run.view.run
    facts = tuple(replace(log, config_text="", overrides=()) for log in record.facts)
    return replace(run.view, run=replace(record, config={}, config_source="none", facts=facts))


@pytest.mark.parametrize("track", ["2b", "4b"])
@pytest.mark.parametrize("label", list(NAMES))
def test_the_dump_tells_every_algorithm(
    runs: Mapping[tuple[str, str], BoardRun], track: str, label: str
) -> None:
    run = runs[track, label]
    found = run.detected
    assert (found.algorithm, found.name, found.confidence) == (IDS[label], NAMES[label], "config")
    assert (found.variant, run.view.run.config_source) == ("", "config")
    assert config_view(run).detection.confidence == "confidence.config"


@pytest.mark.parametrize("track", ["2b", "4b"])
@pytest.mark.parametrize("label", list(NAMES))
def test_without_dump_the_name_tells_it(
    runs: Mapping[tuple[str, str], BoardRun], track: str, label: str
) -> None:
    bare = without_dump(runs[track, label])
    found = detect({}, bare.run.id, bare, source="none")
    assert (found.algorithm, found.confidence) == (IDS[label], "name")


@pytest.mark.parametrize("label", list(NAMES))
def test_without_dump_and_name_the_values_tell_it(
    runs: Mapping[tuple[str, str], BoardRun], label: str
) -> None:
    bare = without_dump(runs["4b", label])
    found = detect({}, "run", bare, source="none")
    assert (found.algorithm, found.confidence) == (IDS[label], "fingerprint")


@pytest.mark.parametrize("track", ["2b", "4b"])
def test_dynamic_sampling_of_e2_is_configured_and_not_executed(
    runs: Mapping[tuple[str, str], BoardRun], track: str
) -> None:
    states = {part.key: part.state for part in runs[track, "E2"].detected.parts}
    assert states["part.dynamic_sampling"] == "not_executed"
    assert states["part.clip_higher"] == states["part.token_mean"] == states["part.overlong"] == "on"


def test_where_it_did_run_the_log_proves_it(runs: Mapping[tuple[str, str], BoardRun]) -> None:
    states = {part.key: part.state for part in runs["multimodal", "E2"].detected.parts}
    assert states["part.dynamic_sampling"] == "on"
