"""Handing a conversation over, to another agent or to a person: both are tools that an agent may have.

The call of such a tool is a call as any other, with a result in the history. That is all that has to be
remembered: who has the conversation is read from its history, also after a restart.
"""

from __future__ import annotations

import copy
import inspect
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from .errors import CourseError
from .tools import Tool

_PUT = "A person will read the conversation and answer. Tell the user so, briefly."

__all__ = ["Handover", "HumanQueue", "transfer_tool"]


@dataclass(frozen=True)
class Handover:
    """A conversation that waits for a person."""

    session_id: str
    reason: str


class HumanQueue:
    """People who take over what an agent cannot do: `Agent(tools=[..., HumanQueue("support")])`.

    The agent puts the conversation into the queue, with its reason, and tells the user so. `put` is what
    keeps it: a function, async or not, that gets a `Handover`, for instance one that opens a ticket. Without
    it they stand in `waiting`, and `take()` gives the oldest.
    """

    def __init__(
        self, name: str = "human", description: str = "", put: Callable[[Handover], Any] | None = None
    ) -> None:
        self.name = name
        self.description = description or (
            "Ask a person to take over this conversation. Use it when the user asks for a human, or when "
            "none of the other tools can help."
        )
        self.waiting: list[Handover] = []
        self.put = put or self.waiting.append
        self._lock = threading.Lock()

        def transfer(session_id: str, reason: str) -> str | Awaitable[str]:
            putting = self.put(Handover(session_id, reason))
            return _when_put(putting) if inspect.isawaitable(putting) else _PUT

        # The session is not the model's to say: it is bound for each run, and so is no parameter here.
        self._tool = _tool(name, self.description, _with_reason)
        self._transfer = transfer

    def take(self) -> Handover | None:
        """The one that has waited longest, and no longer does; None where nobody waits."""
        with self._lock:
            return self.waiting.pop(0) if self.waiting else None

    def tool_for(self, session_id: str) -> Tool:
        """The tool that puts this session into the queue."""
        bound = copy.copy(self._tool)
        bound.function = partial(self._transfer, session_id)
        return bound

    def __repr__(self) -> str:
        return f"<people {self.name}, {len(self.waiting)} waiting>"


async def _when_put(putting: Awaitable[Any]) -> str:
    await putting
    return _PUT


def _with_reason(reason: str) -> str:
    """Hand over.

    Args:
        reason: What the user needs, and what was tried, in one or two sentences.
    """
    raise NotImplementedError("replaced for each session")


@lru_cache(maxsize=256)
def transfer_tool(name: str, about: str) -> Tool:
    """The tool that hands the conversation over to the agent of this name, of which `about` says when."""

    def transfer() -> str:
        return f"The conversation is now with {name}, who has read it. Go on as {name}."

    return _tool(name, f"Hand the conversation over to {name}. {about}".strip(), transfer)


def _tool(name: str, description: str, function: Callable[..., Any]) -> Tool:
    # Providers take these letters only, and at most 64.
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")[:50]
    if not plain:
        raise CourseError(f"{name!r} cannot name a tool. Give it a name with letters from a to z.")
    return Tool(function, name=f"transfer_to_{plain}", description=description)
