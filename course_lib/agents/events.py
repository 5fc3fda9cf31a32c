"""What a run gives: its events, as `Runner.run_stream` yields them, and at its end the response.

for event in runner.run_stream("anna", "Where is order 1042?"):
    match event:
        case TextPiece(text):
            print(text, end="", flush=True)
        case CallStarted(call):
            print(f"[{call.name} ...]")
        case Done(response):
            print(response.usage)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..tools import ToolCall, ToolResult


@dataclass(frozen=True)
class ExecutedCall:
    """A call of a run that got its result, or its error."""

    id: str
    name: str
    arguments: dict[str, Any] | str
    content: str
    is_error: bool = False


@dataclass(frozen=True)
class Response:
    """What a run came to."""

    content: str
    """What the model says to the user; of a run that ended early, what it said last."""
    tool_calls_executed: list[ExecutedCall] = field(default_factory=list)
    turns: int = 0
    """How many turns the model took."""
    stop_reason: str = "end"
    """"end" is an answer; "refusal", "max_tokens" (the answer is cut off), "context_window" (no room is left)
    and "other" come from the service; "approval" waits for `resume`; "max_turns", "token_budget",
    "time_budget" and "repeated_call" are limits of the runner."""
    usage: dict[str, int] = field(default_factory=dict)
    """"input_tokens" and "output_tokens" of all the turns together."""
    messages: list[dict[str, Any]] = field(default_factory=list, repr=False)
    """The session's history, as `providers.history` describes it. Its turns also have `agent`: who has the
    conversation after them."""
    agent: str = ""
    """Who has the conversation now."""
    waiting: list[ToolCall] = field(default_factory=list)
    """The calls that wait for an approval."""


@dataclass(frozen=True)
class TextPiece:
    """Some words of the model, as they arrive."""

    text: str


@dataclass(frozen=True)
class TurnEnded:
    """The model has said all of its turn; the calls in it have not run yet."""

    number: int
    """From 1 on, in this run."""
    agent: str
    turn: dict[str, Any]
    """As it stands in the history."""


@dataclass(frozen=True)
class CallStarted:
    """A tool begins to run. All the calls of a turn start before the first of them ends."""

    call: ToolCall


@dataclass(frozen=True)
class CallEnded:
    """What a call gave, or why it gave nothing."""

    call: ToolCall
    result: ToolResult


@dataclass(frozen=True)
class Done:
    """The run is over; always the last event, unless the run raises."""

    response: Response


Event = TextPiece | TurnEnded | CallStarted | CallEnded | Done
