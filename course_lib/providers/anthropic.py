"""Anthropic Messages: calls are `tool_use` blocks, results are `tool_result` blocks in one user message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..tools import ToolCall, ToolResult
from .reading import (
    ENDED_EARLY,
    as_object,
    check_response,
    dump,
    explained,
    get,
    parse_arguments,
    result_text,
    results_of,
)

# A call that stands last was not finished when the model was stopped for one of these.
CUT_OFF = ("max_tokens", "model_context_window_exceeded")
# What a call may carry when it is sent back. Of the rest, some is refused ("extra inputs are not permitted").
CALL_FIELDS = ("type", "id", "name", "input", "cache_control")


@explained
def read_calls(response: Any) -> list[ToolCall]:
    """The tool calls of a message, in order; none of a refusal, which may come in the middle of one.

    `server_tool_use` blocks are the provider's own calls, not yours.
    """
    check_response(response, "anthropic")
    ended = get(response, "stop_reason") in CUT_OFF or get(response, ENDED_EARLY, False)
    calls = []
    blocks = _blocks(response)
    for block in blocks:
        if get(block, "type") == "tool_use":
            arguments = parse_arguments(get(block, "input"))
            cut_off = block is blocks[-1] and ended
            calls.append(ToolCall(str(get(block, "id", "")), get(block, "name", ""), arguments, cut_off))
    return calls


@explained
def write_turn(response: Any) -> list[dict[str, Any]]:
    """The assistant's message for the history: all blocks in order, thinking with its signature unchanged."""
    check_response(response, "anthropic")
    content = get(response, "content", [])
    blocks = content if isinstance(content, str) else [_block(block) for block in _blocks(response)]
    # An empty turn would be refused.
    return [{"role": "assistant", "content": blocks}] if blocks else []


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One user message with a `tool_result` block for each result; several messages would be refused."""
    blocks = []
    for result in results_of(results):
        block = {
            "type": "tool_result",
            "tool_use_id": result.tool_call_id,
            "content": result_text(result, mark_error=False),
        }
        blocks.append({**block, "is_error": True} if result.is_error else block)
    return [{"role": "user", "content": blocks}] if blocks else []


@explained
def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The message that the events of a stream add up to; input that is no JSON object stays text.

    One that breaks off before it says why the model stopped gives what was there, marked as such.
    """
    message: dict[str, Any] = {"role": "assistant", "content": []}
    blocks: dict[int, dict[str, Any]] = {}
    written: dict[int, str] = {}
    for event in events:
        kind, index = get(event, "type"), get(event, "index", 0)
        if kind == "message_start":
            message |= {**dump(get(event, "message", {})), "content": []}
        elif kind == "content_block_start":
            blocks[index] = dict(dump(get(event, "content_block", {})))
        elif kind == "content_block_delta" and index in blocks:
            _add(blocks[index], get(event, "delta", {}), index, written)
        elif kind == "message_delta":
            message |= dump(get(event, "delta", {}))
            message["usage"] = {**(message.get("usage") or {}), **dump(get(event, "usage", {}))}
    for index, text in written.items():
        blocks[index]["input"] = parse_arguments(text)
    message["content"] = [blocks[index] for index in sorted(blocks)]
    return message if message.get("stop_reason") else {**message, ENDED_EARLY: True}


def _add(block: dict[str, Any], delta: Any, index: int, written: dict[int, str]) -> None:
    """Add one delta to its block. Input is collected apart: the {} that a block starts with is not part of
    it."""
    for name in ("text", "thinking"):
        if get(delta, "type") == f"{name}_delta":
            block[name] = (block.get(name) or "") + get(delta, name, "")
    if get(delta, "type") == "signature_delta":
        block["signature"] = get(delta, "signature", "")
    if get(delta, "type") == "input_json_delta" and get(delta, "partial_json"):
        written[index] = written.get(index, "") + get(delta, "partial_json")


def _blocks(response: Any) -> list[Any]:
    """The blocks of a message. A refusal's calls are left out: nothing is to run, so nothing would answer
    them."""
    blocks = get(response, "content", [])
    if get(response, "stop_reason") != "refusal" or isinstance(blocks, str):
        return list(blocks)
    return [block for block in blocks if get(block, "type") != "tool_use"]


def _block(block: Any) -> dict[str, Any]:
    found = dump(block)
    if found.get("type") != "tool_use":
        return found
    kept = {name: found[name] for name in CALL_FIELDS if found.get(name) is not None}
    return {**kept, "id": str(kept.get("id", "")), "input": as_object(found.get("input"))}
