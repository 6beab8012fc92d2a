"""Log bytes → runs. From a notebook: `from data_loaders import load`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from data_loaders.handle import load

__all__ = ["load"]


def __getattr__(name: str) -> Any:
    """`load` comes with pandas and everything that reads; the package itself comes with nothing."""
    if name == "load":
        from data_loaders.handle import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
