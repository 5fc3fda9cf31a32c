"""The practice model: a rule-based stand-in that speaks the real wire protocols on the learner's own machine.

It is not a language model and knows nothing of the world: it chooses among the tools it is offered by their
definitions. This package knows the wire, and nothing of the rest of the course.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from .core import Exchange, PracticeModel
from .explain import Explanation
from .server import Server

__all__ = [
    "Exchange",
    "Explanation",
    "PracticeModel",
    "RunningPractice",
    "Server",
    "current",
    "explain",
    "start",
]


@dataclass(frozen=True)
class RunningPractice:
    """The practice model of this process, and where it listens."""

    model: PracticeModel
    server: Server
    process: int

    @property
    def url(self) -> str:
        return self.server.url


_lock = threading.Lock()
_running: RunningPractice | None = None


def start() -> RunningPractice:
    """Start the practice model, or return the one that this process has already."""
    global _running
    with _lock:
        # After a fork the child has a copy of this variable but not the server's thread.
        if _running is None or _running.process != os.getpid():
            model = PracticeModel()
            _running = RunningPractice(model, Server(model.handle), os.getpid())
        return _running


def current() -> RunningPractice | None:
    """The practice model of this process; None before `start()`."""
    return _running if _running is not None and _running.process == os.getpid() else None


def explain() -> Explanation:
    """Why the practice model did what it did last: how well each tool fitted each part of the message."""
    running = current()
    return Explanation(running.model.last_decision if running else None)
