"""Roots → files that may be logs, by name. Stays inside the roots and counts all it leaves out."""

from __future__ import annotations

import os
import re
import stat
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_CONSOLE = r".*\.(?:log|out|txt|err)(?:\.gz)?"
"""Also covers `nohup.out`, `slurm-<job>.out` and wandb's `output.log`."""
_RECORD = (
    r"(?!\d+\.jsonl).*\.(?:jsonl|csv)(?:\.gz)?|.*(?:state|history|log)[^.]*\.json(?:\.gz)?|.*\.tfevents\..*"
)
"""`<step>.jsonl` holds sampled answers of one step, and there may be thousands."""
LOG_NAME = re.compile(f"{_CONSOLE}|{_RECORD}", re.IGNORECASE | re.DOTALL)
RECORD_NAME = re.compile(_RECORD, re.IGNORECASE | re.DOTALL)
"""Names of files that programs write for programs; beside the console log of a training, or instead of it."""

SETTLED_NS = 2_000_000_000
"""A folder changed more recently than this may change again without a new time stamp."""


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """How far a scan goes. What lies beyond is counted."""

    depth: int = 8
    """Folders below a root."""
    folders: int = 20_000
    files: int = 10_000
    """Files with the name of a log."""
    listed: int = 200
    """Skipped entries that are named singly."""
    follow_links: bool = False
    """Also where links leave all roots."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something under a root that is not shown, and why."""

    path: str
    """For display: unprintable characters are replaced."""
    reason_key: str
    """Message key `skip.*`, filled with `values`."""
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A regular file with the name of a log. `path` holds no links."""

    path: Path
    root: Path
    """Folder of the root; for a root that is a file, its folder."""
    folders: tuple[str, ...]
    """Names of the folders from the root down to the file."""
    name: str
    """Of the file in these folders; of the link where one led to it."""
    inode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds. Kinds are `d` folder, `f` file, `l` link, `s` anything else."""

    inode: int
    mtime_ns: int
    entries: tuple[tuple[str, str], ...]
    """Name and kind, sorted, without files that do not have the name of a log."""
    others: int
    """Number of those files."""


@dataclass(slots=True)
class Skips:
    """Skipped entries: all are counted by reason, the first `limit` are named."""

    limit: int
    named: list[Skipped] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def count(self, reason_key: str, number: int) -> None:
        """Count without naming."""
        if number:
            self.counts[reason_key] += number

    def add(self, path: str | os.PathLike[str], reason_key: str, **values: str) -> None:
        self.counts[reason_key] += 1
        if len(self.named) < self.limit:
            self.named.append(Skipped(printable(os.fspath(path)), reason_key, values))


