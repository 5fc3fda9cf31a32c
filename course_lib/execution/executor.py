"""Run the tool calls of a turn: at the same time, within limits, each answered exactly once, in order.

    results = run_calls(calls, tools, timeout=10)                  # from ordinary code, in a notebook too
    results = await run_calls_async(calls, tools, timeout=10)

What goes wrong with a call becomes its result, `is_error=True`, with a text that a model can act on: an
unknown tool, arguments that do not fit, an exception, a limit of time. What is raised is for the program: a
mistake in the tools it offers, Ctrl-C, the cancellation of the whole turn.

A tool that is not async runs in a daemon thread of its own, an async one on the event loop. A thread
cannot be stopped: one that overruns its limit is left to end by itself, `left_running()` counts it, and
what it returns then is dropped. It delays no other call and does not keep the program from exiting; only
a sequential tool is not started beside another one that was left. An async tool that blocks instead of
awaiting holds up all others; that is how an event loop works. The same is true of what checks arguments,
a validator that a program wrote for a tool among it: it runs on the loop, before all limits, so it should
be quick.

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
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any

from ..errors import ToolArgumentError, ToolExecutionError
from ..plain_json import MOST_CHARACTERS, to_text
from ..threads import call_in_thread, in_thread, start_in_thread, wait_for
from ..tools import Context, Tool, ToolCall, ToolResult
from .abandoned import Running, StillRunning
from .prepared import (
    Job,
    Said,
    cause_of,
    end_of,
    ends_within,
    failure,
    itself,
    left_behind,
    needs_loop,
    not_approved,
    not_run,
    outcome,
    prepare_all,
    raising,
    told,
)

GRACE = 0.005
"""Seconds that a cancelled call gets to stop, before it counts as left running."""

_ASKING = "asking for its approval"

Approve = Callable[[ToolCall], Any]
"""Says whether a call may run: True, or else False or a reason for the model. May be async."""


def needs_no_loop(job: Job) -> bool:
    """Whether a call only takes a function that is not async, or is answered without running at all."""
    if job.failure is not None:
        return getattr(job.failure, "cause", None) is None
    return not (job.tool.is_async or job.tool.sequential or job.tool.needs_approval)


class Turn:
    """What the calls of one turn share."""

    def __init__(
        self,
        started: float,
        timeout: float | None,
        turn_timeout: float | None,
        max_characters: int,
        max_workers: int,
        approve: Approve | None,
    ) -> None:
        self.timeout, self.turn_timeout, self.max_characters = timeout, turn_timeout, max_characters
        self.approve = approve
        self.started = started
        self.free = asyncio.Semaphore(max_workers)
        self.in_order, self.asking = asyncio.Lock(), asyncio.Lock()

    async def answers(self, jobs: list[Job]) -> list[ToolResult]:
        """The results of all calls, in their order."""
        if len(jobs) == 1:  # needs no task of its own
            return [await self.answer(jobs[0])]
        return list(await asyncio.gather(*map(self.answer, jobs)))

    def answer_alone(self, job: Job) -> ToolResult:
        """The result of the only call of a turn, if it needs no loop.

        Most turns have one call, of a plain function. To make a loop, to come back to it from the thread and
        to close it would take several times as long as such a call.
        """
        started = None
        try:
            if job.failure is not None:
                raise job.failure
            self._check_time(job)
            started = self._now()
            said = self._run_alone(job, started)
        except (ToolArgumentError, ToolExecutionError) as error:
            has_cause = getattr(error, "cause", None) is not None
            said = Said(wait_for(self._told(error)) if has_cause else told(error), cause_of(error))
        return self._result(job, said, started)

    def _run_alone(self, job: Job, started: float) -> Said:
        """What the model is told of the call. Raises ToolExecutionError if its time is over."""
        running, (limit, reason) = Running(job.tool, job.call), self._limit()
        ended = None
        try:
            ended = call_in_thread(partial(self._said, job, running, job.work), limit)
        finally:
            if ended is None:
                running.leave()
        if ended is None:
            raise left_behind(job, reason)
        value, error = ended
        if error is not None:
            raise failure(error, job.call.name)
        if isinstance(value, Said):
            return value
        spent = self._now() - started
        return wait_for(self._within_limits(job, running, partial(itself, value), spent))

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
            text = await self._told(error)
            return ToolResult(job.call.id, job.call.name, text, is_error=True, cause=cause_of(error))

    async def _run(self, job: Job) -> ToolResult:
        """The result of a call that ran. Raises ToolExecutionError if it may not start."""
        if job.tool.needs_approval:
            async with self.asking:
                await self._ask(job)
        await self._in_time(job, self.free.acquire())
        try:
            running = Running(job.tool, job.call)
            if job.tool.sequential:
                try:
                    await self._in_time(job, running.take_turn())
                except StillRunning as busy:
                    raise not_run(job, f"an earlier call of {busy} still runs") from None
            started = self._now()
            try:
                said = await self._within_limits(job, running, job.work)
            except ToolExecutionError as error:
                said = Said(await self._told(error), cause_of(error))
            return self._result(job, said, started)
        finally:
            self.free.release()

    def _result(self, job: Job, said: Said, started: float | None) -> ToolResult:
        ended = None if started is None else self._now()
        failed = said.cause is not None
        return ToolResult(job.call.id, job.call.name, said.text, failed, started, ended, cause=said.cause)

    def _limit(self, spent: float = 0.0) -> tuple[float | None, str]:
        """How long a call may take that has taken so long already, and what to say when that is over."""
        limit, left = self.timeout, self._left()
        reason = "" if limit is None else f"it took longer than its limit of {limit:g} s"
        limit = None if limit is None else max(0.0, limit - spent)
        if left is not None and (limit is None or left < limit):
            return left, self._turn_is_over()
        return limit, reason

    async def _within_limits(
        self, job: Job, running: Running, work: Callable[[], Any], spent: float = 0.0
    ) -> Said:
        """What the model is told of the call. Raises ToolExecutionError if its time is over."""
        limit, reason = self._limit(spent)
        begun = self._now()
        # A sequential call stays one from its thread to the loop, which takes a task.
        plain = work is job.work and not job.tool.is_async and not job.tool.sequential
        if plain:
            task = start_in_thread(partial(self._said, job, running, work))
        else:
            task = asyncio.ensure_future(self._work(job, running, work))
        ended = False
        try:
            ended = await ends_within(task, limit)
        finally:
            if not ended:
                running.leave()
        if ended and plain:
            value, error = task.result()
            if error is not None:
                raise failure(error, job.call.name)
            if isinstance(value, Said):
                return value
            spent += self._now() - begun
            return await self._within_limits(job, running, partial(itself, value), spent)
        if ended:
            return outcome(task, job.call.name)
        await asyncio.wait({task}, timeout=GRACE)
        if job.tool.is_async and task.done():
            raise ToolExecutionError(job.call.name, f"{reason}, and was stopped.")
        raise left_behind(job, reason)

    async def _work(self, job: Job, running: Running, work: Callable[[], Any]) -> Said:
        """Run the function and write down what it returns or raises; where it is not async, in a thread."""
        with running:
            if work is job.work and not job.tool.is_async:
                value = await in_thread(lambda: self._said(job, running, job.work))
                if isinstance(value, Said):
                    return value
                work = partial(itself, value)
            try:
                with job.tool.failures():
                    finish = partial(itself, await end_of(work()))
            except ToolExecutionError as error:
                finish = partial(raising, error)
            # In a thread as well: writing it down may run the value's own code, which may take its time.
            return await in_thread(lambda: self._said(job, running, finish))

    def _said(self, job: Job, running: Running, work: Callable[[], Any]) -> Any:
        """What work returns, as text, or why it failed; but what only a loop can await, as it is."""
        with running:
            try:
                with job.tool.failures():
                    value = work()
                    return value if needs_loop(value) else Said(to_text(value, self.max_characters))
            except ToolExecutionError as error:
                return Said(told(error), cause_of(error))

    async def _told(self, error: Exception) -> str:
        """An error as the model may read it. Somebody else's __str__ gets no more time than a call."""
        cause = getattr(error, "cause", None)
        if cause is None:
            return told(error)
        task = asyncio.ensure_future(in_thread(lambda: told(error)))
        limits = [one for one in (self.timeout, self._left()) if one is not None]
        if await ends_within(task, max(min(limits), GRACE) if limits else None):
            return task.result()
        return told(type(error)(error.tool, type(cause).__name__))

    async def _ask(self, job: Job) -> None:
        """Raise ToolExecutionError if the call does not get the approval that it needs."""
        answer: Any = "nobody is there to give it"
        if self.approve is not None:
            self._check_time(job)
            task = asyncio.ensure_future(self._asked(job.call))
            if not await ends_within(task, self._left()):
                raise not_run(job, f"{self._turn_is_over()} before it was approved")
            try:
                answer = outcome(task, _ASKING)
            except ToolExecutionError as error:
                raise not_run(job, error) from error
        if answer is not True:
            raise not_run(job, not_approved(answer if isinstance(answer, str) else ""))

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


MOST_AT_ONCE = 64
"""Calls that run at the same time; more in one turn wait for each other."""
SECONDS = 60
"""For one call, unless the program says otherwise: a tool that hangs must not hang the conversation."""


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

    Raises CourseError before any call runs if the program made a mistake: something that is no call or no
    tool, two tools of one name, a tool that needs a context and gets none, a limit that is no number.
    """
    started = time.monotonic()
    jobs = prepare_all(calls, tools, (timeout, turn_timeout), (max_workers, max_characters), context, approve)
    turn = Turn(started, timeout, turn_timeout, max_characters, max_workers, approve)
    if len(jobs) == 1 and needs_no_loop(jobs[0]):
        return [turn.answer_alone(jobs[0])]
    return wait_for(turn.answers(jobs))


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
    started = time.monotonic()
    jobs = prepare_all(calls, tools, (timeout, turn_timeout), (max_workers, max_characters), context, approve)
    return await Turn(started, timeout, turn_timeout, max_characters, max_workers, approve).answers(jobs)
