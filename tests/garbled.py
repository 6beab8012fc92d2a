"""Folders of logs as crashes, full disks and other programs leave them, each made from one number.

`garbled(seed)` is a log of a known format with damage; `board_toml(seed)` a board.toml with mistakes;
`exercise` does with a folder what a reader of the board may do, and raises whatever goes wrong.
"""

from __future__ import annotations

import gzip
import json
import pprint
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from components.present import episode, figures, pages, shell
from components.present.detail import opened, raw_view
from components.tree import nodes
from data_loaders.annotations import FILE, Annotations, read_annotations
from data_loaders.board import BoardReader, Source
from data_loaders.board_config import EXAMPLE, read_config
from data_loaders.check import check_log, describe
from data_loaders.export import Query, csv_chunks
from tests.unit.data_loaders.formats.foreign_logs import FILES

KEYS = (
    "actor/entropy", "actor/grad_norm", "actor/pg_loss", "actor/ppo_kl", "actor/lr", "critic/score/mean",
    "critic/rewards/mean", "response_length/mean", "response_length/clip_ratio", "timing_s/step",
    "val-core/math/aime24/reward/mean@8", "training/global_step", "perf/throughput", "a b", "键", "", "=1+1",
)  # fmt: skip
NUMBERS = (
    "0", "1", "-0.0", "nan", "inf", "-inf", "1e308", "1e-320", "1e999", "9" * 400, "0.1.2", "np.float64(0.5)",
    "np.int32(3)", "None", "True", "", "1_000", "١٢", "0x10", "tensor(1.)", "12 - 3", "--", "1,5",
)  # fmt: skip
WORDS = (
    "(TaskRunner pid=4021) ", "\x1b[36m(WorkerDict pid=7)\x1b[0m ", "INFO 12-31 23:59:59 ", "\ufeff", "  ",
    "Training Progress:  33%|███▎      | 50/150 [1:02:03<2:04:05, 74.4s/it]\r",
    "[repeated 7x across cluster] ",
)  # fmt: skip
LINES = (
    "Traceback (most recent call last):\n", '  File "main_ppo.py", line 1, in <module>\n', "ValueError: x\n",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n", "\n", "\r\n", "\0\0\0\0\n",
    "Setting global step to 40\n", "Found checkpoint: /x/global_step_40\n", "wandb: Run summary:\n",
    "slurmstepd: error: *** JOB 7 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n", "step:\n",
    "step:7\n", "Final validation metrics: {'val/x': 0.5}\n", "[prompt] a\n[response] b\n[score] 1.0\n",
    "x" * 9000 + "\n", "step:5 - " * 300 + "\n", "{" * 3000 + "\n", "'a': [" * 2000 + "\n",
)  # fmt: skip


def garbled(seed: int) -> bytes:
    """A damaged log."""
    chance = random.Random(seed)
    whole = _console(chance) if chance.random() < 0.7 else chance.choice([data for _, data in FILES.values()])
    for _ in range(chance.choice([0, 0, 1, 1, 2, 5])):
        whole = chance.choice(DAMAGES)(chance, whole)
    return gzip.compress(whole)[: chance.choice([None, 200, -9])] if chance.random() < 0.05 else whole


def _console(chance: random.Random) -> bytes:
    lines = [_config(chance)] if chance.random() < 0.5 else []
    step, seen = (
        chance.choice([0, 1, 1, 40, 10**9, 10**14]),
        chance.sample(KEYS, chance.randint(1, len(KEYS))),
    )
    for _ in range(chance.choice([0, 1, 3, 30, 120])):
        step += chance.choice([1] * 12 + [0, 2, -5, 1000])
        cells = (f"{key}:{_number(chance)}" for key in seen if chance.random() < 0.97)
        lines.append(" - ".join([f"{_word(chance)}step:{step}", *cells]) + "\n")
        if chance.random() < 0.3:
            lines.append(_word(chance) + chance.choice(LINES))
    return "".join(lines).encode("utf-8", "surrogatepass")


def _word(chance: random.Random) -> str:
    return chance.choice(WORDS) if chance.random() < 0.2 else ""


def _number(chance: random.Random) -> str:
    return (
        chance.choice(NUMBERS)
        if chance.random() < 0.08
        else repr(chance.gauss(0, 10 ** chance.randint(-6, 6)))
    )


def _config(chance: random.Random) -> str:
    values = [*NUMBERS, "it's {a}", "${oc.env:X}", 8, None, [], {}, 1e-6, True]
    names = ("algorithm", "adv_estimator", "trainer", "experiment_name", "n", "rollout", "data", "a.b", "")

    def table(depth: int) -> dict[str, object]:
        return {
            name: table(depth - 1) if depth and chance.random() < 0.5 else chance.choice(values)
            for name in chance.sample(names, chance.randint(1, 5))
        }

    return pprint.pformat(table(3), width=chance.choice([20, 80])) + "\n"


