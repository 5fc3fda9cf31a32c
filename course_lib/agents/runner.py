"""Runs of an agent in sessions: with a message of the user, as events, and resumed after an approval.

    support = Agent("support", "Help customers of the shop.", [get_order, check_stock])
    runner = Runner(support)

    response = runner.run("anna", "Where is order 1042?")           # in a notebook, too
    response = await runner.run_async("anna", "And order 1043?")
    for event in runner.run_stream("anna", "Thanks!"):              # or `async for`
        ...

The loop itself is `turns` in `run`; what it asks is an `AgentRequest`, and a `ModelClient` asks it.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ..async_generators import AbandonableGenerator, NestedGenerator, without_waiting
from ..errors import CourseError, LoopLimitError
from ..execution import run_calls_async
from ..execution.retrying import Retrying
from ..tools import Context, ToolCall
from .agent import Agent, all_agents
from .run import Done, Event, Limits, Response, Run, RunSettings, turns
from .session_lock import SessionLock
from .session_state import SessionState
from .sessions import SessionStore

_TOOL_OPTIONS = set(inspect.signature(run_calls_async).parameters) - {"calls", "tools", "context"}


class Runner:
    """Runs an agent's loop for any number of sessions, within limits.

    A session has one run at a time: another one, of this runner or of any other on the same store, is refused
    before it asks or writes anything. See `SessionStore.alone`.

    Args:
        starting_agent: Who has a new session.
        session_store: Where the sessions are kept; without it in memory, for as long as the runner lives.
        max_turns: How many turns the model may take in one run.
        token_budget: How many tokens a run may use, in and out; checked before each turn.
        time_budget: How many seconds a run may take: requests, attempts and tools together. `run` cannot
            leave a request in the middle: its client's timeout ends one that stays silent for what is left,
            and one whose answer drips may end the run late.
        max_repeats: How often a call may fail with the same arguments in the same way.
        on_limit: "raise" raises LoopLimitError, with what the run had come to as `error.response`; "stop"
            returns that response, whose stop_reason names the limit.
        retrying: How often a request is sent again when the service fails. A client of your own does that
            itself.
        tool_options: Those of `run_calls`: timeout, turn_timeout, max_workers, max_characters, approve.
            Without `approve`, or with None, a call that needs an approval ends the run, to be resumed.

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
            raise CourseError(_unknown_options(sorted(unknown)))
        all_agents(starting_agent)
        self.starting_agent = starting_agent
        self.store = SessionStore() if session_store is None else session_store
        self.limits = Limits(max_turns, token_budget, time_budget, max_repeats)
        self.on_limit = on_limit
        self.retrying = retrying or Retrying()
        self.tool_options = {
            name: one for name, one in tool_options.items() if name != "approve" or one is not None
        }
        self._locks: dict[str, SessionLock] = {}

    def run(self, session_id: str, user_message: str, *, context: Context | None = None) -> Response:
        """Answer what the user says, running the tools that it takes.

        `context` is handed to tools with a parameter annotated `Context`. Raises LoopLimitError at a limit,
        CourseError for a mistake of the program, ServiceError for one of the service, and what the SDK
        raises where the service cannot be asked.
        """
        begin = partial(Run.begin, message=user_message)
        return _last(without_waiting(self._events(session_id, context, begin)))

    async def run_async(
        self, session_id: str, user_message: str, *, context: Context | None = None
    ) -> Response:
        """Return the same without blocking the event loop."""
        begin = partial(Run.begin, message=user_message)
        return await _last_async(self._events(session_id, context, begin, asynchronous=True))

    def run_stream(
        self, session_id: str, user_message: str, *, context: Context | None = None
    ) -> EventStream:
        """Return the events of a run as they happen, for a `for` or an `async for`: see `run`."""
        return EventStream(self, session_id, context, partial(Run.begin, message=user_message))

    def waiting(self, session_id: str) -> list[ToolCall]:
        """Return the calls of a session that wait for an approval, as `response.waiting` had them."""
        return SessionState(self.store, session_id, self.starting_agent).waiting()

    def resume(
        self,
        session_id: str,
        approved: Iterable[str] | None = None,
        *,
        context: Context | None = None,
    ) -> Response:
        """Go on with a run that waits for approvals, or that ended with its program.

        `approved` are the ids of the calls in `response.waiting` that may run; the others are refused, and
        with `[]` all of them. Without it nobody has decided yet: the run stops with "approval" as before, or
        asks the runner's `approve`. Calls that may have run when a program ended are not run again: the model
        is told that nobody knows.
        """
        begin = _resuming(approved)
        return _last(without_waiting(self._events(session_id, context, begin)))

    async def resume_async(
        self,
        session_id: str,
        approved: Iterable[str] | None = None,
        *,
        context: Context | None = None,
    ) -> Response:
        """Return the same without blocking the event loop."""
        begin = _resuming(approved)
        return await _last_async(self._events(session_id, context, begin, asynchronous=True))

    def resume_stream(
        self,
        session_id: str,
        approved: Iterable[str] | None = None,
        *,
        context: Context | None = None,
    ) -> EventStream:
        """Return the same as events, as they happen."""
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
        """Yield the events of a run; two of one session would mix up its history."""
        with self.store.alone(session_id) as lock:
            self._locks[session_id] = lock
            try:
                # Made for each run: a program may change what its runner has from one run to the next.
                settings = RunSettings(
                    self.starting_agent, self.store, self.limits, self.retrying, self.tool_options
                )
                run = Run(settings, session_id, context, asynchronous=asynchronous, streaming=streaming)
                begin(run)
                async with NestedGenerator(turns(run)) as events:
                    async for event in events:
                        yield event
            except LoopLimitError as error:
                error.response = run.response(error.limit)
                if self.on_limit == "raise":
                    raise
                yield Done(error.response)
            finally:
                # Not that of a run after this one, if this one was left half read.
                if self._locks.get(session_id) is lock:
                    del self._locks[session_id]

    def _leave(self, session_id: str) -> None:
        """Let others have a session whose run was left half read, and is yet to be closed."""
        if session_id in self._locks:
            self._locks.pop(session_id).end()


