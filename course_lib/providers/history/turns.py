"""The three kinds of turn: what the user says, what a model answered, what its calls gave."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple

from ... import providers
from ...errors import CourseError
from ...plain_json import sendable, to_text
from ...tools import ToolCall, ToolResult
from .. import gemini as gemini_wire
from ..reading import ENDED_EARLY, get

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


# What a response says beside its calls, by provider: its text, why it ended, and what it cost ---------


Said = tuple[str, str, tuple[Any, Any]]
"""Text, why it ended, and the tokens in and out."""


STOP_REASONS = ("tool_calls", "end", "max_tokens", "refusal", "pause", "other")


class Reader(NamedTuple):
    """How a provider's response is read."""

    fields: tuple[str, ...]
    """What tells a response of this provider: one of these it always has."""
    asked_by: str
    """The SDK's method that gives one."""
    read: Callable[[Any], Said]


_ANTHROPIC = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
    "pause_turn": "pause",
}
_CHAT = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_RESPONSES = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}
_GEMINI = {"STOP": "end", "MAX_TOKENS": "max_tokens"} | dict.fromkeys(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"), "refusal"
)
_GEMINI |= dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "refusal")


def _anthropic(response: Any) -> Said:
    content = get(response, "content", [])
    if isinstance(content, str):
        text = content
    else:
        text = _joined((get(block, "text") if get(block, "type") == "text" else None) for block in content)
    usage = get(response, "usage", {})
    # What was read from a cache, or written into it, is counted apart here, and with the rest elsewhere.
    cached = [get(usage, f"cache_{kind}_input_tokens") for kind in ("creation", "read")]
    tokens_in = sum(map(_count, [get(usage, "input_tokens"), *cached]))
    reason = _ANTHROPIC.get(get(response, "stop_reason"), "other")
    return text, reason, (tokens_in, get(usage, "output_tokens"))


def _chat(response: Any) -> Said:
    choices = get(response, "choices")
    choice = choices[0] if choices else response
    message = get(choice, "message", choice)
    content, refusal = get(message, "content", ""), get(message, "refusal", "")
    if not isinstance(content, str):  # some servers answer in parts
        content = "".join(get(part, "text", "") for part in content)
    reason = _CHAT.get(get(choice, "finish_reason"), "other")
    said = content or refusal or get(message, "tool_calls")
    if said and get(choice, "finish_reason") is None and not get(choice, ENDED_EARLY, False):
        reason = "end"  # some servers do not say it
    usage = get(response, "usage", {})
    tokens = get(usage, "prompt_tokens"), get(usage, "completion_tokens")
    return content or refusal, "refusal" if refusal and reason == "end" else reason, tokens


def _responses(response: Any) -> Said:
    messages = []
    refused = False
    for item in get(response, "output", []):
        parts = get(item, "content", []) if get(item, "type") == "message" else []
        refused = refused or any(get(part, "type") == "refusal" for part in parts)
        text = "".join(get(part, "text") or get(part, "refusal", "") for part in parts)
        messages += [text, None]  # each message is a paragraph of its own
    status = get(response, "status")
    if status == "incomplete":
        reason = _RESPONSES.get(get(get(response, "incomplete_details", {}), "reason"), "other")
    else:
        reason = "refusal" if refused else "end" if status in ("completed", None) else "other"
    usage = get(response, "usage", {})
    return _joined(messages), reason, (get(usage, "input_tokens"), get(usage, "output_tokens"))


def _gemini(response: Any) -> Said:
    parts = [part for content in gemini_wire.write_turn(response) for part in content["parts"]]
    text = _joined(None if part.get("thought") else part.get("text") for part in parts)
    candidates = get(response, "candidates")
    ended = _camel(candidates[0] if candidates else {}, "finish_reason")
    reason = _GEMINI.get(getattr(ended, "value", ended), "other")
    if ended is None and _camel(_camel(response, "prompt_feedback") or {}, "block_reason"):
        reason = "refusal"
    usage = _camel(response, "usage_metadata") or {}
    counts = {name: _count(_camel(usage, f"{name}_token_count")) for name in _COUNTED}
    # Thinking is counted beside the answer here, and within it elsewhere.
    tokens_in, tokens_out = (sum(counts[name] for name in names) for names in (_COUNTED[:2], _COUNTED[2:]))
    return text, reason, (tokens_in, tokens_out)


_COUNTED = ("prompt", "tool_use_prompt", "candidates", "thoughts")


def _camel(value: Any, name: str) -> Any:
    """A field by its snake_case name, whichever of the two a dictionary has."""
    first, *rest = name.split("_")
    return get(value, name, get(value, first + "".join(word.capitalize() for word in rest)))


def _joined(texts: Iterable[str | None]) -> str:
    """Texts that follow each other as one; a None between two of them, for anything else, parts them."""
    paragraphs = [""]
    for text in texts:
        if text is None:
            paragraphs.append("")
        else:
            paragraphs[-1] += text
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


READERS = {
    "anthropic": Reader(("content",), "client.messages.create(...)", _anthropic),
    "openai": Reader(("choices", "message", "tool_calls"), "client.chat.completions.create(...)", _chat),
    "openai-responses": Reader(("output",), "client.responses.create(...)", _responses),
    "gemini": Reader(
        ("candidates", "parts", "promptFeedback", "prompt_feedback"),
        "client.models.generate_content(...)",
        _gemini,
    ),
}


# Making the three kinds of turn: what the user says, what a model answered, what its calls gave -------


PROVIDERS = tuple(READERS)
"""The names that `assistant` and `to_wire` take: one for each API."""
_MODULES = {
    "anthropic": "anthropic",
    "openai": "openai_chat",
    "openai-responses": "openai_responses",
    "gemini": "gemini",
}


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
