"""Writing a decision down within the limits of the request (`max_tokens`, stop sequences), for every API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import tokens
from .request import Call, Decision, Request

CALL_OVERHEAD = 12
"""Tokens that a call costs beside its name and its arguments."""

__all__ = ["CALL_OVERHEAD", "Written", "write"]


@dataclass
class Written:
    """What came out of a decision, and why it ended there."""

    thinking: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    """The last one lacks arguments where the limit fell into it."""
    stop: Literal["end", "calls", "limit", "sequence"] = "end"
    stop_sequence: str | None = None
    output_tokens: int = 0
    thinking_tokens: int = 0


def write(decision: Decision, request: Request, fallback_thought: str = "") -> Written:
    """Write thinking, text and calls, in this order, until done or at a limit."""
    limit = request.max_tokens if request.max_tokens is not None else 10**9
    written = Written(stop="limit" if limit == 0 else "end")
    if request.thinking and written.stop == "end":
        _write_thinking(written, decision.thinking or fallback_thought, limit)
    if decision.text and written.stop == "end":
        _write_text(written, decision.text, request.stop_sequences, limit)
    for call in decision.calls:
        if written.stop in ("end", "calls"):
            _write_call(written, call, limit)
    return written


def _write_thinking(written: Written, text: str, limit: int) -> None:
    written.thinking, count = tokens.cut(text, limit)
    written.output_tokens = written.thinking_tokens = count
    if written.thinking != text:
        written.stop = "limit"


def _write_text(written: Written, text: str, stop_sequences: tuple[str, ...], limit: int) -> None:
    """The text up to the first stop sequence in it, or up to the limit."""
    found = [(text.find(stop), stop) for stop in stop_sequences if stop in text]
    place, stop = min(found, default=(len(text), None))
    written.text, count = tokens.cut(text[:place], limit - written.output_tokens)
    written.output_tokens += count
    if written.text != text[:place]:
        written.stop = "limit"
    elif stop is not None:
        written.stop, written.stop_sequence = "sequence", stop


def _write_call(written: Written, call: Call, limit: int) -> None:
    """A call; where it does not fit, with the arguments that were complete at the limit."""
    head = CALL_OVERHEAD + tokens.count(call.name)
    left = limit - written.output_tokens - head
    size = tokens.count_json(call.arguments)
    if size <= left:
        written.calls += (call,)
        written.output_tokens += head + size
        written.stop = "calls"
        return
    arguments: dict[str, Any] = {}
    for name, value in call.arguments.items():
        if tokens.count_json({**arguments, name: value}) > left:
            break
        arguments[name] = value
    if left >= 0:
        written.calls += (Call(call.name, arguments, call.id),)
    written.output_tokens = limit
    written.stop = "limit"
