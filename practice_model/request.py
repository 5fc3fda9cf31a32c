"""The provider-neutral request and decision: Request, ConversationTurn, Call, CallResult, Decision.

Each folder in `wires/` translates its wire format to a `Request`, and a `Decision` back to its wire format;
nothing here or in `decide/` knows which API a request came from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = dict[str, Any]


@dataclass(frozen=True)
class ToolSpec:
    """One tool definition, as every API describes it."""

    name: str
    description: str = ""
    schema: JSON = field(default_factory=dict)
    """JSON Schema of the arguments; an object at its root."""
    strict: bool = False


@dataclass(frozen=True)
class Call:
    """A tool call that the model made earlier in the history, or makes now."""

    name: str
    arguments: JSON
    id: str = ""
    """Empty in a Decision: each API gives ids in its own form."""
    raw: str = ""
    """Only where what was written is not JSON for `arguments`: cut off at the limit, or wrong on purpose.

    An API whose wire carries arguments as text sends this text instead.
    """


@dataclass(frozen=True)
class CallResult:
    """What a tool call gave back."""

    call_id: str
    content: str
    """The result's text; for other content a short bracketed note such as "[image]"."""
    is_error: bool = False
    """Only where the API can say so; elsewhere the text must."""


@dataclass(frozen=True)
class ConversationTurn:
    """One message of the history."""

    role: Literal["user", "assistant", "system"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[CallResult, ...] = ()
    media: tuple[str, ...] = ()
    """Kinds of content that the practice model cannot look at: "image", "document", …"""


def merged(turns: Iterable[ConversationTurn]) -> tuple[ConversationTurn, ...]:
    """Return the history with what one side says in a row as one turn."""
    found: list[ConversationTurn] = []
    for turn in turns:
        if found and found[-1].role == turn.role:
            last = found.pop()
            text = "\n\n".join(text for text in (last.text, turn.text) if text)
            turn = ConversationTurn(
                turn.role,
                text,
                last.calls + turn.calls,
                last.results + turn.results,
                last.media + turn.media,
            )
        found.append(turn)
    return tuple(found)


@dataclass(frozen=True)
class ToolChoice:
    """Whether and which tool the model must call."""

    mode: Literal["auto", "any", "tool", "none"] = "auto"
    name: str = ""
    """The tool that mode "tool" asks for."""
    parallel: bool = True
    """False: at most one call in a turn."""


@dataclass(frozen=True)
class Request:
    """What the model is asked to do, without a trace of the wire format."""

    model: str
    turns: tuple[ConversationTurn, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = ToolChoice()
    max_tokens: int | None = None
    stop_sequences: tuple[str, ...] = ()
    output_schema: JSON | None = None
    """JSON Schema of a structured answer, where one is asked for."""
    thinking: bool = False


@dataclass(frozen=True)
class Score:
    """How well one tool fits one clause of the message."""

    clause: str
    tool: str
    score: float
    chosen: bool
    because: tuple[str, ...]
    """The words and facts that counted, strongest first; those that counted against begin with "-"."""


@dataclass(frozen=True)
class ArgumentReason:
    """Where one argument of a call came from, or why there is none."""

    tool: str
    argument: str
    value: Any
    """None where there is none."""
    reason: str
    advice: str = ""
    """What to change in the definition or the message, where there is no value."""


@dataclass(frozen=True)
class Decision:
    """What the model does next: says something, calls tools, or both."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    """A sentence on the reasons; shown only where the request turns thinking on."""
    scores: tuple[Score, ...] = ()
    """Why: one row per clause and tool, for explain()."""
    arguments: tuple[ArgumentReason, ...] = ()
    """Where the arguments of the calls came from, or of the calls that lack some, for explain()."""
    advice: tuple[str, ...] = ()
    """What to change where no tool was called, for explain()."""
    ending: Literal["", "cut", "refusal", "filtered", "pause", "malformed"] = ""
    """How the turn ends where it does not end by itself.

    cut: at the token limit, in the middle of the last thing; refusal: the model refuses, and `text` says why;
    filtered: the service's filter stops it; pause: a long turn that wants to be sent back and goes on;
    malformed: a call that the service itself could not read, and does not show.
    """
    mistakes: tuple[str, ...] = ()
    """What is wrong with it on purpose (practice-sloppy, or a fault), for explain()."""
