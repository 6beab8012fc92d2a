"""What requests the board answers, and what its answers carry."""

from __future__ import annotations

import hashlib
import io
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import diskcache
import pytest
from dash import DiskcacheManager
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.access import MOST_OF_ONE, Key
from app.factory import create_app
from app.guard import MOST_ADDRESS, MOST_BODY, from_our_page, host_name, hosts
from app.login_page import POLICY, STYLE, login_page
from app.settings import Settings
from components.text import TEXT
from data_loaders.board import BoardReader, Source
from tests.growing import log_path, text, write

PASSWORD = "correct horse"
REMOTE = {"REMOTE_ADDR": "10.1.2.3"}
CALLBACK = "_dash-update-component"
Build = Callable[..., FlaskClient]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """A client of a board: `build(key=…, base_path="/rl/")`."""
    write(log_path(tmp_path / "logs", "e1_grpo_2b"), text(1, 4))
    jobs = diskcache.Cache(str(tmp_path / "cache" / "jobs"))

    def built(key: Key | None = None, **options: Any) -> FlaskClient:
        settings = Settings(cache_dir=tmp_path / "cache", **options)
        reader = BoardReader(Source((tmp_path / "logs",)), settings.cache_dir)
        reader.read()
        return create_app(settings, reader, DiskcacheManager(jobs), key).server.test_client()

    yield built
    jobs.close()


@pytest.fixture
def client(build: Build) -> FlaskClient:
    return build()


@pytest.fixture
def locked(build: Build) -> FlaskClient:
    return build(Key(PASSWORD))


def directives(answer: TestResponse) -> dict[str, str]:
    parts = [part.strip().partition(" ") for part in answer.headers["Content-Security-Policy"].split(";")]
    return {name: rest for name, _, rest in parts}


# ---- Host ----


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost:8050", "localhost"),
        ("LOCALHOST", "localhost"),
        ("lab.example.", "lab.example"),
        ("[::1]:80", "[::1]"),
        ("127.0.0.1:1", "127.0.0.1"),
        ("", ""),
        ("a b", ""),
        ("a/b", ""),
        ("user@localhost", ""),
        ("localhost:8050:1", ""),
        ("localhost\r\nX: y", ""),
        ("lоcalhost", ""),  # a Cyrillic letter
    ],
)
def test_host_names(header: str, name: str) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:9999", "127.0.0.1:8050", "10.0.0.7", "[::1]:8050", socket.gethostname()]
)
def test_own_names_and_numeric_addresses_are_answered(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/csv", f"/{CALLBACK}", "/_dash-layout", "/assets/ui.css"])
@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3.4.5", ""]
)
def test_a_foreign_name_that_points_here_reads_nothing(client: FlaskClient, host: str, path: str) -> None:
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 403
    assert b"e1_grpo" not in answer.data


def test_the_operator_names_further_hosts(build: Build) -> None:
    client = build(allowed_hosts=("Board.Lab",))
    assert client.get("/", headers={"Host": "board.lab:80"}).status_code == 200
    said = client.get("/", headers={"Host": "other.lab"}).text
    assert "--allowed-host other.lab" in said
    assert "board.lab" in hosts(Settings(allowed_hosts=("Board.Lab",)))


# ---- Origin ----

