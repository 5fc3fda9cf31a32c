"""Running the tool calls of a turn: at the same time, within limits, each answered exactly once, in order.

    results = run_calls(calls, tools, timeout=10)                  # from ordinary code, in a notebook too
    results = await run_calls_async(calls, tools, timeout=10)

What goes wrong with a call becomes its result, `is_error=True`, with a text that a model can act on: an
unknown tool, arguments that do not fit, an exception, a limit of time. What is raised is for the program: a
mistake in the tools it offers, Ctrl-C, the cancellation of the whole turn.

A tool that is not async runs in a daemon thread of its own, an async one on the event loop. A thread cannot
be stopped: one that overruns its limit is left to end by itself, `left_running()` counts it, and what it
returns then is dropped. It delays no other call and does not keep the program from exiting; only a sequential
tool is not started beside another one that was left. An async tool that blocks instead of awaiting holds up
all others; that is how an event loop works. The same is true of what checks arguments, a validator that a
program wrote for a tool among it: it runs on the loop, before all limits, so it should be quick.

What becomes of a call:

    prepared   its tool is found, its arguments are checked         else answered: it did not run
    asked      somebody agrees, where the tool needs that           else answered: it did not run
    waiting    for a free place, a sequential one for its turn      turn over: it did not run
    running    in its thread or on the loop, `started` is set       ended: its text, or its error
    left       its time is over: answered with that, counted by `left_running()` while it runs on
    dropped    what a left call returns in the end
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .content import MOST_CHARACTERS, MOST_ITEMS, cut, sendable, to_text
from .errors import ToolArgumentError, ToolExecutionError
from .jobs import Job, check_calls, check_options, check_tools, not_run, prepare
from .masking import mask
from .overruns import Running, StillRunning, left_running
from .schemas import Context
from .threads import in_thread, wait_for
from .tools import Tool, ToolCall, ToolResult

MOST_AT_ONCE = 64
"""Calls that run at the same time; more in one turn wait for each other."""
SECONDS = 60
"""For one call, unless the program says otherwise: a tool that hangs must not hang the conversation."""
LONGEST_ERROR = 2_000
"""Characters of an error's text. Some exceptions quote a whole page."""
GRACE = 0.005
"""Seconds that a cancelled call gets to stop, before it counts as left running."""

_ASKING = "asking for its approval"

Approve = Callable[[ToolCall], Any]
"""Says whether a call may run: True, or else False or a reason for the model. May be async."""

__all__ = ["MOST_AT_ONCE", "SECONDS", "left_running", "run_calls", "run_calls_async"]


def run_calls(
    calls: Iterable[ToolCall],
    tools: Iterable[Tool],
    *,
    timeout: float | None = SECONDS,
    turn_timeout: float | None = None,
    max_workers: int = MOST_AT_ONCE,
    max_characters: int = MOST_CHARACTERS,
    context: Context | None = None,
    approve: Approve | None = None,
) -> list[ToolResult]:
    """Run the calls of a turn: one result for each, in the order of the calls.

    In a notebook, where a loop is running already, the calls run on a loop in another thread.

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

    Raises CourseError before any call runs if the program made a mistake: something that is no call or no
    tool, two tools of one name, a tool that needs a context and gets none, a limit that is no number.
    """
    running = run_calls_async(
        calls,
        tools,
        timeout=timeout,
        turn_timeout=turn_timeout,
        max_workers=max_workers,
        max_characters=max_characters,
        context=context,
        approve=approve,
    )
    return wait_for(running)


async def run_calls_async(
    calls: Iterable[ToolCall],
    tools: Iterable[Tool],
    *,
    timeout: float | None = SECONDS,
    turn_timeout: float | None = None,
    max_workers: int = MOST_AT_ONCE,
    max_characters: int = MOST_CHARACTERS,
    context: Context | None = None,
    approve: Approve | None = None,
) -> list[ToolResult]:
    """The same as `run_calls`, to be awaited."""
    calls, known = check_calls(calls), check_tools(tools)
    check_options((timeout, turn_timeout), (max_workers, max_characters), context, approve)
    turn = _Turn(timeout, turn_timeout, max_characters, asyncio.Semaphore(max_workers), approve)
    jobs = [prepare(call, known, context) for call in calls]
    return list(await asyncio.gather(*map(turn.answer, jobs)))


@dataclass(frozen=True)
class _Said:
    """What the model is told of a call that ran."""

    text: str
    failed: bool = False


