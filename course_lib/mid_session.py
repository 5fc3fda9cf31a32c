"""Where a stored session stands: who has it, which calls wait for an approval, which have no result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .errors import ToolNotRunError
from .history.mending import UNKNOWN, unanswered_places
from .jobs import not_approved, prepare
from .offers import Agent, Offer, all_agents
from .schemas import Context
from .tools import ToolCall, ToolResult

__all__ = ["active_agent", "calls_of", "needs_approval", "open_calls", "outcome_unknown", "refused"]


def active_agent(turns: list[dict[str, Any]], first: Agent) -> Agent:
    """The agent who has the conversation: whom it was handed over to last, or who spoke last."""
    agents = all_agents(first)
    if len(agents) == 1:
        return first
    targets = {name: agent for one in agents.values() for name, agent in Offer(one, "").transfers.items()}
    for turn in reversed(turns):
        for result in turn.get("results", ()):
            if result["name"] in targets and not result.get("is_error"):
                return targets[result["name"]]
        if turn.get("agent") in agents:
            return agents[turn["agent"]]
    return first


def needs_approval(call: ToolCall, offer: Offer, context: Context | None) -> bool:
    """Whether somebody has to agree before this call runs; not if it could not run anyway."""
    one = offer.tools.get(call.name)
    return one is not None and one.needs_approval and prepare(call, offer.tools, context).failure is None


def open_calls(turns: list[dict[str, Any]], key: str) -> list[ToolCall]:
    """The calls of the last turn of the model that have no result, each with its own key.

    The key of the turn goes into them, and their place in it: providers give an id twice, or none.
    """
    return [replace(call, key=f"{key}-{place}") for place, call in unanswered_places(turns)]


def calls_of(turn: dict[str, Any], key: str) -> list[ToolCall]:
    """All the calls of a turn, with the same keys."""
    return [
        ToolCall(one["id"], one["name"], one["arguments"], one.get("cut_off", False), key=f"{key}-{place}")
        for place, one in enumerate(turn["calls"])
    ]


def refused(call: ToolCall) -> ToolResult:
    """The result of a call that waited for an approval and did not get it."""
    error = ToolNotRunError(call.name, not_approved())
    return ToolResult(call.id, call.name, str(error), is_error=True, cause=error)


def outcome_unknown(call: ToolCall) -> ToolResult:
    """The result of a call that may have run when the program stopped."""
    return ToolResult(call.id, call.name, UNKNOWN, is_error=True)