FOREIGN: tuple[dict[str, str], ...] = (
    {"Origin": "http://evil.example"},
    {"Origin": "http://localhost:8051"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://[", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-site"},
)
OURS: tuple[dict[str, str], ...] = (
    {},
    {"Origin": "http://localhost"},
    {"Origin": "https://LOCALHOST"},
    {"Origin": "https://board.lab", "Sec-Fetch-Site": "same-origin"},
)


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_pages_of_others_send_nothing(client: FlaskClient, headers: dict[str, str], method: str) -> None:
    assert client.open(f"/{CALLBACK}", method=method, headers=headers, json={}).status_code == 403


@pytest.mark.parametrize("headers", OURS)
def test_our_own_page_does(client: FlaskClient, headers: dict[str, str]) -> None:
    with client.application.test_request_context("/", headers=headers) as context:
        assert from_our_page(context.request)


def test_behind_a_tunnel_the_port_is_that_of_the_browser(client: FlaskClient) -> None:
    headers = {"Host": "localhost:9999", "Origin": "http://localhost:9999"}
    with client.application.test_request_context("/", headers=headers) as context:
        assert from_our_page(context.request)


# ---- sizes ----


def test_oversized_bodies(client: FlaskClient, locked: FlaskClient) -> None:
    for each in (client, locked):
        answer = each.post(f"/{CALLBACK}", data=b"x" * (MOST_BODY + 1), content_type="application/json")
        assert answer.status_code == 413
    told = client.post(f"/{CALLBACK}", environ_overrides={"CONTENT_LENGTH": str(10**15)})
    assert told.status_code == 413


def test_a_body_that_hides_its_size(client: FlaskClient) -> None:
    """Chunked: no length is told, so it is counted while it is read."""
    answer = client.open(
        f"/{CALLBACK}",
        method="POST",
        input_stream=_endless(),
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert answer.status_code == 413


def _endless() -> io.BytesIO:
    return io.BytesIO(b'{"a":"' + b"x" * (2 * MOST_BODY))


def test_endless_addresses(client: FlaskClient) -> None:
    assert client.get("/csv?exp=" + "x" * MOST_ADDRESS).status_code == 414


@pytest.mark.parametrize("field", ["exp", "metrics", "track"])
def test_a_question_names_so_many_things(client: FlaskClient, field: str) -> None:
    answer = client.get(f"/csv?{field}=" + ",".join(str(n) for n in range(5000)))
    assert answer.status_code == 400
    assert field in answer.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"output": 3}',
        b"\xff" * 50,
        b"[" * 20000,
        b'{"output": "x.y", "inputs": []}',
    ],
)
def test_nonsense_in_place_of_a_callback_tells_nothing(client: FlaskClient, body: bytes) -> None:
    answer = client.post(f"/{CALLBACK}", data=body, content_type="application/json")
    assert answer.status_code >= 400
    assert b"Traceback" not in answer.data
    assert b"/work" not in answer.data


# ---- the password ----


def test_nothing_is_shown_without_the_password(locked: FlaskClient) -> None:
    paths = (
        "/", "/csv", "/_dash-layout", "/_dash-dependencies", "/assets/ui.css", "/static-files/plotly.min.js",
        "/_reload-hash", "/_favicon.ico", "/nowhere", "/_dash-component-suites/dash/deps/react.js",
    )  # fmt: skip
    for path in paths:
        answer = locked.get(path)
        assert answer.status_code == 401, path
        assert b"e1_grpo" not in answer.data
    assert locked.post(f"/{CALLBACK}", json={}).status_code == 401
    assert locked.put("/csv").status_code == 401


@pytest.mark.parametrize("way", ["link", "form"])
def test_the_password_opens_and_a_cookie_keeps_it_open(locked: FlaskClient, way: str) -> None:
    query = {"tab": "2b", "steps": "1-3"}
    if way == "link":
        answer = locked.get("/", query_string={**query, "token": PASSWORD})
    else:
        answer = locked.post("/", query_string=query, data={"token": PASSWORD})
    assert answer.status_code == 303
    assert answer.location == "/?tab=2b&steps=1-3"  # the view, without the password
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "Secure" not in cookie
    assert PASSWORD not in cookie
    assert locked.get("/").status_code == 200
    assert locked.get("/csv").status_code == 200


def test_the_cookie_stays_within_https_and_the_path(build: Build) -> None:
    client = build(Key(PASSWORD), base_path="/rl/")
    answer = client.get(f"/rl/?token={PASSWORD}", base_url="https://localhost")
    cookie = {part.strip() for part in answer.headers["Set-Cookie"].split(";")}
    assert {"Secure", "Path=/rl/"} <= cookie
    assert answer.location == "/rl/"


@pytest.mark.parametrize("path", ["//evil.example/", "/%2F%2Fevil.example", "/\\evil.example", "/csv"])
def test_it_leads_to_no_other_site(locked: FlaskClient, path: str) -> None:
    query = {"token": PASSWORD, "next": "http://evil.example"}
    answer = locked.get("/", query_string=query, environ_overrides={"PATH_INFO": path})
    assert answer.status_code == 303
    assert answer.location.startswith("/?next=")


