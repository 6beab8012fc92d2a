"""OpenRLHF, slime, ROLL and NeMo-RL, whose print formats were read from their source code."""

from __future__ import annotations

import re

import pytest

from tests.unit.data_loaders.formats.feeding import assert_any_chunking, claimed, read
from tests.unit.data_loaders.formats.foreign_logs import STAMP, nemo_rl, openrlhf, roll, slime

OPENRLHF = "INFO 08-13 10:00:00 ppo_trainer.py:547] "
ROLL = "[2026-08-19 10:00:00] [rlvr_pipeline.py (838)] [INFO] [DRIVER 0 / 1][PID 1] "
MESSAGES = {
    "openrlhf": OPENRLHF + "✨ Global step {step}: {{'policy_loss': {a}, 'reward': {b}, 'kl': {c}}}",
    "slime": STAMP + " model.py:918 - step {step}: {{'policy_loss': {a}, 'reward': {b}, 'kl': {c}}}",
    "roll": ROLL + '{{"system/step": {step}, "policy_loss": {a}, "reward": {b}, "kl": {c}}}',
}
FORMATS = sorted(MESSAGES)


def line(name: str, step: int, a: object = 0.5, b: object = -0.25, c: object = 1e-05) -> str:
    return MESSAGES[name].format(step=step, a=a, b=b, c=c) + "\n"


def wrapped(text: str, width: int) -> str:
    """A line as a terminal of some width leaves it."""
    return "\n".join(re.findall(f".{{1,{width}}}", text.rstrip("\n"))) + "\n"


@pytest.mark.parametrize("name", FORMATS)
class TestDicts:
    def test_words_for_numbers(self, name: str) -> None:
        text = line(name, 1, "nan", "-inf", "1e-07") + line(name, 2, "np.float64(0.5)", "True", "None")
        log = read(text, "train.log")
        assert str(log.cells("policy_loss")) == "[(1, nan), (2, 0.5)]"
        assert log.cells("reward") == [(1, float("-inf")), (2, 1.0)]
        assert log.cells("kl") == [(1, 1e-07)]
        assert log.facts.rejected_count == 0

    def test_text_and_lists_inside_are_passed_over(self, name: str) -> None:
        log = read(line(name, 1, "'why, {not}'", "[1.0, {'a': 2}]", 0.5), "train.log")
        assert {key: log.cells(key) for key in log.columns if key != "system/step"} == {"kl": [(1, 0.5)]}

    @pytest.mark.parametrize("width", [37, 60, 61, 80, 99])
    def test_wrapped_lines(self, name: str, width: int) -> None:
        plain = line(name, 12, 0.5123456789, -0.25, 1e-05) + line(name, 13, 0.75)
        first = line(name, 11)  # one that is not wrapped, by which the format is known
        log = read(first + "".join(wrapped(part, width) for part in plain.splitlines()), "train.log")
        head = len(MESSAGES[name].partition("{{")[0])
        if width < head + len('{"system/step":'):
            return  # the head itself is broken: nothing tells a step from other text
        assert log.cells("policy_loss") == [(11, 0.5), (12, 0.5123456789), (13, 0.75)]
        assert log.cells("kl") == [(11, 1e-05), (12, 1e-05), (13, 1e-05)]
        assert not log.facts.cut_lines

    def test_a_line_wrapped_with_the_loggers_prefix_repeated(self, name: str) -> None:
        logger = {"openrlhf": OPENRLHF, "slime": STAMP + " model.py:918 - ", "roll": ROLL}[name]
        text = line(name, 3).replace(", ", ",\r\n" + logger)
        log = read(line(name, 2) + text, "train.log")
        assert log.cells("kl") == [(2, 1e-05), (3, 1e-05)]
        assert log.cells("reward") == [(2, -0.25), (3, -0.25)]

    def test_lines_of_others_between_the_parts(self, name: str) -> None:
        plain = line(name, 3)
        at = plain.index(", ") + 2
        noise = "Loading shards:  50%|#####  | 1/2 [00:01<00:01]\nWARNING: {'x': retry}\n\n"
        log = read(line(name, 2) + plain[:at] + "\n" + noise + plain[at:] + line(name, 4), "train.log")
        assert log.cells("kl") == [(2, 1e-05), (3, 1e-05), (4, 1e-05)]
        assert not log.facts.cut_lines

    def test_two_actors_at_once(self, name: str) -> None:
        """Each line carries the prefix of the process that wrote it."""
        plain, other = line(name, 3, a=0.125).rstrip("\n"), line(name, 4, a=0.75).rstrip("\n")
        cut = plain.index(", ") + 2
        text = "".join(
            f"(Actor pid={pid}) {part}\n"
            for pid, part in ((1, plain[:cut]), (2, other[:cut]), (1, plain[cut:]), (2, other[cut:]))
        )
        log = read(line(name, 2) + text, "train.log")
        assert sorted(log.cells("policy_loss")) == [(2, 0.5), (3, 0.125), (4, 0.75)]
        assert sorted(log.cells("kl")) == [(2, 1e-05), (3, 1e-05), (4, 1e-05)]

    def test_a_cut_line_gives_what_is_whole_and_is_counted(self, name: str) -> None:
        plain = line(name, 3, a=0.123456)
        cut = plain.index("0.123456") + 4
        log = read(line(name, 2) + plain[:cut] + "\n" + line(name, 4), "train.log")
        assert log.cells("policy_loss") == [(2, 0.5), (4, 0.5)]
        assert log.facts.cut_lines == (2,)
        behind = plain.index("'reward'" if name != "roll" else '"reward"')
        log = read(line(name, 2) + plain[:behind] + "\n" + line(name, 4), "train.log")
        assert log.cells("policy_loss") == [(2, 0.5), (3, 0.123456), (4, 0.5)]
        assert log.facts.cut_lines == (2,)

    def test_the_last_line_while_it_is_written(self, name: str) -> None:
        plain = line(name, 2)
        log = read(line(name, 1) + plain[: plain.index("reward") - 1], "train.log")
        assert log.cells("policy_loss") == [(1, 0.5), (2, 0.5)]
        assert log.facts.cut_lines == (2,)

    def test_glued_messages(self, name: str) -> None:
        log = read(line(name, 1).rstrip("\n") + line(name, 2), "train.log")
        assert log.cells("kl") == [(1, 1e-05), (2, 1e-05)]

    def test_any_chunking(self, name: str) -> None:
        text = line(name, 1) + wrapped(line(name, 2), 90) + line(name, 3)[:-20] + "\nnoise\n" + line(name, 4)
        assert_any_chunking(claimed(text.encode(), "train.log"), text.encode(), rounds=40)


