"""Run the tool calls of a turn: at the same time, within limits, each answered exactly once, in order.

    results = run_calls(calls, tools, timeout=10)                  # from ordinary code, in a notebook too
    results = await run_calls_async(calls, tools, timeout=10)

What goes wrong with a call becomes its result, `is_error=True`, with a text that a model can act on. What is
raised is for the program: a mistake in the tools it offers, Ctrl-C, the cancellation of the whole turn.

What becomes of a call:

    prepared   its tool is found, its arguments are checked         else answered: it did not run
    asked      somebody agrees, where the tool needs that           else answered: it did not run
    waiting    for a free place, a sequential one for its turn      turn over: it did not run
    running    in its thread or on the loop, `started` is set       ended: its text, or its error
    abandoned  its time is over: answered with that, counted by `left_running()` while it runs on; what it
               returns in the end is dropped

A tool that is not async runs in a daemon thread of its own, which cannot be stopped. One that was abandoned
delays no other call and does not keep the program from exiting, with one exception: no sequential tool starts
while an abandoned sequential call still runs. An async tool runs on the event loop, where one that blocks
instead of awaiting holds up all others; so does a slow validator, as arguments are checked there.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from functools import partial
from typing import Any

from ..errors import ToolArgumentError, ToolExecutionError, ToolNotRunError
from ..plain_json import MOST_CHARACTERS, MOST_ITEMS, to_text
from ..threads import Ended, call_in_thread, in_thread, start_in_thread, wait_for, without_loop
from ..tools import Context, Tool, ToolCall, ToolResult
from .call import (
    Approve,
    CallOutcome,
    Options,
    PreparedCall,
    Running,
    error_text,
    not_approved,
    prepare_all,
)

GRACE = 0.005
"""Seconds that a cancelled call gets to stop, before it counts as left running."""

_ASKING = "asking for its approval"


class TurnOfCalls:
    """The calls of one turn, and what they share.

    A turn of one plain function, which most are, needs no loop: to make one, to come back to it from the
    thread and to close it would take several times as long as the call. In that case `answer` blocks
    instead of awaiting, so that one step of its coroutine completes it.
    """

    def __init__(self, calls: Iterable[ToolCall], tools: Iterable[Tool], options: Options) -> None:
        self.started = time.monotonic()
        self.calls, self.options = prepare_all(calls, tools, options), options
        self.places = asyncio.Semaphore(options.max_workers)
        self.sequential_lock, self.approval_lock = asyncio.Lock(), asyncio.Lock()
        self.blocks = False

    def answers(self) -> list[ToolResult]:
        """Return the results of all calls, in their order."""
        if len(self.calls) == 1 and _needs_no_loop(self.calls[0]):
            self.blocks = True
            return [without_loop(self.answer(self.calls[0]))]
        return wait_for(self.answers_async())

    async def answers_async(self) -> list[ToolResult]:
        """Return the result of each call, in their order, without blocking the loop."""
        if len(self.calls) == 1:  # needs no task of its own
            return [await self.answer(self.calls[0])]
        return list(await asyncio.gather(*map(self.answer, self.calls)))

    async def answer(self, prepared: PreparedCall) -> ToolResult:
        """Return the result of a call, whatever happens to it."""
        call, tool, started = prepared.call, prepared.tool, None
        held: list[Any] = []
        try:
            if prepared.failure is not None:
                raise prepared.failure
            if tool.sequential:
                await self.sequential_lock.acquire()
                held.append(self.sequential_lock)
            if tool.needs_approval:
                async with self.approval_lock:
                    await self._ask(call)
            if self.blocks:  # the only call finds a free place
                self._check_time(call)
            else:
                await self._in_time(call, self.places.acquire())
                held.append(self.places)
            running = Running(tool, call)
            if tool.sequential:
                await self._in_time(call, running.take_turn())
            started = self._now()
            outcome = await self._run(prepared, running, prepared.work)
        except (ToolArgumentError, ToolExecutionError) as error:
            outcome = CallOutcome.failed(error, await self._error_text(error))
        finally:
            for one in held:
                one.release()
        ended = None if started is None else self._now()
        failed = outcome.cause is not None
        return ToolResult(call.id, call.name, outcome.text, failed, started, ended, cause=outcome.cause)

    # Before a call runs ---------------------------------------------------------------------------

    async def _ask(self, call: ToolCall) -> None:
        """Raise ToolNotRunError if the call does not get the approval that it needs."""
        answer: Any = "nobody is there to give it"
        if self.options.approve is not None:
            self._check_time(call)
            ended = await _task_within(asyncio.ensure_future(self._ask_program(call)), self._seconds_left())
            if ended is None:
                raise ToolNotRunError(call.name, f"{self._turn_is_over()} before it was approved")
            answer, error = ended
            if error is not None:
                failed = _failure(error, _ASKING)
                raise ToolNotRunError(call.name, failed) from failed
        if answer is not True:
            raise ToolNotRunError(call.name, not_approved(answer if isinstance(answer, str) else ""))

    async def _ask_program(self, call: ToolCall) -> Any:
        try:
            answer = await in_thread(lambda: self.options.approve(call))
            return await answer if inspect.isawaitable(answer) else answer
        except SystemExit as error:  # which would end the loop
            raise ToolExecutionError(_ASKING, error) from error

    async def _in_time(self, call: ToolCall, waiting: Coroutine[Any, Any, Any]) -> None:
        """Wait for something before the call can start, but no longer than the turn may take."""
        try:
            self._check_time(call)
            if self.options.turn_timeout is None:
                await waiting
                return
            async with asyncio.timeout(self._seconds_left()):
                await waiting
        except TimeoutError:
            raise ToolNotRunError(call.name, self._turn_is_over()) from None
        finally:
            waiting.close()

    # While it runs --------------------------------------------------------------------------------

    async def _run(
        self, prepared: PreparedCall, running: Running, work: Callable[[], Any], spent: float = 0.0
    ) -> CallOutcome:
        """Return the outcome of a call. Raise ToolExecutionError if its time is over.

        `work` is the call's function; or, in a second pass, one that returns the awaitable which the first
        pass gave after `spent` seconds.
        """
        name, tool, task, ended = prepared.call.name, prepared.tool, None, None
        limit, reason = self._limit(spent)
        begun = self._now()
        try:
            if work is prepared.work and not (tool.is_async or tool.sequential):
                ended = await self._in_thread(partial(self._run_plain, prepared, running, work), limit)
            else:  # a sequential call is one task from its thread to the loop: nothing runs in between
                task = asyncio.ensure_future(self._run_on_loop(prepared, running, work))
                ended = await _task_within(task, limit)
        finally:
            if ended is None:
                running.abandon()
        if ended is None:
            if task is not None:
                await asyncio.wait({task}, timeout=GRACE)
                if tool.is_async and task.done():
                    raise ToolExecutionError(name, f"{reason}, and was stopped.")
            raise ToolExecutionError(
                name, f"{reason}. It may still run to its end, but nobody waits for what it returns."
            )
        value, error = ended
        if error is not None:
            raise _failure(error, name)
        if isinstance(value, CallOutcome):
            return value
        rest = self._run(prepared, running, lambda: value, spent + self._now() - begun)
        return wait_for(rest) if self.blocks else await rest

    async def _run_on_loop(
        self, prepared: PreparedCall, running: Running, work: Callable[[], Any]
    ) -> CallOutcome:
        """Run the work on the loop, a plain function in a thread, and return its outcome."""
        with running:
            if work is prepared.work and not prepared.tool.is_async:
                value = await in_thread(partial(self._run_plain, prepared, running, work))
                if isinstance(value, CallOutcome):
                    return value
                work = lambda: value  # noqa: E731
            try:
                with prepared.tool.as_tool_errors():
                    result = await _end_of(work())
            except ToolExecutionError as error:
                return await in_thread(partial(CallOutcome.failed, error))
            # In a thread as well: writing it down may run the value's own code, which may take its time.
            return await in_thread(partial(self._run_plain, prepared, running, lambda: result))

    def _run_plain(self, prepared: PreparedCall, running: Running, work: Callable[[], Any]) -> Any:
        """Run the work and return its outcome; an awaitable is returned unchanged, for the loop."""
        with running:
            try:
                with prepared.tool.as_tool_errors():
                    value = work()
                    if inspect.isawaitable(value) or isinstance(value, AsyncIterator):
                        return value
                    return CallOutcome(to_text(value, self.options.max_characters))
            except ToolExecutionError as error:
                return CallOutcome.failed(error)

    async def _error_text(self, error: ToolArgumentError | ToolExecutionError) -> str:
        """Return an error as text. The `__str__` of a foreign exception has the time limit of a call."""
        cause = getattr(error, "cause", None)
        if cause is None:
            return error_text(error)
        limits = [one for one in (self.options.timeout, self._seconds_left()) if one is not None]
        ended = await self._in_thread(partial(error_text, error), max(min(limits), GRACE) if limits else None)
        if ended is None:
            return error_text(type(error)(error.tool, type(cause).__name__))
        text, raised = ended
        if raised is not None:
            raise raised
        return text

    async def _in_thread(self, function: Callable[[], Any], seconds: float | None) -> Ended | None:
        """Run a function in a thread of its own; None if it took longer."""
        if self.blocks:
            return call_in_thread(function, seconds)
        future = start_in_thread(function)
        return future.result() if await _ends_within(future, seconds) else None

    # Its time -------------------------------------------------------------------------------------

    def _limit(self, spent: float) -> tuple[float | None, str]:
        """Return how long a call may take after so many seconds, and what to say when that is over."""
        limit, left = self.options.timeout, self._seconds_left()
        reason = "" if limit is None else f"it took longer than its limit of {limit:g} s"
        limit = None if limit is None else max(0.0, limit - spent)
        if left is not None and (limit is None or left < limit):
            return left, self._turn_is_over()
        return limit, reason

    def _check_time(self, call: ToolCall) -> None:
        if self._seconds_left() == 0:
            raise ToolNotRunError(call.name, self._turn_is_over())

    def _seconds_left(self) -> float | None:
        limit = self.options.turn_timeout
        return None if limit is None else max(0.0, limit - self._now())

    def _turn_is_over(self) -> str:
        return f"the limit of {self.options.turn_timeout:g} s for all calls of the turn was over"

    def _now(self) -> float:
        return time.monotonic() - self.started


def _needs_no_loop(prepared: PreparedCall) -> bool:
    """Return whether a call needs only a plain function, without loop, lock or approval, or does not run."""
    tool = prepared.tool
    return prepared.failure is not None or not (tool.is_async or tool.sequential or tool.needs_approval)


# Waiting for a result ----------------------------------------------------------------------------


async def _end_of(value: Any) -> Any:
    """Return what an awaitable comes to; the values of an async iterator, which may never end."""
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


async def _ends_within(future: asyncio.Future[Any], seconds: float | None) -> bool:
    """Return whether it ends in time. If not it is cancelled, and not waited for: it may never end."""
    try:
        await asyncio.wait({future}, timeout=seconds)
    finally:
        if not (ended := future.done()):
            future.cancel()
            future.add_done_callback(lambda future: future.cancelled() or future.exception())
    return ended


async def _task_within(task: asyncio.Task[Any], seconds: float | None) -> Ended | None:
    """Return what a task returned and raised; None if it took longer."""
    if not await _ends_within(task, seconds):
        return None
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    return (task.result(), None) if error is None else (None, error)


def _failure(error: BaseException, name: str) -> BaseException:
    """Return what ended a call as a failure of its tool; Ctrl-C stays Ctrl-C."""
    if isinstance(error, KeyboardInterrupt | ToolExecutionError):
        return error
    if isinstance(error, asyncio.CancelledError):
        return ToolExecutionError(name, "it was cancelled from inside.")
    failed = ToolExecutionError(name, error)
    failed.__cause__ = error
    return failed


# The two functions of this module -----------------------------------------------------------------

MOST_AT_ONCE = 64
"""Calls that run at the same time; more in one turn wait for each other."""
DEFAULT_TIMEOUT = 60
"""Seconds for one call, unless the program says otherwise: no tool that hangs may hang the conversation."""


def run_calls(
    calls: Iterable[ToolCall],
    tools: Iterable[Tool],
    *,
    timeout: float | None = DEFAULT_TIMEOUT,
    turn_timeout: float | None = None,
    max_workers: int = MOST_AT_ONCE,
    max_characters: int = MOST_CHARACTERS,
    context: Context | None = None,
    approve: Approve | None = None,
) -> list[ToolResult]:
    """Run the calls of a turn: one result for each, in the order of the calls.

    In a notebook, where a loop is running already, calls that need one run on a loop in another thread.

    Args:
        calls: What `read_calls` of a provider found in the model's response. Each is answered under the id
            that it came with, also where two have the same one or none.
        tools: The tools that the model may call.
        timeout: Seconds that a call may take, counted from its own start; None for no limit.
        turn_timeout: Seconds that all of them may take together, waiting included; None for no limit.
        max_workers: How many run at the same time.
        max_characters: How long a result may be. Of a longer one the middle is left out, and it says so.
        context: What the program hands to tools with a parameter annotated `Context`.
        approve: Asked before a tool marked `needs_approval` runs: one question at a time, in a thread of its
            own if it is not async. True lets the call run; anything else refuses it, and text is the reason.
            Without it such a call is refused.

    Raise CourseError before any call runs if the program made a mistake: something that is no call or no
    tool, two tools of one name, a tool that needs a context and gets none, a limit that is no number.
    """
    options = Options(timeout, turn_timeout, max_workers, max_characters, context, approve)
    return TurnOfCalls(calls, tools, options).answers()


async def run_calls_async(
    calls: Iterable[ToolCall],
    tools: Iterable[Tool],
    *,
    timeout: float | None = DEFAULT_TIMEOUT,
    turn_timeout: float | None = None,
    max_workers: int = MOST_AT_ONCE,
    max_characters: int = MOST_CHARACTERS,
    context: Context | None = None,
    approve: Approve | None = None,
) -> list[ToolResult]:
    """Return the same as `run_calls`, to be awaited."""
    options = Options(timeout, turn_timeout, max_workers, max_characters, context, approve)
    return await TurnOfCalls(calls, tools, options).answers_async()
