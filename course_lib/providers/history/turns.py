"""The three kinds of turn: what the user says, what a model answered, what its calls gave."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from ...errors import CourseError
from ...plain_json import sendable, to_text
from ...tools import ToolCall, ToolResult
from .. import NAMES, module_of

# Values that JSON can hold and a request can carry: copied, or refused with the place of what is wrong


DEEPEST = 200
"""Levels. What is deeper holds itself, or was made to hurt: readers of JSON give up on it, too."""
_MOST_BITS = 1024
"""Of a whole number; no number of a service is larger."""

_LONG_NUMBER = re.compile("[0-9]{300}")


def plain(value: Any, where: str) -> Any:
    """A copy of a value made of what JSON has. Raises CourseError, with the place, for anything else."""
    if (found := _quick_copy(value)) is not None:
        return found
    try:
        return _copy(value, 0)
    except _NotPlain as bad:
        # A value that holds itself has the same step two hundred times: the first ones say enough.
        path = bad.path[::-1] if len(bad.path) <= 10 else [*bad.path[:-11:-1], "…"]
        place = where + "".join(path)
        raise CourseError(f"{place} {bad.args[0]}") from None


def cleaned(value: Any, where: str) -> Any:
    """The same of a value that a service sent: what `plain` would refuse in it becomes what it takes."""
    found = _quick_copy(value)
    return plain(clean(value), where) if found is None else found


def clean(value: Any) -> Any:
    """A value that a service sent, as `plain` takes it: its half characters become ?, NaN becomes text."""
    if isinstance(value, str):
        return value if value.isascii() else sendable(value)
    if isinstance(value, dict):
        return {clean(name): clean(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _quick_copy(value: Any) -> Any:
    """A copy of a value, where a look is enough to see that JSON has all of it; else None.

    To write it, to read it and to compare the two is done in C, in a fraction of the time that `_copy` takes;
    and every turn of a run comes by here more than once.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if text.count("{") + text.count("[") >= DEEPEST or _LONG_NUMBER.search(text):
            return None
        if not text.isascii():
            text.encode("utf-8")
        copied = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return copied if copied == value else None  # there were keys that are no text, or tuples


class _NotPlain(Exception):
    """What is wrong with a value; its path is collected on the way up, innermost first."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.path: list[str] = []

    def add(self, step: Any) -> None:
        """Go one step out: the key or the index that led here."""
        shown = ascii(step) if isinstance(step, str | int) else f"<{type(step).__name__}>"
        self.path.append(f"[{shown if len(shown) <= 60 else shown[:60] + '…'}]")


def _copy(value: Any, depth: int) -> Any:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return _copied_dict(value, depth)
    if isinstance(value, list | tuple):
        return _copied_list(value, depth)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, int) and value.bit_length() <= _MOST_BITS:
        return int(value)
    if isinstance(value, int | float):
        raise _NotPlain("is a number that JSON cannot carry. Write a finite one, or text.")
    raise _NotPlain(
        f"is a {type(value).__name__}, which JSON does not have. Write text, a number, true or false, None, "
        "or a list or dictionary of them; an SDK's object goes through history.assistant()."
    )


def _copied_dict(value: dict[Any, Any], depth: int) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    name: Any = None
    try:
        _check_depth(depth)
        for name, item in value.items():
            if not isinstance(name, str):
                raise _NotPlain("is a key that is no text. Write it as text.")
            copied[_text(name)] = _copy(item, depth + 1)
    except _NotPlain as bad:
        bad.add(name)
        raise
    return copied


def _copied_list(value: list[Any] | tuple[Any, ...], depth: int) -> list[Any]:
    copied: list[Any] = []
    try:
        _check_depth(depth)
        for item in value:
            copied.append(_copy(item, depth + 1))
    except _NotPlain as bad:
        bad.add(len(copied))
        raise
    return copied


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST:
        raise _NotPlain("holds itself, or goes too deep. Write values without circles.")


def _text(value: str) -> str:
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise _NotPlain(
                "has half a character (a lone surrogate), which no request can carry. "
                'Write text.encode("utf-8", "replace").decode("utf-8").'
            ) from None
    return str.__str__(value)


STOP_REASONS = ("tool_calls", "end", "max_tokens", "refusal", "pause", "other")


# Making the three kinds of turn: what the user says, what a model answered, what its calls gave -------


PROVIDERS = NAMES
"""The names that `assistant` and `to_wire` take: one for each API."""


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
    module = module_of(provider)
    if not isinstance(model, str):
        raise CourseError(f"assistant() takes the model's id as text, and got a {type(model).__name__}.")
    if not _is_response(response, module.RESPONSE_FIELDS):
        raise CourseError(
            f'That is no response of "{provider}": a {type(response).__name__} without '
            f"{' or '.join(module.RESPONSE_FIELDS)}. Give what {module.METHOD} returned, or name its own "
            "provider."
        )
    try:
        calls = [_call(call) for call in module.read_calls(response)]
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


def _is_response(response: Any, fields: tuple[str, ...]) -> bool:
    if isinstance(response, dict):
        return any(name in response for name in fields)
    if response is None or isinstance(response, str | bytes | int | float | list | tuple | type):
        return False
    return any(hasattr(response, name) for name in fields)


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
