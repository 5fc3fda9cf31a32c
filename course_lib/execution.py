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

import time
from collections.abc import Iterable

from .content import MOST_CHARACTERS
from .jobs import prepare_all
from .overruns import left_running
from .schemas import Context
from .threads import wait_for
from .tools import Tool, ToolCall, ToolResult
from .turn_of_calls import Approve, Turn, needs_no_loop

MOST_AT_ONCE = 64
"""Calls that run at the same time; more in one turn wait for each other."""
SECONDS = 60
"""For one call, unless the program says otherwise: a tool that hangs must not hang the conversation."""

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
