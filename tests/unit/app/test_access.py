"""The password, the cookie that stands for it, and the limit of attempts."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.__main__ import build_parser
from app.access import LIFETIME, MOST_OF_ALL, MOST_OF_ONE, WINDOW, Attempts, Key, key_of
from app.settings import Settings, StartError, from_arguments, is_loopback

NOW = 1_800_000_000.0


def settings(tmp_path: Path, *words: str) -> Settings:
    return from_arguments(build_parser().parse_args(["--cache-dir", str(tmp_path), *words]))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.3", "localhost", "::1", "[::1]", "::ffff:127.0.0.1"])
def test_loopback_asks_for_nothing(host: str, tmp_path: Path) -> None:
    assert is_loopback(host)
    assert key_of(settings(tmp_path, "--host", host)) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.9", "lab", "::ffff:10.0.0.1", "127.1"])
def test_anything_else_asks_for_a_token_that_stays(host: str, tmp_path: Path) -> None:
    assert not is_loopback(host)
    key = key_of(settings(tmp_path, "--host", host))
    assert key is not None
    assert key.generated
    assert len(key.password) >= 32
    again = key_of(settings(tmp_path, "--host", host))
    assert again == key
    file = tmp_path / "access-token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_operator_may_say_otherwise(tmp_path: Path) -> None:
    assert key_of(settings(tmp_path, "--host", "0.0.0.0", "--no-password")) is None


def test_a_password_holds_on_loopback_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "word"
    file.write_text("from file\r\nsecond line\n")
    ways = {
        "typed": settings(tmp_path, "--password", "typed"),
        "from file": settings(tmp_path, "--password-file", str(file)),
    }
    monkeypatch.setenv("RLBOARD_PASSWORD", "from environment")
    ways["from environment"] = settings(tmp_path)
    monkeypatch.setenv("RLBOARD_PASSWORD_FILE", str(file))
    for password, asked in ways.items():
        key = key_of(asked)
        assert key is not None
        assert (key.password, key.generated) == (password, False)
        assert password not in repr(key) + repr(asked)
    assert key_of(settings(tmp_path, "--no-password")) is None  # the command line comes first


@pytest.mark.parametrize("content", [b"", b"\nlater\n", b"x" * 2000, b"\xff\xfe"])
def test_a_password_file_that_holds_none(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "word"
    file.write_bytes(content)
    with pytest.raises(StartError, match="--password-file"):
        key_of(settings(tmp_path, "--password-file", str(file)))
    with pytest.raises(StartError, match="--password-file"):
        key_of(settings(tmp_path, "--password-file", str(tmp_path / "nowhere")))


def test_one_of_password_and_no_password(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        settings(tmp_path, "--password", "x", "--no-password")


KEY = Key("correct horse")


@given(st.text())
def test_only_the_password_opens(offered: str) -> None:
    assert KEY.opens(offered) == (offered == "correct horse")


def test_an_endless_attempt_is_not_looked_at() -> None:
    assert not Key("x" * 5000).opens("x" * 5000)


def test_a_ticket_is_good_until_its_end_and_for_its_key_only() -> None:
    ticket = KEY.ticket(NOW)
    assert "correct" not in ticket
    assert KEY.knows(ticket, NOW + LIFETIME - 1)
    assert not KEY.knows(ticket, NOW + LIFETIME)
    assert Key("correct horse", generated=True).knows(ticket, NOW)  # another process
    assert not Key("another").knows(ticket, NOW)
    assert Key("another").cookie != KEY.cookie
    until, _, signed = ticket.partition(".")
    for forged in (f"{int(until) + 1}.{signed}", f"{until}.", f"{until}.{signed[:-1]}0é", signed, "", "."):
        assert not KEY.knows(forged, NOW)


@given(st.text(max_size=200))
def test_no_ticket_is_made_up(ticket: str) -> None:
    assert not KEY.knows(ticket, NOW)


def test_attempts_of_one_address() -> None:
    attempts = Attempts()
    assert [attempts.wait("a", NOW + n) for n in range(MOST_OF_ONE)] == [0] * MOST_OF_ONE
    wait = attempts.wait("a", NOW + 20)
    assert 0 < wait <= WINDOW
    assert attempts.wait("b", NOW + 20) == 0
    assert attempts.wait("a", NOW + 20 + wait) == 0  # the oldest no longer counts


def test_who_knows_the_password_begins_anew() -> None:
    attempts = Attempts()
    for _ in range(3 * MOST_OF_ONE):
        assert attempts.wait("a", NOW) == 0
        attempts.forgive("a")


def test_many_addresses_are_limited_together_and_take_no_room() -> None:
    attempts = Attempts()
    let_in = sum(attempts.wait(f"10.0.{n // 256}.{n % 256}", NOW) == 0 for n in range(5000))
    assert let_in == MOST_OF_ALL
    assert len(attempts._failed) <= MOST_OF_ALL
    assert attempts.wait("new", NOW + WINDOW + 1) == 0
    assert len(attempts._failed) == 1
