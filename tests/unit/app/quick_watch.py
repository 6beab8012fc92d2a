"""`app.wsgi` for gunicorn, with a watch that looks every moment."""

from __future__ import annotations

from app import hooks
from app.wsgi import board

__all__ = ["board"]

hooks.EVERY = 0.05
