"""Who may see the board: a password, the cookie that stands for it, and a limit of attempts.

A board that others can reach over the network asks for a password. Who knows it gets a cookie that every web
process with the same password understands, so that no process remembers anybody.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .kept_file import kept
from .settings import MOST_PASSWORD, Settings, StartError, is_loopback

DAYS = 30
LIFETIME = DAYS * 24 * 3600
"""Seconds for which a browser is known."""
WINDOW = 60.0
"""Seconds for which a wrong password counts."""
MOST_OF_ONE, MOST_OF_ALL = 10, 100
"""Wrong passwords in `WINDOW` from one address and from all, in one process."""


@dataclass(frozen=True)
class Key:
    """The password of a board, as far as it has to be known."""

    password: str = field(repr=False)
    generated: bool = False
    """Made by the board itself, so the operator has to be told."""

    @property
    def cookie(self) -> str:
        """Name of the cookie. Boards on other ports of this host are other boards to the browser too."""
        return f"rl-board-{self._signed('name')[:8]}"

    def opens(self, offered: str) -> bool:
        """Whether this is the password, in a time that tells nothing of it."""
        if len(offered) > MOST_PASSWORD:
            return False
        ours, theirs = (_digest(text) for text in (self.password, offered))
        return hmac.compare_digest(ours, theirs)

    def ticket(self, now: float) -> str:
        """Value of the cookie of somebody who knew the password: when it ends, signed."""
        until = str(int(now) + LIFETIME)
        return f"{until}.{self._signed(until)}"

    def knows(self, ticket: str, now: float) -> bool:
        """Whether a cookie was made by us and has not ended."""
        until, _, signed = ticket.partition(".")
        right = hmac.compare_digest(self._signed(until).encode(), signed.encode("utf-8", "replace"))
        return right and until.isdecimal() and now < int(until)

    @cached_property
    def _sign(self) -> bytes:
        # Slow on purpose: a cookie that was overheard must not give a weak password away.
        return hashlib.scrypt(self.password.encode(), salt=b"rl-board cookie", n=2**14, r=8, p=1, dklen=32)

    def _signed(self, text: str) -> str:
        return hmac.new(self._sign, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def key_of(settings: Settings) -> Key | None:
    """The key of a board; None when it asks for none. Raises StartError.

    Beyond loopback there is always one unless the operator says otherwise; without a password it is a token
    that stays in the cache folder, so that restarts and further web processes take the same.
    """
    if settings.no_password:
        return None
    if settings.password_file is not None:
        return Key(_password_in(settings.password_file))
    if settings.password:
        return Key(settings.password)
    if is_loopback(settings.host):
        return None
    token = kept(settings.cache_dir / "access-token", lambda: secrets.token_urlsafe(24).encode())
    return Key(token.decode("utf-8", "replace").strip(), generated=True)


def _password_in(path: Path) -> str:
    """First line of a password file. Raises StartError."""
    try:
        with path.open(encoding="utf-8") as file:
            password = file.readline(MOST_PASSWORD + 1).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StartError(f"--password-file {path}: {getattr(error, 'strerror', None) or error}") from error
    if not 0 < len(password) <= MOST_PASSWORD:
        raise StartError(f"--password-file {path}: the first line must hold 1 to {MOST_PASSWORD} characters")
    return password


class Attempts:
    """Wrong passwords of the last `WINDOW` seconds by address. Bounded, for whoever tries in whatever way."""

    def __init__(self) -> None:
        self._failed: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def wait(self, who: str, now: float | None = None) -> int:
        """Seconds to wait before the next attempt; at 0 this one is counted, and may be made."""
        now = time.monotonic() if now is None else now
        with self._lock:
            self._forget(now)
            own = self._failed.get(who, [])
            everybody = [moment for moments in self._failed.values() for moment in moments]
            for moments, most in ((own, MOST_OF_ONE), (everybody, MOST_OF_ALL)):
                if len(moments) >= most:
                    return int(WINDOW - (now - min(moments))) + 1
            self._failed.setdefault(who, []).append(now)
            return 0

    def forgive(self, who: str) -> None:
        """The password was right."""
        with self._lock:
            self._failed.pop(who, None)

    def _forget(self, now: float) -> None:
        recent = {who: [m for m in moments if now - m < WINDOW] for who, moments in self._failed.items()}
        self._failed = {who: moments for who, moments in recent.items() if moments}
