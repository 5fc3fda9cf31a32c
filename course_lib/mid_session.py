"""Where a stored session stands: who has it, which calls wait for an approval, which have no result."""

from __future__ import annotations

from typing import Any

from .history.mending import UNKNOWN
from .jobs import prepare
from .offers import Agent, Offer, all_agents
from .schemas import Context
from .tools import ToolCall, ToolResult

NOT_APPROVED = (
    "It did not run: it needs an approval, which was not given. Do not call it again for this; tell the user."
)

__all__ = ["active_agent", "needs_approval", "not_approved", "outcome_unknown"]


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


def not_approved(call: ToolCall) -> ToolResult:
    """The result of a call that waited for an approval and did not get it."""
    return ToolResult(call.id, call.name, NOT_APPROVED, is_error=True)


def outcome_unknown(call: ToolCall) -> ToolResult:
    """The result of a call that may have run when the program stopped."""
    return ToolResult(call.id, call.name, UNKNOWN, is_error=True)