def test_openrlhf_evaluation_stands_at_its_step() -> None:
    log = read(openrlhf(), "train.log")
    assert log.cells("eval/eval_math_pass1") == [(4, 0.5)]
    assert log.cells("actor_lr")[0] == (1, 1e-06)


def test_openrlhf_of_the_async_trainer_has_no_star() -> None:
    assert read(openrlhf().replace("✨ ", ""), "train.log").cells("kl")[-1] == (4, 0.01)


def test_slime_counters_stand_as_printed() -> None:
    """Two updates per rollout: counters run apart, and no update is taken for a restart."""
    text = "".join(
        f"{STAMP} rollout.py:80 - rollout {r}: {{'rollout/raw_reward': {r}.5}}\n"
        + "".join(
            f"{STAMP} model.py:918 - step {s}: {{'train/grad_norm': {s}.25}}\n" for s in (2 * r, 2 * r + 1)
        )
        for r in range(5)
    )
    log = read(text, "train.log")
    assert log.cells("rollout/raw_reward") == [(r, r + 0.5) for r in range(5)]
    assert log.cells("train/grad_norm") == [(s, s + 0.25) for s in range(10)]


def test_slime_critic_steps_are_kept_apart() -> None:
    text = slime() + f"{STAMP} model.py:918 - critic-step 4: {{'train/loss': 7.5}}\n"
    log = read(text, "train.log")
    assert log.cells("critic-train/loss") == [(4, 7.5)]
    assert log.cells("train/loss")[-1] == (4, 0.01)


def test_roll_trackers_dict_inside_a_dict() -> None:
    text = 'metrics_tag: {"step": 3, "metrics": {"critic/score/mean": 0.5, "system/step": 3, "note": "x"}}\n'
    log = read(roll() + text, "train.log")
    assert log.cells("critic/score/mean") == [(1, 0.25), (2, 0.3125), (3, 0.375), (4, 0.5), (3, 0.5)]
    assert read(roll(), "train.log").facts.end == "finished"


class TestNemoRl:
    def test_sections_are_in_the_names(self) -> None:
        log = read(nemo_rl(), "train.log")
        assert log.cells("Timing/Total step time") == [(step, 98.2) for step in (1, 2, 3, 4)]
        assert log.cells("Validation Results/Accuracy") == [(4, 0.33)]
        assert log.cells("Validation Results/Average length") == [(4, 400.0)]

    def test_the_banners_step_begins_anew_with_every_epoch(self) -> None:
        epoch = nemo_rl()
        log = read(epoch + epoch, "train.log")
        assert log.steps == [1, 2, 3, 4, 5, 6, 7, 8]
        assert not log.facts.launches
        assert "report.steps_inferred" in log.facts.remarks

    def test_an_epoch_that_did_not_end_is_a_start_anew(self) -> None:
        whole = nemo_rl()
        begun = whole[: whole.index("Step 3/4") - 30]
        log = read(begun + whole, "train.log")
        assert log.steps == [1, 2, 1, 2, 3, 4]
        assert [launch.kind for launch in log.facts.launches] == ["fresh"]

    def test_lines_of_others_and_a_block_cut_short(self) -> None:
        text = nemo_rl().replace(
            "  • Avg Reward", "(Worker pid=3) INFO loading\n\x1b[36m(pid=3)\x1b[0m  • Avg Reward"
        )
        text = text[: text.rindex("  • Mean Generation Length") + 30]
        log = read(text, "train.log")
        assert [value for _, value in log.cells("Training Results/Avg Reward")] == [0.25, 0.3125, 0.375, 0.5]
        assert len(log.cells("Timing/Total step time")) == 3


def test_a_crash_shows_in_the_last_lines() -> None:
    crash = 'Traceback (most recent call last):\n  File "train.py", line 3\nRuntimeError: CUDA error\n'
    log = read(slime() + crash, "train.log")
    assert (log.facts.end, log.facts.end_text) == ("crashed", "RuntimeError: CUDA error")
    assert read(slime() + crash + slime(), "train.log").facts.end == ""
    assert read(openrlhf() + "KeyboardInterrupt\n", "train.log").facts.end == "stopped"