# ---- damage ----


def _cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _hole(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[at + chance.choice([1, 40, 5000]) :]


def _bytes(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(chance.choice([1, 30, 3000])) + data[at:]


def _zeros(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + bytes(4096) + data[at:]


def _twice(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data + data[at:]


def _woven(chance: random.Random, data: bytes) -> bytes:
    """Two writers at once: the order of lines, and pieces of them, are mixed."""
    pieces = data.splitlines(keepends=True)
    chance.shuffle(pieces)
    return b"".join(piece[: chance.choice([None, None, None, 30])] for piece in pieces)


def _narrow(chance: random.Random, data: bytes) -> bytes:
    width = chance.choice([80, 512, 4096])
    return b"\n".join(line[:width] for line in data.split(b"\n"))


def _other_code(chance: random.Random, data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode(
        chance.choice(["utf-16", "gb18030", "utf-8-sig"]), "replace"
    )


DAMAGES: Sequence[Callable[[random.Random, bytes], bytes]] = (
    _cut, _hole, _bytes, _zeros, _twice, _woven, _narrow, _other_code,
)  # fmt: skip

# ---- board.toml ----

VALUES = (
    "1", "-1", "0.5", '""', '"2b"', '"E3"', "true", "[]", "[1, 129]", "[129, 1]", "[1]",
    '["a"]', "{}", "inf", "nan", '{zh = "标题", en = "t"}', "1979-05-27", '"' + "x" * 5000 + '"',
    "99999999999999999999", '"\\u0000"', "[[[[]]]]",
)  # fmt: skip


def board_toml(seed: int) -> str:
    """The example of the documentation with values, keys and tables exchanged; not always TOML."""
    chance = random.Random(seed)
    lines = EXAMPLE.splitlines()
    for _ in range(chance.randint(0, 12)):
        at = chance.randrange(len(lines))
        name, _, _ = lines[at].partition("=")
        value, track = chance.choice(VALUES), chance.choice(["overview", "7b", "..", "__proto__"])
        lines[at] = chance.choice((
            f"{name}= {value}", f"{name}x = {value}", lines[chance.randrange(len(lines))],
            f"[{name.strip()}]", f"[tracks.{track}]", f"[{chance.choice(['tracks', 'colours', 'hooks'])}]",
            lines[at][: chance.randrange(len(lines[at]) + 1)], "",
        ))  # fmt: skip
    return "\n".join(lines)


def _notes(chance: random.Random) -> bytes:
    """A file of notes, one of its lines damaged."""
    notes = [
        {
            "id": str(n),
            "run": "e1_grpo_2b",
            "start": n,
            "end": n + chance.choice([0, 5, -1]),
            "text": "x",
            "written": "",
        }
        for n in range(5)
    ]
    return chance.choice(DAMAGES)(chance, b"\n".join(map(orjson.dumps, notes)))


# ---- what a reader of the board does ----


def write_folder(folder: Path, seed: int) -> None:
    """Logs of two experiments, beside them a file and a board.toml."""
    for nth, name in enumerate(("e1_grpo_2b", "e2_dapo_4b")):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "train.log").write_bytes(garbled(2 * seed + nth))
    name, data = random.Random(seed).choice(list(FILES.values()))
    (folder / name.rpartition("/")[2]).write_bytes(data)
    (folder / FILE).write_bytes(_notes(random.Random(seed)))
    (folder / "board.toml").write_text(board_toml(seed), encoding="utf-8", errors="replace")


def exercise(folder: Path, cache: Path) -> int:
    """Check every file, open every page, drawer and episode, take the CSV. Returns the number of runs."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = check_log(path)
        json.dumps(entry)
        describe(entry)
    config, problems = read_config(folder / "board.toml")
    list(map(str, problems))
    assert isinstance(read_annotations(folder / FILE), Annotations)
    board = BoardReader(Source((folder,), config, problems), cache).read()
    manifest = shell.manifest(board)
    answers: list[object] = [manifest]
    for tab in manifest["tabs"]:
        answers += [
            nodes(pages.page(board, tab)),
            figures.payload(board, tab, {"pin": list(KEYS), "x": "hours"}),
        ]
    for run in manifest["runs"]:
        drawer = opened(board, run["key"], {}, None)
        assert drawer is not None
        raw_view(drawer)
        for one in run["episodes"]:
            answers.append(nodes(episode.episode_page(board, run["track"], one["id"])))
            answers.append(episode.episode_figures(board, run["track"], one["id"], {}))
    orjson.dumps(answers, option=orjson.OPT_SERIALIZE_NUMPY)
    views = [run.view for run in board.runs]
    for query in (Query(smoothing="mean5"), Query(wide=True, policy="all")):
        "".join(csv_chunks(views, query)).encode("utf-8", "replace")
    return len(board.runs)
