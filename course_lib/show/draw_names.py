"""show.names(): the same thing in each provider's format, looked up in what was really sent.

Nothing is typed in here: for each API that the log holds a whole tool call of, the values are searched in the
request and response, and the table shows at which place they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..say import say
from .draw_wire import recorded
from .page import Grid, Page, Words
from .plain import plain

__all__ = ["names"]

APIS = {
    "anthropic": "Anthropic",
    "openai_chat": "OpenAI Chat",
    "openai_responses": "OpenAI Responses",
    "gemini": "Gemini",
}
_STOP = ("stop_reason", "finish_reason", "finishReason", "status")
_CONTENT = ("content", "output", "response")
"""What the content of a result is called."""


def names() -> Page:
    """Return a table of the formats in use, made from the tool calls since setup(): one row per idea."""
    found = {api: place for api in APIS if (place := _places(api)) is not None}
    if not found:
        return Page(say("show.names.title"), (Words(say("show.names.nothing")),))
    ideas = list(next(iter(found.values())))
    rows = tuple(
        (say(f"show.names.{idea}"), tuple(places[idea] for places in found.values())) for idea in ideas
    )
    head = tuple(APIS[api] for api in found)
    return Page(say("show.names.title"), (Words(say("show.names.how"), quiet=True), Grid(head, rows)))


def _places(api: str) -> dict[str, str] | None:
    """For one API: idea -> the place of its value; None without a tool call that was answered."""
    from .. import providers

    exchanges = [one for one in recorded() if getattr(one, "api", "") == api and one.status == 200]
    provider = getattr(providers, api)
    for asked, answered in reversed(list(zip(exchanges, exchanges[1:], strict=False))):
        calls = provider.read_calls(asked.response) if isinstance(asked.response, dict) else []
        if calls and (result := _result(answered.request, calls[-1])) is not None:
            return _rows(asked, answered, calls[-1], result)
    return None


def _rows(asked: Any, answered: Any, call: Any, result: tuple[str, str, str]) -> dict[str, str]:
    request, response = plain(asked.request), plain(asked.response)
    definition = _first(request.get("tools"), "tools", call.name)
    schemas = (path for path, value in _walk(request.get("tools"), "tools") if _is_schema(value))
    link, text, kind = result
    return {
        "definition": definition,
        "schema": next(schemas, "–"),
        "stop": _stop(response),
        "call": _call(response, call),
        "call_id": _first(response, "", call.id),
        "arguments": _arguments(response, call.arguments),
        "result": kind,
        "link": link,
        "result_text": text,
        "answer": _answer(plain(answered.response)),
    }


def _walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with its path; the place in a list does not matter, so it is written []."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item, f"{path}[]")


def _first(value: Any, path: str, wanted: Any) -> str:
    return next((place for place, found in _walk(value, path) if found == wanted), "–")


def _is_schema(value: Any) -> bool:
    # Gemini writes the names of types in capitals.
    return isinstance(value, dict) and value.get("type") in ("object", "OBJECT") and "properties" in value


def _stop(response: Any) -> str:
    for path, value in _walk(response):
        if path.rpartition(".")[2] in _STOP and isinstance(value, str):
            return f'{path}: "{value}"'
    return "–"


def _call(response: Any, call: Any) -> str:
    """What marks a call: the place that holds its id (its name, where there is none) and what that is."""
    for key in ("id", "name"):
        for path, value in _walk(response):
            if isinstance(value, dict) and getattr(call, key) in value.values():
                return path + _mark(value)
    return "–"


def _mark(value: dict) -> str:
    # Gemini has no field that says what a part is: the part's only name does.
    return next((f'.{key}: "{value[key]}"' for key in ("type", "role") if key in value), "")


def _arguments(response: Any, arguments: Any) -> str:
    """Where the arguments stand, and whether as an object or as text."""
    from ..providers.wire import parse_arguments

    for path, value in _walk(response):
        if value == arguments and isinstance(value, dict):
            return f"{path}  ({say('show.names.object')})"
        if isinstance(value, str) and value.startswith("{") and parse_arguments(value) == arguments:
            return f"{path}  ({say('show.names.text')})"
    return "–"


def _result(request: Any, call: Any) -> tuple[str, str, str] | None:
    """Where a request carries the result of a call: what links it (its id; its name, where Gemini gives no
    id), its content, and what marks it as a result."""
    found = None
    for path, value in _walk(plain(request)):
        if not isinstance(value, dict):
            continue
        # The last place that has the link: before it stands the call itself, sent back.
        link = next((key for key, item in value.items() if item == call.id), None)
        link = link or ("name" if value.get("name") == call.name else None)
        content = next((key for key in _CONTENT if key in value), None)
        if link and content:
            found = (f"{path}.{link}", f"{path}.{content}", path + _mark(value))
    return found


def _answer(response: Any) -> str:
    """Where the text of the final answer stands: the longest text of the response."""
    texts = [
        (len(value), path)
        for path, value in _walk(response)
        if isinstance(value, str) and path.endswith(("text", "content"))
    ]
    return max(texts, default=(0, "–"))[1]
