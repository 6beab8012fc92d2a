"""SFTP as fsspec knows it, with the care of `ssh`: known host keys only, ~/.ssh/config, time limits.

fsspec's own class accepts any host key. Needs the extra `remote` (paramiko).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import paramiko
from fsspec.implementations.sftp import SFTPFileSystem

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 30.0
"""How long a read may take on a connection that stands."""


class KnownHostSFTP(SFTPFileSystem):  # type: ignore[misc]
    """Options are those of `paramiko.SSHClient.connect`; `~/.ssh/config` gives the defaults."""

    def __init__(self, host: str, **options: Any) -> None:
        super().__init__(host, **{"host_key_policy": "reject", **options})

    def _connect(self) -> None:
        told = _ssh_config(self.host)
        self.client = paramiko.SSHClient()
        self.client.load_system_host_keys()
        self.client.set_missing_host_key_policy(self.host_key_policy)
        limits = {
            "timeout": CONNECT_SECONDS,
            "banner_timeout": CONNECT_SECONDS,
            "auth_timeout": CONNECT_SECONDS,
        }
        self.client.connect(told.pop("hostname", self.host), **{**limits, **told, **self.ssh_kwargs})
        transport = self.client.get_transport()
        if transport is not None:
            transport.set_keepalive(int(ANSWER_SECONDS))
        self.ftp = self.client.open_sftp()
        self.ftp.get_channel().settimeout(ANSWER_SECONDS)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        """Bytes of a file, all asked for at once: each answer waited for singly costs a round trip."""
        with self.ftp.open(self._strip_protocol(path), "rb") as file:
            size = file.stat().st_size or 0
            first, last = start or 0, size if end is None else min(end, size)
            return b"".join(file.readv([(first, last - first)])) if last > first else b""

    def close(self) -> None:
        """End the connection."""
        self.client.close()


def _ssh_config(host: str) -> dict[str, Any]:
    """Connect options that `~/.ssh/config` gives for a host."""
    path = Path.home() / ".ssh" / "config"
    if not path.is_file():
        return {}
    told = paramiko.SSHConfig.from_path(str(path)).lookup(host)
    options: dict[str, Any] = {"hostname": told["hostname"]}
    if "port" in told:
        options["port"] = int(told["port"])
    if "user" in told:
        options["username"] = told["user"]
    if "identityfile" in told:
        options["key_filename"] = told["identityfile"]
    return options
