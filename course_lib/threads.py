"""Waiting for what blocks from code that must not, and for what must be awaited from code that cannot."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


async def in_thread(function: Callable[[], Any]) -> Any:
    """Run a function in a thread of its own, without blocking the loop; context variables go with it.

    Not `asyncio.to_thread`: its few threads are shared, so that functions which hang starve the others and
    keep the program from exiting. A thread cannot be stopped: when the waiting is cancelled, it runs on.
    """
    result, error = await start_in_thread(function)
    if error is not None:
        raise error
    return result


def start_in_thread(function: Callable[[], Any]) -> asyncio.Future[tuple[Any, BaseException | None]]:
    """The same, to be waited for: what the function returned, and what it raised."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not outcome.done():
            outcome.set_result((result, error))
        else:  # cancelled meanwhile
            _drop(result)

    def work() -> None:
        result = error = None
        try:
            result = function()
        except BaseException as caught:  # noqa: BLE001 (raised again where it is waited for)
            error = caught
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:  # nobody waits any more: the loop is closed
            _drop(result)

    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
    return outcome


def call_in_thread(
    function: Callable[[], Any], seconds: float | None
) -> tuple[Any, BaseException | None] | None:
    """Run a function in a thread of its own, and wait: what it returned or raised, None if it took longer.

    The same as `in_thread` for code that has no loop; it takes a third of the time.
    """
    outcome: list[tuple[Any, BaseException | None]] = []
    given_up: list[bool] = []
    running = threading.Lock()  # a bare lock: an Event would be two of them
    running.acquire()

    def work() -> None:
        try:
            outcome.append((function(), None))
        except BaseException as error:  # noqa: BLE001 (given to who waits)
            outcome.append((None, error))
        running.release()
        if given_up:
            _drop(outcome[0][0])

    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
    try:
        running.acquire(timeout=-1 if seconds is None else seconds)
    finally:
        ended = bool(outcome)
        if not ended:
            given_up.append(True)
            if outcome:  # in this very moment, and it may not have seen that
                _drop(outcome[0][0])
    return outcome[0] if ended else None


def _drop(result: Any) -> None:
    """Say of a result that came too late that it is on purpose: Python warns of what is never awaited."""
    if inspect.iscoroutine(result):
        result.close()


def wait_for(awaitable: Awaitable[Any]) -> Any:
    """Wait for something awaitable from code that cannot await.

    Where a loop is running already, as in a notebook, it runs on a loop in another thread, and blocks this
    one. Ctrl-C, or a notebook's Stop button, cancels it.
    """

    async def main() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(main())
    return _run_in_thread(main())


def _run_in_thread(main: Coroutine[Any, Any, Any]) -> Any:
    outcome: list[Any] = []
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def cancellable() -> Any:
        begun.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await main

    def work() -> None:
        try:
            outcome.extend((_run(cancellable()), None))
        except BaseException as error:  # noqa: BLE001 (raised again in the thread that waits)
            outcome.extend((None, error))

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        for loop, task in begun:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(task.cancel)
        raise
    result, error = outcome
    if error is not None:
        raise error
    return result


def _run(main: Coroutine[Any, Any, Any]) -> Any:
    """The same as `asyncio.run`, but for work that is left over: it is cancelled, and not waited for.

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
    """For `asyncio.to_thread` in a tool: each function in a thread that keeps no program from exiting."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        outcome: Future[Any] = Future()
        outcome.set_running_or_notify_cancel()

        def work() -> None:
            try:
                result = function(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
                outcome.set_exception(error)
            else:
                outcome.set_result(result)

        threading.Thread(target=work, daemon=True).start()
        return outcome

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nobody is waited for."""


def without_loop(awaitable: Awaitable[Any]) -> Any:
    """Return what an awaitable comes to that never really waits: it needs no loop."""
    try:
        awaitable.__await__().send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("what was to run without a loop waited for something; use its async form")


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
