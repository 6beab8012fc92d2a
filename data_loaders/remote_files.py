"""Files behind an address (`sftp://`, `s3://`, … through fsspec): what is there, and bytes of it.

Whatever goes wrong is a `RemoteError` with a message for the page. Needs the extra `remote`.
"""

from __future__ import annotations

import importlib.util
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from data_loaders.scan.tree import LOG_NAME, ScanLimits, Skipped, error_text, printable
from data_loaders.schema import Json, Note

URL = re.compile(r"[a-z][a-z0-9+.-]*(?:::[a-z][a-z0-9+.-]*)*://", re.IGNORECASE)
SUMMARY_NAME = re.compile(r".*summary\.json", re.DOTALL)
INSTALL = "pip install 'rl-board[remote]'"
TAGS = (
    "ETag",
    "etag",
    "md5Hash",
    "version_id",
    "ino",
    "mtime",
    "LastModified",
    "last_modified",
    "updated",
    "created",
)
"""Fields of a listing that change when a file is replaced."""
TIMES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")
SINGLE = ("remote.denied", "remote.missing")
"""Errors that say something of one file or folder, not of the connection."""
LONGEST_NAME = 255
"""Bytes of a file name that local file systems take."""


class RemoteError(Exception):
    """Why an address cannot be read; `note.key` is one of `remote.*`."""

    def __init__(self, note: Note) -> None:
        super().__init__(note.key)
        self.note = note


class RemoteFile(NamedTuple):
    """A file as it was listed. `place` is its path below the root, empty for a root that is a file."""

    path: str
    place: tuple[str, ...]
    size: int
    tag: str
    """Changes when the file is replaced."""
    modified: float | None
    """Epoch seconds, where the server says."""


def is_url(text: str) -> bool:
    """Whether a root is an address and no local path."""
    return URL.match(text) is not None


def shown_url(url: str) -> str:
    """An address for display: without password, key and query."""
    return printable(re.sub(r"(://[^/@:]*):[^/@]*@", r"\1@", url).partition("?")[0])


def unsupported(url: str) -> str:
    """Why this installation cannot read such an address, for the terminal; empty when it can."""
    if importlib.util.find_spec("fsspec") is None:
        return f"{shown_url(url)}: remote folders need more packages: {INSTALL}"
    try:
        with _told(url):
            _class_of(url)
    except RemoteError as error:
        return f"{shown_url(url)}: {error.note.values.get('error', error.note.key)}"
    return ""


