"""The three kinds of turn: what the user says, what a model answered, what its calls gave."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from ...errors import CourseError
from ...plain_json import JsonCopier, sendable, to_text
from ...tools import ToolCall, ToolResult
from .. import NAMES, module_of
from ..shared import has_any

# Values that JSON can hold and a request can carry: copied, or refused with the place of what is wrong --

_MOST_BITS = 1024
"""Of a whole number; no number of a service is larger."""
_LONG_NUMBER = re.compile("[0-9]{300}")
_NO_NUMBER = "is a number that JSON cannot carry. Write a finite one, or text."


def plain(value: Any, where: str) -> Any:
    """Return a copy of a value made of what JSON has. Raises CourseError, with the place, for all else."""
    found = _quick_copy(value)
    return _Refusing(where).copy(value) if found is None else found


def cleaned(value: Any, where: str) -> Any:
    """Return a copy of what a service sent, in which lone surrogates are ? and NaN is text."""
    found = _quick_copy(value)
    return _Cleaning(where).copy(value) if found is None else found


def _quick_copy(value: Any) -> Any:
    """Return a copy of a value where a look is enough to see that JSON has all of it; else None.

    To write it, to read it and to compare the two is done in C, in a fraction of the time that a walk takes;
    and every turn of a run comes by here more than once.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if text.count("{") + text.count("[") >= JsonCopier.deepest or _LONG_NUMBER.search(text):
            return None
        if not text.isascii():
            text.encode("utf-8")
        copied = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return copied if copied == value else None  # there were keys that are no text, or tuples


class _Refusing(JsonCopier):
    """A copy that ends at the first value that JSON does not have."""

    most_values = math.inf  # nothing of a history may be lost, however much it is

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def text(self, value: str) -> str:
        if not value.isascii() and sendable(value) != value:
            raise self.refusal(
                "has half a character (a lone surrogate), which no request can carry. "
                'Write text.encode("utf-8", "replace").decode("utf-8").'
            )
        return value

    def integer(self, value: int) -> int:
        if value.bit_length() > _MOST_BITS:
            raise self.refusal(_NO_NUMBER)
        return value

    def not_finite(self, value: float) -> Any:
        raise self.refusal(_NO_NUMBER)

    def name(self, key: Any) -> str:
        if not isinstance(key, str):
            raise self.refusal("is a key that is no text. Write it as text.")
        return self.text(str.__str__(key))

    def endless(self) -> Any:
        raise self.refusal("holds itself, or goes too deep. Write values without circles.")

    def other(self, value: Any) -> Any:
        raise self.refusal(
            f"is a {type(value).__name__}, which JSON does not have. Write text, a number, true or false, "
            "None, or a list or dictionary of them; an SDK's object goes through history.assistant()."
        )

    def refusal(self, what: str) -> CourseError:
        """Return the error that says what is wrong with the value at hand, and where it stands."""
        steps = [ascii(one) if isinstance(one, str | int) else f"<{type(one).__name__}>" for one in self.path]
        place = "".join(f"[{one if len(one) <= 60 else one[:60] + '…'}]" for one in steps[:10])
        return CourseError(f"{self.where}{place}{'…' if len(steps) > 10 else ''} {what}")


class _Cleaning(_Refusing):
    """The same for what a service sent, where the program can correct nothing."""

    def text(self, value: str) -> str:
        return sendable(value)

    def not_finite(self, value: float) -> str:
        return str(value)

    def endless(self) -> Any:
        raise CourseError("The response goes too deep to be kept: ask for flatter arguments.")


# Making turns ---------------------------------------------------------------------------------------

STOP_REASONS = ("tool_calls", "end", "max_tokens", "refusal", "pause", "other")
PROVIDERS = NAMES
"""The names that `assistant` and `to_wire` take: one for each API."""


def user(text: str) -> dict[str, Any]:
    """Return the turn of a user who says `text`."""
    if not isinstance(text, str):
        raise CourseError(f"user() takes text, and got a {type(text).__name__}. Write user(str(message)).")
    if not text.strip():
        raise CourseError("user() got an empty text, which providers refuse. Ask the user again instead.")
    return {"role": "user", "text": sendable(text)}


def calls_in(turn: dict[str, Any]) -> list[ToolCall]:
    """Return the calls of a model's turn, in their order."""
    return [
        ToolCall(call["id"], call["name"], call["arguments"], call.get("cut_off", False))
        for call in turn["calls"]
    ]


def assistant(response: Any, provider: str, model: str) -> dict[str, Any]:
    """Return the turn of a model, from its response.

    Args:
        response: What the SDK's method returned, the same as a dictionary, or what `merge_stream` of the
            provider's module made.
        provider: One of PROVIDERS.
        model: The id of the model that was asked.

    Raises CourseError if it is not a response of that provider.
    """
    module = module_of(provider)
    if not isinstance(model, str):
        raise CourseError(f"assistant() takes the model's id as text, and got a {type(model).__name__}.")
    if not has_any(response, module.RESPONSE_FIELDS):
        raise CourseError(
            f'That is no response of "{provider}": a {type(response).__name__} without '
            f"{' or '.join(module.RESPONSE_FIELDS)}. Give what {module.METHOD} returned, or name its own "
            "provider."
        )
    try:
        calls: list[dict[str, Any]] = []
        for call in module.read_calls(response):
            found = {"id": str(call.id), "name": str(call.name), "arguments": call.arguments}
            calls.append({**found, "cut_off": True} if call.cut_off else found)
        text, reason = module.read_text(response), module.read_stop_reason(response)
        tokens_in, tokens_out = module.read_usage(response)
        wire = module.write_turn(response)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise CourseError(
            f'This response of "{provider}" cannot be read ({type(error).__name__}: {error}). Give what '
            f"{module.METHOD} returned, unchanged."
        ) from error
    turn = {
        "role": "assistant",
        "text": text,
        "calls": calls,
        "stop_reason": _reason(reason, calls, text),
        "provider": provider,
        "model": model,
        "wire": wire,
        "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
    }
    return cleaned(turn, "response")


def results(found: Iterable[ToolResult]) -> dict[str, Any]:
    """Return the turn of the tools, from the results that `run_calls` gave."""
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


def _result(result: ToolResult) -> dict[str, Any]:
    return {
        "tool_call_id": sendable(str(result.tool_call_id)),
        "name": sendable(str(result.name)),
        "content": sendable(result.content if isinstance(result.content, str) else to_text(result.content)),
        "is_error": bool(result.is_error),
    }


def _reason(said: str, calls: list[Any], text: str) -> str:
    """Return why a turn ended.

    Where a tool was forced, OpenAI and Gemini say "stop"; some servers speak of calls and have none, or none
    that can be read here (`function_call`, which came before `tool_calls`).
    """
    if calls:
        return "tool_calls" if said == "end" else said
    return said if said != "tool_calls" else "end" if text else "other"
