"""An Anthropic message as an event stream: what `stream: true` gives, cut from the finished answer.

message_start, ping
for each block: content_block_start, content_block_delta …, content_block_stop
message_delta (why it stopped, and the usage), message_stop
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..streaming import event, json_pieces, text_pieces

__all__ = ["stream"]

Block = dict[str, Any]


def stream(message: Mapping[str, Any], written: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """The events of a finished message.

    Args:
        message: the answer as it goes out in one piece.
        written: by the id of a call, the text of its arguments where that is not simply their JSON: cut off
            at the limit, or wrong on purpose.
    """
    for data in _events(message, written or {}):
        yield event(data, data["type"])


def _events(message: Mapping[str, Any], written: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    begun = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    # The first event counts what has been written so far: next to nothing.
    begun["usage"] = {**message["usage"], "output_tokens": min(1, message["usage"]["output_tokens"])}
    begun["usage"].pop("output_tokens_details", None)
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block, written):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    usage = {name: message["usage"][name] for name in _FINAL_USAGE}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


_FINAL_USAGE = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
)
"""Cumulative: each replaces what message_start said."""


def _empty(block: Block) -> Block:
    """The block as it starts: without what its deltas will bring."""
    if block["type"] == "text":
        return {**block, "text": ""}
    if block["type"] == "thinking":
        return {**block, "thinking": "", "signature": ""}
    return {**block, "input": {}}


def _deltas(block: Block, written: Mapping[str, str]) -> Iterator[Block]:
    if block["type"] == "text":
        for piece in text_pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "thinking":
        for piece in text_pieces(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        # The first piece of an input is empty. For a tool without arguments it is the only one: not even
        # the braces are sent.
        yield {"type": "input_json_delta", "partial_json": ""}
        for piece in _input_pieces(block, written):
            yield {"type": "input_json_delta", "partial_json": piece}


def _input_pieces(block: Block, written: Mapping[str, str]) -> Iterator[str]:
    text = written.get(block["id"], "")
    if text:
        half = len(text) // 2
        yield from filter(None, (text[:half], text[half:]))
    elif block["input"]:
        yield from json_pieces(block["input"], block["id"])
