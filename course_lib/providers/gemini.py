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

from practice_model.facts.services import GEMINI

from ..errors import CourseError
from ..tools import Tool, ToolCall, ToolResult
from . import shared
from .mistakes import check_response, explained, results_of
from .shared import (
    ENDED_EARLY,
    JSON,
    OWN_ID,
    Call,
    SendOptions,
    as_object,
    get,
    if_any,
    items_in,
    joined,
    paragraphs,
    parse_arguments,
    result_text,
    token_count,
    unchanged,
)

NAME, LABEL = "gemini", "Gemini"
MODEL_IDS = GEMINI.model_ids
SDK = "google.genai"
VARIABLES = GEMINI.variables
STRICT = None
FIELDS = ("candidates", "parts", "content", "prompt_feedback", "promptFeedback")
RESPONSE_FIELDS = ("candidates", "parts", "promptFeedback", "prompt_feedback")
LISTS = {"candidates": "a response of Gemini", "parts": "a content of Gemini"}
METHOD = "client.models.generate_content(...)"
UNIQUE_IDS = False
HISTORY_FIELD, SYSTEM_FIELDS = "contents", ("systemInstruction", "system_instruction")
STOP_FIELDS, RESULT_FIELD = ("finishReason", "finish_reason"), "response"
INPUT_TOKENS = ("usageMetadata", "promptTokenCount")
CONNECTION_ERRORS: tuple[str, ...] = ()  # the SDK lets those of its HTTP client through
SERVICE_ERROR_TYPES: tuple[str, ...] = ()  # an error has the status of HTTP, also in the middle of an answer
SERVICE_ERROR_CODES: tuple[str, ...] = ()

STOP_REASONS = {"STOP": "end", "MAX_TOKENS": "max_tokens"} | dict.fromkeys(
    (
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    ),
    "refusal",
)
# The last call was not finished when the model was stopped for one of these.
CUT_OFF = ("MAX_TOKENS", "MALFORMED_FUNCTION_CALL")
LARGEST = 2**53  # Gemini's objects hold doubles; of larger integers they lose digits
NO_SIGNATURE = "skip_thought_signature_validator"
"""What Gemini asks for where it wants a signature of a call that another model made; it takes none at all in
the turn that is under way. https://ai.google.dev/gemini-api/docs/thought-signatures"""

# Responses ----------------------------------------------------------------------------------------


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


def read_text(response: Any) -> str:
    """Return the text of a response without thoughts; what stands between two texts parts them."""
    parts = [part for content in write_turn(response) for part in content["parts"]]
    return paragraphs(None if part.get("thought") else part.get("text") for part in parts)


def read_stop_reason(response: Any) -> str:
    candidates = get(response, "candidates")
    given = _json(_field(candidates[0] if candidates else {}, "finish_reason"))
    if given is None and _field(_field(response, "prompt_feedback", {}), "block_reason"):
        return "refusal"
    return STOP_REASONS.get(given, "other")


def read_usage(response: Any) -> tuple[int, int]:
    usage = _field(response, "usage_metadata", {})
    # Thinking is counted beside the answer here, and within it elsewhere.
    tokens_in, tokens_out = (
        sum(token_count(_field(usage, f"{name}_token_count")) for name in names)
        for names in (("prompt", "tool_use_prompt"), ("candidates", "thoughts"))
    )
    return tokens_in, tokens_out


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
    """Return the content of a response's first candidate, {} where there is none; a content is its own."""
    candidate = _candidate(response)
    return response if candidate is response else get(candidate, "content", {})


def _candidate(response: Any) -> Any:
    """Return a response's first candidate, {} where there is none; a content is its own."""
    is_response = "candidates" in response if isinstance(response, dict) else hasattr(response, "candidates")
    if not is_response:
        return response
    candidates = get(response, "candidates", [])
    return candidates[0] if candidates else {}


def _part(part: Any) -> dict[str, Any]:
    return {name: value for name, value in _json(part).items() if value is not None}


