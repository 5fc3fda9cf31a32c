"""The calls of a turn before any of them runs: options are checked, tools found, arguments read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import CourseError, ToolArgumentError, ToolExecutionError, ToolNotRunError
from .schemas import Context
from .tools import Tool, ToolCall
from .toolset import tools_by_name, unknown_tool

_READ_CALLS = (
    "Write run_calls(read_calls(response), tools), with read_calls of the provider's module in "
    "course_lib.providers."
)

__all__ = ["Job", "check_options", "not_approved", "not_run", "prepare", "prepare_all"]


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
