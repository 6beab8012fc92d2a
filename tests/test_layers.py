"""Imports go one way: app → callbacks → components → data_loaders."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("app", "callbacks", "components", "data_loaders")
SHUT_OUT = {
    "data_loaders": {"dash", "plotly", "dash_bootstrap_components", "flask"},
    "components": {"flask", "diskcache"},
}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def _modules() -> list[Path]:
    return [path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_down_only(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    above = set(LAYERS[: LAYERS.index(layer)])
    reached = {name.split(".")[0] for name in _imports(path)}
    assert not reached & (above | SHUT_OUT.get(layer, set()) | {"tests"})


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_components_do_no_input_or_output(path: Path) -> None:
    if path.relative_to(ROOT).parts[0] != "components":
        return
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"open", "callback", "clientside_callback"}


def test_modules_have_one_job() -> None:
    long = {
        str(path.relative_to(ROOT)): n
        for path in _modules()
        if (n := path.read_text("utf-8").count("\n")) > 400
    }
    assert not long


def test_top_level_holds_the_given_folders_only() -> None:
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".")}
    assert {"app", "assets", "callbacks", "components", "data_loaders", "tests"} <= folders
    assert {"utils", "src", "lib", "scripts"}.isdisjoint(folders)
