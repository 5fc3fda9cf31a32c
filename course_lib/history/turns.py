"""Making the three kinds of turn: what the user says, what a model answered, what its calls gave."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from .. import providers
from ..content import to_text
from ..errors import CourseError
from ..tools import ToolCall, ToolResult
from .plain import clean, cleaned
from .reading import READERS, Reader

PROVIDERS = tuple(READERS)
"""The names that `assistant` and `to_wire` take: one for each API."""
_MODULES = {
    "anthropic": "anthropic",
    "openai": "openai_chat",
    "openai-responses": "openai_responses",
    "gemini": "gemini",
}

__all__ = ["PROVIDERS", "assistant", "calls_in", "module_of", "results", "user"]


def user(text: str) -> dict[str, Any]:
    """The turn of a user who says `text`."""
    if not isinstance(text, str):
        raise CourseError(f"user() takes text, and got a {type(text).__name__}. Write user(str(message)).")
    if not text.strip():
        raise CourseError("user() got an empty text, which providers refuse. Ask the user again instead.")
    return {"role": "user", "text": clean(text)}


def calls_in(turn: dict[str, Any]) -> list[ToolCall]:
    """The calls of a model's turn, in their order."""
    return [
        ToolCall(call["id"], call["name"], call["arguments"], call.get("cut_off", False))
        for call in turn["calls"]
    ]


def assistant(response: Any, provider: str, model: str) -> dict[str, Any]:
    """The turn of a model, from its response: an SDK's object, the same as a dictionary, or a merged stream.

    Args:
        response: What the SDK's method returned, or `merge_stream` of the provider's module made.
        provider: One of PROVIDERS.
        model: The id of the model that was asked.

    Raises CourseError if it is not a response of that provider.
    """
    module, reader = module_of(provider), READERS[provider]
    if not isinstance(model, str):
        raise CourseError(f"assistant() takes the model's id as text, and got a {type(model).__name__}.")
    if not _is_response(response, reader):
        raise CourseError(
            f'That is no response of "{provider}": a {type(response).__name__} without '
            f"{' or '.join(reader.fields)}. Give what {reader.asked_by} returned, or name its own provider."
        )
    try:
        calls = [_call(call) for call in module.read_calls(response)]
        text, reason, (tokens_in, tokens_out) = reader.read(response)
        wire = module.write_turn(response)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise CourseError(
            f'This response of "{provider}" cannot be read ({type(error).__name__}: {error}). Give what '
            f"{reader.asked_by} returned, unchanged."
        ) from error
    turn = {
        "role": "assistant",
        "text": text,
        "calls": calls,
        "stop_reason": _reason(reason, calls, text),
        "provider": provider,
        "model": model,
        "wire": wire,
        "usage": {"input_tokens": _tokens(tokens_in), "output_tokens": _tokens(tokens_out)},
    }
    try:
        return cleaned(turn, "response")
    except RecursionError:
        raise CourseError("The response goes too deep to be kept: ask for flatter arguments.") from None


def results(found: Iterable[ToolResult]) -> dict[str, Any]:
    """The turn of the tools, from the results that `run_calls` gave."""
    found = list(found)
    for n, result in enumerate(found):
        if not isinstance(result, ToolResult):
            raise CourseError(
                f"results() takes ToolResults, and [{n}] is a {type(result).__name__}. Give what "
                "run_calls(...) returned, or write ToolResult(call.id, call.name, content)."
            )
    if not found:
        raise CourseError("results() got none. Add a turn of results only where there were calls.")
    return {"role": "tool", "results": [_result(result) for result in found]}


def module_of(provider: str) -> ModuleType:
    """The module that speaks a provider's wire. Raises CourseError for an unknown name."""
    if not isinstance(provider, str) or provider not in _MODULES:
        known = ", ".join(f'"{name}"' for name in PROVIDERS)
        raise CourseError(f"There is no provider {str(provider)[:60]!r}. Write one of {known}.")
    return getattr(providers, _MODULES[provider])


def _is_response(response: Any, reader: Reader) -> bool:
    if isinstance(response, dict):
        return any(name in response for name in reader.fields)
    if response is None or isinstance(response, str | bytes | int | float | list | tuple | type):
        return False
    return any(hasattr(response, name) for name in reader.fields)


def _call(call: Any) -> dict[str, Any]:
    found = {"id": str(call.id), "name": str(call.name), "arguments": call.arguments}
    return {**found, "cut_off": True} if call.cut_off else found


def _result(result: ToolResult) -> dict[str, Any]:
    return {
        "tool_call_id": clean(str(result.tool_call_id)),
        "name": clean(str(result.name)),
        "content": clean(result.content if isinstance(result.content, str) else to_text(result.content)),
        "is_error": bool(result.is_error),
    }


def _reason(said: str, calls: list[Any], text: str) -> str:
    """Why a turn ended. Where a tool was forced, OpenAI and Gemini say "stop"; some servers speak of calls
    and have none, or none that can be read here (`function_call`, which came before `tool_calls`)."""
    if calls:
        return "tool_calls" if said == "end" else said
    return said if said != "tool_calls" else "end" if text else "other"


def _tokens(count: Any) -> int:
    """How many tokens; 0 where a server does not say it."""
    return count if isinstance(count, int) and count > 0 else 0
