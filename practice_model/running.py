"""The practice model of this process: started once, asked for its reasons, and made to fail."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from .decide.explain import Explanation
from .failures.injected import SECONDS, Fault
from .server.handle import PracticeModel
from .server.http import Server


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
    """Return the practice model of this process, or None before `start()`."""
    return _running if _running is not None and _running.process == os.getpid() else None


def explain() -> Explanation:
    """Return why the practice model did what it did last: how each tool fitted each part of the message."""
    running = current()
    return Explanation(running.model.last_decision if running else None)


def faults(
    name: str,
    *,
    times: int | None = None,
    api: str | None = None,
    skip: int = 0,
    attempts: int | None = None,
    seconds: float = SECONDS,
    retry_after: float = 0.001,
) -> Fault:
    """Make the service fail, the connection break or the model go wrong, inside a `with` block.

        with practice.faults("rate_limit", times=2) as fault:
            client.messages.create(...)
        print(fault.hits)

    The SDKs try again by themselves after 429, 5xx, timeouts and broken connections, twice unless set
    otherwise; `retry_after` says how long they wait before.

    Args:
        name: which fault; an unknown name raises ValueError with a list of all.
        times: how many requests it hits; without it one, or with `attempts` every one.
        api: only requests of this API ("anthropic", "openai", "openai_chat", "openai_responses", "gemini").
        skip: how many requests that it could hit go well before.
        attempts: only the first so many attempts of each request; retries after them go well.
        seconds: for how long "timeout" holds the answer back; give the client a shorter timeout.
        retry_after: seconds after which the service asks to try again.
    """
    running = current()
    if running is None:
        raise RuntimeError(
            "practice.faults() needs the practice model, which is not running: call course_lib.setup() before"
        )
    return running.model.faults(
        name,
        times=times,
        api=api,
        skip=skip,
        attempts=attempts,
        seconds=seconds,
        retry_after=retry_after,
    )
