"""An agent that talks with a user and runs its tools, with its sessions, its limits and its approvals.

    support = Agent("support", "Help customers of the shop.", [get_order, check_stock])
    runner = Runner(support)

    response = runner.run("anna", "Where is order 1042?")           # in a notebook, too
    response = await runner.run_async("anna", "And order 1043?")
    for event in runner.run_stream("anna", "Thanks!"):              # or `async for`
        ...

The loop itself is `turns` in `runs`; what it asks, and how, is in `sending` and `asking`.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from .errors import CourseError, LoopLimitError
from .events import CallEnded, CallStarted, Done, Event, ExecutedCall, Response, TextPiece, TurnEnded
from .execution import run_calls_async
from .handoffs import Handover, HumanQueue
from .limits import Limits
from .offers import Agent, all_agents
from .retrying import Retrying
from .runs import Run, turns, without_waiting
from .schemas import Context
from .sessions import SessionStore

__all__ = [
    "Agent",
    "CallEnded",
    "CallStarted",
    "Done",
    "ExecutedCall",
    "Handover",
    "HumanQueue",
    "Response",
    "Runner",
    "TextPiece",
    "TurnEnded",
]

_TOOL_OPTIONS = set(inspect.signature(run_calls_async).parameters) - {"calls", "tools", "context"}


class Runner:
    """Runs an agent's loop for any number of sessions, within limits.

    Args:
        starting_agent: Who has a new session.
        session_store: Where the sessions are kept; without it in memory, for as long as the runner lives.
        max_turns: How many turns the model may take in one run.
        token_budget: How many tokens a run may use, in and out; checked before each turn.
        time_budget: How many seconds a run may take: requests, attempts and tools together.
        max_repeats: How often a call may fail with the same arguments in the same way.
        on_limit: "raise" raises LoopLimitError, with what the run had come to as `error.response`; "stop"
            returns that response, whose stop_reason names the limit.
        retrying: How often a request is sent again when the service fails. A client of your own does that
            itself.
        tool_options: Those of `run_calls`: timeout, turn_timeout, max_workers, max_characters, approve.
            Without `approve`, a call that needs an approval ends the run, to be resumed.

    Raises CourseError for what it cannot use.
    """

    def __init__(
        self,
        starting_agent: Agent,
        session_store: SessionStore | None = None,
        max_turns: int = 10,
        *,
        token_budget: int | None = None,
        time_budget: float | None = None,
        max_repeats: int | None = 3,
        on_limit: str = "raise",
        retrying: Retrying | None = None,
        **tool_options: Any,
    ) -> None:
        if not isinstance(starting_agent, Agent):
            raise CourseError(
                f"{starting_agent!r} is no agent. Write Runner(Agent(name, instructions, tools))."
            )
        if on_limit not in ("raise", "stop"):
            raise CourseError(f"on_limit is {on_limit!r}; write 'raise' or 'stop'.")
        if unknown := tool_options.keys() - _TOOL_OPTIONS:
            raise CourseError(
                f"Runner has no option {', '.join(sorted(unknown))}. For its tools it takes those of "
                f"run_calls: {', '.join(sorted(_TOOL_OPTIONS))}."
            )
        all_agents(starting_agent)
        self.starting_agent = starting_agent
        self.store = SessionStore() if session_store is None else session_store
        self.limits = Limits(max_turns, token_budget, time_budget, max_repeats)
        self.on_limit = on_limit
        self.retrying = retrying or Retrying()
        self.tool_options = tool_options
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    def run(self, session_id: str, user_message: str, *, context: Context | None = None) -> Response:
        """Answer what the user says, running the tools that it takes.

        `context` is handed to tools with a parameter annotated `Context`. Raises LoopLimitError at a limit,
        CourseError for a mistake of the program, and what the SDK raises where the service cannot be asked.
        """
        begin = lambda run: run.begin(user_message)  # noqa: E731
        return _last(without_waiting(self._events(session_id, context, begin)))

    async def run_async(
        self, session_id: str, user_message: str, *, context: Context | None = None
    ) -> Response:
        """The same without blocking the event loop."""
        begin = lambda run: run.begin(user_message)  # noqa: E731
        return await _last_async(self._events(session_id, context, begin, asynchronous=True))

    def run_stream(
        self, session_id: str, user_message: str, *, context: Context | None = None
    ) -> EventStream:
        """The events of a run as they happen, for a `for` or an `async for`: see `course_lib.events`."""
        return EventStream(self, session_id, context, lambda run: run.begin(user_message))

    def resume(
        self, session_id: str, approved: Iterable[str] = (), *, context: Context | None = None
    ) -> Response:
        """Go on with a run that waits for approvals, or that ended with its program.

        `approved` are the ids of the calls in `response.waiting` that may run; the others are refused. Calls
        that may have run when a program ended are not run again: the model is told that nobody knows.
        """
        begin = _resuming(approved)
        return _last(without_waiting(self._events(session_id, context, begin)))

    async def resume_async(
        self, session_id: str, approved: Iterable[str] = (), *, context: Context | None = None
    ) -> Response:
        """The same without blocking the event loop."""
        begin = _resuming(approved)
        return await _last_async(self._events(session_id, context, begin, asynchronous=True))

    def resume_stream(
        self, session_id: str, approved: Iterable[str] = (), *, context: Context | None = None
    ) -> EventStream:
        """The same with its events as they happen."""
        return EventStream(self, session_id, context, _resuming(approved))

    async def _events(
        self,
        session_id: str,
        context: Context | None,
        begin: Callable[[Run], None],
        *,
        asynchronous: bool = False,
        streaming: bool = False,
    ) -> AsyncIterator[Event]:
        """The events of a run; two of one session would mix up its history."""
        with self._lock:
            if session_id in self._busy:
                raise CourseError(
                    f"A run of session '{session_id}' is still going on. Wait for its end, or use another "
                    "session id: one for each conversation."
                )
            self._busy.add(session_id)
        try:
            run = Run(self, session_id, context, asynchronous, streaming)
            begin(run)
            try:
                async for event in turns(run):
                    yield event
            except LoopLimitError as error:
                error.response = run.response(error.limit)
                if self.on_limit == "raise":
                    raise
                yield Done(error.response)
        finally:
            self._busy.discard(session_id)


class EventStream:
    """The events of one run: `for event in stream`, or `async for event in stream`."""

    def __init__(self, runner: Runner, session_id: str, context: Context | None, begin: Any) -> None:
        self._start = lambda asynchronous: runner._events(
            session_id, context, begin, asynchronous=asynchronous, streaming=True
        )

    def __iter__(self) -> Iterator[Event]:
        return without_waiting(self._start(False))

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._start(True)


def _resuming(approved: Iterable[str]) -> Callable[[Run], None]:
    if isinstance(approved, str):
        raise CourseError(f"approved is one id. Write a list: approved=[{approved!r}].")
    ids = list(approved)
    return lambda run: run.resume(ids)


# Both read to the end: an event stream that is left is over only when it is collected.


def _last(events: Iterator[Event]) -> Response:
    *_, last = events
    return last.response


async def _last_async(events: AsyncIterator[Event]) -> Response:
    async for event in events:
        last = event
    return last.response