class EventStream:
    """The events of one run: `for event in stream`, or `async for event in stream`."""

    def __init__(self, runner: Runner, session_id: str, context: Context | None, begin: Any) -> None:
        self._start = lambda asynchronous: runner._events(
            session_id, context, begin, asynchronous=asynchronous, streaming=True
        )
        self._left = lambda: runner._leave(session_id)

    def __iter__(self) -> Iterator[Event]:
        return without_waiting(self._start(False))

    def __aiter__(self) -> AsyncIterator[Event]:
        return AbandonableGenerator(self._start(True), self._left)


def _unknown_options(unknown: list[str]) -> str:
    """Return which options a Runner does not have, which may be meant, and which there are."""
    own = [name for name in inspect.signature(Runner).parameters if name != "tool_options"]
    of_tools = sorted(_TOOL_OPTIONS)
    meant = [name for one in unknown for name in _near(one, [*own, *of_tools])]
    guess = f" Did you mean {' or '.join(dict.fromkeys(meant))}?" if meant else ""
    return (
        f"Runner has no option {', '.join(unknown)}.{guess} It takes {', '.join(own)}; for its tools "
        f"it takes those of run_calls: {', '.join(of_tools)}."
    )


def _near(name: str, known: list[str]) -> list[str]:
    """Return those that hold the name as a part, as session_store does store; else the most similar one."""
    holding = [one for one in known if len(name) > 3 and name in one]
    return holding or difflib.get_close_matches(name, known, n=1)


def _resuming(approved: Iterable[str] | None) -> Callable[[Run], None]:
    if isinstance(approved, str | ToolCall):
        what, one = ("id", repr(approved)) if isinstance(approved, str) else ("call", "call.id")
        raise CourseError(f"approved is one {what}. Write a list: approved=[{one}].")
    if approved is not None and not isinstance(approved, Iterable):
        raise CourseError(
            f"approved is a {type(approved).__name__}. Write the ids of calls in response.waiting as a "
            "list; [] refuses all of them."
        )
    return partial(Run.resume, approved=None if approved is None else list(approved))


# Both read to the end: an event stream that is left is over only when it is collected.


def _last(events: Iterator[Event]) -> Response:
    *_, last = events
    return last.response


async def _last_async(events: AsyncIterator[Event]) -> Response:
    async for event in events:
        last = event
    return last.response
