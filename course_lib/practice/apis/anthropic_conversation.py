"""What can be wrong with a conversation: who speaks, empty content, calls and results that do not match.

Each function looks for its first violation and returns what its message in anthropic_rules.py needs, or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import anthropic_models as models
from .anthropic_shapes import CountRequest, ToolUseBlock

Found = dict[str, Any] | None


# Who may say what ---------------------------------------------------------------------------------


def no_message(request: CountRequest) -> Found:
    return None if request.messages else {}


def first_is_not_user(request: CountRequest) -> Found:
    role = request.messages[0].role
    return None if role == "user" else {"role": role}


def system_message_not_taken(request: CountRequest) -> Found:
    if models.takes_system_messages(request.model):
        return None
    return next(({"n": n} for n, message in enumerate(request.messages) if message.role == "system"), None)


def system_message_misplaced(request: CountRequest) -> Found:
    pairs = zip(request.messages, request.messages[1:], strict=False)
    for n, (before, message) in enumerate(pairs, start=1):
        if message.role == "system" and before.role == "assistant":
            return {"n": n}
    return None


def extra_of_system_message(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        for field in ("clear_at", "output_config"):
            if message.role != "system" and field in message.model_fields_set:
                return {"n": n, "field": field}
    return None


_ROLE_OF_BLOCK = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "server_tool_use": "assistant",
    "tool_result": "user",
    "tool_addition": "system",
    "tool_removal": "system",
}


def block_of_other_role(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        for m, block in enumerate(message.blocks()):
            role = _ROLE_OF_BLOCK.get(block.type, message.role)
            if role != message.role:
                return {"n": n, "m": m, "type": block.type, "role": role}
    return None


# Content ------------------------------------------------------------------------------------------


def empty_message(request: CountRequest) -> Found:
    last = len(request.messages) - 1
    for n, message in enumerate(request.messages):
        if (
            not message.content
            and not message.output_config
            and not (n == last and message.role == "assistant")
        ):
            return {"n": n}
    return None


def _texts(request: CountRequest) -> Iterator[tuple[str, str]]:
    """Every text block of the messages, with its place. An empty message is another rule's business."""
    for n, message in enumerate(request.messages):
        if message.content:
            for m, block in enumerate(message.blocks()):
                if block.type == "text":
                    yield f"messages.{n}.content.{m}", block.text


def empty_text(request: CountRequest) -> Found:
    return next(({"place": place} for place, text in _texts(request) if not text), None)


def blank_text(request: CountRequest) -> Found:
    return next(({"place": place} for place, text in _texts(request) if not text.strip()), None)


def thinking_at_the_end(request: CountRequest) -> Found:
    """A turn of thoughts alone, or cut off after them, cannot be sent back as it came."""
    for n, message in enumerate(request.messages):
        if message.role == "assistant" and message.content:
            last = message.blocks()[-1].type
            if last in ("thinking", "redacted_thinking"):
                return {"n": n, "type": last}
    return None


def empty_system_text(request: CountRequest) -> Found:
    blocks = request.system if isinstance(request.system, list) else []
    return next(({"m": m} for m, block in enumerate(blocks) if not block.text), None)


# Calls and results --------------------------------------------------------------------------------


def _ids(message: Any, kind: str) -> list[tuple[int, str]]:
    """The index and id of each tool_use or tool_result block of a message."""
    field = "id" if kind == "tool_use" else "tool_use_id"
    return [(m, getattr(block, field)) for m, block in enumerate(message.blocks()) if block.type == kind]


def _calls_and_answer(request: CountRequest) -> Iterator[tuple[dict[str, tuple[int, int]], Any]]:
    """The calls of each assistant turn, as id -> place, with the message that comes right after the turn.

    Assistant messages in a row are one turn. The results are not given that grace: they must all be in
    the very next message.
    """
    calls: dict[str, tuple[int, int]] = {}
    for n, (message, after) in enumerate(zip(request.messages, [*request.messages[1:], None], strict=True)):
        if message.role != "assistant":
            continue
        for m, call_id in _ids(message, "tool_use"):
            calls.setdefault(call_id, (n, m))
        if after is None or after.role != "assistant":
            yield calls, after
            calls = {}


def repeated_call(request: CountRequest) -> Found:
    seen: set[str] = set()
    for n, message in enumerate(request.messages):
        seen = seen if message.role == "assistant" else set()
        for m, call_id in _ids(message, "tool_use"):
            if call_id in seen:
                return {"n": n, "m": m, "id": call_id}
            seen.add(call_id)
    return None


def call_without_result(request: CountRequest) -> Found:
    for calls, after in _calls_and_answer(request):
        answered = {result_id for _, result_id in _ids(after, "tool_result")} if after else set()
        missing = [call_id for call_id in calls if call_id not in answered]
        if missing:
            return {"n": calls[missing[0]][0], "ids": ", ".join(missing)}
    return None


def result_without_call(request: CountRequest) -> Found:
    called = {id(after): set(calls) for calls, after in _calls_and_answer(request)}
    for n, message in enumerate(request.messages):
        for m, result_id in _ids(message, "tool_result"):
            if result_id not in called.get(id(message), ()):
                return {"n": n, "m": m, "id": result_id}
    return None


def repeated_result(request: CountRequest) -> Found:
    for n, message in enumerate(request.messages):
        seen: set[str] = set()
        for m, result_id in _ids(message, "tool_result"):
            if result_id in seen:
                return {"n": n, "m": m, "id": result_id}
            seen.add(result_id)
    return None


def result_after_other_content(request: CountRequest) -> Found:
    # The vendor's page names this as a cause of 400; some report that the service lets it pass. The safe
    # order is taught: results first, text after.
    for n, message in enumerate(request.messages):
        results = _ids(message, "tool_result")
        if results and results[-1][0] >= len(results):
            late = next(found for count, found in enumerate(results) if found[0] != count)
            return {"n": n, "m": late[0], "call": n - 1, "id": late[1]}
    return None


# The end of the conversation ----------------------------------------------------------------------


def trailing_blank(request: CountRequest) -> Found:
    last = request.messages[-1]
    block = last.blocks()[-1] if last.role == "assistant" and last.content else None
    return {} if block and block.type == "text" and block.text != block.text.rstrip() else None


def prefill(request: CountRequest) -> Found:
    last = request.messages[-1]
    if last.role != "assistant" or models.takes_prefill(request.model):
        return None
    # A paused turn is sent back as it came, and goes on.
    return None if any(block.type in ("server_tool_use", "mcp_tool_use") for block in last.blocks()) else {}


def thinking_block_lost(request: CountRequest) -> Found:
    if request.thinking is None or request.thinking.type != "enabled" or len(request.messages) < 2:
        return None
    n = len(request.messages) - 2
    blocks = request.messages[n].blocks()
    in_tool_turn = any(isinstance(block, ToolUseBlock) for block in blocks)
    if in_tool_turn and blocks[0].type not in ("thinking", "redacted_thinking"):
        return {"n": n, "type": blocks[0].type}
    return None
