"""A call that a model asks for, its result, and the tools of a request found by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import InitVar, dataclass
from typing import Any

from ..errors import ArgumentProblem, ToolArgumentError, ToolSchemaError
from .definition import Tool


@dataclass(frozen=True)
class ToolCall:
    """A request of the model: run this tool with these arguments. Nothing has run yet."""

    id: str
    """Belongs to this one call; the result must carry it."""
    name: str
    arguments: dict[str, Any] | str
    """By name; or the text that the model wrote, where that is not a JSON object."""
    cut_off: bool = False
    """Whether the model ran out of tokens while it wrote this call: what is there may look complete."""
    key: InitVar[str] = ""
    """What is unique to this call over all turns, if the program has such a key: see `Context.call_key`."""

    def __post_init__(self, key: str) -> None:
        if key:  # not a field: it is not from the model, and is neither shown nor compared
            object.__setattr__(self, "key", key)


@dataclass(frozen=True)
class ToolResult:
    """What a tool call gave back, or why it gave nothing."""

    tool_call_id: str
    name: str
    content: str
    """For the model: JSON or plain text."""
    is_error: bool = False
    """Whether the content says what went wrong."""
    started: float | None = None
    """Seconds from the start of the turn; None where nobody measured."""
    ended: float | None = None
    cause: InitVar[BaseException | None] = None
    """For the program: the exception behind an error. It is never sent, and not kept with the result."""

    def __post_init__(self, cause: BaseException | None) -> None:
        if cause is not None:
            object.__setattr__(self, "cause", cause)

    def __getstate__(self) -> dict[str, Any]:
        # For pickle and copy: an exception may hold what can neither be pickled nor copied.
        return {name: value for name, value in vars(self).items() if name != "cause"}


# The tools of a request ---------------------------------------------------------------------------

_LONGEST_NAME = 100


def tools_by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return the tools by name. Raises ToolSchemaError if two have the same: one would replace the other."""
    found: dict[str, Tool] = {}
    for one in tools:
        if not isinstance(one, Tool):
            raise ToolSchemaError(f"{one!r} is no tool. Put @tool on the function, or write tool(function).")
        if one.name in found:
            raise ToolSchemaError(
                f"Two tools are called '{one.name}': {found[one.name]!r} and {one!r}. "
                'Give one of them another name: @tool(name="...").'
            )
        found[one.name] = one
    return found


def find_tool(name: str, tools: Iterable[Tool]) -> Tool:
    """Return the tool of this name. Raises UnknownToolError, for the model, with the names that there are."""
    known = tools_by_name(tools)
    if name not in known:
        raise unknown_tool(name, known)
    return known[name]


class UnknownToolError(ToolArgumentError):
    """A call of a tool that the request did not have. The message is for the model."""

    def __str__(self) -> str:
        return f"{self.problems[0].what} Nothing was run."


def unknown_tool(name: Any, known: Iterable[str]) -> UnknownToolError:
    """Return the error for an unknown name: the names that there are, and the one that may be meant."""
    name, known = str(name), list(known)
    close = difflib.get_close_matches(name[:_LONGEST_NAME], known, n=1)
    guess = f" Did you mean {close[0]}?" if close else ""
    there_are = f"the tools are: {', '.join(known)}" if known else "there are no tools"
    problem = ArgumentProblem("", f"There is no tool '{name[:_LONGEST_NAME]}'; {there_are}.{guess}")
    return UnknownToolError(name, [problem])


def check_limits(tools: Iterable[Tool], provider: str, strict: bool | None = None) -> None:
    """Raise ToolSchemaError if the strict tools of a request are over a limit of "anthropic" or "openai".

    Non-strict tools do not count. The error says which tool brought them over, and which count most.
    """
    from .provider_schemas import limits_exceeded  # here: most programs ask for no strict form

    counted = {
        name: one.strict_schema(provider)
        for name, one in tools_by_name(tools).items()
        if one.is_strict(strict)
    }
    found = limits_exceeded(counted, provider)
    if found:
        lines = "".join(f"\n- {one}" for one in found)
        raise ToolSchemaError(
            f"These strict tools are more than {provider} takes in a request:{lines}\n"
            "Offer fewer tools at a time, or leave the simple ones without strict (strict=False)."
        )
