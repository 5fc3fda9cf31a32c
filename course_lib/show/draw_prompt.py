"""show.prompt(): one request as the model reads it, and where its tokens go.

A sketch of the idea: providers turn a request into one long text, tool definitions included, in a form that
they do not publish. Sizes are estimates from the text's length; the response's own count stands beside them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..say import say
from .draw_conversation import Calls
from .draw_wire import recorded
from .json_text import Line, compact, fold_text
from .page import Box, Lines, Page, Shares, Words
from .plain import plain
from .shapes import Message, Part, read_blocks, read_messages, read_tools

__all__ = ["estimate_tokens", "prompt"]

_HISTORY = ("messages", "input", "contents")
_SYSTEM_ROLES = ("system", "developer")
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


def prompt(exchange: object = None) -> Page:
    """Return a request as the model reads it: system text, tool definitions, turns, and what each costs.

    `exchange` is one of course_lib.exchanges(), its number, or a request as a dict; without it, the last
    request. Raises ValueError if it is something else.
    """
    request, response = _find(exchange)
    if request is None:
        return Page(say("show.prompt.title"), (Words(say("show.prompt.nothing")),))
    leading, history = _split(request)
    system, tools, turns = _system(request, leading), _tools(request), _turns(history)
    sizes = tuple(
        (say(f"show.prompt.{name}"), estimate_tokens(text))
        for name, text in (("system", system), ("tools", "\n".join(tools)), ("messages", _joined(turns)))
    )
    parts = [
        Words(say("show.prompt.sketch"), quiet=True),
        Shares(
            tuple(say(f"show.prompt.{name}") for name in ("part", "tokens", "share")),
            sizes,
            say("show.prompt.total"),
        ),
    ]
    if (counted := _counted(response)) is not None:
        parts.append(Words(say("show.prompt.counted", n=counted), quiet=True))
    nothing = (Words(say("show.prompt.none"), quiet=True),)
    parts += [
        Box(say("show.prompt.system"), (_lines(system),) if system else nothing, "quiet"),
        Box(say("show.prompt.tools"), tuple(_lines(tool) for tool in tools) or nothing, "tool"),
        Box(say("show.prompt.messages"), tuple(_draw_turn(*turn) for turn in turns) or nothing, "user"),
    ]
    return Page(say("show.prompt.title"), tuple(parts))


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for each sign, and one for each five letters of a word."""
    return sum(1 + (len(piece) - 1) // 5 for piece in _WORD_OR_SIGN.findall(text))


def _find(exchange: object) -> tuple[dict | None, Any]:
    """Return the request and the response that are meant."""
    if isinstance(exchange, int) and not isinstance(exchange, bool):
        found = [one for one in recorded() if getattr(one, "number", None) == exchange]
        if not found:
            raise ValueError(say("show.prompt.no_such_number", number=exchange))
        exchange = found[0]
    elif exchange is None:
        # Counting tokens and listing models are requests as well, but no model reads them.
        asked = [one for one in recorded() if _is_prompt(getattr(one, "request", None))]
        read = [one for one in asked if "count" not in str(getattr(one, "path", "")).rsplit("/", 1)[-1]]
        if not asked:
            return None, None
        exchange = (read or asked)[-1]
    if hasattr(exchange, "request"):
        request, response = plain(exchange.request), plain(getattr(exchange, "response", None))
    else:
        request, response = plain(exchange), None
        if isinstance(request, dict) and isinstance(request.get("config"), dict):
            request = {**request, **request["config"]}  # as the Gemini SDK takes it; the wire has no "config"
    if not _is_prompt(request):
        raise ValueError(say("show.prompt.not_a_request"))
    return request, response


def _is_prompt(request: object) -> bool:
    return isinstance(request, dict) and any(key in request for key in _HISTORY)


def _split(request: dict) -> tuple[list[Message], list[Message]]:
    """Return the history's leading system messages, where OpenAI has what others send apart, and the rest."""
    history = read_messages(next(request[key] for key in _HISTORY if key in request))
    first = next((n for n, message in enumerate(history) if message.role not in _SYSTEM_ROLES), len(history))
    return history[:first], history[first:]


def _system(request: dict, leading: list[Message]) -> str:
    texts = []
    for key in ("system", "instructions", "systemInstruction", "system_instruction"):
        value = request.get(key)
        if isinstance(value, dict) and "parts" in value:
            value = value["parts"]
        texts += [part.text for part in read_blocks(value)]
    texts += [part.text for message in leading for part in message.parts]
    return "\n".join(texts)


def _tools(request: dict) -> list[str]:
    return [compact(tool) for tool in read_tools(request.get("tools") or [])]


def _turns(history: list[Message]) -> list[tuple[str, str]]:
    """Return the turns as (heading, text), in the order in which they are read."""
    calls = Calls(history)
    return [_turn(message, part, calls) for message in history for part in message.parts]


def _turn(message: Message, part: Part, calls: Calls) -> tuple[str, str]:
    role = message.role or "?"
    if part.kind == "call":
        return say("show.prompt.call", role=role, number=calls.number(part), name=part.name), _json(part.data)
    if part.kind == "result":
        call = calls.of(part)
        number = "?" if call is None else calls.number(call)
        heading = say("show.prompt.result", role=role, number=number)
        if part.is_error:
            heading += " · " + say("show.conversation.is_error")
        return heading, "\n".join(_text_of(inner) for inner in part.inside)
    return role, _text_of(part)


def _text_of(part: Part) -> str:
    if part.kind == "other":
        return _json(part.data)
    return f"[{part.text}]" if part.kind == "media" else part.text


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _joined(turns: list[tuple[str, str]]) -> str:
    return "\n".join(f"{heading}\n{text}" for heading, text in turns)


def _draw_turn(heading: str, text: str) -> Box:
    return Box(f"[{heading}]", (_lines(text),) if text else (), "quiet")


def _lines(text: str) -> Lines:
    return Lines(tuple(fold_text(text)) or (Line(0, ""),))


def _counted(response: Any) -> int | None:
    """Return how many tokens the response says that the request had."""
    if not isinstance(response, dict):
        return None
    usage = response.get("usage", response.get("usageMetadata"))
    for key in ("input_tokens", "prompt_tokens", "promptTokenCount"):
        if isinstance(usage, dict) and isinstance(usage.get(key), int):
            return usage[key]
    return None
