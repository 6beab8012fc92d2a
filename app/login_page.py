"""The page that asks for the password: one form, no script, nothing to fetch."""

from __future__ import annotations

import base64
import hashlib

from components.text import said
from data_loaders.schema import Note

from .html_text import escape

FIELD = "token"
"""Name of the form's field, and of the part of an address that opens the board with one click."""

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; place-items: center; min-height: 90vh; margin: 0; }
main { box-sizing: border-box; width: min(24rem, 100vw); padding: 1.5rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
label { display: block; margin-bottom: .25rem; }
input, button { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; }
button { margin-top: .75rem; cursor: pointer; }
:is(input, button):focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
[role=alert] { margin: 0 0 .75rem; font-weight: 600; }
small { display: block; margin-top: 1rem; opacity: .8; }
"""

PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · RL Board</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{problem}<form method="post">
<input name="username" autocomplete="username" value="rl-board" hidden>
<label for="{field}">{label}</label>
<input id="{field}" name="{field}" type="password" autocomplete="current-password" required autofocus>
<button>{go}</button>
</form>
<small>{where}</small>
</main>
</body>
</html>
"""

_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def login_page(lang: str, problem: Note | None = None) -> str:
    """The page in `zh` or `en`, with what was wrong with the last attempt."""

    def text(note: Note) -> str:
        return escape(said(note)[lang == "en"])

    told = f'<p role="alert">{text(problem)}</p>\n' if problem else ""
    return PAGE.format(
        lang="en" if lang == "en" else "zh-CN",
        style=STYLE,
        field=FIELD,
        problem=told,
        **{name: text(Note(f"login.{name}")) for name in ("title", "label", "go", "where")},
    )
