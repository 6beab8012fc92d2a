"""A reverse proxy as a lab has one: it serves one path of its own, and names the upstream as Host."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

DROPPED = {"host", "connection", "transfer-encoding", "keep-alive"}


@contextmanager
def proxied(upstream: str, path: str) -> Iterator[str]:
    """Address under which the board at `upstream` (its `path` included) is served; everything else is 404."""
    there = urlsplit(upstream)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._forward()

        do_POST = do_GET  # noqa: N815

        def _forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self.path.startswith(path):
                self._answer(404, [], b"")
                return
            connection = http.client.HTTPConnection(there.netloc, timeout=60)
            kept = {name: value for name, value in self.headers.items() if name.lower() not in DROPPED}
            connection.request(self.command, self.path, body or None, kept)
            answer = connection.getresponse()
            with suppress(ConnectionError):  # a page that is loaded anew no longer waits
                self._answer(answer.status, answer.getheaders(), answer.read())
            connection.close()

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in {*DROPPED, "content-length"}:
                    self.send_header(name, value)
            if status not in (204, 304):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if status not in (204, 304):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{path}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
