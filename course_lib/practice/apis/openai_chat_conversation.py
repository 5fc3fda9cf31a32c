"""What can be wrong with the messages of a Chat Completions request: calls and results that do not match.

Each function looks for its first violation and returns what its message in openai_chat_rules.py needs, or
None.
"""

from __future__ import annotations

from collections.abc import Iterator

from .openai_chat_shapes import AssistantMessage, ChatRequest, ToolMessage
from .openai_rules import Found


def no_content(request: ChatRequest) -> Found:
    for n, message in enumerate(request.messages):
        if isinstance(message, AssistantMessage) and not (
            message.tool_calls or message.function_call or message.refusal or message.audio
        ):
            if message.content is None:
                return {"n": n}
    return None


def _turns(request: ChatRequest) -> Iterator[tuple[int, list[str], list[tuple[int, str]]]]:
    """Each assistant message that calls: its index, the ids of its calls, and the results right after it."""
    for n, message in enumerate(request.messages):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            results = []
            for m, after in enumerate(request.messages[n + 1 :], start=n + 1):
                if not isinstance(after, ToolMessage):
                    break
                results.append((m, after.tool_call_id))
            yield n, [call.id for call in message.tool_calls], results


def result_without_calls(request: ChatRequest) -> Found:
    """A tool message that comes after anything but calls and other results."""
    in_results = False
    for n, message in enumerate(request.messages):
        if isinstance(message, ToolMessage):
            if not in_results:
                return {"n": n, "id": message.tool_call_id}
        else:
            in_results = isinstance(message, AssistantMessage) and bool(message.tool_calls)
    return None


def result_of_no_call(request: ChatRequest) -> Found:
    for _, calls, results in _turns(request):
        for m, call_id in results:
            if call_id not in calls:
                return {"n": m, "id": call_id}
    return None


def repeated_call(request: ChatRequest) -> Found:
    for n, calls, _ in _turns(request):
        for call_id in calls:
            if calls.count(call_id) > 1:
                return {"n": n, "id": call_id}
    return None


def repeated_result(request: ChatRequest) -> Found:
    for _, _, results in _turns(request):
        seen: dict[str, int] = {}
        for m, call_id in results:
            if call_id in seen:
                return {"n": m, "first": seen[call_id], "id": call_id}
            seen[call_id] = m
    return None


def call_without_result(request: ChatRequest) -> Found:
    for n, calls, results in _turns(request):
        answered = {call_id for _, call_id in results}
        missing = [call_id for call_id in calls if call_id not in answered]
        if missing:
            return {"n": min(n + 1 + len(results), len(request.messages)), "ids": ", ".join(missing)}
    return None