def test_a_wrong_password_says_so_and_opens_nothing(locked: FlaskClient) -> None:
    answer = locked.post("/", data={"token": "wrong"}, headers={"Accept-Language": "en"})
    assert answer.status_code == 401
    assert TEXT["login.wrong"][1] in answer.text
    assert "Set-Cookie" not in answer.headers
    assert locked.get("/").status_code == 401


def test_brute_force(locked: FlaskClient) -> None:
    for number in range(MOST_OF_ONE):
        assert locked.get(f"/?token={number}").status_code == 401
    answer = locked.get(f"/?token={PASSWORD}")
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 61
    assert locked.post("/", data={"token": PASSWORD}).status_code == 429
    assert locked.get("/csv?token=x").status_code == 429
    other = locked.get(f"/?token={PASSWORD}", environ_overrides=REMOTE)
    assert other.status_code == 303


def test_forwarding_headers_make_no_new_address(locked: FlaskClient) -> None:
    answers = [
        locked.get("/?token=x", headers={"X-Forwarded-For": f"10.0.0.{n}", "Forwarded": f"for=10.0.0.{n}"})
        for n in range(MOST_OF_ONE + 1)
    ]
    assert answers[-1].status_code == 429


def test_a_network_of_addresses_is_one(locked: FlaskClient) -> None:
    answers = [
        locked.get("/?token=x", environ_overrides={"REMOTE_ADDR": f"2001:db8:1:2::{n:x}"})
        for n in range(MOST_OF_ONE + 1)
    ]
    assert answers[-1].status_code == 429


def test_who_is_inside_is_not_shut_out_by_others(locked: FlaskClient) -> None:
    inside = locked.application.test_client()
    inside.get(f"/?token={PASSWORD}")
    for number in range(MOST_OF_ONE + 5):
        locked.get(f"/?token={number}")
    assert inside.get("/").status_code == 200


def test_a_forged_or_old_cookie(locked: FlaskClient) -> None:
    key = Key(PASSWORD)
    for ticket in (
        "",
        "x",
        f"{10**12}.{'0' * 64}",
        key.ticket(time.time() - 10**8),
        Key("y").ticket(time.time()),
    ):
        locked.set_cookie(key.cookie, ticket)
        assert locked.get("/").status_code == 401
    locked.set_cookie(key.cookie, key.ticket(time.time()))
    assert locked.get("/").status_code == 200


def test_without_a_password_other_machines_are_refused(build: Build) -> None:
    """So a WSGI server that was bound to every address shows nothing by accident."""
    client = build()
    assert client.get("/").status_code == 200
    assert client.get("/", environ_overrides={"REMOTE_ADDR": ""}).status_code == 200  # a socket file
    answer = client.get("/", environ_overrides=REMOTE)
    assert answer.status_code == 403
    assert "RLBOARD_PASSWORD" in answer.text
    assert build(no_password=True).get("/", environ_overrides=REMOTE).status_code == 200


@pytest.mark.parametrize(
    ("wanted", "lang", "shown"),
    [("auto", "zh-CN,en;q=0.5", 0), ("auto", "en-GB", 1), ("auto", "fr", 1), ("zh", "en", 0)],
)
def test_the_login_page_speaks_the_language(build: Build, wanted: str, lang: str, shown: int) -> None:
    page = build(Key(PASSWORD), lang=wanted).get("/", headers={"Accept-Language": lang}).text
    assert TEXT["login.title"][shown] in page
    assert TEXT["login.title"][1 - shown] not in page


def test_the_login_page_needs_nothing_else(locked: FlaskClient) -> None:
    answer = locked.get("/?tab=<script>alert(1)</script>&lang=%22onload=%22")
    assert "alert(" not in answer.text
    assert not re.search(r"<script|src=|url\(|@import|https?:", answer.text)
    assert STYLE in answer.text
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["Cache-Control"] == "no-store"
    assert login_page("en").count("<label") == 1


# ---- headers ----


def test_headers_of_every_answer(client: FlaskClient, locked: FlaskClient) -> None:
    answers = [client.get(path) for path in ("/", "/csv", "/nowhere", "/assets/ui.css", "/static-files/x")]
    answers += [locked.get("/"), locked.get("/csv"), client.get("/", headers={"Host": "evil.example"})]
    answers += [client.post(f"/{CALLBACK}", data=b"{")]
    for answer in answers:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "camera=()" in answer.headers["Permissions-Policy"]
        assert directives(answer)["frame-ancestors"] == "'none'"
        assert "Access-Control-Allow-Origin" not in answer.headers
        answer.close()


