"""OpenAI Chat Completions: calls stand in `tool_calls`, with their arguments as JSON text; results are
messages of the role `tool`. Many other servers speak this format, not all of them exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..tools import ToolCall, ToolResult
from .wire import dump, get, parse_arguments, result_text

__all__ = ["merge_stream", "read_calls", "write_results", "write_turn"]


def read_calls(response: Any) -> list[ToolCall]:
    """The tool calls of a completion, or of its message, in order."""
    calls = []
    for call in get(_message(response), "tool_calls", []):
        function = get(call, "function", {})
        arguments = parse_arguments(get(function, "arguments"))
        calls.append(ToolCall(get(call, "id", ""), get(function, "name", ""), arguments))
    return calls


def write_turn(response: Any) -> list[dict[str, Any]]:
    """The assistant's message for the history. Content is null where there are only calls, never "None"."""
    message = _message(response)
    turn: dict[str, Any] = {"role": "assistant", "content": get(message, "content")}
    if calls := get(message, "tool_calls"):
        turn["tool_calls"] = [_call(call) for call in calls]
    if refusal := get(message, "refusal"):
        turn["refusal"] = refusal
    return [turn]


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One message of the role `tool` for each result. There is no flag for errors, so the text says it."""
    return [
        {"role": "tool", "tool_call_id": result.tool_call_id, "content": result_text(result, mark_error=True)}
        for result in results
    ]


def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The completion that the chunks of a stream add up to, also where a server bends the format.

    A chunk without choices carries usage. `index` tells the calls apart; where it is missing, a new id begins
    a new call. A name that comes again with each chunk is kept once.
    """
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[Any, dict[str, str]] = {}
    found: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": None}]}
    for chunk in events:
        if usage := get(chunk, "usage"):
            found["usage"] = dump(usage)
        for choice in get(chunk, "choices", []):
            if get(choice, "index", 0) != 0:
                continue
            found["choices"][0]["finish_reason"] = get(
                choice, "finish_reason", found["choices"][0]["finish_reason"]
            )
            delta = get(choice, "delta", {})
            for name in ("content", "refusal"):
                if piece := get(delta, name):
                    message[name] = (message.get(name) or "") + piece
            for call in get(delta, "tool_calls", []):
                _add(calls, call)
    if calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in calls.values()
        ]
    return found


def _add(calls: dict[Any, dict[str, str]], piece: Any) -> None:
    call_id, index = get(piece, "id", ""), get(piece, "index")
    if index is None:
        last = next(reversed(calls), None)
        new = last is None or (call_id and call_id != calls[last]["id"])
        index = ("no index", len(calls)) if new else last
    call = calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
    function = get(piece, "function", {})
    call["id"] = call["id"] or call_id
    name = get(function, "name", "")
    if name != call["name"]:
        call["name"] += name
    call["arguments"] += get(function, "arguments", "")


def _message(response: Any) -> Any:
    """The message of a completion; a message is its own."""
    choices = get(response, "choices")
    return get(choices[0], "message", {}) if choices else response


def _call(call: Any) -> dict[str, Any]:
    """A call as the service takes it back. Arguments that were no JSON object become "{}": nothing ran with
    it."""
    function = get(call, "function", {})
    arguments = get(function, "arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    if not isinstance(parse_arguments(text), dict) or not text:
        text = "{}"
    name = get(function, "name", "")
    return {"id": get(call, "id", ""), "type": "function", "function": {"name": name, "arguments": text}}
