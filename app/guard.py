"""What every request has to pass, and what every answer carries.

A request names a host that is ours (else a foreign name that was made to point here could read the board),
comes from a page of ours when it may change something, is small, and is sent by who may see the board.
Answers forbid the browser whatever the board does not need.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlencode

from dash import Dash
from flask import Request, Response, redirect, request

from data_loaders.schema import Note

from .access import LIFETIME, Attempts, Key
from .login_page import FIELD, POLICY, login_page
from .settings import Settings, is_loopback

MOST_BODY = 1 << 20
"""Bytes of a request's body; what a page sends is some KB."""
MOST_ADDRESS = 32 << 10
"""Bytes of an address; a link of a page has less than 2,000, a CSV of hundreds of runs has more."""
READ_ONLY = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?", re.IGNORECASE)
_IP = re.compile(r"\[.*\]|\d{1,3}(\.\d{1,3}){3}")

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Rules(NamedTuple):
    """What this board lets in."""

    base: str
    hosts: frozenset[str]
    key: Key | None
    everybody: bool
    """Without a key: whether others than this machine may come."""
    lang: str


def protect(app: Dash, settings: Settings, key: Key | None) -> None:
    """Guard all routes of an application whose callbacks are registered."""
    rules = Rules(settings.base_path, hosts(settings), key, settings.no_password, settings.lang)
    attempts = Attempts()
    policy = content_policy(app.csp_hashes())
    app.server.config["MAX_CONTENT_LENGTH"] = MOST_BODY

    @app.server.before_request
    def pass_or_refuse() -> Response | None:
        return refused(request, rules) or asked_for_key(request, rules, attempts)

    @app.server.after_request
    def seal(answer: Response) -> Response:
        for name, value in HEADERS.items():
            answer.headers[name] = value
        answer.headers.setdefault("Content-Security-Policy", policy)
        answer.headers.setdefault("Cache-Control", "private, no-cache")
        return answer


def content_policy(hashes: Iterable[str]) -> str:
    """Content-Security-Policy of the pages. `hashes` are those of Dash's own inline scripts.

    Styles may stand in the page: plotly.js and Dash make `style` elements and attributes while they run.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {' '.join(hashes)}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def hosts(settings: Settings) -> frozenset[str]:
    """Names under which the board answers. Numeric addresses always do: no foreign name is behind them."""
    names = ("localhost", socket.gethostname(), settings.host, *settings.allowed_hosts)
    return frozenset(name.lower().rstrip(".") for name in names if name)


def host_name(host: str) -> str:
    """The name in a Host header, without port; empty when it is none."""
    found = _HOST.fullmatch(host)
    return found[1].lower().rstrip(".") if found else ""


def refused(asked: Request, rules: Rules) -> Response | None:
    """The answer to a request that nobody may make."""
    if len(asked.full_path) > MOST_ADDRESS:
        return plain(414, "The address is too long.")
    if (asked.content_length or 0) > MOST_BODY:
        return plain(413, f"A request may carry {MOST_BODY} bytes.")
    name = host_name(asked.headers.get("Host", ""))
    if not (name in rules.hosts or _IP.fullmatch(name)):
        return plain(403, f"This board is not known as {name!r}. Its operator can add --allowed-host {name}")
    if asked.method not in READ_ONLY and not from_our_page(asked):
        return plain(403, "This request comes from a page of another site.")
    return None


def from_our_page(asked: Request) -> bool:
    """Whether a browser sent the request from a page of this board, or no browser did.

    Browsers say so themselves where the address is https or loopback; elsewhere they name the page's origin.
    """
    if site := asked.headers.get("Sec-Fetch-Site"):
        return site in ("same-origin", "none")
    origin = asked.headers.get("Origin")
    return origin is None or origin.partition("://")[2].lower() == asked.headers.get("Host", "").lower()


def asked_for_key(asked: Request, rules: Rules, attempts: Attempts) -> Response | None:
    """None for somebody who may see the board; else the login page, or what comes of an attempt."""
    key, who = rules.key, asked.remote_addr or ""
    if key is None:  # a socket file has no address: whoever may open it is on this machine
        return None if rules.everybody or not who or is_loopback(who) else plain(403, UNGUARDED)
    offered = asked.args.get(FIELD)
    if key.knows(asked.cookies.get(key.cookie, ""), time.time()):
        return None if offered is None else opened(asked, rules, key)
    if offered is None and asked.method == "POST" and asked.mimetype == "application/x-www-form-urlencoded":
        offered = asked.form.get(FIELD)
    return locked(asked, rules) if offered is None else tried(asked, rules, key, offered, attempts)


def tried(asked: Request, rules: Rules, key: Key, offered: str, attempts: Attempts) -> Response:
    """What comes of an attempt."""
    who = network(asked.remote_addr or "")
    if wait := attempts.wait(who):
        answer = locked(asked, rules, Note("login.wait", {"n": wait}), 429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    if not key.opens(offered):
        return locked(asked, rules, Note("login.wrong"))
    attempts.forgive(who)
    return opened(asked, rules, key)


UNGUARDED = (
    "This board was started for its own machine. Its operator can give it a password (RLBOARD_PASSWORD or "
    "--password-file), or open it to everybody with --no-password."
)


def network(address: str) -> str:
    """Who an address is counted as: with IPv6 everybody has a network of addresses."""
    return ":".join(address.split(":")[:4]) if address.count(":") > 1 and "." not in address else address


def opened(asked: Request, rules: Rules, key: Key) -> Response:
    """To the page that was asked for, without the password in the address, with the cookie."""
    rest = [pair for pair in asked.args.items(multi=True) if pair[0] != FIELD]
    answer: Response = redirect(rules.base + (f"?{urlencode(rest)}" if rest else ""), 303)  # type: ignore[assignment]
    answer.set_cookie(
        key.cookie,
        key.ticket(time.time()),
        max_age=LIFETIME,
        path=rules.base,
        secure=asked.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return answer


def locked(asked: Request, rules: Rules, problem: Note | None = None, status: int = 401) -> Response:
    """The login page where a page was asked for, else a line of text."""
    if asked.path != rules.base:
        return plain(status, "This board asks for a password: open its page first.")
    theirs = "zh" if (asked.accept_languages.best or "").startswith("zh") else "en"
    lang = theirs if rules.lang == "auto" else rules.lang
    answer = Response(login_page(lang, problem), status, mimetype="text/html")
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    return answer


def plain(status: int, text: str) -> Response:
    """A line of text as an answer."""
    return Response(f"{text}\n", status, mimetype="text/plain", headers={"Cache-Control": "no-store"})
