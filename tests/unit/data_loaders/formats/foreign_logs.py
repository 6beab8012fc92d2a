"""One small training in the words of every format but verl's console: four steps, a reward and a loss."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence

from data_loaders.formats.tfevents import masked_crc

REWARDS = {1: 0.25, 2: 0.3125, 3: 0.375, 4: 0.5}
LOSSES = {1: 0.9, 2: 0.0625, 3: -0.03, 4: 0.01}
STAMP = "[2026-03-02 10:00:00 rank0]"


def verl_jsonl() -> str:
    data = {step: {"critic/score/mean": REWARDS[step], "actor/pg_loss": LOSSES[step]} for step in REWARDS}
    return "".join(json.dumps({"step": step, "data": data[step]}) + "\n" for step in data)


def llamafactory() -> str:
    return "".join(
        json.dumps(
            {"current_steps": step, "total_steps": 4, "loss": LOSSES[step], "lr": 1e-6, "epoch": step / 4,
             "percentage": 25.0 * step, "elapsed_time": f"0:00:0{step}", "remaining_time": "0:00:01"}
        ) + "\n"
        for step in LOSSES
    )  # fmt: skip


def trainer_state() -> str:
    history = [
        {"loss": LOSSES[step], "reward": REWARDS[step], "kl": 0.5 * step, "epoch": step / 4, "step": step}
        for step in REWARDS
    ]
    return json.dumps({"epoch": 1.0, "global_step": 4, "log_history": history, "max_steps": 4}, indent=2)


def trl() -> str:
    """Bars before every line, as a terminal that does not redraw shows them."""
    lines = ["Loading checkpoint shards: 100%|##########| 2/2 [00:00<00:00,  8.66it/s]\n"]
    for step in REWARDS:
        bars = "".join(f"\r 25%|#| {done}/4 [00:0{step}<00:09, 1s/it]" for done in (step - 1, step))
        values = {
            "loss": LOSSES[step],
            "grad_norm": 1.5,
            "learning_rate": 1e-06,
            "reward": REWARDS[step],
            "completions/mean_length": 100.0 + step,
            "completions/clipped_ratio": 0.0,
            "entropy": 0.25,
            "clip_ratio/region_mean": 0.0,
            "epoch": step / 4,
        }
        lines.append(f"{bars}\r{values}\n")
    lines.append("{'train_runtime': 12.5, 'train_steps_per_second': 1.0, 'train_loss': 0.3, 'epoch': 1.0}\n")
    return "".join(lines)


def openrlhf() -> str:
    lines = []
    for step in REWARDS:
        values = {"policy_loss": LOSSES[step], "reward": REWARDS[step], "response_length": 200.0 + step,
                  "kl": 0.01, "actor_lr": 1e-06, "actor_grad_norm": 0.5, "ppo_clip_ratio": 0.02}  # fmt: skip
        logger = f"(PPOTrainer pid=7) INFO 08-13 10:00:0{step} ppo_trainer.py:547] "
        lines.append(f"{logger}✨ Global step {step}: {values}\n")
    lines.append(
        "(PPOTrainer pid=7) INFO 08-13 10:01:00 ppo_trainer.py:600] ✨ Evaluation completed in 3s, "
        "global_step 4, eval_metrics: {'eval_math_pass1': 0.5}\n"
    )
    return "".join(lines)


def slime() -> str:
    lines = []
    for step in REWARDS:
        rollout = {"rollout/raw_reward": REWARDS[step], "rollout/response_len/mean": 300.0 + step,
                   "rollout/truncated_ratio": 0.0}  # fmt: skip
        train = {"train/loss": LOSSES[step], "train/pg_clipfrac": 0.01, "train/ppo_kl": 0.001,
                 "train/grad_norm": 0.7, "train/lr-pg_0": 1e-06, "train/step": step,
                 "train/train_rollout_logprob_abs_diff": 0.02}  # fmt: skip
        lines += [
            f"{STAMP} rollout.py:80 - rollout {step}: {rollout}\n",
            f"{STAMP} model.py:918 - step {step}: {train}\n",
            f"{STAMP} model.py:930 - perf {step}: {{'perf/step_time': 30.5}}\n",
        ]
    return "".join(lines)


def roll() -> str:
    lines = []
    for step in REWARDS:
        values = {"system/step": step, "critic/score/mean": REWARDS[step], "actor/pg_loss": LOSSES[step],
                  "time/step": 9.5}  # fmt: skip
        logger = f"[2026-08-19 10:00:0{step}] [rlvr_pipeline.py (838)] [INFO] [DRIVER 0 / 1][PID 1] "
        lines.append(f"{logger}{json.dumps(values)}\npipeline step {step} finished\n")
    return "".join([*lines, "[2026-08-19 10:00:09] [rlvr_pipeline.py (900)] [INFO] pipeline complete!\n"])


def nemo_rl() -> str:
    lines = []
    for step in REWARDS:
        lines.append(
            f"\n{'=' * 25} Step {step}/4 {'=' * 25}\n▶ Preparing batch...\n"
            f"\n📊 Training Results:\n  • Loss: {LOSSES[step]:.4f}\n  • Generation KL Error: 0.0004\n"
            f"  • Avg Reward: {REWARDS[step]:.4f}\n  • Mean Generation Length: 512.3000\n"
            "\n⏱️  Timing:\n  • Total step time: 98.20s\n  • policy_training: 40.10s (40.8%)\n"
        )
    lines.append("\n📊 Validation Results:\n    • Accuracy: 0.3300\n    • Average length: 400.0 tokens\n")
    return "".join(lines)


def wandb_csv() -> str:
    score = "e1 - critic/score/mean"
    head = f'"Step","{score}","{score}__MIN","{score}__MAX","e1 - actor/pg_loss"\n'
    return head + "".join(f'"{s}","{REWARDS[s]}","-9","9","{LOSSES[s]}"\n' for s in REWARDS)


def event(step: int, values: Mapping[str, float], wall_time: float) -> bytes:
    """One record of an event file, written by hand."""
    summary = b""
    for tag, value in values.items():
        name = tag.encode()
        inner = b"\x0a" + bytes([len(name)]) + name + b"\x15" + struct.pack("<f", value)
        summary += b"\x0a" + bytes([len(inner)]) + inner
    data = b"\x09" + struct.pack("<d", wall_time) + (b"\x10" + bytes([step]) if step else b"")
    if summary:
        data += b"\x2a" + _varint(len(summary)) + summary
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def tfevents(tags: Sequence[str] = ("critic/score/mean", "actor/pg_loss")) -> bytes:
    """Values are floats of 32 bits."""
    records = [event(0, {}, 1_780_000_000.0)]
    for step in REWARDS:
        records += [
            event(step, {tags[0]: REWARDS[step]}, 1_780_000_000.0 + step),
            event(step, {tags[1]: LOSSES[step]}, 1_780_000_000.5 + step),
        ]
    return b"".join(records)


FILES: dict[str, tuple[str, bytes]] = {
    "verl_jsonl": ("jsonl_run/metrics.jsonl", verl_jsonl().encode()),
    "tensorboard": ("tb_run/events.out.tfevents.1780000000.host.7.0", tfevents()),
    "hf_trainer_state": ("hf_run/trainer_state.json", trainer_state().encode()),
    "llamafactory": ("factory_run/trainer_log.jsonl", llamafactory().encode()),
    "openrlhf": ("openrlhf_run/train.log", openrlhf().encode()),
    "slime": ("slime_run/train.log", slime().encode()),
    "roll": ("roll_run/train.log", roll().encode()),
    "nemo_rl": ("nemo_run/train.log", nemo_rl().encode()),
    "trl": ("trl_run/train.log", trl().encode()),
    "csv": ("csv_run/wandb_export.csv", wandb_csv().encode()),
}
"""Per format a file and what it holds."""
