"""What is no response, no stream and no list of results: each error says what to give instead."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from .. import providers
from ..errors import CourseError
from ..plain_json import kind_of
from ..tools import ToolResult
from .shared import get, has_any


def explained(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that reads the wire, with a CourseError for what does not have the right form."""
    module = function.__module__.rpartition(".")[2]

    @functools.wraps(function)
    def read(given: Any) -> Any:
        if function.__name__ == "merge_stream":
            given = list(events_of(given))  # what breaks while it arrives stays the error of who sends it
        try:
            return function(given)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise CourseError(
                f"This cannot be read by providers.{module} ({type(error).__name__}: {error}): something in "
                "it is not what the service sends. Give what the client returned, unchanged."
            ) from error

    return read


def check_response(response: Any, module: str) -> None:
    """Raise CourseError unless this is what the module reads: a response, whole or a part of one."""
    if not isinstance(response, dict):
        _check_object(response)
    provider = getattr(providers, module)
    if (foreign := _foreign(response, provider, module)) is not None:
        where, what = foreign
        raise CourseError(f"This is {what}; use providers.{where} for it, not providers.{module}.")
    if get(response, "error") is not None and not has_any(response, provider.FIELDS):
        raise CourseError(f"This is an error of the service, not a response: {get(response, 'error')!r}")
    if not has_any(response, provider.FIELDS):
        names = " or ".join(repr(name) for name in provider.FIELDS[:3])
        raise CourseError(
            f"{kind_of(response)} is no response that providers.{module} can read: it has no {names}. Give "
            "what the client returned."
        )
    for name in provider.LISTS:
        _check_list(get(response, name), name)


def _check_object(response: Any) -> None:
    """Raise CourseError for what holds a response, or comes before one."""
    if inspect.isawaitable(response):
        raise CourseError("This is a coroutine, not a response; await it first: response = await ...")
    kind = type(response)
    if isinstance(response, AsyncIterator) or hasattr(kind, "__next__") or hasattr(kind, "__aiter__"):
        raise CourseError(
            f"This is a stream ({kind.__name__}), not a response; put it together first: "
            "response = merge_stream(stream)."
        )
    if isinstance(response, list | tuple):
        raise CourseError("This is a list, not a response; give the whole response that the client returned.")


def _check_list(value: Any, name: str) -> None:
    if value is not None and not isinstance(value, list | tuple):
        raise CourseError(f"The {name!r} of this response is {kind_of(value)}, and must be a list.")
    if any(isinstance(one, str | int) or one is None for one in value or ()):
        raise CourseError(f"The {name!r} of this response holds what is no object of the service.")


def _foreign(response: Any, provider: providers.ProviderModule, module: str) -> tuple[str, str] | None:
    """Return the module that reads a response and what it is, if it is another's than this module's.

    Own fields count first, but for `content`, which several have: what is in it tells a message of Anthropic.
    """
    if any(get(response, name) is not None for name in provider.FIELDS if name != "content"):
        return None
    for other in providers.MODULES:
        for name, what in getattr(providers, other).LISTS.items():
            if other != module and get(response, name) is not None:
                return other, what
    content = get(response, "content")
    blocks = content if isinstance(content, list) else []
    if module != "anthropic" and any(get(one, "type") in ("tool_use", "thinking") for one in blocks):
        return "anthropic", "a message of Anthropic"
    if module not in ("anthropic", "openai_chat") and get(response, "type") == "message":
        return "anthropic", "a message of Anthropic"
    return None


def results_of(results: Any) -> list[ToolResult]:
    """Return the results as a list. Raises CourseError for what is none."""
    if isinstance(results, ToolResult):
        raise CourseError("write_results takes a list of results; write write_results([result]).")
    if not isinstance(results, Iterable) or isinstance(results, str | bytes | Mapping):
        raise CourseError(f"{kind_of(results)} is no list of results; write write_results(run_calls(...)).")
    found = list(results)
    for one in found:
        if not isinstance(one, ToolResult):
            raise CourseError(
                f"{kind_of(one)} is no ToolResult; write write_results(run_calls(calls, tools)), or make "
                "each with ToolResult(call.id, call.name, text)."
            )
    return found


def events_of(events: Any) -> Iterable[Any]:
    """Return the events of a stream. Raises CourseError for what is none."""
    if inspect.isawaitable(events):
        raise CourseError("This is a coroutine, not a stream; await it first: stream = await ...")
    if hasattr(type(events), "__aiter__"):
        raise CourseError(
            "This is an asynchronous stream; collect it first: "
            "merge_stream([event async for event in stream])."
        )
    if isinstance(events, Mapping) or hasattr(events, "model_dump"):
        raise CourseError("This is a whole response already, not a stream; ask for one with stream=True.")
    if not isinstance(events, Iterable) or isinstance(events, str | bytes):
        raise CourseError(f"{kind_of(events)} is no stream; give what the client returned with stream=True.")
    return events
