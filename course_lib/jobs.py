"""The calls of a turn before any of them runs: options are checked, tools found, arguments read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import CourseError, ToolArgumentError, ToolExecutionError
from .schemas import Context
from .tools import Tool, ToolCall
from .toolset import unknown_tool

__all__ = ["Job", "check_options", "not_run", "prepare"]


def check_options(calls: list[Any], seconds: tuple[Any, Any], counts: tuple[Any, Any], approve: Any) -> None:
    """Raise CourseError for what only the program can have got wrong."""
    for call in calls:
        if not isinstance(call, ToolCall):
            raise CourseError(
                f"{type(call).__name__} is no ToolCall. Write run_calls(read_calls(response), tools), with "
                "read_calls of the provider's module in course_lib.providers."
            )
    for name, value in zip(("timeout", "turn_timeout"), seconds, strict=True):
        if value is not None and not (_is_number(value) and value > 0):
            raise CourseError(f"{name} is {value!r}; write seconds, more than 0, or None for no limit.")
    for name, value in zip(("max_workers", "max_characters"), counts, strict=True):
        if not (_is_number(value) and isinstance(value, int) and value > 0):
            raise CourseError(f"{name} is {value!r}; write a whole number from 1 on.")
    if approve is not None and not callable(approve):
        raise CourseError(f"approve is {approve!r}; write a function that takes a ToolCall, returning True.")


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
            raise ToolExecutionError(
                call.name,
                "it did not run, because the call was cut off before its end by the limit of tokens. "
                "Call it again; if the arguments are long, with less in them.",
            )
        return Job(call, one, one.prepare(call.arguments, context))
    except (ToolArgumentError, ToolExecutionError) as error:
        return Job(call, failure=error)
    except CourseError:
        raise  # a mistake in the program
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a check of the tool's own arguments)
        return Job(call, failure=ToolExecutionError(call.name, error))


def not_run(job: Job, why: str) -> ToolExecutionError:
    """The error of a call that may not start."""
    return ToolExecutionError(job.call.name, f"it did not run: {why}.")
