"""Waiting for what blocks from code that must not, and for what must be awaited from code that cannot."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Awaitable, Callable
from typing import Any

__all__ = ["in_thread", "wait_for"]


async def in_thread(function: Callable[[], Any]) -> Any:
    """Run a function in a thread of its own, without blocking the loop; context variables go with it.

    Not `asyncio.to_thread`: its few threads are shared, so that functions which hang starve the others and
    keep the program from exiting. A thread cannot be stopped: when the waiting is cancelled, it runs on.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not outcome.done():  # cancelled meanwhile
            outcome.set_result((result, error))

    def work() -> None:
        result = error = None
        try:
            result = function()
        except BaseException as caught:  # noqa: BLE001 (raised again where it is waited for)
            error = caught
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
    result, error = await outcome
    if error is not None:
        raise error
    return result


def wait_for(awaitable: Awaitable[Any]) -> Any:
    """Wait for something awaitable from code that cannot await.

    Where a loop is running already, as in a notebook, it runs on a loop in another thread, and blocks this
    one.
    """

    async def main() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.extend((asyncio.run(main()), None))
        except BaseException as error:  # noqa: BLE001 (raised again in the thread that waits)
            outcome.extend((None, error))

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join()
    result, error = outcome
    if error is not None:
        raise error
    return result
