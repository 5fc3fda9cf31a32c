"""show.conversation(): the messages of a history, each result joined to its call."""

from __future__ import annotations

from dataclasses import replace

from ..say import say
from .json_text import count, fold_json, fold_text
from .page import Box, Lines, Page, Steps, Words
from .plain import plain
from .shapes import Message, Part, read_messages, read_tools

__all__ = ["Calls", "conversation", "draw_part"]


def conversation(messages: object, tools: object = None) -> Page:
    """Return the conversation to look at: who said what, which tool was called with what, and what came back.

    `messages` is what you send as a history: dicts, SDK objects or both, in the form of any of the four APIs.
    With `tools`, the definitions you offer, a call of a tool that was not offered is marked.
    """
    history = read_messages(messages)
    calls = Calls(history)
    offered = None if tools is None else [tool["name"] for tool in read_tools(tools)]
    boxes = tuple(
        _draw_message(number, message, calls, offered) for number, message in enumerate(history, start=1)
    )
    title = say(
        "show.conversation.title",
        messages=count("show.messages", len(history)),
        calls=count("show.calls", calls.total),
    )
    if not boxes:
        return Page(title, (Words(say("show.conversation.empty")),))
    parts = (
        []
        if offered is None
        else [Words(say("show.conversation.offered", tools=", ".join(offered) or "–"), True)]
    )
    return Page(title, (*parts, Steps(boxes)))


class Calls:
    """Numbers the calls of a history and finds the call that a result answers."""

    def __init__(self, history: list[Message]) -> None:
        self._numbers: dict[int, int] = {}
        self._answers: dict[int, Part] = {}
        waiting: list[Part] = []
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

    def number(self, call: Part) -> int:
        return self._numbers[id(call)]

    def waits(self, call: Part) -> bool:
        """Tell whether no result has come for a call."""
        return id(call) in self._waiting

    def of(self, result: Part) -> Part | None:
        """Return the call that a result answers."""
        return self._answers.get(id(result))


def _draw_message(number: int, message: Message, calls: Calls, offered: list[str] | None) -> Box:
    role = message.role or say("show.conversation.no_role")
    parts = tuple(draw_part(part, calls, offered) for part in message.parts)
    tones = {"user": "user", "assistant": "assistant", "model": "assistant"}
    tone = tones.get(message.role, "tool" if message.role == "tool" else "quiet")
    return Box(f"{number}. {role}", parts or (Words(say("show.conversation.no_content"), True),), tone)


def draw_part(part: Part, calls: Calls, offered: list[str] | None = None):
    """Return one part of a message as a part of a page."""
    if part.kind == "text":
        return Lines(tuple(fold_text(part.text or say("show.conversation.empty_text"))), mono=False)
    if part.kind in ("thinking", "refusal"):
        text = part.text or say("show.conversation.hidden")
        return Box(say(f"show.conversation.{part.kind}"), (Lines(tuple(fold_text(text)), mono=False),))
    if part.kind == "media":
        return Words(say("show.conversation.media", what=part.text))
    if part.kind == "note":
        return Words(part.text, quiet=True)
    if part.kind == "call":
        return _draw_call(part, calls, offered)
    if part.kind == "result":
        return _draw_result(part, calls)
    return Lines(tuple(fold_json(part.data)))


def _draw_call(call: Part, calls: Calls, offered: list[str] | None) -> Box:
    remarks = []
    if isinstance(call.data, str):
        remarks.append(Words(say("show.conversation.not_json")))
    if offered is not None and call.name not in offered:
        remarks.append(Words(say("show.conversation.not_offered", name=call.name)))
    if calls.waits(call):
        remarks.append(Words(say("show.conversation.no_result"), quiet=True))
    title = say("show.conversation.call", number=calls.number(call), name=call.name or "?", id=call.id or "–")
    return Box(title, (Lines(tuple(fold_json(plain(call.data)))), *remarks), "tool")


def _draw_result(result: Part, calls: Calls) -> Box:
    call = calls.of(result)
    if call is None:
        title = say("show.conversation.orphan", id=result.id or result.name or "–")
    else:
        title = say(
            "show.conversation.result", number=calls.number(call), name=call.name or "?", id=call.id or "–"
        )
    if result.is_error:
        title += " · " + say("show.conversation.is_error")
    inside = []
    for part in result.inside:
        drawn = draw_part(part, calls)
        # A result is read by a program and a model: show its every blank as it is.
        inside.append(replace(drawn, mono=True) if isinstance(drawn, Lines) else drawn)
    if not inside:
        inside.append(Words(say("show.conversation.empty_result"), quiet=True))
    return Box(title, tuple(inside), "error" if result.is_error or call is None else "tool")