def _sendable(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part as the service takes it back: an id is text, and arguments are an object that can be
    sent."""
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
    """Return whether a part holds nothing. Streams end with such parts, and in a history they are refused."""
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
    """Return a number that arrives as it is; ValueError for what does not, NaN and infinity among it."""
    number = float(digits) if re.search(r"[^\d-]", digits) else int(digits)
    if isinstance(number, int) and abs(number) > LARGEST or not math.isfinite(number):
        raise ValueError(f"{digits[:40]} does not fit")
    return number


def _field(value: Any, name: str, default: Any = None) -> Any:
    """Return a field by its snake_case name, whichever of the two a dictionary has."""
    found = get(value, name)
    if found is None and isinstance(value, dict):
        found = value.get(_camel(name))
    return default if found is None else found


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _json(value: Any) -> Any:
    """Return an SDK's object, or what stands in a dictionary, as JSON has it."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.value if isinstance(value, enum.Enum) else value


# A history ----------------------------------------------------------------------------------------

set_call_ids = shared.set_call_ids
known_fields = own_messages = unchanged


def call_ids(messages: list[Any]) -> list[str | None]:
    """Return the ids of the calls of a turn; None for a call without one, whose id is made from the turn."""
    parts = items_in(messages, "parts", "model")
    calls = [part.get("functionCall") or part.get("function_call") for part in parts]
    return [call.get("id") for call in calls if call]


def write_user(text: str) -> list[JSON]:
    return [{"role": "user", "parts": [{"text": text}]}]


def write_assistant(text: str, calls: list[Call]) -> list[JSON]:
    parts: list[JSON] = [{"text": text}] if text.strip() else []
    for n, (call_id, name, arguments) in enumerate(calls):
        inner = {"id": call_id, "name": name, "args": arguments}
        signature = {} if n else {"thoughtSignature": NO_SIGNATURE}  # only the first of a turn has one
        parts.append({"functionCall": inner, **signature})
    return [{"role": "model", "parts": parts}] if parts else []


def finish_messages(messages: list[JSON]) -> list[JSON]:
    """Return contents whose roles take turns."""
    return joined(messages, "parts")


# Requests: POST /v1beta/models/<model>:generateContent. The model's id stands in the address ----------

check_options, fit_request = shared.check_options, shared.fit_request


def write_definitions(tools: Iterable[Tool]) -> list[JSON]:
    declared = [one.to_gemini_declaration() for one in tools]
    return [{"functionDeclarations": declared}] if declared else []


def write_request(model: str, instructions: str, messages: list[JSON], tools: list[JSON]) -> JSON:
    system = {"parts": [{"text": instructions}]} if instructions else None
    head = {"model": model, **if_any(systemInstruction=system)}
    return {**head, "contents": messages, **if_any(tools=tools)}


def make_client(asynchronous: bool) -> Any:
    try:
        from google import genai
    except ImportError:
        raise CourseError("Gemini's SDK is not installed: pip install google-genai.") from None
    return client_of_kind(genai.Client(), asynchronous)


def client_of_kind(client: Any, asynchronous: bool) -> Any:
    return client.aio if asynchronous else client


def send(client: Any, body: JSON, options: SendOptions) -> Any:
    config = _config(body, options)
    config.should_return_http_response = True
    return client.models.generate_content(model=body["model"], contents="", config=config)


def read_answer(sent: Any) -> Any:
    return json.loads(get(get(sent, "sdk_http_response"), "body", "{}"))


def stream(client: Any, body: JSON, options: SendOptions) -> Any:
    config = _config(body, options)
    return client.models.generate_content_stream(model=body["model"], contents="", config=config)


def _config(body: JSON, options: SendOptions) -> Any:
    from google.genai import types

    sent = {name: value for name, value in body.items() if name != "model"}
    milliseconds = {"timeout": max(1, int(options["timeout"] * 1000))} if "timeout" in options else {}
    http = types.HttpOptions(**{**options, **milliseconds, "extra_body": sent})
    # For functions that the SDK would call itself, of which there are none, it copies all of it first.
    by_itself = types.AutomaticFunctionCallingConfig(disable=True)
    return types.GenerateContentConfig(http_options=http, automatic_function_calling=by_itself)


def retry_delay(error: BaseException) -> float | None:
    """Return it from the body of an error: {"error": {"details": [{"retryDelay": "20s"}]}}."""
    body = getattr(error, "details", None)
    inner = body.get("error", body) if isinstance(body, dict) else {}
    details = inner.get("details") if isinstance(inner, dict) else None
    for one in details if isinstance(details, list) else []:
        delay = one.get("retryDelay") if isinstance(one, dict) else None
        if isinstance(delay, str) and (found := re.fullmatch(r"(\d{1,9}(?:\.\d+)?)s", delay)):
            return float(found[1])
    return None


def text_in(event: Any) -> str:
    candidates = get(event, "candidates", [])
    parts = get(get(candidates[0], "content", {}), "parts", []) if candidates else []
    return "".join(get(part, "text", "") for part in parts if not get(part, "thought"))