class RemoteFolder:
    """An open connection to the folder or file an address names."""

    def __init__(self, url: str) -> None:
        """Connect. Raises RemoteError."""
        self.url = url
        with _told(url):
            self._class = _class_of(url)
            import fsspec

            # Instances are shared between threads otherwise, and not every kind may be.
            self._files, self.root = fsspec.core.url_to_fs(url, skip_instance_cache=True)

    def close(self) -> None:
        """End the connection where the kind of address knows how to."""
        with suppress(Exception):
            getattr(self._files, "close", lambda: None)()

    def files(self, limits: ScanLimits, skipped: list[Skipped]) -> list[RemoteFile]:
        """Logs under the root, and summaries beside them. Folders that cannot be read go to `skipped`."""
        self._files.invalidate_cache()
        with _told(self.url):
            top = self._files.info(self.root)
            if top["type"] != "directory":
                return list(self._file(top, (), skipped))
        found: list[RemoteFile] = []
        queue: deque[tuple[str, tuple[str, ...]]] = deque([(self.root, ())])
        folders = 0
        while queue:
            folder, place = queue.popleft()
            folders += 1
            if folders > limits.folders or len(found) >= limits.files:
                kind, limit = (
                    ("folders", limits.folders) if folders > limits.folders else ("files", limits.files)
                )
                skipped.append(Skipped(self._shown(folder), f"skip.too_many_{kind}", {"limit": str(limit)}))
                break
            for entry in self._entries(folder, place, skipped):
                name = PurePosixPath(entry["name"].rstrip("/")).name
                if entry["type"] == "directory" and len(place) < limits.depth:
                    queue.append((entry["name"], (*place, name)))
                elif entry["type"] == "directory":
                    skipped.append(
                        Skipped(self._shown(entry["name"]), "skip.too_deep", {"limit": str(limits.depth)})
                    )
                else:
                    found += self._file(entry, (*place, name), skipped)
        return found[: limits.files]

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """Bytes of a file; fewer when it has become shorter. Raises RemoteError."""
        with _told(self.url):
            data: bytes = self._files.cat_file(file.path, start=start, end=end)
            return data[: end - start]

    def _entries(self, folder: str, place: tuple[str, ...], skipped: list[Skipped]) -> list[Json]:
        """What a folder holds and may be used, by name."""
        try:
            with _told(self.url):
                entries = self._files.ls(folder, detail=True)
        except RemoteError as error:
            if not place or error.note.key not in SINGLE:
                raise
            skipped.append(Skipped(self._shown(folder), "skip.unreadable", error.note.values))
            return []
        usable = []
        for entry in sorted(_inside(folder, entries), key=lambda entry: str(entry["name"])):
            name = entry["name"].rpartition("/")[2]
            if name.startswith("."):
                skipped.append(Skipped(self._shown(entry["name"]), "skip.hidden"))
            elif "\0" in name or len(name.encode("utf-8", "surrogateescape")) > LONGEST_NAME:
                skipped.append(Skipped(self._shown(entry["name"]), "skip.remote_name"))
            else:
                usable.append(entry)
        return usable

    def _file(self, entry: Json, place: tuple[str, ...], skipped: list[Skipped]) -> Iterator[RemoteFile]:
        if place and not (LOG_NAME.fullmatch(place[-1]) or SUMMARY_NAME.fullmatch(place[-1])):
            return
        if entry["type"] != "file":
            skipped.append(Skipped(self._shown(entry["name"]), "skip.remote_link"))
        elif entry.get("size") is None:
            skipped.append(Skipped(self._shown(entry["name"]), "skip.remote_size"))
        else:
            tag = " ".join(str(entry[name]) for name in TAGS if entry.get(name) is not None)
            yield RemoteFile(entry["name"], place, int(entry["size"]), tag, _epoch(entry))

    def _shown(self, path: str) -> str:
        below = path.rstrip("/").removeprefix(self.root.rstrip("/"))
        return shown_url(self.url).rstrip("/") + printable(below)


def _inside(folder: str, entries: Iterable[Json]) -> Iterator[Json]:
    """Entries of the folder itself: some kinds list it too, and a server may answer anything."""
    for entry in entries:
        above, _, name = entry["name"].rstrip("/").rpartition("/")
        if name not in ("", ".", "..") and above.strip("/") == folder.strip("/"):
            yield {**entry, "name": f"{above}/{name}" if above or entry["name"].startswith("/") else name}


def _epoch(entry: Json) -> float | None:
    """When a file was written last."""
    for name in TIMES:
        value = entry.get(name)
        if isinstance(value, int | float):
            return float(value)
        if isinstance(value, str):
            with suppress(ValueError):
                value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    return None


def _class_of(url: str) -> Any:
    """The class that reads such addresses. Raises ImportError, ValueError."""
    import fsspec

    for protocol in ("sftp", "ssh"):
        fsspec.register_implementation(protocol, "data_loaders.sftp_files.KnownHostSFTP", clobber=True)
    return fsspec.get_filesystem_class(urlsplit(url).scheme)


KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("remote.extra", ("ImportError", "ModuleNotFoundError")),
    ("remote.auth", ("AuthenticationException", "NoCredentialsError", "PartialCredentialsError")),
    ("remote.host_key", ("BadHostKeyException",)),
    ("remote.denied", ("PermissionError",)),
    ("remote.missing", ("FileNotFoundError", "NotADirectoryError")),
    ("remote.unknown", ("ValueError",)),
)
"""Message by the name of an error or of a class it derives from; anything else is `remote.down`."""


@contextmanager
def _told(url: str) -> Iterator[None]:
    """Turn every error of a remote library into a RemoteError: each kind of address raises its own."""
    try:
        yield
    except RemoteError:
        raise
    except Exception as error:
        names = {kind.__name__ for kind in type(error).__mro__}
        key = next((key for key, kinds in KINDS if names & set(kinds)), "remote.down")
        text = _without_secrets(error_text(error), url)
        if key == "remote.down" and "known_hosts" in text:
            key = "remote.host_key"
        raise RemoteError(Note(key, {"error": text})) from error


def _without_secrets(text: str, url: str) -> str:
    with suppress(ValueError):
        password = urlsplit(url).password
        text = text.replace(password, "***") if password else text
    return text.replace(url, shown_url(url))
