"""Answers that many pages ask for at once are made once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class SharedAnswers:
    """Keeps the latest answers by what decides them. Who asks while one is made waits for it."""

    def __init__(self, most: int = 24) -> None:
        self._most = most
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable, make: Callable[[], Any]) -> Any:
        """The answer of a name, made now when it is not here."""
        with self._lock:
            if name not in self._answers:
                self._answers[name] = make()
                if len(self._answers) > self._most:
                    self._answers.popitem(last=False)
            self._answers.move_to_end(name)
            return self._answers[name]

    def known(self, name: Hashable) -> Any:
        """The answer of a name if it is here, else None."""
        with self._lock:
            return self._answers.get(name)