def test_only_our_own_scripts_run(client: FlaskClient) -> None:
    policy = directives(client.get("/"))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    sources = policy["script-src"].split()
    assert sources[0] == "'self'"
    assert all(source.startswith("'sha256-") for source in sources[1:])
    assert len(sources) > 1


# ---- files ----


def test_what_browsers_keep_for_a_year_is_named_by_its_content(client: FlaskClient) -> None:
    addresses = re.findall(r'"(/static-files/[^"]+)"', client.get("/").text)
    assert {address.split('/')[2].partition('?')[0] for address in addresses} == {
        "plotly.min.js", "bootstrap.min.css", "board.js", "board.css"
    }  # fmt: skip
    for address in addresses:
        answer = client.get(address)
        assert hashlib.sha256(answer.data).hexdigest().startswith(address.partition("?v=")[2] or "none")
        assert "max-age" in answer.headers["Cache-Control"]


PATHS = (
    "/assets/../app/guard.py",
    "/assets/..%2fapp/guard.py",
    "/assets/%2e%2e/pyproject.toml",
    "/assets//etc/passwd",
    "/assets/..\\pyproject.toml",
    "/static-files/../pyproject.toml",
    "/static-files/%2e%2e%2fpyproject.toml",
    "/_dash-component-suites/dash/../../../etc/passwd",
    "/_dash-component-suites/dash/..%2f..%2fdash.py",
    "/_dash-component-suites/os/environ",
    "/csv/../../etc/passwd",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
)


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leaves_what_is_served(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert b"root:" not in answer.data
    assert b"[build-system]" not in answer.data
    assert b"def " not in answer.data
    # What is no route is the page itself: Dash serves it for every path.
    assert answer.status_code in (400, 404, 500) or answer.mimetype == "text/html"


@pytest.mark.parametrize(
    "value", ["../../../etc/passwd", "/etc/passwd", "..\\..", "%2e%2e%2f", "\x00", "file:///etc/passwd"]
)
@pytest.mark.parametrize("field", ["exp", "track", "metrics", "ep", "smooth", "steps", "seg", "units"])
def test_no_part_of_a_question_is_a_path(client: FlaskClient, field: str, value: str) -> None:
    answer = client.get("/csv", query_string={field: value})
    assert b"root:" not in answer.data
    assert answer.status_code in (200, 400)


# ---- background jobs ----


@pytest.mark.parametrize("handle", ["{pid}", "{pid}.forged", "|{pid}|", "{pid}.{mac}"])
@pytest.mark.parametrize("field", ["job", "oldJob", "cancelJob"])
def test_a_forged_handle_ends_no_process(client: FlaskClient, field: str, handle: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        forged = handle.format(pid=process.pid, mac="0" * 64)
        for body in ({}, reading_callback(client)):
            answer = client.post(f"/{CALLBACK}?{field}={quote(forged)}&cacheKey={quote(forged)}", json=body)
            assert b"e1_grpo" not in answer.data
        assert process.poll() is None
    finally:
        process.communicate(b"\n", timeout=20)


def test_a_forged_key_reads_no_result(client: FlaskClient, tmp_path: Path) -> None:
    with diskcache.Cache(str(tmp_path / "cache" / "jobs")) as jobs:
        jobs.set("another-page", {"secret": "of another page"})
        for key in ("another-page", "another-page.0", "another-page-progress"):
            answer = client.post(f"/{CALLBACK}?cacheKey={key}&job=1", json=reading_callback(client))
            assert b"of another page" not in answer.data


def reading_callback(client: FlaskClient) -> dict[str, Any]:
    """Body of a request that asks for the background reading."""
    wired = client.get("/_dash-dependencies").get_json()
    spec = next(each for each in wired if each["background"])
    name, prop = spec["output"].strip(".").rsplit(".", 1)
    return {
        "output": spec["output"],
        "outputs": {"id": name, "property": prop},
        "inputs": [{**each, "value": None} for each in spec["inputs"]],
        "state": [{**each, "value": "token"} for each in spec["state"]],
        "changedPropIds": [],
    }
