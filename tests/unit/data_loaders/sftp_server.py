"""An SFTP server on loopback that shows one folder to one user. For tests only."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import paramiko

USER, PASSWORD = "reader", "s3cret-word"


class SftpServer:
    """Listens until `stop`. `read` counts the bytes that were sent as file contents."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        self.key = paramiko.RSAKey.generate(2048)
        self.read = 0
        self.logins = 0
        self._transports: list[paramiko.Transport] = []
        self._listen(port)

    def _listen(self, port: int) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, args=(self._socket,), daemon=True)
        self._thread.start()

    @property
    def known_host(self) -> str:
        """Line of a known_hosts file."""
        return f"[127.0.0.1]:{self.port} {self.key.get_name()} {self.key.get_base64()}\n"

    def url(self, path: str = "/", password: str = PASSWORD) -> str:
        return f"sftp://{USER}:{password}@127.0.0.1:{self.port}{path}"

    def drop(self) -> None:
        """End every connection, and go on listening."""
        for transport in self._transports:
            transport.close()
        self._transports.clear()

    def stop(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=10)
        self.drop()

    def restart(self) -> None:
        self._listen(self.port)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            transport = paramiko.Transport(client)
            transport.add_server_key(self.key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Folder, self)
            self._transports.append(transport)
            with suppress(paramiko.SSHException, EOFError, OSError):
                transport.start_server(server=_Login(self))


class _Login(paramiko.ServerInterface):
    def __init__(self, server: SftpServer) -> None:
        self.server = server

    def check_auth_password(self, username: str, password: str) -> int:
        if (username, password) != (USER, PASSWORD):
            return paramiko.AUTH_FAILED
        self.server.logins += 1
        return paramiko.AUTH_SUCCESSFUL

    def get_allowed_auths(self, _username: str) -> str:
        return "password"

    def check_channel_request(self, _kind: str, _chanid: int) -> int:
        return paramiko.OPEN_SUCCEEDED


class _Folder(paramiko.SFTPServerInterface):
    def __init__(self, _login: Any, server: SftpServer, *more: Any, **named: Any) -> None:
        super().__init__(_login, *more, **named)
        self.server = server

    def _path(self, path: str) -> Path:
        return self.server.folder / self.canonicalize(path).lstrip("/")

    def list_folder(self, path: str) -> Any:
        try:
            found = []
            for name in os.listdir(self._path(path)):
                entry = paramiko.SFTPAttributes.from_stat((self._path(path) / name).lstat())
                entry.filename = name
                found.append(entry)
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)
        return found

    def stat(self, path: str) -> Any:
        try:
            return paramiko.SFTPAttributes.from_stat(self._path(path).stat())
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    lstat = stat

    def open(self, path: str, flags: int, _attr: Any) -> Any:
        try:
            file = self._path(path).open("rb")
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)
        handle = _Handle(flags)
        handle.readfile = file
        handle.server = self.server
        return handle


class _Handle(paramiko.SFTPHandle):
    readfile: Any
    server: SftpServer

    def read(self, offset: int, length: int) -> Any:
        data = super().read(offset, length)
        if isinstance(data, bytes):
            self.server.read += len(data)
        return data

    def stat(self) -> Any:
        return paramiko.SFTPAttributes.from_stat(os.fstat(self.readfile.fileno()))


@contextmanager
def sftp_server(folder: Path) -> Iterator[SftpServer]:
    """Run a server until the block ends."""
    server = SftpServer(folder)
    try:
        yield server
    finally:
        server.stop()