@dataclass
class _Turn:
    """What the calls of one turn share."""

    timeout: float | None
    turn_timeout: float | None
    max_characters: int
    free: asyncio.Semaphore
    approve: Approve | None
    started: float = field(default_factory=time.monotonic)
    in_order: asyncio.Lock = field(default_factory=asyncio.Lock)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def answer(self, job: Job) -> ToolResult:
        """The result of a call, whatever happens to it."""
        try:
            if job.failure is not None:
                raise job.failure
            if not job.tool.sequential:
                return await self._run(job)
            async with self.in_order:
                return await self._run(job)
        except (ToolArgumentError, ToolExecutionError) as error:
            return ToolResult(job.call.id, job.call.name, await self._told(error), is_error=True)

    async def _run(self, job: Job) -> ToolResult:
        """The result of a call that ran. Raises ToolExecutionError if it may not start."""
        if job.tool.needs_approval:
            async with self.asking:
                await self._ask(job)
        await self._in_time(job, self.free.acquire())
        try:
            running = Running(job.tool)
            if job.tool.sequential:
                try:
                    await self._in_time(job, running.take_turn())
                except StillRunning as busy:
                    raise not_run(job, f"an earlier call of {busy} still runs") from None
            started = self._now()
            try:
                said = await self._within_limits(job, running)
            except ToolExecutionError as error:
                said = _Said(await self._told(error), failed=True)
            return ToolResult(job.call.id, job.call.name, said.text, said.failed, started, self._now())
        finally:
            self.free.release()

    async def _within_limits(self, job: Job, running: Running) -> _Said:
        """What the model is told of the call. Raises ToolExecutionError if its time is over."""
        limit, left = self.timeout, self._left()
        if left is not None and (limit is None or left < limit):
            limit, reason = left, self._turn_is_over()
        elif limit is not None:
            reason = f"it took longer than its limit of {limit:g} s"
        task = asyncio.ensure_future(self._work(job, running))
        try:
            ended = await _ends_within(task, limit)
        finally:
            if not task.done():
                running.leave()
        if ended:
            return _outcome(task, job.call.name)
        await asyncio.wait({task}, timeout=GRACE)
        if job.tool.is_async and task.done():
            raise ToolExecutionError(job.call.name, f"{reason}, and was stopped.")
        raise ToolExecutionError(
            job.call.name, f"{reason}. It may still run to its end, but nobody waits for what it returns."
        )

    async def _work(self, job: Job, running: Running) -> _Said:
        """Run the function and write down what it returns or raises; where it is not async, in a thread."""
        with running:
            work = job.work
            if not job.tool.is_async:
                value = await in_thread(lambda: self._said(job, running, job.work))
                if isinstance(value, _Said):
                    return value
                work = partial(_itself, value)
            try:
                with job.tool.failures():
                    finish = partial(_itself, await _end_of(work()))
            except ToolExecutionError as error:
                finish = partial(_raise, error)
            # In a thread as well: writing it down may run the value's own code, which may take its time.
            return await in_thread(lambda: self._said(job, running, finish))

    def _said(self, job: Job, running: Running, work: Callable[[], Any]) -> Any:
        """What work returns, as text, or why it failed; but what only a loop can await, as it is."""
        with running:
            try:
                with job.tool.failures():
                    value = work()
                    return value if _needs_loop(value) else _Said(to_text(value, self.max_characters))
            except ToolExecutionError as error:
                return _Said(_told(error), failed=True)

    async def _told(self, error: Exception) -> str:
        """An error as the model may read it. Somebody else's __str__ gets no more time than a call."""
        cause = getattr(error, "cause", None)
        if cause is None:
            return _told(error)
        task = asyncio.ensure_future(in_thread(lambda: _told(error)))
        limits = [one for one in (self.timeout, self._left()) if one is not None]
        if await _ends_within(task, max(min(limits), GRACE) if limits else None):
            return task.result()
        return _told(type(error)(error.tool, type(cause).__name__))

    async def _ask(self, job: Job) -> None:
        """Raise ToolExecutionError if the call does not get the approval that it needs."""
        answer: Any = "nobody is there to give it"
        if self.approve is not None:
            self._check_time(job)
            task = asyncio.ensure_future(self._asked(job.call))
            if not await _ends_within(task, self._left()):
                raise not_run(job, f"{self._turn_is_over()} before it was approved")
            try:
                answer = _outcome(task, _ASKING)
            except ToolExecutionError as error:
                raise not_run(job, error) from error
        if answer is not True:
            reason = f" ({answer})" if isinstance(answer, str) and answer else ""
            raise not_run(
                job,
                f"it needs an approval, which was not given{reason}. Do not call it again for this; tell "
                "the user",
            )

    async def _asked(self, call: ToolCall) -> Any:
        try:
            answer = await in_thread(lambda: self.approve(call))
            return await answer if inspect.isawaitable(answer) else answer
        except SystemExit as error:  # which would end the loop
            raise ToolExecutionError(_ASKING, error) from error

    async def _in_time(self, job: Job, waiting: Coroutine[Any, Any, Any]) -> None:
        """Wait for something before the call can start, but no longer than the turn may take."""
        if self.turn_timeout is None:
            await waiting
            return
        try:
            self._check_time(job)
            async with asyncio.timeout(self._left()):
                await waiting
        except TimeoutError:
            raise not_run(job, self._turn_is_over()) from None
        finally:
            waiting.close()

    def _check_time(self, job: Job) -> None:
        if self._left() == 0:
            raise not_run(job, self._turn_is_over())

    def _left(self) -> float | None:
        return None if self.turn_timeout is None else max(0.0, self.turn_timeout - self._now())

    def _turn_is_over(self) -> str:
        return f"the limit of {self.turn_timeout:g} s for all calls of the turn was over"

    def _now(self) -> float:
        return time.monotonic() - self.started


async def _ends_within(task: asyncio.Task[Any], seconds: float | None) -> bool:
    """Whether a task ends in time. One that does not is cancelled, and not waited for: it may never end."""
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        if not (ended := task.done()):
            task.cancel()
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
    return ended


def _outcome(task: asyncio.Task[Any], name: str) -> Any:
    """What a task that has ended returned. Raises ToolExecutionError for whatever it raised."""
    if task.cancelled():
        raise ToolExecutionError(name, "it was cancelled from inside.")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, KeyboardInterrupt | ToolExecutionError):
        raise error
    raise ToolExecutionError(name, error) from error


def _itself(value: Any) -> Any:
    return value


def _raise(error: Exception) -> Any:
    raise error


def _needs_loop(value: Any) -> bool:
    return inspect.isawaitable(value) or isinstance(value, AsyncIterator)


async def _end_of(value: Any) -> Any:
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


def _told(error: Exception) -> str:
    """An error as the model may read it: no secret, and not a whole page."""
    # Cut twice: a secret must be whole where it is searched, and the search must not meet megabytes.
    return cut(mask(cut(sendable(str(error)), 20 * LONGEST_ERROR)), LONGEST_ERROR)
