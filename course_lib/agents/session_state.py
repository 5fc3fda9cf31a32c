"""The state of a stored session: who has it, which calls wait for an approval, which have no result."""

from __future__ import annotations

import copy
import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..errors import CourseError, ToolNotRunError
from ..execution.call import not_approved, prepare
from ..providers import module_of
from ..providers.history.checking import UNKNOWN, fits_its_wire, unanswered_places
from ..providers.history.turns import calls_in
from ..tools import Context, ToolCall, ToolResult
from .agent import Agent, AgentRequest, all_agents
from .sessions import SessionStore


class SessionState:
    """A session as it is stored.

    agents          all that it can come to, by name
    turns, last     its history, and the number of the last turn
    active          the agent who has the conversation
    caller          the agent who made the calls of the model's last turn: they are for its tools, also where
                    it has handed over since
    key             what that turn has, and no other turn of any session, if there are calls in it
    """

    def __init__(self, store: SessionStore, session_id: str, first: Agent) -> None:
        self._store, self._session_id = store, session_id
        self.turns, numbers = store.get_numbered(session_id)
        self.last = numbers[-1] if numbers else 0
        self.agents = agents = all_agents(first)
        # Each turn says who has the conversation after it; those that a program wrote by hand do not.
        named = (turn.get("agent") for turn in reversed(self.turns))
        self.active = next((agents[name] for name in named if name in agents), first)
        places = range(len(self.turns) - 1, -1, -1)
        place = next((n for n in places if self.turns[n]["role"] == "assistant"), None)
        self.turn: dict[str, Any] = {"calls": []} if place is None else self.turns[place]
        self.caller = agents.get(self.turn.get("agent", ""), self.active)
        self.key = store.turn_key(session_id, numbers[place]) if self.turn["calls"] else ""

    def open_calls(
        self, request: AgentRequest, context: Context | None
    ) -> tuple[list[ToolCall], list[ToolCall]]:
        """Return the calls without a result: those that wait for an approval, and those that may have run.

        `request` is that of the caller. Raise CourseError where a tool needs a context, and there is none.
        """
        calls = self._without_result()
        waiting = [call for call in calls if needs_approval(call, request, context)]
        claimed = self._store.claimed(self._session_id) if waiting else set()
        waiting = [call for call in waiting if call.key not in claimed]
        keys = {call.key for call in waiting}
        return waiting, [call for call in calls if call.key not in keys]

    def waiting(self) -> list[ToolCall]:
        """Return the calls that wait for an approval, to whoever only looks and has no context for them."""
        request, claimed = AgentRequest(self.caller, self._session_id), self._store.claimed(self._session_id)
        return [one for one in self._without_result() if one.key not in claimed and _may_wait(one, request)]

    def approved_before(self) -> set[str]:
        """Return the ids and keys of the calls of the turn that were approved, whatever became of them."""
        claimed = self._store.claimed(self._session_id)
        found = [call for call in calls_of(self.turn, self.key) if call.key in claimed]
        return {name for call in found for name in (call.id, call.key)}

    def _without_result(self) -> list[ToolCall]:
        return _with_keys(unanswered_places(self.turns) if self.turns else [], self.key)


def needs_approval(call: ToolCall, request: AgentRequest, context: Context | None) -> bool:
    """Return whether somebody has to agree before this call runs; not if it could not run anyway."""
    one = request.tools.get(call.name)
    return one is not None and one.needs_approval and prepare(call, request.tools, context).failure is None


def _may_wait(call: ToolCall, request: AgentRequest) -> bool:
    try:
        return needs_approval(call, request, None)
    except CourseError:  # its arguments are fine, only the context is missing
        return True


def calls_of(turn: dict[str, Any], key: str) -> list[ToolCall]:
    """Return all the calls of a turn, each with its own key: that of the turn, and its place in it."""
    return _with_keys(enumerate(calls_in(turn)), key)


def _with_keys(found: Iterable[tuple[int, ToolCall]], key: str) -> list[ToolCall]:
    return [replace(call, key=f"{key}-{place}") for place, call in found]


def with_own_ids(turn: dict[str, Any]) -> dict[str, Any]:
    """Return a turn in which each call has an id, and no other call of it has the same.

    Servers that imitate OpenAI's Chat Completions send calls without an id, or with one id for all. An
    approval would then be for all of them. Where its provider's own message cannot have the new ids, it is
    left out.
    """
    times = Counter(call["id"] for call in turn["calls"])
    if all(call["id"] and times[call["id"]] == 1 for call in turn["calls"]):
        return turn
    ids = [
        call["id"] if call["id"] and times[call["id"]] == 1 else f"call_{secrets.token_hex(12)}"
        for call in turn["calls"]
    ]
    turn = copy.deepcopy(turn)
    for call, own in zip(turn["calls"], ids, strict=True):
        call["id"] = own
    module_of(turn["provider"]).set_call_ids(turn["wire"], ids)
    if not fits_its_wire(turn):
        del turn["wire"]
    return turn


def chosen(approved: Iterable[Any], waiting: list[ToolCall], before: set[str], session_id: str) -> set[str]:
    """Return the keys of the calls whose ids, or keys, were approved.

    `before` are those that were approved earlier, which may be named once more. Raise CourseError for what
    does not wait, and for an id that several calls have.
    """
    keys: set[str] = set()
    unknown = []
    for name in approved:
        if not isinstance(name, str):
            raise CourseError(
                f"approved holds a {type(name).__name__}, and takes the ids of calls: "
                "approved=[call.id for call in response.waiting if ...]."
            )
        found = [call.key for call in waiting if name in (call.id, call.key)]
        if len(found) > 1:
            raise CourseError(
                f"{len(found)} calls that wait have the id {name!r}, so it approves none of them. Give their "
                f"keys: approved=[call.key for call in runner.waiting({session_id!r}) if ...]."
            )
        keys.update(found)
        if not found and name not in before:
            unknown.append(name)
    if unknown:
        ids = ", ".join(repr(call.id) for call in waiting)
        raise CourseError(
            f"No call {', '.join(map(repr, unknown))} of session '{session_id}' waits for an approval. Those "
            f"that wait: {ids or 'none'} (response.waiting)."
        )
    return keys


def refused(call: ToolCall) -> ToolResult:
    """Return the result of a call that waited for an approval and did not get it."""
    return _not_run(call, not_approved())


def too_late(call: ToolCall) -> ToolResult:
    """Return the result of a call for which the run has no time left."""
    return _not_run(call, "the time that the run may take was over before the call could begin")


def outcome_unknown(call: ToolCall) -> ToolResult:
    """Return the result of a call that may have run when the program stopped."""
    return ToolResult(call.id, call.name, UNKNOWN, is_error=True)


def _not_run(call: ToolCall, why: str) -> ToolResult:
    error = ToolNotRunError(call.name, why)
    return ToolResult(call.id, call.name, str(error), is_error=True, cause=error)
