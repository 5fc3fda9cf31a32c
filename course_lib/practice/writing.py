"""Writing a decision down within the limits of the request (`max_tokens`, stop sequences), for every API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from . import tokens
from .request import Call, Decision, Request

CALL_OVERHEAD = 12
"""Tokens that a call costs beside its name and its arguments."""

__all__ = ["CALL_OVERHEAD", "Written", "arguments_text", "write"]


@dataclass
class Written:
    """What came out of a decision, and why it ended there."""

    thinking: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    """The last one lacks arguments where the limit fell into it; its `raw` is what was written of them."""
    refusal: str = ""
    """What a model that refuses says; text and calls are empty then."""
    stop: Literal["end", "calls", "limit", "sequence", "refusal", "filtered", "pause", "malformed"] = "end"
    stop_sequence: str | None = None
    output_tokens: int = 0
    thinking_tokens: int = 0


def write(decision: Decision, request: Request, fallback_thought: str = "") -> Written:
    """Write thinking, text and calls, in this order, until done or at a limit."""
    limit = request.max_tokens if request.max_tokens is not None else 10**9
    if decision.ending == "cut":
        limit = min(limit, _middle_of_the_last(decision, request, fallback_thought))
    written = Written(stop="limit" if limit == 0 else "end")
    if request.thinking and written.stop == "end":
        _write_thinking(written, decision.thinking or fallback_thought, limit)
    if decision.ending in ("refusal", "filtered", "malformed"):
        return _write_nothing(written, decision)
    if decision.text and written.stop == "end":
        _write_text(written, decision.text, request.stop_sequences, limit)
    for call in decision.calls:
        if written.stop in ("end", "calls"):
            _write_call(written, call, limit)
    if decision.ending == "pause" and written.stop in ("end", "calls"):
        written.calls, written.stop = (), "pause"
    return written


def arguments_text(call: Call) -> str:
    """The arguments as text, for an API whose wire carries them so: what was written, or else plain JSON."""
    return call.raw or json.dumps(call.arguments, ensure_ascii=False)


def _write_nothing(written: Written, decision: Decision) -> Written:
    """An answer that is no answer: only its reason is written, and a refusal says one."""
    if written.stop == "end":
        written.stop = decision.ending
        written.refusal = decision.text if decision.ending == "refusal" else ""
        written.output_tokens += tokens.count(written.refusal)
    return written


def _middle_of_the_last(decision: Decision, request: Request, fallback_thought: str) -> int:
    """The limit that falls into the middle of the last thing that the decision wants to write."""
    sizes = [tokens.count(decision.thinking or fallback_thought)] if request.thinking else []
    sizes += [tokens.count(decision.text)] if decision.text else []
    for call in decision.calls:
        head = CALL_OVERHEAD + tokens.count(call.name)
        sizes += [head, tokens.count_json(call.arguments)]
    return sum(sizes[:-1]) + sizes[-1] // 2 if sizes else 0


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
    if left >= 0:
        written.calls += (_cut(call, left),)
    written.output_tokens = limit
    written.stop = "limit"


def _cut(call: Call, left: int) -> Call:
    """The call with the arguments that were complete at the limit, and with the text that was written so far.

    The text breaks off in a name or in a string, never in a number: half a number would read as another one.
    """
    arguments: dict[str, Any] = {}
    for name, value in call.arguments.items():
        if tokens.count_json({**arguments, name: value}) > left:
            start = json.dumps(arguments, ensure_ascii=False)[:-1] + (", " if arguments else "")
            begun = json.dumps(name, ensure_ascii=False)
            if isinstance(value, str):
                begun += f": {json.dumps(value, ensure_ascii=False)}"
            more, _ = tokens.cut(begun[:-1], max(left - tokens.count(start), 1))
            return Call(call.name, arguments, call.id, start + more)
        arguments[name] = value
    return Call(call.name, arguments, call.id, json.dumps(arguments, ensure_ascii=False)[:-1])
