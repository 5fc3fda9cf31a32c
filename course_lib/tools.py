"""The nouns of tool use, for every provider: a call that a model asks for, and the result that answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["ToolCall", "ToolResult"]


@dataclass(frozen=True)
class ToolCall:
    """A request of the model: run this tool with these arguments. Nothing has run yet."""

    id: str
    """Belongs to this one call; the result must carry it."""
    name: str
    arguments: dict[str, Any] | str
    """By name; or the text that the model wrote, where that is not a JSON object."""


@dataclass(frozen=True)
class ToolResult:
    """What a tool call gave back, or why it gave nothing."""

    tool_call_id: str
    name: str
    content: str
    """For the model: JSON or plain text."""
    is_error: bool = False
    """Whether the content says what went wrong."""
    started: float | None = None
    """Seconds from the start of the turn; None where nobody measured."""
    ended: float | None = None
