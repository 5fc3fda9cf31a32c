"""A call before it runs and after it ended: its tool and arguments found, its result or failure as text."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import CourseError, ToolArgumentError, ToolExecutionError, ToolNotRunError
from ..masking import mask
from ..plain_json import MOST_ITEMS, cut, sendable
from ..tools import Context, Tool, ToolCall, tools_by_name, unknown_tool

# The calls of a turn before any of them runs: options are checked, tools found, arguments read --------


_READ_CALLS = (
    "Write run_calls(read_calls(response), tools), with read_calls of the provider's module in "
    "course_lib.providers."
)


def check_calls(calls: Any) -> list[ToolCall]:
    """The calls as a list. Raises CourseError for what is no list of calls."""
    if isinstance(calls, ToolCall):
        raise CourseError("calls is one ToolCall; write [call].")
    if not isinstance(calls, Iterable) or isinstance(calls, str | Mapping):
        raise CourseError(f"calls is {_kind(calls)}. {_READ_CALLS}")
    found = list(calls)
    for call in found:
        if not isinstance(call, ToolCall):
            raise CourseError(f"{type(call).__name__} is no ToolCall. {_READ_CALLS}")
    return found


def check_tools(tools: Any) -> dict[str, Tool]:
    """The tools by name. Raises CourseError for what is no list of tools that can be called as they are."""
    if isinstance(tools, Tool):
        raise CourseError(f"tools is one tool; write [{tools.name}].")
    if isinstance(tools, Mapping):
        raise CourseError("tools is a mapping; write list(tools.values()), or the tools in a list.")
    if not isinstance(tools, Iterable) or isinstance(tools, str):
        raise CourseError(f"tools is {_kind(tools)}; write the tools in a list, such as [get_weather].")
    known = tools_by_name(tools)
    for one in known.values():
        one.check_object()
    return known


def check_options(seconds: tuple[Any, Any], counts: tuple[Any, Any], context: Any, approve: Any) -> None:
    """Raise CourseError for an option that only the program can have got wrong."""
    for name, value in zip(("timeout", "turn_timeout"), seconds, strict=True):
        if value is not None and not (_is_number(value) and value > 0):
            raise CourseError(f"{name} is {value!r}; write seconds, more than 0, or None for no limit.")
    for name, value in zip(("max_workers", "max_characters"), counts, strict=True):
        if not (_is_number(value) and isinstance(value, int) and value > 0):
            raise CourseError(f"{name} is {value!r}; write a whole number from 1 on.")
    if context is not None and not isinstance(context, Context):
        raise CourseError(f"context is {_kind(context)}; write Context(...) with what the tools are to get.")
    if approve is not None and not _takes_one(approve):
        raise CourseError(
            f"approve is {approve!r}; write a function that takes one argument, the ToolCall, and returns "
            "True where the call may run."
        )


def _kind(value: Any) -> str:
    """What a wrong value is, in a few words."""
    return "None" if value is None else f"a {type(value).__name__}"


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
class Job:
    """A call that can run; or, with a failure, one that cannot."""

    call: ToolCall
    tool: Tool | None = None
    work: Callable[[], Any] | None = None
    failure: Exception | None = None


def prepare(call: ToolCall, tools: Mapping[str, Tool], context: Context | None) -> Job:
    """Find the tool and check the arguments; nothing has run yet."""
    try:
        one = tools.get(call.name) if isinstance(call.name, str) else None
        if one is None:
            raise unknown_tool(call.name, tools)
        if call.cut_off:
            raise ToolNotRunError(
                call.name,
                "the call was cut off before its end. Call it again; if the arguments are long, with less in "
                "them.",
            )
        return Job(call, one, one.prepare(call.arguments, context))
    except (ToolArgumentError, ToolExecutionError) as error:
        return Job(call, failure=error)
    except CourseError:
        raise  # a mistake in the program
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a check of the tool's own arguments)
        return Job(call, failure=ToolNotRunError(call.name, error))


def prepare_all(
    calls: Any,
    tools: Any,
    seconds: tuple[Any, Any],
    counts: tuple[Any, Any],
    context: Context | None,
    approve: Any,
) -> list[Job]:
    """The calls of a turn, prepared. Raises CourseError for what the program got wrong; nothing has run."""
    calls, known = check_calls(calls), check_tools(tools)
    check_options(seconds, counts, context, approve)
    return [prepare(call, known, context) for call in calls]


def not_run(job: Job, why: str | BaseException) -> ToolNotRunError:
    """The error of a call that may not start."""
    return ToolNotRunError(job.call.name, why)


def not_approved(reason: str = "") -> str:
    """Why a call did not run that needs an approval, as the model is told."""
    because = f" ({reason})" if reason else ""
    return (
        f"it needs an approval, which was not given{because}. Do not call it again for this; tell the user."
    )


# What becomes of a call that runs: its text or its failure, as the model is told, and when it ends ----


LONGEST_ERROR = 2_000
"""Characters of an error's text. Some exceptions quote a whole page."""


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
