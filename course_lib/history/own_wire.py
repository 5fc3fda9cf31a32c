"""What of a provider's own turn cannot be sent back to it: the ends of turns that were cut off or paused.

All else stays as it came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
_THINKING = ("thinking", "redacted_thinking")

__all__ = ["OWN", "calls_without_thinking", "finish_anthropic"]


def _anthropic(turn: dict[str, Any]) -> list[Message]:
    """Without blank texts, which are refused."""
    found = []
    for message in turn["wire"]:
        blocks = message.get("content")
        if not isinstance(blocks, list):
            found += [message] if isinstance(blocks, str) and blocks.strip() else []
            continue
        kept = [block for block in blocks if block.get("type") != "text" or str(block.get("text")).strip()]
        found += [{**message, "content": kept}] if kept else []
    return found


def _chat(turn: dict[str, Any]) -> list[Message]:
    """Without messages that say nothing."""
    return [
        message
        for message in turn["wire"]
        if message.get("content") or message.get("tool_calls") or message.get("refusal")
    ]


def _responses(turn: dict[str, Any]) -> list[Message]:
    """Without reasoning that was cut off: it is refused where what it led to is missing."""
    items = list(turn["wire"])
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return items


OWN: dict[str, Callable[[dict[str, Any]], list[Message]]] = {
    "anthropic": _anthropic,
    "openai": _chat,
    "openai-responses": _responses,
    "gemini": lambda turn: list(turn["wire"]),
}
"""By provider: what goes back of one of its turns."""


def calls_without_thinking(turns: list[dict[str, Any]]) -> bool:
    """Whether the exchange under way ends with results of calls before which no thinking of Anthropic stands.

    Where it thought before the first calls of an exchange, its later ones need no thinking of their own.
    """
    spoken: list[dict[str, Any]] = []
    for turn in reversed(turns):
        if turn["role"] == "user":
            break
        if turn["role"] == "assistant":
            spoken.append(turn)
    if not spoken or not spoken[0].get("calls") or _begins_with_thinking(spoken[0]):
        return False
    return spoken[0].get("provider") != "anthropic" or not _begins_with_thinking(spoken[-1])


def _begins_with_thinking(turn: dict[str, Any]) -> bool:
    if turn.get("provider") != "anthropic":
        return False
    blocks = [block for message in turn.get("wire") or () for block in message.get("content") or ()]
    return bool(blocks) and isinstance(blocks[0], dict) and blocks[0].get("type") in _THINKING


def finish_anthropic(sent: list[Message]) -> list[Message]:
    """Messages without the two ends that Anthropic refuses.

    A tool that runs on its side leaves its call open where the model paused: that can only stay at the end of
    the conversation, where it goes on. And thinking cannot be the last block of a message, as it is where the
    answer was cut off in it.
    """
    found: list[Message] = []
    for n, message in enumerate(sent):
        blocks = message["content"]
        if message["role"] == "assistant" and isinstance(blocks, list):
            if n < len(sent) - 1:
                blocks = _without_open_calls(blocks)
            while blocks and blocks[-1].get("type") in _THINKING:
                blocks = blocks[:-1]
            if not blocks:
                continue
            message = {**message, "content": blocks}
        found.append(message)
    return found


def _without_open_calls(blocks: list[Any]) -> list[Any]:
    answered = {block.get("tool_use_id") for block in blocks}
    return [
        block
        for block in blocks
        if block.get("type") not in ("server_tool_use", "mcp_tool_use") or block.get("id") in answered
    ]
