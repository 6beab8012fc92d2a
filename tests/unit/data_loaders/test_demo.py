from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from data_loaders.board_config import load_config
from data_loaders.demo import LIVE, follow_demo, write_demo
from data_loaders.demo.curves import noise, through
from data_loaders.read import read_log

STEP = re.compile(r"(?<![\w/])step:(\d+) - (.*)")
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def log(demo: Path, run: str, at: int = 0) -> Path:
    return sorted((demo / "archive" / run / "logs").iterdir())[at]


def steps(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Step and items of every step line, read by means of this test alone."""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if match := STEP.search(line):
            yield int(match[1]), dict(item.rsplit(":", 1) for item in match[2].split(" - "))


def number(text: str) -> float:
    return float(re.sub(r"np\.\w+\((.*)\)", r"\1", text))


@pytest.fixture(scope="module")
def logs(demo: Path) -> list[Path]:
    return sorted(demo.glob("archive/*/logs/*"))


def test_layout(demo: Path, logs: list[Path]) -> None:
    assert {path.name for path in demo.iterdir()} == {"archive", "board.toml"}
    runs = Counter(path.parent.parent.name for path in logs)
    assert len(runs) == 13
    assert {run for run, files in runs.items() if files == 2} == {"e1_grpo_2b", "e2_dapo_4b"}
    assert all(re.fullmatch(r"train_\d{8}_\d{6}\.log", path.name) for path in logs)
    assert sum(path.stat().st_size for path in logs) < 6_000_000


def test_two_demos_hold_the_same_bytes_and_times(demo: Path, tmp_path: Path) -> None:
    write_demo(tmp_path)
    for path in sorted(tmp_path.rglob("*.*")):
        twin = demo / path.relative_to(tmp_path)
        assert twin.read_bytes() == path.read_bytes(), path.name
        assert twin.stat().st_mtime == path.stat().st_mtime


def test_board_is_valid_and_speaks_both_languages(demo: Path, logs: list[Path]) -> None:
    config = load_config(demo / "board.toml")
    assert set(config.experiments) == {path.parent.parent.name for path in logs}
    assert config.logs == (demo / "archive",)
    for experiment in config.experiments.values():
        for text in (experiment.title, experiment.notes):
            assert text is None or re.search(r"[一-鿿]", text[0])
            assert text is None or not re.search(r"[一-鿿]", text[1])
    table = tomllib.loads((demo / "board.toml").read_text(encoding="utf-8"))
    assert table["tracks"]["2b"]["window"] == [1, 129]


def test_noise_of_a_real_console(logs: list[Path]) -> None:
    text = "".join(path.read_bytes().decode() for path in logs)
    for sign in (
        "\x1b[36m(TaskRunner pid=", "\x1b[36m(WorkerDict pid=", "\x1b[33m(raylet)",
        "x across cluster]\x1b[0m", "WARNING", "np.float64(", "np.int32(2)", "Training from scratch",
        "local_global_step_folder: ", "Total training steps: 150\n", "Size of train dataloader: ",
        "TaskRunner hostname: ",
    ):  # fmt: skip
        assert sign in text, sign
    bars = re.findall(r"(\r[^\r\n]*it\])(?=[\r\n])", text)
    assert len(bars) > 1500
    assert re.search(r"\rTraining Progress:[^\r\n]*\rTraining Progress:[^\n]*\n", text)


def test_every_step_line_has_about_ninety_metrics(logs: list[Path]) -> None:
    counts = [len(items) for path in logs for _, items in steps(path)]
    assert min(counts) >= 85
    assert max(counts) <= 105
    assert len(counts) == 129 + 22 + 7 * 150 + 21 + 299


def test_no_line_reaches_the_length_at_which_a_capture_cuts(logs: list[Path]) -> None:
    longest = max(len(line) for path in logs for line in path.read_text(encoding="utf-8").split("\n"))
    assert longest < 4095


def test_configuration_is_a_literal_once_strangers_are_removed(demo: Path) -> None:
    text = ANSI.sub("", log(demo, "e3_drgrpo_2b").read_text(encoding="utf-8"))
    start, end = text.index("{'actor_rollout_ref'"), text.index("Size of train dataloader")
    prefix = re.search(r"^\(TaskRunner pid=\d+\) ", text, re.MULTILINE)
    assert prefix is not None
    lines = text[start:end].split("\n")
    strangers = [line for line in lines if "WARNING" in line or "raylet" in line or "peer group" in line]
    assert len(strangers) == 3
    own = [line.removeprefix(prefix[0]) for line in lines if line not in strangers]
    config = ast.literal_eval("".join(own).strip())
    assert config["actor_rollout_ref"]["actor"]["loss_scale_factor"] == 16384
    assert config["trainer"]["experiment_name"] == "e3_drgrpo_2b"


def test_loader_reads_everything_there_is(logs: list[Path]) -> None:
    read = {path: read_log(path).facts for path in logs}
    assert {facts.format for facts in read.values()} == {"verl_console"}
    for path, facts in read.items():
        assert (facts.rejected_count, facts.cut_lines, facts.recovered) == (0, (), ()), path
        assert facts.step_lines == len(list(steps(path)))
        assert [launch.kind for launch in facts.launches] == (
            ["resume"] if path.stem == "train_20260713_173146" else ["fresh"]
        )
        last = max((step for step, _ in steps(path)), default=0)
        assert facts.end == ("finished" if last in (100, 150) else "")
    assert sorted(path.parent.parent.name for path, facts in read.items() if not facts.step_lines) == [
        "e2_dapo_4b", "e5_reinforcepp_2b",
    ]  # fmt: skip


def test_resume_overlaps_by_one_step_with_other_values(demo: Path) -> None:
    first, second = (dict(steps(log(demo, "e1_grpo_2b", at))) for at in (0, 1))
    assert (min(first), max(first), min(second), max(second)) == (1, 129, 129, 150)
    again = {key for key in first[129] if first[129][key] != second[129][key]}
    assert {"critic/score/mean", "actor/entropy", "response_length/mean", "actor/grad_norm"} <= again
    resumed = log(demo, "e1_grpo_2b", 1).read_text(encoding="utf-8")
    assert "Setting global step to 128\n" in resumed
    assert "| 128/150 [" in resumed


def test_lost_line_and_nan_stand_in_multimodal_runs_only(demo: Path, logs: list[Path]) -> None:
    assert 58 not in dict(steps(log(demo, "vl_e2_dapo")))
    nan = [(path.parent.parent.name, step, key)
           for path in logs for step, items in steps(path) for key, text in items.items()
           if np.isnan(number(text))]  # fmt: skip
    assert nan == [("vl_e4_rloo", 73, "actor/grad_norm")]


def test_keys_that_depend_on_the_run(demo: Path) -> None:
    def keys(run: str) -> set[str]:
        return {key for _, items in steps(log(demo, run, -1)) for key in items}

    with_kl = {run for run in ("e1_grpo_2b", "e2_dapo_2b", "e3_drgrpo_2b", "e4_rloo_4b", "e5_reinforcepp_4b")
               if {"actor/kl_loss", "timing_s/ref"} <= keys(run)}  # fmt: skip
    assert with_kl == {"e1_grpo_2b", "e4_rloo_4b", "e5_reinforcepp_4b"}
    assert "train/num_gen_batches" in keys("vl_e2_dapo")
    assert not keys("e2_dapo_4b") & {"train/num_gen_batches", "actor/kl_loss"}
    assert "val-core/hiyouga/geometry3k/acc/mean@1" in keys("vl_e1_grpo")


def test_values_of_a_line_agree_with_each_other(demo: Path) -> None:
    for run, gpus in (("e3_drgrpo_2b", 2), ("e1_grpo_4b", 4), ("vl_e2_dapo", 4)):
        for _, items in steps(log(demo, run)):
            value = {key: number(text) for key, text in items.items()}
            tokens = value["perf/total_num_tokens"]
            length = value["response_length/mean"] + value["prompt_length/mean"]
            assert tokens == pytest.approx(256 * length, rel=1e-6)
            seconds = value["timing_s/step"]
            assert value["perf/throughput"] == pytest.approx(tokens / seconds / gpus, rel=1e-6)
            names = (
                "gen",
                "reward",
                "old_log_prob",
                "ref",
                "adv",
                "update_actor",
                "update_weights",
                "save_checkpoint",
            )
            stages = sum(value.get(f"timing_s/{name}", 0) for name in names)
            assert 0.97 * seconds < stages <= seconds
            assert (
                value["response_length/min"] <= value["response_length/mean"] <= value["response_length/max"]
            )
            assert value["global_seqlen/min"] <= value["global_seqlen/mean"] <= value["global_seqlen/max"]
            assert 0 <= value["perf/mfu/actor"] < 0.5


def test_mfu_is_zero_where_the_version_cannot_estimate_it(demo: Path) -> None:
    def mfu(run: str) -> list[float]:
        return [number(items["perf/mfu/actor"]) for _, items in steps(log(demo, run))]

    assert set(mfu("e1_grpo_2b")) == {0.0}
    assert min(mfu("e5_reinforcepp_4b")) > 0.1


def test_multimodal_reward_is_zero_one_and_prompts_hold_images(demo: Path) -> None:
    lines = [items for _, items in steps(log(demo, "vl_e1_grpo"))]
    assert {items["critic/score/min"] for items in lines} == {"0.0"}
    assert min(number(items["prompt_length/mean"]) for items in lines) > 500


def test_clock_of_the_story(demo: Path, logs: list[Path]) -> None:
    written = {path: datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in logs}
    now = max(written.values())
    assert written[log(demo, LIVE)] == now
    assert now - written[log(demo, "e5_reinforcepp_2b")] == timedelta(minutes=2)
    for path in logs:
        assert datetime.strptime(path.stem, "train_%Y%m%d_%H%M%S").replace(tzinfo=UTC) < written[path]
    on_four = [path for path in logs if path.parent.parent.name.endswith("4b")]
    on_four.sort(key=lambda path: path.name)
    for before, after in pairwise(on_four):
        assert written[before].strftime("train_%Y%m%d_%H%M%S") < after.stem  # one machine, one run at a time


def test_live_run_goes_on(tmp_path: Path) -> None:
    write_demo(tmp_path)
    path = log(tmp_path, LIVE)
    before, started = path.read_bytes(), path.stat().st_mtime
    slept: list[float] = []
    follow_demo(tmp_path, 4.0, steps=4, sleep=slept.append)
    after = path.read_bytes()
    assert slept == [4.0] * 4
    assert after.startswith(before)
    assert after.endswith(b"\n")
    lines = dict(steps(path))
    assert sorted(lines) == list(range(1, 26))
    assert "val-core/aime24/acc/mean@1" in lines[25]
    spent = sum(number(lines[n][key]) for n in range(22, 26) for key in ("timing_s/step", "timing_s/testing")
                if key in lines[n])  # fmt: skip
    assert path.stat().st_mtime - started == pytest.approx(spent, abs=0.01)


def test_live_run_can_finish(tmp_path: Path) -> None:
    write_demo(tmp_path)
    follow_demo(tmp_path, 0.0, sleep=lambda _: None)
    path = log(tmp_path, LIVE)
    assert max(dict(steps(path))) == 150
    assert "Final validation metrics: " in path.read_text(encoding="utf-8")


def test_noise_has_unit_spread_and_the_memory_asked_for() -> None:
    fresh, slow = noise("a", steps=4000), noise("b", steps=4000, memory=0.8)
    assert np.std(fresh) == pytest.approx(1, abs=0.05)
    assert np.std(slow) == pytest.approx(1, abs=0.1)
    assert np.corrcoef(fresh[1:], fresh[:-1])[0, 1] == pytest.approx(0, abs=0.05)
    assert np.corrcoef(slow[1:], slow[:-1])[0, 1] == pytest.approx(0.8, abs=0.05)
    assert np.array_equal(noise("a", steps=10), fresh[:10])


def test_curve_passes_through_its_anchors() -> None:
    line = through(((1, 2.0), (51, 12.0), (100, 12.0)), 100)
    assert line.size == 100
    assert line[0] == pytest.approx(2.0)
    assert line[24] == pytest.approx(2.0 + 24 * 0.2)
    assert line[50] == pytest.approx(12.0, abs=0.2)
    assert line[-1] == pytest.approx(12.0)
