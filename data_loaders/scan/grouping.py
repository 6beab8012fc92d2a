"""Log files → experiments: which files are one run, and what it is called. Works on names alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from data_loaders.catalog import label_in
from data_loaders.scan.tree import RECORD_NAME, Candidate, printable

STAMP = re.compile(
    r"(?<!\d)(20\d\d)[-_]?([01]\d)[-_]?([0-3]\d)"
    r"(?:[-_T ]?([0-2]\d)[-_:.]?([0-5]\d)(?:[-_:.]?([0-5]\d))?)?(?!\d)"
)
WANDB_RUN = re.compile(r"(?:offline-)?run-\d{8}_\d{6}-\w+")
TOKENS = re.compile(r"[^-_. ]+")
SUFFIX = re.compile(r"\.(?:log|out|txt|err|jsonl|json|csv)(?:\.gz)?$|\.gz$", re.IGNORECASE)
EVENTS = re.compile(r"\.tfevents\.(\d{10})\b")
"""In the name of an event file the second at which it was begun."""

# Words that say "a log" and not which.
FILE_WORDS = frozenset(
    {
        *("log", "logs", "out", "output", "outputs", "stdout", "stderr", "err", "error", "console", "nohup"),
        *("train", "training", "trainer", "main", "run", "job", "slurm", "driver", "verl"),
        *("rank", "node", "worker", "part", "resume", "resumed", "restart", "retry"),
        *("full", "latest", "last", "final"),
        *("metrics", "metric", "state", "history", "events", "export", "tensorboard", "swanlab", "wandb"),
    }
)
FILE_STEMS = frozenset({"main_ppo", "run_ppo", "train_ppo", "main_task"})
FOLDER_WORDS = FILE_WORDS | {
    *("file", "files", "data", "tmp", "wandb", "hydra", "archive", "archives", "checkpoint", "checkpoints"),
    *("result", "results", "runs", "exp", "exps", "experiment", "experiments"),
}

MAX_ID = 120
ID_RESERVED = str.maketrans({",": "_", "#": "_"})
"""The comma separates ids in a link, and `#` numbers the runs of an experiment."""


class Log(NamedTuple):
    """A file that belongs to some experiment, with what a look into it told."""

    file: Candidate
    experiment: str
    """Experiment name as logged, empty when it logs none."""
    start: float
    """Epoch seconds at which it started, as far as can be told."""
    format: str = ""
    """Name of its loader; empty when that is not known yet."""


@dataclass(frozen=True, slots=True)
class Group:
    """The logs of one experiment in start order."""

    id: str
    """Printable and unique among all groups."""
    name: str
    """The folder or file name that the id was made from."""
    folders: tuple[str, ...]
    """Names of the folders above, nearest first, the root's own name last."""
    root: Path
    logs: tuple[Path, ...]


def is_train_log(name: str) -> bool:
    """Whether a file name is `train_<…>`, the name that launch scripts give to the log of an experiment."""
    return re.fullmatch(r"train[-_].*\.log(?:\.gz)?", name, re.IGNORECASE | re.DOTALL) is not None


def stem(name: str) -> str:
    """A file name without the suffix of a log."""
    return SUFFIX.sub("", name) or name


