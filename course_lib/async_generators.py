"""Async generators that are closed in order, by whoever reads them, also where they are left half read.

An event loop that ends closes all async generators that began in it, all at once. Where one reads another,
both are then closed at the same time: "aclose(): asynchronous generator is already running". And one that is
dropped half read is closed by a task, which an ending loop cancels before its first step.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import Any

from .threads import without_loop


class NestedGenerator:
    """The values of an async generator inside another, which closes it; the loop does not know of it.

    async with NestedGenerator(generator) as values:
        async for value in values:
            ...
    """

    def __init__(self, values: AsyncGenerator[Any, None]) -> None:
        self._values = values
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, None)
        try:  # it reads the hooks here, once, before anything of it runs
            self._first = values.__anext__()
        finally:
            sys.set_asyncgen_hooks(*hooks)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    def __anext__(self) -> Any:
        first, self._first = self._first, None
        return self._values.__anext__() if first is None else first

    async def aclose(self) -> None:
        await self._values.aclose()

    async def __aenter__(self) -> NestedGenerator:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AbandonableGenerator:
    """An async generator for a program that may leave it half read.

    It is closed when the program lets go of it, or at the latest when its loop ends. `left` is called at once
    when the program does so.
    """

    def __init__(self, values: AsyncGenerator[Any, None], left: Callable[[], None]) -> None:
        self._values, self._left = values, left
        self._inner: NestedGenerator | None = None
        self._guard: AsyncGenerator[None, None] | None = None

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        if self._inner is None:
            self._inner = NestedGenerator(self._values)
            self._guard = at_the_end_of_loop(self._inner.aclose)
            self._loop = asyncio.get_running_loop()
        try:
            return await self._inner.__anext__()
        except BaseException:  # it is over, one way or another
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """End it; what it holds open is closed when this returns."""
        guard, self._guard = self._guard, None
        if guard is not None:
            await guard.aclose()
        elif self._inner is None:
            await self._values.aclose()

    def __del__(self) -> None:
        guard = self._guard
        if guard is None:
            return
        self._left()
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(lambda: _close_in_task(guard))


_until_the_end: dict[AsyncGenerator[None, None], asyncio.AbstractEventLoop] = {}
"""Held here until they are closed: the loop itself only knows of them."""


def at_the_end_of_loop(close: Callable[[], Any]) -> AsyncGenerator[None, None]:
    """Await `close()` when the running loop ends, or earlier: when what this returns is closed."""

    async def wait() -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            _until_the_end.pop(waiting, None)
            await close()

    for left in [one for one, loop in list(_until_the_end.items()) if loop.is_closed()]:
        _until_the_end.pop(left, None)  # of a loop that was closed without an end
    waiting = wait()
    _until_the_end[waiting] = asyncio.get_running_loop()
    try:  # to its yield, for which nothing is awaited
        waiting.__anext__().send(None)
    except StopIteration:
        pass
    return waiting


def _close_in_task(guard: AsyncGenerator[None, None]) -> None:
    """Close it in a task of the running loop."""
    task = asyncio.ensure_future(guard.aclose())
    _closing.add(task)
    task.add_done_callback(_closing.discard)


_closing: set[asyncio.Task[None]] = set()


def without_waiting(events: AsyncGenerator[Any, None]) -> Iterator[Any]:
    """Yield the values of an async generator to code that cannot await; it must not really wait."""
    try:
        while True:
            try:
                event = without_loop(events.__anext__())
            except StopAsyncIteration:
                return
            yield event
    finally:
        without_loop(events.aclose())
