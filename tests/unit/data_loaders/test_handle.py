"""The handle for notebooks, against the CSV that the command line prints."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from app.__main__ import main
from data_loaders import load
from data_loaders.metrics import METRICS
from tests.unit.data_loaders.formats.foreign_logs import FILES, REWARDS

VERL = (
    "step:1 - actor/entropy:0.5 - critic/score/mean:0.25 - actor/pg_loss:nan\n"
    "step:2 - actor/entropy:1e-07 - critic/score/mean:-0.75 - actor/pg_loss:inf\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A verl run and one of each other format."""
    for path, data in [*FILES.values(), ("e3_drgrpo_2b/train.log", VERL.encode())]:
        (tmp_path / "logs" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "logs" / path).write_bytes(data)
    return tmp_path / "logs"


def printed(root: Path, capfd: pytest.CaptureFixture[str], *more: str) -> pd.DataFrame:
    assert main(["csv", "--logs", str(root), "--cache-dir", str(root.parent / "cache"), *more]) == 0
    text = capfd.readouterr().out.removeprefix("\ufeff")
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values={"value": ["nan"]})


def test_tables_hold_what_the_csv_holds(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runs = load(root, cache_dir=root.parent / "cache")
    raw = printed(root, capfd)
    pd.testing.assert_frame_equal(runs.raw, raw, check_dtype=False)
    assert len(raw) > 100
    names = ",".join(metric.name for metric in METRICS)
    asked = printed(root, capfd, "--metrics", names)
    # Asked for by name, the CSV also gives the loss that fine-tuning logs under a canonical name.
    own = (asked["experiment"] == "factory_run") & (asked["metric"] == "loss")
    assert own.sum() == len(REWARDS)
    asked = asked[~own].reset_index(drop=True)
    pd.testing.assert_frame_equal(runs.canonical, asked, check_dtype=False)


def test_runs_are_found_by_id_and_by_label(root: Path) -> None:
    runs = load(str(root), cache_dir=root.parent / "cache")
    assert len(runs) == len(FILES) + 1
    assert runs["E3"].id == runs["e3_drgrpo_2b"].id == "e3_drgrpo_2b"
    assert next(iter(runs)).id == "e3_drgrpo_2b"
    with pytest.raises(KeyError, match="no run 'E9'; there are e3_drgrpo_2b"):
        runs["E9"]
    scores = runs.canonical.query("experiment == 'slime_run' and metric == 'score_mean'")
    assert dict(zip(scores["step"], scores["value"], strict=True)) == REWARDS


def test_a_board_toml_in_the_root_counts(root: Path) -> None:
    (root / "board.toml").write_text('[experiments.trl_run]\nlabel = "E7"\ntrack = "2b"\n')
    assert load(root, cache_dir=root.parent / "cache")["E7"].id == "trl_run"


def test_nothing_to_read(tmp_path: Path) -> None:
    empty = load(tmp_path, cache_dir=tmp_path / "cache")
    assert len(empty) == 0
    assert list(empty.raw.columns) == list(empty.canonical.columns)
    assert empty.raw.empty
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


def test_the_package_comes_alone() -> None:
    """Importing the package, as every part of the board does, costs nothing until the handle is asked for."""
    code = "import sys, data_loaders; print({'pandas', 'numpy', 'data_loaders.board'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