def printable(text: str) -> str:
    """A text with every character that could hide, break or reorder it replaced, also undecodable bytes."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def error_text(error: Exception) -> str:
    """What the system says of an error, without the path."""
    return printable(getattr(error, "strerror", None) or str(error) or type(error).__name__)


def resolve_roots(roots: Sequence[Path]) -> tuple[list[Path], list[Skipped]]:
    """Roots without links, each once, and those that cannot be read."""
    resolved: dict[Path, None] = {}
    missing: list[Skipped] = []
    for root in roots:
        try:
            real = root.resolve(strict=True)
            mode = real.stat().st_mode
            if stat.S_ISDIR(mode):
                os.scandir(real).close()
        except FileNotFoundError:
            missing.append(Skipped(printable(str(root)), "root.missing"))
        except (OSError, RuntimeError, ValueError) as error:  # loops of links, NUL in a path
            missing.append(Skipped(printable(str(root)), "root.unreadable", {"error": error_text(error)}))
        else:
            if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
                resolved[real] = None
            else:
                missing.append(Skipped(printable(str(root)), "root.special"))
    return list(resolved), missing


@dataclass(slots=True)
class _Walk:
    roots: Sequence[Path]
    limits: ScanLimits
    skips: Skips
    old: Mapping[Path, Listing]
    listings: dict[Path, Listing] = field(default_factory=dict)
    """Every folder opened, by path."""
    files: dict[Path, Candidate] = field(default_factory=dict)
    links: deque[tuple[Path, Path, tuple[str, ...]]] = field(default_factory=deque)

    def folder_tree(self, folder: Path, root: Path, folders: tuple[str, ...]) -> None:
        """Breadth first, so that a bound cuts off what lies deepest."""
        queue = deque([(folder, folders)])
        while queue:
            folder, folders = queue.popleft()
            if folder in self.listings:
                continue
            if len(self.listings) >= self.limits.folders:
                self.skips.add(folder, "skip.too_many_folders", limit=str(self.limits.folders))
                continue
            for name, kind in self.entries(folder):
                path = folder / name
                if name.startswith("."):
                    self.skips.add(path, "skip.hidden")
                elif kind == "d" and len(folders) >= self.limits.depth:
                    self.skips.add(path, "skip.too_deep", limit=str(self.limits.depth))
                elif kind == "d":
                    queue.append((path, (*folders, name)))
                elif kind == "l":
                    self.links.append((path, root, folders))
                elif kind == "s":
                    self.skips.add(path, "skip.special")
                else:
                    self.file(path, root, folders, name)

    def entries(self, folder: Path) -> tuple[tuple[str, str], ...]:
        """Names and kinds in a folder; read again only when the folder has changed."""
        try:
            found = folder.stat()
            known = self.old.get(folder)
            if known is None or (known.inode, known.mtime_ns) != (found.st_ino, found.st_mtime_ns):
                settled = time.time_ns() - found.st_mtime_ns > SETTLED_NS
                known = _list(folder, found.st_ino, found.st_mtime_ns if settled else -1)
        except OSError as error:
            known = Listing(0, -1, (), 0)
            self.skips.add(folder, "skip.unreadable", error=error_text(error))
        self.listings[folder] = known
        self.skips.count("skip.other_name", known.others)
        return known.entries

    def file(self, path: Path, root: Path, folders: tuple[str, ...], name: str) -> None:
        if path in self.files:
            return
        if len(self.files) >= self.limits.files:
            self.skips.add(path, "skip.too_many_files", limit=str(self.limits.files))
            return
        try:
            found = path.lstat()
        except FileNotFoundError:  # removed since the folder was listed
            return
        except OSError as error:
            self.skips.add(path, "skip.unreadable", error=error_text(error))
            return
        if stat.S_ISREG(found.st_mode):
            size, mtime_ns = found.st_size, found.st_mtime_ns
            self.files[path] = Candidate(path, root, folders, name, found.st_ino, size, mtime_ns)

    def link(self, path: Path, root: Path, folders: tuple[str, ...]) -> None:
        """Follow a link that stays inside the roots; what it leads to is read once, under its own name."""
        try:
            target = path.resolve(strict=True)
            is_folder = target.is_dir()
        except (OSError, RuntimeError) as error:
            self.skips.add(path, "skip.broken_link", error=error_text(error))
            return
        if not is_folder and not LOG_NAME.fullmatch(path.name):
            self.skips.count("skip.other_name", 1)
        elif not (self.limits.follow_links or any(target.is_relative_to(top) for top in self.roots)):
            self.skips.add(path, "skip.link_outside", target=printable(str(target)))
        elif target in self.files or target in self.listings:
            self.skips.add(path, "skip.alias", target=printable(str(target)))
        elif not is_folder:
            self.file(target, root, folders, path.name)
        elif len(folders) >= self.limits.depth:
            self.skips.add(path, "skip.too_deep", limit=str(self.limits.depth))
        else:
            self.folder_tree(target, root, (*folders, path.name))


def walk(
    roots: Sequence[Path], limits: ScanLimits, skips: Skips, listings: dict[Path, Listing]
) -> list[Candidate]:
    """Files under resolved roots that have the name of a log, and roots that are files whatever their name.

    `listings` is what an earlier walk left, or empty; it is brought up to date. Links are followed last, so
    that a file is found at its own place first. Skipped entries go to `skips`.
    """
    state = _Walk(roots, limits, skips, dict(listings))
    for root in roots:
        if root.is_dir():
            state.folder_tree(root, root, ())
        else:
            state.file(root, root.parent, (), root.name)
    while state.links:
        state.link(*state.links.popleft())
    listings.clear()
    listings.update(state.listings)
    return list(state.files.values())


def _list(folder: Path, inode: int, mtime_ns: int) -> Listing:
    entries, others = [], 0
    with os.scandir(folder) as found:
        for entry in found:
            kind = _kind(entry)
            if kind == "f" and not LOG_NAME.fullmatch(entry.name):
                others += 1
            else:
                entries.append((entry.name, kind))
    return Listing(inode, mtime_ns, tuple(sorted(entries)), others)


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "l"
    if entry.is_dir(follow_symlinks=False):
        return "d"
    return "f" if entry.is_file(follow_symlinks=False) else "s"
