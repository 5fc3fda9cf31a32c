"""What becomes of a call that runs: its text or its failure, as the model is told, and when it ends."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from .content import MOST_ITEMS, cut, sendable
from .errors import ToolArgumentError, ToolExecutionError
from .jobs import Job
from .masking import mask

LONGEST_ERROR = 2_000
"""Characters of an error's text. Some exceptions quote a whole page."""

__all__ = [
    "LONGEST_ERROR",
    "Said",
    "cause_of",
    "end_of",
    "ends_within",
    "failure",
    "itself",
    "left_behind",
    "needs_loop",
    "outcome",
    "raising",
    "told",
]


@dataclass(frozen=True)
class Said:
    """What the model is told of a call that ran."""

    text: str
    cause: BaseException | None = None
    """Why it failed; None where it did not."""


async def ends_within(task: asyncio.Task[Any], seconds: float | None) -> bool:
    """Whether a task ends in time. One that does not is cancelled, and not waited for: it may never end."""
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not (ended := task.done()):
            task.cancel()
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
    return ended


def outcome(task: asyncio.Task[Any], name: str) -> Any:
    """What a task that has ended returned. Raises ToolExecutionError for whatever it raised."""
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is None:
        return task.result()
    raise failure(error, name)


def failure(error: BaseException, name: str) -> BaseException:
    """What ended a call, as a failure of its tool; Ctrl-C stays Ctrl-C."""
    if isinstance(error, KeyboardInterrupt | ToolExecutionError):
        return error
    if isinstance(error, asyncio.CancelledError):
        return ToolExecutionError(name, "it was cancelled from inside.")
    failed = ToolExecutionError(name, error)
    failed.__cause__ = error
    return failed


def left_behind(job: Job, reason: str) -> ToolExecutionError:
    """The failure of a call that nobody waits for any more."""
    return ToolExecutionError(
        job.call.name, f"{reason}. It may still run to its end, but nobody waits for what it returns."
    )


def itself(value: Any) -> Any:
    return value


def raising(error: Exception) -> Any:
    raise error


def needs_loop(value: Any) -> bool:
    return inspect.isawaitable(value) or isinstance(value, AsyncIterator)


async def end_of(value: Any) -> Any:
    """What an awaitable comes to; the values of an async iterator, which may never end."""
    if inspect.isawaitable(value):
        value = await value
    if not isinstance(value, AsyncIterator):
        return value
    found: list[Any] = []
    async for one in value:
        found.append(one)
        if len(found) == MOST_ITEMS:
            break
    return found


def cause_of(error: ToolArgumentError | ToolExecutionError) -> BaseException:
    """What the program can look at: the exception of the tool, or what says why it did not run."""
    cause = getattr(error, "cause", None)
    return error if cause is None else cause


def told(error: Exception) -> str:
    """An error as the model may read it: no secret, and not a whole page."""
    # Cut twice: a secret must be whole where it is searched, and the search must not meet megabytes.
    return cut(mask(cut(sendable(str(error)), 20 * LONGEST_ERROR)), LONGEST_ERROR)