def name_time(name: str) -> float | None:
    """Epoch seconds of the time stamp in a file name (`train_20260712_185929`), read as UTC."""
    if begun := EVENTS.search(name):
        return float(begun[1])
    for found in STAMP.finditer(name):
        try:
            return datetime(*(int(part or 0) for part in found.groups()), tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
        except ValueError:  # 20260231
            continue
    return None


def natural(text: str) -> list[tuple[int, int, str]]:
    """Sort key in which `e10` follows `e9`."""
    parts = re.split(r"([0-9]+)", text.casefold())
    return [(0, int(part), "") if i % 2 else (1, 0, part) for i, part in enumerate(parts)]


def group(logs: Iterable[Log]) -> list[Group]:
    """Experiments of a set of logs, under unique ids."""
    folders: dict[tuple[Path, tuple[str, ...]], list[Log]] = defaultdict(list)
    for log in logs:
        folders[log.file.root, log.file.folders].append(log)
    homes: dict[_Home, list[Log]] = defaultdict(list)
    for (root, names), members in folders.items():
        for log, home in _assign(root, names, members):
            homes[home].append(log)
    together = under_one_name(homes)
    found = sorted(together.items(), key=lambda item: (str(item[0].root), *item[0].place))
    return [
        Group(
            id=id_,
            name=home.name,
            folders=(*reversed(home.place[:-1]), *([home.root.name] if home.place else [])),
            root=home.root,
            logs=tuple(log.file.path for log in sorted(members, key=_start)),
        )
        for (home, members), id_ in zip(found, unique_ids([home for home, _ in found]), strict=True)
    ]


class _Home(NamedTuple):
    """What an experiment is named by: a folder, or one file."""

    root: Path
    place: tuple[str, ...]
    """Folders from the root down to the naming folder, and the file where it is named by a file."""
    name: str


def under_one_name(homes: Mapping[_Home, list[Log]]) -> dict[_Home, list[Log]]:
    """Homes of records moved to the console log of the same training.

    verl names the JSONL and the event files of a run by its experiment, which the console log prints. A
    record stays alone where several logs have that name, or where one of its own format does.
    """
    kept = dict(homes)
    for home, logs in homes.items():
        if not all(RECORD_NAME.fullmatch(log.file.name) for log in logs):
            continue
        formats = {log.format for log in logs}
        hosts = [
            other
            for other, others in kept.items()
            if other != home
            and home.name in {other.name, *(log.experiment for log in others)}
            and not formats & {log.format for log in others}
        ]
        consoles = [o for o in hosts if not all(RECORD_NAME.fullmatch(log.file.name) for log in kept[o])]
        if len(hosts := consoles or hosts) == 1:
            kept[hosts[0]] = [*kept[hosts[0]], *kept.pop(home)]
    return kept


def _start(log: Log) -> tuple[float, list[tuple[int, int, str]]]:
    return log.start, natural(log.file.path.name)


def _means(words: frozenset[str], name: str) -> bool:
    """Whether a name holds a word that is neither a number nor one of the given."""
    tokens = TOKENS.findall(STAMP.sub(" ", name.lower()))
    return any(not token.isdigit() and token not in words for token in tokens)


def _folder_means(name: str) -> bool:
    return WANDB_RUN.fullmatch(name) is not None or _means(FOLDER_WORDS, name)


def _file_means(name: str) -> bool:
    if EVENTS.search(name):
        return False
    return stem(name).lower() not in FILE_STEMS and _means(FILE_WORDS, stem(name))


def _naming_folder(root: Path, folders: tuple[str, ...]) -> tuple[_Home, bool]:
    """The folder that names the logs below it, and whether it surely stands for one experiment.

    That is the nearest one whose name says more than `logs` or `run`. It surely is one experiment when the
    name has a label (`e3_…`) and when it is a wandb run or a child of `archive`; otherwise numbers below it
    (`run_2`, `2026-07-12/18-59-29`) tell its runs apart.
    """
    means = next((i for i in range(len(folders), 0, -1) if _folder_means(folders[i - 1])), 0)
    name = folders[means - 1] if means else ""
    parent = (root.name, *folders)[means - 1] if means else ""
    if means and (label_in(name) or WANDB_RUN.fullmatch(name) or parent.lower() == "archive"):
        return _Home(root, folders[:means], name), True
    numbered = [i for i in range(means, len(folders)) if re.search(r"\d", folders[i])]
    if numbered:
        names = [folders[i] for i in numbered]
        sure = bool(label_in(names[0])) or (root.name, *folders)[numbered[0]].lower() == "archive"
        return _Home(root, folders[: numbered[-1] + 1], "/".join([name, *names] if name else names)), sure
    if not means:
        name = next((p.name for p in (root, root.parent) if _folder_means(p.name)), "")
    return _Home(root, folders[:means], name), bool(label_in(name))


def _assign(root: Path, folders: tuple[str, ...], logs: Sequence[Log]) -> Iterable[tuple[Log, _Home]]:
    """Give each log of one folder the experiment it belongs to: the folder's, or one of its own.

    A folder below the root that holds one log is the folder of a run. Otherwise logs with a name of their
    own (`lr1.log`) are separate runs, unless the folder surely is one experiment; even there a log with
    another label stands for itself.
    """
    home, sure = _naming_folder(root, folders)
    own = [log for log in logs if _file_means(log.file.name) or not RECORD_NAME.fullmatch(log.file.name)]
    alone, below = len(own or logs) == 1 or not (own or _repeats(logs)), bool(home.place)
    one_name = len({log.experiment for log in logs if log.experiment}) <= 1
    for log in logs:
        file = log.file.name
        if not home.name:
            in_folder = False
        elif _file_means(file):
            other_label = label_in(stem(file)) not in ("", label_in(home.name))
            in_folder = (sure or (alone and below and not RECORD_NAME.fullmatch(file))) and not other_label
        elif is_train_log(file) and name_time(file) is not None:
            in_folder = True
        else:
            in_folder = sure or alone or (below and one_name)
        yield log, home if in_folder else _Home(root, (*folders, file), stem(file))


def _repeats(logs: Sequence[Log]) -> bool:
    """Whether two logs are of one format."""
    return len({log.format for log in logs}) < len(logs)


def unique_ids(homes: Sequence[_Home]) -> list[str]:
    """Ids by name; equal names in one root become paths, in several roots get the root's name in front."""
    ids = [printable_id(home.name) for home in homes]
    paths = ["/".join((*home.place[:-1], home.name)) for home in homes]
    full = ["/".join(home.place) for home in homes]
    _respell(ids, lambda i: (homes[i].root, ids[i]), lambda i: printable_id(paths[i]))
    _respell(ids, lambda i: (homes[i].root, ids[i]), lambda i: printable_id(full[i]))
    _respell(ids, lambda i: ids[i], lambda i: printable_id(f"{homes[i].root.name}/{ids[i]}"))
    taken: set[str] = set()
    for i, id_ in enumerate(ids):
        number = 1
        while ids[i] in taken:
            number += 1
            ids[i] = f"{id_}~{number}"
        taken.add(ids[i])
    return ids


def _respell(ids: list[str], key: Callable[[int], object], spell: Callable[[int], str]) -> None:
    """Spell anew, in place, every id whose key another id has too."""
    keys = [key(i) for i in range(len(ids))]
    times = Counter(keys)
    ids[:] = [spell(i) if times[keys[i]] > 1 else id_ for i, id_ in enumerate(ids)]


def printable_id(name: str) -> str:
    """An id for display, links and files of tables; never used as a path. Never empty."""
    text = " ".join(printable(name).translate(ID_RESERVED).split())
    return text if 0 < len(text) <= MAX_ID else text[: MAX_ID - 1] + "…" if text else "run"
