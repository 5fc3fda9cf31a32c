"""One call: ready to run or refused, running or abandoned, and what the model reads of it."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ..errors import CourseError, ToolArgumentError, ToolExecutionError, ToolNotRunError
from ..plain_json import cut, kind_of, sendable
from ..tools import Context, Tool, ToolCall, tools_by_name, unknown_tool
from ..tools.signatures import RUNNING

# Before it runs: its tool found, its arguments checked ------------------------------------------------

_READ_CALLS = (
    "Write run_calls(read_calls(response), tools), with read_calls of the provider's module in "
    "course_lib.providers."
)

Approve = Callable[[ToolCall], Any]
"""Says whether a call may run: True, or else False or a reason for the model. May be async."""


def _check_calls(calls: Any) -> list[ToolCall]:
    """Return the calls as a list. Raise CourseError for what is no list of calls."""
    if isinstance(calls, ToolCall):
        raise CourseError("calls is one ToolCall; write [call].")
    if not isinstance(calls, Iterable) or isinstance(calls, str | Mapping):
        raise CourseError(f"calls is {kind_of(calls)}. {_READ_CALLS}")
    found = list(calls)
    for call in found:
        if not isinstance(call, ToolCall):
            raise CourseError(f"{type(call).__name__} is no ToolCall. {_READ_CALLS}")
    return found


def _check_tools(tools: Any) -> dict[str, Tool]:
    """Return the tools by name. Raise CourseError for what is no list of tools that can be called."""
    if isinstance(tools, Tool):
        raise CourseError(f"tools is one tool; write [{tools.name}].")
    if isinstance(tools, Mapping):
        raise CourseError("tools is a mapping; write list(tools.values()), or the tools in a list.")
    if not isinstance(tools, Iterable) or isinstance(tools, str):
        raise CourseError(f"tools is {kind_of(tools)}; write the tools in a list, such as [get_weather].")
    known = tools_by_name(tools)
    for one in known.values():
        one.check_object()
    return known


@dataclass
class Options:
    """The options of `run_calls`, which says what they are."""

    timeout: float | None
    turn_timeout: float | None
    max_workers: int
    max_characters: int
    context: Context | None
    approve: Approve | None

    def check(self) -> None:
        """Raise CourseError for an option that only the program can have got wrong."""
        for name, value in (("timeout", self.timeout), ("turn_timeout", self.turn_timeout)):
            if value is not None and not (_is_number(value) and value > 0):
                raise CourseError(f"{name} is {value!r}; write seconds, more than 0, or None for no limit.")
        for name, value in (("max_workers", self.max_workers), ("max_characters", self.max_characters)):
            if not (_is_number(value) and isinstance(value, int) and value > 0):
                raise CourseError(f"{name} is {value!r}; write a whole number from 1 on.")
        if self.context is not None and not isinstance(self.context, Context):
            raise CourseError(
                f"context is {kind_of(self.context)}; write Context(...) with what the tools are to get."
            )
        if self.approve is not None and not _takes_one(self.approve):
            raise CourseError(
                f"approve is {self.approve!r}; write a function that takes one argument, the ToolCall, and "
                "returns True where the call may run."
            )


def _takes_one(function: Any) -> bool:
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # it does not say what it takes
        return True
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class PreparedCall:
    """A call that can run; or, with a failure, one that cannot."""

    call: ToolCall
    tool: Tool | None = None
    work: Callable[[], Any] | None = None
    failure: Exception | None = None


def prepare_all(calls: Any, tools: Any, options: Options) -> list[PreparedCall]:
    """Return the calls of a turn, prepared. Raise CourseError for what the program got wrong."""
    calls, known = _check_calls(calls), _check_tools(tools)
    options.check()
    return [prepare(call, known, options.context) for call in calls]


def prepare(call: ToolCall, tools: Mapping[str, Tool], context: Context | None) -> PreparedCall:
    """Find the tool and check the arguments; nothing runs yet."""
    try:
        found = tools.get(call.name) if isinstance(call.name, str) else None
        if found is None:
            raise unknown_tool(call.name, tools)
        if call.cut_off:
            raise ToolNotRunError(
                call.name,
                "the call was cut off before its end. Call it again; if the arguments are long, with less in "
                "them.",
            )
        return PreparedCall(call, found, found.prepare(call.arguments, context))
    except (ToolArgumentError, ToolExecutionError) as error:
        return PreparedCall(call, failure=error)
    except CourseError:
        raise  # a mistake in the program
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a check of the tool's own arguments)
        return PreparedCall(call, failure=ToolNotRunError(call.name, error))


# While it runs, and after it was abandoned ------------------------------------------------------------
# A call that ran over its time limit may still be inside its function. All that can be done is to count it,
# and to let no call begin that must not run beside it.

_lock = threading.Lock()  # for all that follows: it changes from the threads of tools
_abandoned: set[Running] = set()


class AbandonedBeforeStart(Exception):
    """A call was abandoned before its function began, so it never begins."""


class Running:
    """One run of a tool's function: `with running:` around it, `abandon()` when nobody waits any more.

    May be entered again inside, as a function may start in a thread and go on on the loop.
    """

    def __init__(self, tool: Tool, call: ToolCall) -> None:
        self.tool = tool
        self._call = call.id, call.key or call.id
        self.abandoned = False
        self._depth = 0
        self._queue: _SequentialQueue | None = None

    async def take_turn(self) -> None:
        """Wait for the sequential calls before. Raise ToolNotRunError if one of them was abandoned."""
        queue = _current_queue.get(_shared_queue)
        await queue.enter(self)
        self._queue = queue

    def abandon(self) -> None:
        """Count it until it ends by itself; if it has not begun, it never will."""
        with _lock:
            self.abandoned = True
            if not self._depth:
                self._end()
                return
            _abandoned.add(self)
            if self._queue is not None:
                self._queue.refuse_waiting()

    def __enter__(self) -> None:
        with _lock:
            if self.abandoned:
                raise AbandonedBeforeStart
            self._depth += 1
        RUNNING.set(self._call)  # for the function alone: it runs in a thread or a task of its own
        if self._queue is not None:
            # What a sequential tool calls itself is part of it: it gets a queue of its own, or it would
            # wait for the tool that waits for it.
            _current_queue.set(_SequentialQueue())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _lock:
            self._depth -= 1
            if not self._depth:
                self._end()

    def _end(self) -> None:
        _abandoned.discard(self)
        if self._queue is not None:
            self._queue.go_on(self)


class _SequentialQueue:
    """What lets calls pass one at a time, first come first served, from whatever loop or thread."""

    def __init__(self) -> None:
        self._inside: Running | None = None
        self._waiting: deque[tuple[Running, Future[None]]] = deque()

    async def enter(self, running: Running) -> None:
        with _lock:
            if self._inside is None:
                self._inside = running
                return
            if self._inside.abandoned:
                raise self._refusal(running)
            turn: Future[None] = Future()
            self._waiting.append((running, turn))
        try:
            await asyncio.wrap_future(turn)
        except asyncio.CancelledError:
            if not turn.cancel():  # its turn came in the same moment
                with _lock:
                    self.go_on(running)
            raise

    def go_on(self, running: Running) -> None:
        """Let the next one in, as the one inside is done."""
        if self._inside is not running:
            return
        self._inside = None
        while self._waiting and self._inside is None:
            after, turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                self._inside = after
                turn.set_result(None)

    def refuse_waiting(self) -> None:
        """Refuse those that wait: the one inside was abandoned, and may never end."""
        while self._waiting:
            waiting, turn = self._waiting.popleft()
            if turn.set_running_or_notify_cancel():
                turn.set_exception(self._refusal(waiting))

    def _refusal(self, running: Running) -> ToolNotRunError:
        return ToolNotRunError(running.tool.name, f"an earlier call of {self._inside.tool.name} still runs")


_shared_queue = _SequentialQueue()
_current_queue: ContextVar[_SequentialQueue] = ContextVar("_current_queue")


def left_running() -> dict[str, int]:
    """Count the calls, by tool, that ran over their time limit and are still inside their function."""
    with _lock:
        names = [one.tool.name for one in _abandoned]
    return {name: names.count(name) for name in sorted(set(names))}


# What the model reads of it ----------------------------------------------------------------------------

LONGEST_ERROR = 2_000
"""Characters of an error's text. Some exceptions quote a whole page."""


@dataclass(frozen=True)
class CallOutcome:
    """What the model reads of a call."""

    text: str
    cause: BaseException | None = None
    """Why it failed, for the program to look at; None where it did not."""

    @classmethod
    def failed(cls, error: ToolArgumentError | ToolExecutionError, text: str | None = None) -> CallOutcome:
        """Return that of an error; its cause is the tool's own exception, where there is one."""
        cause = getattr(error, "cause", None)
        return cls(error_text(error) if text is None else text, error if cause is None else cause)


def error_text(error: Exception) -> str:
    """Return an error as the model may read it: no secret, and not a whole page."""
    from ..masking import mask  # here: only the text of an error needs it, and its patterns take a while

    # Cut twice: a secret must be whole where it is searched, and the search must not meet megabytes.
    return cut(mask(cut(sendable(str(error)), 20 * LONGEST_ERROR)), LONGEST_ERROR)


def not_approved(reason: str = "") -> str:
    """Return why a call did not run that needs an approval, for the model to read."""
    because = f" ({reason})" if reason else ""
    return (
        f"it needs an approval, which was not given{because}. Do not call it again for this; tell the user."
    )
