"""A call that a model asks for, and the result of a call: what the loop passes from hand to hand."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
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
    cut_off: bool = False
    """Whether the model ran out of tokens while it wrote this call: what is there may look complete."""
    key: InitVar[str] = ""
    """What no call of another turn has, where the program knows such a thing: see `Context.call_key`."""

    def __post_init__(self, key: str) -> None:
        if key:  # no field, as it is not the model's: no part of what is shown or compared
            object.__setattr__(self, "key", key)


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
    cause: InitVar[BaseException | None] = None
    """For the program: the exception behind an error. It is never sent, and not kept with the result."""

    def __post_init__(self, cause: BaseException | None) -> None:
        if cause is not None:
            object.__setattr__(self, "cause", cause)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: an exception may hold what can neither be pickled nor copied."""
        return {name: value for name, value in vars(self).items() if name != "cause"}
