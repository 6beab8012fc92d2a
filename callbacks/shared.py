"""Answers that many pages ask for at once are made once.

They are kept as JSON: the objects of a page take eight times as much.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import orjson


class SharedAnswers:
    """Keeps the latest answers by what decides them. Who asks while one is made waits for it."""

    def __init__(self, most: int = 24) -> None:
        self._most = most
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """The answer of a name, made now when it is not here. It is the caller's own."""
        return orjson.loads(self.encoded(name, make))

    def encoded(self, name: Hashable, make: Callable[[], Any]) -> bytes:
        """The same as JSON."""
        with self._lock:
            if name not in self._answers:
                self._answers[name] = orjson.dumps(make())
                if len(self._answers) > self._most:
                    self._answers.popitem(last=False)
            self._answers.move_to_end(name)
            return self._answers[name]

    def known(self, name: Hashable) -> Any:
        """The answer of a name if it is here, else None."""
        with self._lock:
            kept = self._answers.get(name)
        return None if kept is None else orjson.loads(kept)
