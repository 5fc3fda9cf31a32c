"""What is no response, no stream and no list of results is told to the programmer, with what to write."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from ..errors import CourseError
from ..tools import ToolResult
from .wire import get

__all__ = ["check_response", "events_of", "explained", "results_of"]

# The fields of a response that hold the model's turn, and of what else a module takes: a choice, a message, a
# content. They are told apart by these, as plain dictionaries are taken too.
_FIELDS = {
    "openai_chat": ("choices", "message", "tool_calls", "content", "refusal"),
    "openai_responses": ("output",),
    "gemini": ("candidates", "parts", "content", "prompt_feedback", "promptFeedback"),
    "anthropic": ("content",),
}
_FOREIGN = {
    "choices": ("openai_chat", "a chat completion"),
    "tool_calls": ("openai_chat", "a message of Chat Completions"),
    "output": ("openai_responses", "a response of the Responses API"),
    "candidates": ("gemini", "a response of Gemini"),
    "parts": ("gemini", "a content of Gemini"),
}


def explained(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that reads the wire, with a CourseError for what does not have the form that it should."""
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
    if (foreign := _foreign(response, module)) is not None:
        where, what = foreign
        raise CourseError(f"This is {what}; use providers.{where} for it, not providers.{module}.")
    if get(response, "error") is not None and not _has(response, module):
        raise CourseError(f"This is an error of the service, not a response: {get(response, 'error')!r}")
    if not _has(response, module):
        names = " or ".join(repr(name) for name in _FIELDS[module][:3])
        raise CourseError(
            f"{_kind(response)} is no response that providers.{module} can read: it has no {names}. Give "
            "what the client returned."
        )
    _check_lists(response, module)


def _check_object(response: Any) -> None:
    """Raise CourseError for what holds a response, or comes before one."""
    if inspect.isawaitable(response):
        raise CourseError("This is a coroutine, not a response; await it first: response = await ...")
    if _is_stream(response):
        raise CourseError(
            f"This is a stream ({type(response).__name__}), not a response; put it together first: "
            "response = merge_stream(stream)."
        )
    if isinstance(response, list | tuple):
        raise CourseError("This is a list, not a response; give the whole response that the client returned.")


def _check_lists(response: Any, module: str) -> None:
    for name in ("choices", "tool_calls", "output", "candidates", "parts"):
        value = get(response, name) if name in _FIELDS[module] else None
        if value is not None and not isinstance(value, list | tuple):
            raise CourseError(f"The {name!r} of this response is {_kind(value)}, and must be a list.")
        if isinstance(value, list | tuple) and any(
            isinstance(one, str | int) or one is None for one in value
        ):
            raise CourseError(f"The {name!r} of this response holds what is no object of the service.")
    if module != "anthropic":
        return
    content = get(response, "content", [])
    if not isinstance(content, str | list | tuple):
        raise CourseError(
            f"The 'content' of this response is {_kind(content)}, and must be text or a list of blocks."
        )
    if not isinstance(content, str) and any(isinstance(one, str | int) or one is None for one in content):
        raise CourseError("The 'content' of this response holds what is no block.")


def _has(response: Any, module: str) -> bool:
    if isinstance(response, Mapping):
        return any(name in response for name in _FIELDS[module])
    return not isinstance(response, str) and any(hasattr(response, name) for name in _FIELDS[module])


def _foreign(response: Any, module: str) -> tuple[str, str] | None:
    """Whose response it is, if it is another's. Own fields count first, but for those that several have."""
    own = [name for name in _FIELDS[module] if name != "content"]
    if any(get(response, name) is not None for name in own):
        return None
    for name, (where, what) in _FOREIGN.items():
        if where != module and get(response, name) is not None:
            return where, what
    content = get(response, "content")
    blocks = content if isinstance(content, list) else []
    if module != "anthropic" and any(get(one, "type") in ("tool_use", "thinking") for one in blocks):
        return "anthropic", "a message of Anthropic"
    if module not in ("anthropic", "openai_chat") and get(response, "type") == "message":
        return "anthropic", "a message of Anthropic"
    return None


def results_of(results: Any) -> list[ToolResult]:
    """The results as a list. Raises CourseError for what is none."""
    if isinstance(results, ToolResult):
        raise CourseError("write_results takes a list of results; write write_results([result]).")
    if not isinstance(results, Iterable) or isinstance(results, str | bytes | Mapping):
        raise CourseError(f"{_kind(results)} is no list of results; write write_results(run_calls(...)).")
    found = list(results)
    for one in found:
        if not isinstance(one, ToolResult):
            raise CourseError(
                f"{_kind(one)} is no ToolResult; write write_results(run_calls(calls, tools)), or make each "
                "with ToolResult(call.id, call.name, text)."
            )
    return found


def events_of(events: Any) -> Iterable[Any]:
    """The events of a stream. Raises CourseError for what is none."""
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
        raise CourseError(f"{_kind(events)} is no stream; give what the client returned with stream=True.")
    return events


def _is_stream(value: Any) -> bool:
    kind = type(value)
    return isinstance(value, AsyncIterator) or hasattr(kind, "__next__") or hasattr(kind, "__aiter__")


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
