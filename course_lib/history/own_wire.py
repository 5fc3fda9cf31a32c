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


def calls_without_thinking(sent: list[Message]) -> bool:
    """Whether messages answer a turn that has calls, and does not begin with thinking of Anthropic's model.

    What counts is what is sent, where results are joined with what the user says after them: the service
    wants the last message of the model before results to begin with thinking. Whether it would take one in
    which the model itself left its thinking out, as in a later turn of an exchange, is said nowhere for
    certain; no budget is always taken.
    """
    if len(sent) < 2 or "tool_result" not in _kinds(sent[-1]):
        return False
    kinds = _kinds(sent[-2])
    return "tool_use" in kinds and kinds[0] not in _THINKING


def _kinds(message: Message) -> list[Any]:
    content = message.get("content")
    return [block.get("type") for block in content] if isinstance(content, list) else []


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
