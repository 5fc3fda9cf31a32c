"""A conversation to look at, and the time that its calls took: `conversation` and `timeline`."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from ..messages import localized
from ..providers.conversation import ConversationMessage, ConversationPart, read_messages, read_tools
from .page import Bar, Bars, Box, Lines, Page, Steps, Words
from .plain import count, fold_json, fold_text, guarded, is_a, plain, safe_text

# show.conversation(): the messages of a history, each result joined to its call -----------------------


def conversation(messages: object, tools: object = None) -> Page:
    """Return the conversation to look at: who said what, which tool was called with what, and what came back.

    `messages` is what you send as a history: dicts, SDK objects or both, in the form of any of the four APIs.
    With `tools`, the definitions you offer, a call of a tool that was not offered is marked.
    """
    history = read_messages(plain(messages))
    calls = Calls(history)
    offered = None if tools is None else [tool["name"] for tool in read_tools(plain(tools))]
    boxes = tuple(
        _draw_message(number, message, calls, offered) for number, message in enumerate(history, start=1)
    )
    title = localized(
        "show.conversation.title",
        messages=count("show.messages", len(history)),
        calls=count("show.calls", calls.total),
    )
    if not boxes:
        return Page(title, (Words(localized("show.conversation.empty")),))
    if offered is None:
        return Page(title, (Steps(boxes),))
    remark = localized("show.conversation.offered", tools=", ".join(offered) or "–")
    return Page(title, (Words(remark, quiet=True), Steps(boxes)))


class Calls:
    """The calls of a history, numbered, and which result answers which."""

    def __init__(self, history: list[ConversationMessage]) -> None:
        self._numbers: dict[int, int] = {}
        self._answers: dict[int, ConversationPart] = {}
        waiting: list[ConversationPart] = []
        for part in (part for message in history for part in message.parts):
            if part.kind == "call":
                self._numbers[id(part)] = len(self._numbers) + 1
                waiting.append(part)
            elif part.kind == "result":
                # Gemini may leave ids out: there the first call of that name that waits is meant.
                call = next(
                    (c for c in waiting if (c.id == part.id if part.id else c.name == part.name)), None
                )
                if call is not None:
                    waiting.remove(call)
                    self._answers[id(part)] = call
        self._waiting = {id(call) for call in waiting}

    @property
    def total(self) -> int:
        return len(self._numbers)

    def number(self, call: ConversationPart) -> int:
        return self._numbers[id(call)]

    def waits(self, call: ConversationPart) -> bool:
        """Return whether no result has come for a call."""
        return id(call) in self._waiting

    def of(self, result: ConversationPart) -> ConversationPart | None:
        """Return the call that a result answers."""
        return self._answers.get(id(result))


def _draw_message(number: int, message: ConversationMessage, calls: Calls, offered: list[str] | None) -> Box:
    role = message.role or localized("show.conversation.no_role")
    parts = tuple(_draw_part(part, calls, offered) for part in message.parts)
    tones = {"user": "user", "assistant": "assistant", "model": "assistant", "tool": "tool"}
    tone = tones.get(message.role, "quiet")
    return Box(f"{number}. {role}", parts or (Words(localized("show.conversation.no_content"), True),), tone)


def _draw_part(part: ConversationPart, calls: Calls, offered: list[str] | None = None) -> Words | Lines | Box:
    """Return one part of a message as a part of a page."""
    if part.kind == "text":
        return Lines((fold_text(part.text or localized("show.conversation.empty_text")),), mono=False)
    if part.kind in ("thinking", "refusal"):
        text = part.text or localized("show.conversation.hidden")
        return Box(localized(f"show.conversation.{part.kind}"), (Lines((fold_text(text),), mono=False),))
    if part.kind == "media":
        return Words(localized("show.conversation.media", what=part.text))
    if part.kind == "note":
        return Words(part.text, quiet=True)
    if part.kind == "call":
        return _draw_call(part, calls, offered)
    if part.kind == "result":
        return _draw_result(part, calls)
    return Lines(tuple(fold_json(part.data)))


def _draw_call(call: ConversationPart, calls: Calls, offered: list[str] | None) -> Box:
    remarks = []
    if isinstance(call.data, str):
        remarks.append(Words(localized("show.conversation.not_json")))
    if offered is not None and call.name not in offered:
        remarks.append(Words(localized("show.conversation.not_offered", name=call.name)))
    if calls.waits(call):
        remarks.append(Words(localized("show.conversation.no_result"), quiet=True))
    title = localized(
        "show.conversation.call", number=calls.number(call), name=call.name or "?", id=call.id or "–"
    )
    return Box(title, (Lines(tuple(fold_json(plain(call.data)))), *remarks), "tool")


def _draw_result(result: ConversationPart, calls: Calls) -> Box:
    call = calls.of(result)
    if call is None:
        title = localized("show.conversation.orphan", id=result.id or result.name or "–")
    else:
        title = localized(
            "show.conversation.result", number=calls.number(call), name=call.name or "?", id=call.id or "–"
        )
    if result.is_error:
        title += " · " + localized("show.conversation.is_error")
    drawn = [_draw_part(part, calls) for part in result.inside]
    # A result is read by a program and a model: show its every blank as it is.
    inside = tuple(replace(part, mono=True) if isinstance(part, Lines) else part for part in drawn)
    nothing = (Words(localized("show.conversation.empty_result"), quiet=True),)
    return Box(title, inside or nothing, "error" if result.is_error or call is None else "tool")


# show.timeline(): when each call of a turn started and ended ------------------------------------------

MOST = 100
"""Calls that are drawn."""
STEP = 50
"""Milliseconds to which times are rounded."""


def timeline(results: Any, step: int = STEP) -> Page:
    """Return the results of a turn as bars, from `started` and `ended`, to look at.

    Times are rounded to `step` milliseconds, so that the same cell shows the same again: no two runs take
    exactly as long. Raises ValueError if `step` is not a positive whole number.
    """
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise ValueError(localized("show.timeline.bad_step"))
    found = _listed(results)
    rows = tuple(_bar(number, one, step) for number, one in enumerate(found[:MOST], start=1))
    if not rows:
        return Page(localized("show.timeline.title_empty"), (Words(localized("show.timeline.nothing")),))
    ends = [row.end for row in rows if row.end is not None]
    whole = max(ends, default=0)
    parts: list[Any] = [Bars((localized("show.timeline.call"), localized("show.timeline.when")), rows, whole)]
    if len(found) > MOST:
        parts.append(Words(localized("show.timeline.first_only", n=MOST), quiet=True))
    if ends:
        parts.append(Words(localized("show.timeline.rounded", step=step), quiet=True))
    calls = count("show.calls", len(rows))
    title = localized("show.timeline.title", calls=calls, whole=whole) if ends else calls
    return Page(title, tuple(parts))


def _listed(results: Any) -> list[Any]:
    """Return what there is to draw; one result alone is a list of one."""
    if results is None or is_a(results, (str, bytes)):
        return []
    if is_a(results, dict) or _field(results, "tool_call_id") is not None:
        return [results]
    # One more than is drawn: it tells that there are more, and an iterator may never end.
    return guarded(lambda: list(itertools.islice(iter(results), MOST + 1)), lambda: [])


def _bar(number: int, result: Any, step: int) -> Bar:
    start, end = (_milliseconds(_field(result, name), step) for name in ("started", "ended"))
    if start is None or end is None or end < start:
        start = end = None
    failed = _field(result, "is_error") is True
    name = _field(result, "name")
    name = f"{number} {safe_text('?' if name is None else name, 24)}".replace("\n", " ")
    error = localized("show.timeline.error") if failed else ""
    if start is None:
        when = localized("show.timeline.not_run") if failed else localized("show.timeline.no_times")
    else:
        when = localized("show.timeline.from_to", start=start, end=end)
    return Bar(name, when, error, start, end, failed)


def _field(value: Any, name: str) -> Any:
    """Return a field of a result, or of a dictionary with its fields."""
    if is_a(value, dict):
        return guarded(lambda: dict.get(value, name), lambda: None)
    return guarded(lambda: getattr(value, name, None), lambda: None)


def _milliseconds(seconds: Any, step: int) -> int | None:
    if not is_a(seconds, (int, float)) or is_a(seconds, bool):
        return None
    number = guarded(lambda: float(seconds), lambda: math.nan)
    if not 0 <= number < 1e7:
        return None
    return step * round(1000 * number / step)
