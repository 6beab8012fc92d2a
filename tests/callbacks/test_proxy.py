"""Web processes behind nginx under a sub-path, with the lines that the README gives."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.growing import append, line, log_path, text, write
from tests.redis.page import Page, get
from tests.redis.processes import running
from tests.serving import ROOT, free_port

SERVER = """
{user} daemon off; pid {folder}/nginx.pid; error_log stderr notice; events {{}}
http {{
  access_log off; default_type text/plain;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; {location} }}
}}
"""


def nginx() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip("no nginx on this machine")
    return found


def documented(pattern: str) -> str:
    """What the README says between the parentheses of a pattern."""
    found = re.search(pattern, (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None, pattern
    return found[1]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write(log_path(tmp_path / "archive"), text(1, 20))


@pytest.fixture
def address(tmp_path: Path, log: Path) -> Iterator[str]:
    """Address of the board as browsers get it."""
    pytest.importorskip("gunicorn")
    program, inner, outer = nginx(), free_port(), free_port()
    location = documented(r"^(location .*?)\n```").replace(":8050", f":{inner}")
    base = documented(r"(--base-path /\w+/)")
    words = f"--logs {log.parents[2]} --cache-dir {tmp_path}/cache {base}"
    options = ["--workers", "2", "--threads", "8", "--bind", f"127.0.0.1:{inner}", "--no-control-socket"]
    user = "user root;" if os.getuid() == 0 else ""  # else its workers may not write below `tmp_path`
    server = SERVER.format(user=user, folder=tmp_path, port=outer, location=location)
    config = write(tmp_path / "nginx.conf", server)
    gunicorn = [sys.executable, "-m", "gunicorn", *options, f"app.wsgi:board({words!r})"]
    proxy = [program, "-e", "stderr", "-c", str(config), "-p", str(tmp_path)]
    with running(gunicorn, tmp_path, "Listening at"), running(proxy, tmp_path, "start worker process "):
        yield f"http://localhost:{outer}{base.split()[1].rstrip('/')}"


def test_pages_work_under_the_sub_path(address: str, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = urllib.request.build_opener()
    browser.addheaders = [("Origin", address.rpartition("/")[0])]  # as on a network without https
    monkeypatch.setattr(urllib.request, "_opener", browser)
    page = Page(address)
    manifest = page.read()
    assert [(run["id"], run["last"]) for run in manifest["runs"]] == [("e1_grpo_2b", 20)]
    assert len(page.tab(manifest, "2b")) == 2
    assert page.csv().count(b"\r\n") > 100
    append(log, line(21))
    while (last := page.manifest()["runs"][0]["last"]) == 20:  # what another page was told a moment ago
        threading.Event().wait(0.1)
    assert last == 21
    html, site = get(f"{address}/").decode(), address.rpartition("/")[0]
    links = re.findall(r'(?:src|href)="([^"]+)"', html)
    assert len(links) > 20
    for link in links:
        assert link.startswith("/rl/"), link
        assert get(site + link)
