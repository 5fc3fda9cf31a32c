"""Waiting for what blocks from code that must not, and for what must be awaited from code that cannot."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from functools import partial
from typing import Any

Ended = tuple[Any, BaseException | None]
"""What a function returned, and what it raised; one of the two is None."""


async def in_thread(function: Callable[[], Any]) -> Any:
    """Run a function in a thread of its own, without blocking the loop; context variables go with it.

    Not `asyncio.to_thread`: its few threads are shared, so that functions which hang starve the others and
    keep the program from exiting. A thread cannot be stopped: when the waiting is cancelled, it runs on.
    """
    result, error = await start_in_thread(function)
    if error is not None:
        raise error
    return result


def start_in_thread(function: Callable[[], Any]) -> asyncio.Future[Ended]:
    """Start a function in a thread of its own, and return what to await until it has ended."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Ended] = loop.create_future()

    def settle(ended: Ended) -> None:
        if not future.done():
            future.set_result(ended)
        else:  # cancelled meanwhile
            _drop(ended)

    def work() -> None:
        ended = _call(function)
        try:
            loop.call_soon_threadsafe(settle, ended)
        except RuntimeError:  # nobody waits any more: the loop is closed
            _drop(ended)

    _start(work)
    return future


def call_in_thread(function: Callable[[], Any], seconds: float | None) -> Ended | None:
    """Run a function in a thread of its own, block until it has ended, and return None if it took longer.

    For code that has no loop; it takes a third of the time that starting one would.
    """
    future: Future[Ended] = Future()

    def work() -> None:
        ended = _call(function)
        try:
            future.set_result(ended)
        except InvalidStateError:  # cancelled: nobody waits any more
            _drop(ended)

    _start(work)
    try:
        return future.result(seconds)
    except TimeoutError:
        return None if future.cancel() else future.result()  # it may have ended in this very moment
    except BaseException:  # Ctrl-C
        if not future.cancel():
            _drop(future.result())
        raise


def _start(work: Callable[[], None]) -> None:
    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()


def _call(function: Callable[[], Any]) -> Ended:
    try:
        return function(), None
    except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
        return None, error


def _drop(ended: Ended) -> None:
    """Say of a result that came too late that it is on purpose: Python warns of what is never awaited."""
    if inspect.iscoroutine(ended[0]):
        ended[0].close()


def without_loop(awaitable: Awaitable[Any]) -> Any:
    """Return what an awaitable comes to that never really waits, and so needs no loop."""
    try:
        awaitable.__await__().send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("what was to run without a loop waited for something; use its async form")


def wait_for(awaitable: Awaitable[Any]) -> Any:
    """Wait for something awaitable from code that cannot await.

    Where a loop is running already, as in a notebook, it runs on a loop in another thread, and blocks this
    one. Ctrl-C, or a notebook's Stop button, cancels it.
    """
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def main() -> Any:
        begun.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(main())
    try:
        result, error = call_in_thread(lambda: _run(main()), None)
    except BaseException:
        for loop, task in begun:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(task.cancel)
        raise
    if error is not None:
        raise error
    return result


def _run(main: Coroutine[Any, Any, Any]) -> Any:
    """Return what `asyncio.run` would, without waiting for work that is left over: it is cancelled.

    It may take its time to end, or never do so, and a result that is there must not wait for that.
    """
    runner = asyncio.Runner()
    loop = runner.get_loop()
    loop.set_default_executor(_DaemonThreads(1))
    try:
        return runner.run(main)
    finally:
        asyncio.set_event_loop(None)
        if left_over := asyncio.all_tasks(loop):
            threading.Thread(target=_close, args=(loop, left_over), daemon=True).start()
        else:
            _close(loop, left_over)


def _close(loop: asyncio.AbstractEventLoop, left_over: set[asyncio.Task[Any]]) -> None:
    for task in left_over:
        if not task.cancelling():  # a second time would end its cleaning up
            task.cancel()
    if left_over:
        loop.run_until_complete(asyncio.gather(*left_over, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


class _DaemonThreads(ThreadPoolExecutor):
    """What runs `asyncio.to_thread` of a tool: each function in a daemon thread of its own."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()

        def work() -> None:
            result, error = _call(partial(function, *args, **kwargs))
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for nobody."""
