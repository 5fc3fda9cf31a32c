"""Abandoned calls, which run on though nobody waits for them, and sequential ones, which must not overlap.

A thread cannot be stopped, so a call that ran over its time limit may still be inside its function. All that
can be done is to count it, and to let no call begin that must not run beside it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from concurrent.futures import Future
from contextvars import ContextVar
from types import TracebackType

from ..errors import ToolNotRunError
from ..tools import Tool, ToolCall
from ..tools.signatures import RUNNING

_lock = threading.Lock()  # for all that follows: it changes from the threads of tools
_left: set[Running] = set()


class NobodyWaits(Exception):
    """A call was given up before its function began."""


class Running:
    """One run of a tool's function: `with running:` around it, `leave()` when nobody waits any more.

    May be entered again inside, as a function may start in a thread and go on on the loop.
    """

    def __init__(self, tool: Tool, call: ToolCall) -> None:
        self.tool = tool
        self._call = call.id, call.key or call.id
        self.given_up = False
        self._depth = 0
        self._queue: _SequentialQueue | None = None

    async def take_turn(self) -> None:
        """Wait for the sequential calls before. Raise ToolNotRunError if one of them was given up."""
        queue = _queue.get(_everybody)
        await queue.enter(self)
        self._queue = queue

    def leave(self) -> None:
        """Count it until it ends by itself; if it has not begun, it never will."""
        with _lock:
            self.given_up = True
            if not self._depth:
                self._end()
                return
            _left.add(self)
            if self._queue is not None:
                self._queue.refuse_waiting()

    def __enter__(self) -> None:
        with _lock:
            if self.given_up:
                raise NobodyWaits
            self._depth += 1
        RUNNING.set(self._call)  # for the function alone: it runs in a thread or a task of its own
        if self._queue is not None:
            # What a sequential tool calls itself is part of it: it gets a queue of its own, or it would
            # wait for the tool that waits for it.
            _queue.set(_SequentialQueue())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            self._depth -= 1
            if not self._depth:
                self._end()

    def _end(self) -> None:
        _left.discard(self)
        if self._queue is not None:
            self._queue.go_on(self)


class _SequentialQueue:
    """What lets calls pass one at a time, first come first served, from whatever loop or thread."""

    def __init__(self) -> None:
        self._inside: Running | None = None
        self._waiting: deque[tuple[Running, Future[None]]] = deque()

    async def enter(self, running: Running) -> None:
        with _lock:
            if self._inside is None:
                self._inside = running
                return
            if self._inside.given_up:
                raise self._refusal(running)
            turn: Future[None] = Future()
            self._waiting.append((running, turn))
        try:
            await asyncio.wrap_future(turn)
        except asyncio.CancelledError:
            if not turn.cancel():  # its turn came in the same moment
                with _lock:
                    self.go_on(running)
            raise

    def go_on(self, running: Running) -> None:
        """Let the next one in, as the one inside is done."""
        if self._inside is not running:
            return
        self._inside = None
        while self._waiting and self._inside is None:
            after, turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                self._inside = after
                turn.set_result(None)

    def refuse_waiting(self) -> None:
        """Refuse those that wait: the one inside was given up, and may never end."""
        while self._waiting:
            waiting, turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                turn.set_exception(self._refusal(waiting))

    def _refusal(self, running: Running) -> ToolNotRunError:
        return ToolNotRunError(running.tool.name, f"an earlier call of {self._inside.tool.name} still runs")


_everybody = _SequentialQueue()
_queue: ContextVar[_SequentialQueue] = ContextVar("_queue")


def left_running() -> dict[str, int]:
    """Count the calls, by tool, that ran over their time limit and are still inside their function."""
    with _lock:
        names = [one.tool.name for one in _left]
    return {name: names.count(name) for name in sorted(set(names))}
