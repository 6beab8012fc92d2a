"""Everything an operator can set: command line first, then environment, then the default."""

from __future__ import annotations

import argparse
import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_loaders.cache.place import default_cache_dir
from data_loaders.remote_files import is_url, unsupported

ENVIRONMENT = "RLBOARD_"
MOST_PASSWORD = 1024
"""Characters."""


class StartError(Exception):
    """Why a board cannot start, as a sentence for the operator."""


def is_loopback(host: str) -> bool:
    """Whether an address to listen on, or one that calls, is this machine's own."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


@dataclass(frozen=True)
class Settings:
    """What the command line decided. Paths are as given; roots are resolved by the scan."""

    roots: tuple[Path, ...] = ()
    remotes: tuple[str, ...] = ()
    """Addresses of further roots, such as `sftp://host/archive`."""
    config: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8050
    base_path: str = "/"
    allowed_hosts: tuple[str, ...] = ()
    """Names, beside those of this machine, under which the board is reached."""
    password: str = field(default="", repr=False)
    password_file: Path | None = None
    no_password: bool = False
    """Whether anybody who reaches the board may see it."""
    lang: str = "auto"
    cache_dir: Path = Path()
    demo: bool = False
    demo_live: bool = False
    follow_links: bool = False
    read_only: bool = False
    """Whether nobody may write notes."""
    allow_hooks: bool = False
    """Whether the command of board.toml is run for events."""
    interval: float = 1.0
    """Seconds between two looks at the logs while a page is open."""
    threads: int = 16
    """Requests at a time: most of them wait for an answer that another one is making."""
    broker: str = ""
    """Address of the Redis that hands work to Celery workers; empty to read in this machine's processes."""


def _env(name: str, default: str) -> str:
    return os.environ.get(ENVIRONMENT + name, default)


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Options of every sub-command that reads a board."""
    group = parser.add_argument_group("what to read")
    group.add_argument(
        "--logs",
        action="append",
        default=[],
        metavar="DIR",
        help="folder, file or address (sftp://host/folder) with logs; may be given several times",
    )
    group.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        default=_env("CONFIG", "") or None,
        help="board.toml with titles, tracks, notes (default: ./board.toml, or the one in a root)",
    )
    group.add_argument("--demo", action="store_true", help="use the synthetic demo data")
    group.add_argument(
        "--cache-dir",
        type=Path,
        metavar="DIR",
        default=_env("CACHE_DIR", "") or None,
        help="folder of parsed logs (default: the account's cache folder)",
    )
    group.add_argument(
        "--follow-links", action="store_true", help="follow symbolic links that leave the given folders"
    )


def port_number(text: str) -> int:
    """A TCP port; 0 lets the system choose. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def add_server_options(parser: argparse.ArgumentParser) -> None:
    """Options of `serve`, the default command."""
    group = parser.add_argument_group("server")
    group.add_argument(
        "--host", default=_env("HOST", "127.0.0.1"), help="address to listen on (default: %(default)s)"
    )
    group.add_argument(
        "--port", type=port_number, default=_env("PORT", "8050"), help="port (default: %(default)s)"
    )
    group.add_argument(
        "--base-path",
        default=_env("BASE_PATH", "/"),
        metavar="PATH",
        help="path prefix behind a proxy, such as /rl/ (default: %(default)s)",
    )
    group.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="name under which browsers reach the board, such as board.lab; may be given several times",
    )
    add_password_options(group)
    add_language_option(group)
    add_broker_option(group)
    group.add_argument("--read-only", action="store_true", help="show notes, and let nobody write any")
    group.add_argument(
        "--allow-hooks",
        action="store_true",
        help="run the command of board.toml for each grave episode, crash and end",
    )
    group.add_argument(
        "--demo-live", action="store_true", help="demo data that grows by a step every few seconds"
    )


def add_password_options(group: argparse._ArgumentGroup) -> None:
    """Who may see a board. No default of the environment: help would show it."""
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--password",
        metavar="TEXT",
        help="what browsers are asked for; `ps` shows it, so rather set RLBOARD_PASSWORD"
        " (default: beyond loopback a token that is printed, on loopback nothing)",
    )
    one.add_argument(
        "--password-file", type=Path, metavar="FILE", help="file whose first line is the password"
    )
    one.add_argument(
        "--no-password", action="store_true", help="show everything to everybody who reaches the port"
    )


def add_broker_option(parser: argparse._ActionsContainer) -> None:
    """Where web processes and workers meet."""
    parser.add_argument(
        "--broker",
        default=_env("BROKER", ""),
        metavar="URL",
        help="Redis (redis://127.0.0.1:6379/0) through which `python -m app worker` processes read logs",
    )


def add_language_option(parser: argparse._ActionsContainer) -> None:
    """Language of a page that is served or written."""
    parser.add_argument(
        "--lang",
        choices=("auto", "zh", "en"),
        default=_env("LANG", "auto"),
        help="language of the pages (default: the browser's)",
    )


def from_arguments(args: argparse.Namespace) -> Settings:
    """Settings of a parsed command line; missing server options keep their defaults."""
    base = "/" + str(getattr(args, "base_path", "/")).strip("/")
    return Settings(
        roots=tuple(Path(root) for root in args.logs if not is_url(root)),
        remotes=tuple(root for root in args.logs if is_url(root)),
        config=Path(args.config) if args.config else None,
        host=getattr(args, "host", "127.0.0.1"),
        port=getattr(args, "port", 8050),
        base_path=base if base == "/" else base + "/",
        allowed_hosts=tuple(getattr(args, "allowed_host", ())) or _listed(_env("ALLOWED_HOSTS", "")),
        **_password(args),
        lang=getattr(args, "lang", "auto"),
        cache_dir=Path(args.cache_dir) if args.cache_dir else default_cache_dir(),
        demo=args.demo or getattr(args, "demo_live", False),
        demo_live=getattr(args, "demo_live", False),
        follow_links=args.follow_links,
        read_only=getattr(args, "read_only", False),
        allow_hooks=getattr(args, "allow_hooks", False),
        broker=getattr(args, "broker", ""),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _password(args: argparse.Namespace) -> dict[str, Any]:
    """What the command line says of the password; without a word there, what the environment says."""
    given = {name: getattr(args, name, None) for name in ("password", "password_file", "no_password")}
    if any(value not in (None, False) for value in given.values()):
        return {name: value for name, value in given.items() if value is not None}
    file = _env("PASSWORD_FILE", "")
    return {"password": _env("PASSWORD", ""), "password_file": Path(file) if file else None}


def usage_error(parser: argparse.ArgumentParser, settings: Settings) -> str:
    """Message for roots that cannot be read at all; empty when there is something to read."""
    if settings.broker and settings.demo_live:
        return f"{parser.prog}: --demo-live writes its own logs, so it is for one process, without --broker"
    if len(settings.password) > MOST_PASSWORD:
        return f"{parser.prog}: a password has at most {MOST_PASSWORD} characters"
    if refused := next(filter(None, map(unsupported, settings.remotes)), ""):
        return f"{parser.prog}: {refused}"
    missing = [str(root) for root in settings.roots if not root.exists()]
    if missing and len(missing) == len(settings.roots) and not settings.remotes:
        return f"{parser.prog}: nothing to read: {', '.join(missing)} does not exist"
    return ""
