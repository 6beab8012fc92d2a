"""The command line as a page of the documentation; `make docs` writes it to docs/cli.md."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from unittest.mock import patch

from .__main__ import build_parser
from .settings import ENVIRONMENT

INTRO = """\
# Command line

Made from the code by `make docs`. Options may also stand in the environment: `RLBOARD_HOST`, `RLBOARD_PORT`,
`RLBOARD_BASE_PATH`, `RLBOARD_ALLOWED_HOSTS` (names between commas), `RLBOARD_PASSWORD`,
`RLBOARD_PASSWORD_FILE`, `RLBOARD_LANG`, `RLBOARD_CONFIG`, `RLBOARD_CACHE_DIR` and `RLBOARD_BROKER`; the
command line comes first.

Exit codes: 0 done; 1 nothing found (`check`: a file without steps); 2 wrong usage, or the board cannot start.
"""


def cli_reference() -> str:
    """Markdown of every command with its options, as they are where no environment says otherwise."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(ENVIRONMENT)}
    with patch.dict(os.environ, ours, clear=True):
        parser = build_parser()
    sections = [INTRO, *_command(parser, "The board is served when no command is named.")]
    for name, about, command in _commands(parser):
        sections += _command(command, f"{about[:1].upper()}{about[1:]}.", name)
    return "\n".join(sections)


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            abouts = {choice.dest: choice.help or "" for choice in action._choices_actions}
            yield from ((name, abouts[name], command) for name, command in action.choices.items())


def _command(parser: argparse.ArgumentParser, about: str, name: str = "") -> Iterator[str]:
    words = " ".join(_spelling(action) for action in parser._actions if _is_word(action))
    usage = " ".join(filter(None, ("python -m app", name, words, "[options]")))
    yield f"## `{usage}`\n\n{about}\n"
    yield "| option | |\n|---|---|"
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.dest == "help":
            continue
        help_ = (action.help or "").replace("%(default)s", str(action.default)).replace("|", "\\|")
        needed = " (needed)" if action.required and not _is_word(action) else ""
        yield f"| `{_spelling(action)}`{needed} | {help_} |".replace("  ", " ")
    yield ""


def _is_word(action: argparse.Action) -> bool:
    return not action.option_strings and not isinstance(action, argparse._SubParsersAction)


def _spelling(action: argparse.Action) -> str:
    """`--logs DIR`, `--lang auto\\|zh\\|en`, `PATH...`"""
    choices = "\\|".join(map(str, action.choices)) if action.choices else ""
    value = choices or str(action.metavar or action.dest.upper()).replace("|", "\\|")
    if _is_word(action):
        return value + ("..." if action.nargs in ("*", "+") else "")
    return " ".join((", ".join(action.option_strings), "" if action.nargs == 0 else value)).strip()


if __name__ == "__main__":
    print(cli_reference(), end="")
