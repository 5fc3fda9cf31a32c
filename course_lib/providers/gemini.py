"""Gemini: calls are `functionCall` parts of the model's content, results are `functionResponse` parts of one
user content. Names may be in camelCase, as on the wire, or in snake_case; what is written here is what the
wire has, JSON in camelCase, and the SDK takes it as well.

Newer models give each call an id. A call that comes without one gets an id of our own, `local_...`, made from
the turn: the same turn always gives the same ids, a turn that repeats another in everything repeats its ids.
Such an id is not sent; without one, results belong to the calls by their name, and within a name by their
order.
"""

from __future__ import annotations

import base64
import enum
import hashlib
import json
import math
import re
from collections.abc import Iterable
from typing import Any

from ..tools import ToolCall, ToolResult
from .reading import (
    ENDED_EARLY,
    as_object,
    check_response,
    explained,
    get,
    parse_arguments,
    result_text,
    results_of,
)

OWN_ID = re.compile(r"local_[0-9a-f]{12}_(\d+)")
# The last call was not finished when the model was stopped for one of these.
CUT_OFF = ("MAX_TOKENS", "MALFORMED_FUNCTION_CALL")
LARGEST = 2**53  # Gemini's objects hold doubles; of larger integers they lose digits


@explained
def read_calls(response: Any) -> list[ToolCall]:
    """The function calls of a response, or of its content, in order; none where nothing was generated."""
    check_response(response, "gemini")
    all_parts = get(_content(response), "parts", [])
    parts = [part for part in all_parts if _field(part, "function_call")]
    candidate = _candidate(response)
    ended = _json(_field(candidate, "finish_reason")) in CUT_OFF or get(candidate, ENDED_EARLY, False)
    calls = []
    for place, part in enumerate(parts):
        call = _field(part, "function_call")
        call_id = str(get(call, "id") or _own_id(parts, place))
        cut_off = part is all_parts[-1] and ended
        calls.append(ToolCall(call_id, get(call, "name", ""), parse_arguments(get(call, "args")), cut_off))
    return calls


@explained
def write_turn(response: Any) -> list[dict[str, Any]]:
    """The model's content for the history: all parts in order, thought signatures unchanged where they were.

    A signature is bytes in the SDK's objects; here it is the base64 text that it is on the wire.
    """
    check_response(response, "gemini")
    parts = [_sendable(_part(part)) for part in get(_content(response), "parts", [])]
    parts = [part for part in parts if not _is_empty(part)]
    return [{"role": "model", "parts": parts}] if parts else []


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One user content with a part for each result: {"result": ...}, or {"error": ...} as there is no flag.

    Content that is a JSON object or list goes in as that, so that the model does not read JSON inside text;
    all other text stays text, also "007" and "12", and JSON with integers that would lose digits.
    """
    results = results_of(results)
    own = [OWN_ID.fullmatch(result.tool_call_id) for result in results]
    if all(own):  # no ids on the wire, so the order must be that of the calls
        results.sort(key=lambda result: int(OWN_ID.fullmatch(result.tool_call_id)[1]))
    parts = [{"functionResponse": _response(result)} for result in results]
    return [{"role": "user", "parts": parts}] if parts else []


@explained
def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The response that the chunks of a stream add up to: text joined, each call whole as it came.

    A stream that breaks off before it says why the model stopped gives what was there, marked as such. A part
    with a signature is never joined with another, which the service asks for; it may be empty else.
    """
    found: dict[str, Any] = {"candidates": []}
    candidate: dict[str, Any] = {}
    parts: list[dict[str, Any]] = []
    for chunk in events:
        for name in ("response_id", "model_version", "usage_metadata", "prompt_feedback"):
            if (value := _field(chunk, name)) is not None:
                found[_camel(name)] = _json(value)
        for choice in get(chunk, "candidates", []):
            if choice is None or get(choice, "index", 0) != 0:
                continue
            candidate |= {name: value for name, value in _json(choice).items() if name != "content"}
            for part in get(get(choice, "content", {}), "parts", []):
                _add(parts, _part(part))
    if parts and _field(candidate, "finish_reason") is None:
        candidate[ENDED_EARLY] = True
    if candidate or parts:
        found["candidates"] = [{**candidate, "content": {"role": "model", "parts": parts}}]
    return found


def _add(parts: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Add a part of a chunk: text goes on the text before it, if both are answer or both are thought."""
    if _is_empty(part):
        return
    if parts and all(set(one) <= {"text", "thought"} for one in (parts[-1], part)):
        if bool(parts[-1].get("thought")) == bool(part.get("thought")):
            parts[-1] = {**parts[-1], "text": parts[-1]["text"] + part["text"]}
            return
    parts.append(part)


def _content(response: Any) -> Any:
    """The content of a response's first candidate, {} where there is none; a content is its own."""
    candidate = _candidate(response)
    return response if candidate is response else get(candidate, "content", {})


def _candidate(response: Any) -> Any:
    """A response's first candidate, {} where there is none; a content is its own."""
    is_response = "candidates" in response if isinstance(response, dict) else hasattr(response, "candidates")
    if not is_response:
        return response
    candidates = get(response, "candidates", [])
    return candidates[0] if candidates else {}


def _part(part: Any) -> dict[str, Any]:
    return {name: value for name, value in _json(part).items() if value is not None}


def _sendable(part: dict[str, Any]) -> dict[str, Any]:
    """A part as the service takes it back: an id is text, and arguments are an object that can be sent."""
    name = next((name for name in ("functionCall", "function_call") if isinstance(part.get(name), dict)), "")
    if not name:
        return part
    call = dict(part[name])
    if call.get("id") is not None:
        call["id"] = str(call["id"])
    if call.get("args") is not None:
        call["args"] = as_object(call["args"])
    return {**part, name: call}


def _is_empty(part: dict[str, Any]) -> bool:
    """Whether a part holds nothing. Streams end with such parts, and in a history they are refused."""
    return all(value == "" for name, value in part.items() if name != "thought")


def _own_id(parts: list[Any], place: int) -> str:
    turn = []
    for part in parts:
        call, signature = _field(part, "function_call"), _json(_field(part, "thought_signature", ""))
        # The two alphabets of base64 write the same bytes.
        turn.append([get(call, "name"), get(call, "args", {}), signature.replace("-", "+").replace("_", "/")])
    text = json.dumps(turn, sort_keys=True, default=str)
    return f"local_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}_{place}"


def _response(result: ToolResult) -> dict[str, Any]:
    value = _value(result_text(result, mark_error=False))
    response = {"error": value or "The tool failed."} if result.is_error else {"result": value}
    given = {} if OWN_ID.fullmatch(result.tool_call_id) else {"id": result.tool_call_id}
    return {**given, "name": result.name, "response": response}


def _value(text: str) -> Any:
    try:
        found = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, dict | list) else text


def _number(digits: str) -> int | float:
    """A number that arrives as it is; ValueError for what does not, NaN and infinity among it."""
    number = float(digits) if re.search(r"[^\d-]", digits) else int(digits)
    if isinstance(number, int) and abs(number) > LARGEST or not math.isfinite(number):
        raise ValueError(f"{digits[:40]} does not fit")
    return number


def _field(value: Any, name: str, default: Any = None) -> Any:
    """A field by its snake_case name, whichever of the two a dictionary has."""
    found = get(value, name)
    if found is None and isinstance(value, dict):
        found = value.get(_camel(name))
    return default if found is None else found


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _json(value: Any) -> Any:
    """An SDK's object, or what stands in a dictionary, as JSON has it."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.value if isinstance(value, enum.Enum) else value
