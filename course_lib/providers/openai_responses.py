"""OpenAI Responses: calls are `function_call` items of the output, results are `function_call_output` items
of the next input. A call and its result share the `call_id`; the item's own `id` is another thing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..tools import Tool, ToolCall, ToolResult
from . import openai_chat, shared
from .mistakes import check_response, explained, results_of
from .shared import (
    JSON,
    Call,
    SendOptions,
    as_json,
    dump,
    extra_body,
    get,
    if_any,
    paragraphs,
    parse_arguments,
    result_text,
    sendable_arguments,
    token_count,
    unchanged,
)

NAME, LABEL = "openai-responses", "OpenAI Responses"
MODEL_IDS = None  # they are those of Chat Completions, and so is the client
SDK, VARIABLES, STRICT = openai_chat.SDK, openai_chat.VARIABLES, openai_chat.STRICT
CONNECTION_ERRORS = openai_chat.CONNECTION_ERRORS
SERVICE_ERROR_TYPES = openai_chat.SERVICE_ERROR_TYPES
SERVICE_ERROR_CODES = openai_chat.SERVICE_ERROR_CODES
FIELDS = RESPONSE_FIELDS = ("output",)
LISTS = {"output": "a response of the Responses API"}
METHOD = "client.responses.create(...)"
UNIQUE_IDS = True
HISTORY_FIELD, SYSTEM_FIELDS = "input", ("instructions",)
STOP_FIELDS, RESULT_FIELD = ("status",), "output"
INPUT_TOKENS = ("usage", "input_tokens")

INCOMPLETE_REASONS = {"max_output_tokens": "max_tokens", "content_filter": "refusal"}
_LAST = ("response.completed", "response.incomplete", "response.failed")

# Responses ----------------------------------------------------------------------------------------


@explained
def read_calls(response: Any) -> list[ToolCall]:
    """The tool calls of a response, in order."""
    check_response(response, "openai_responses")
    calls = []
    output = get(response, "output", [])
    for item in output:
        if get(item, "type") == "function_call":
            arguments = parse_arguments(get(item, "arguments"))
            # An item has its own status. Where it comes without, the last one has that of the response.
            status = get(item, "status") or (item is output[-1] and get(response, "status"))
            name, cut_off = get(item, "name", ""), status in ("incomplete", "in_progress")
            calls.append(ToolCall(str(get(item, "call_id", "")), name, arguments, cut_off))
    return calls


def read_text(response: Any) -> str:
    """Return the text of a response; each message is a paragraph of its own."""
    texts: list[str | None] = []
    for parts in _messages(response):
        texts += ["".join(get(part, "text") or get(part, "refusal", "") for part in parts), None]
    return paragraphs(texts)


def read_stop_reason(response: Any) -> str:
    status = get(response, "status")
    if status == "incomplete":
        return INCOMPLETE_REASONS.get(get(get(response, "incomplete_details", {}), "reason"), "other")
    if any(get(part, "type") == "refusal" for parts in _messages(response) for part in parts):
        return "refusal"
    return "end" if status in ("completed", None) else "other"


def read_usage(response: Any) -> tuple[int, int]:
    usage = get(response, "usage", {})
    return token_count(get(usage, "input_tokens")), token_count(get(usage, "output_tokens"))


def _messages(response: Any) -> list[list[Any]]:
    """Return the parts of each message of the output."""
    output = get(response, "output", [])
    return [get(item, "content", []) for item in output if get(item, "type") == "message"]


@explained
def write_turn(response: Any) -> list[dict[str, Any]]:
    """The output items for the next input, reasoning items included and in their order."""
    check_response(response, "openai_responses")
    return [_item(_sent(dump(item))) for item in get(response, "output", [])]


def _item(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as the service takes it back. Arguments that were no JSON object, as those of a call
    that was cut off, become "{}": nothing ran with them."""
    if item.get("type") != "function_call":
        return item
    sent = {"call_id": str(item.get("call_id", "")), "arguments": sendable_arguments(item.get("arguments"))}
    return {**item, **sent}


def _sent(value: Any) -> Any:
    """Return an item without what the SDK's parse() added to it, which the service does not know."""
    if isinstance(value, dict):
        return {
            name: _sent(item) for name, item in value.items() if name not in ("parsed", "parsed_arguments")
        }
    return [_sent(item) for item in value] if isinstance(value, list) else value


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One `function_call_output` item for each result. There is no flag for errors, so the text says it."""
    return [
        {
            "type": "function_call_output",
            "call_id": result.tool_call_id,
            "output": result_text(result, mark_error=True),
        }
        for result in results_of(results)
    ]


@explained
def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The response at the end of a stream; where the stream broke off, what was complete by then."""
    found: dict[str, Any] = {}
    items: dict[int, dict[str, Any]] = {}
    for event in events:
        kind = get(event, "type")
        if kind in _LAST:
            return dump(get(event, "response", {}))
        if kind == "response.created":
            found = dict(dump(get(event, "response", {})))
        if kind == "error":  # the last event, in place of one of those
            found["error"] = {name: get(event, name) for name in ("code", "message")}
        if kind == "response.output_item.done":
            items[get(event, "output_index", len(items))] = dump(get(event, "item", {}))
    return {**found, "status": "incomplete", "output": [items[index] for index in sorted(items)]}


# A history ----------------------------------------------------------------------------------------

set_call_ids = shared.set_call_ids
known_fields = finish_messages = unchanged
write_user = openai_chat.write_user


def call_ids(messages: list[Any]) -> list[str | None]:
    return [item["call_id"] for item in messages if item.get("type") == "function_call"]


def own_messages(messages: list[JSON]) -> list[JSON]:
    """Return the items of a turn without reasoning that was cut off: it is refused where what it led to is
    missing."""
    items = list(messages)
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return items


def write_assistant(text: str, calls: list[Call]) -> list[JSON]:
    items: list[JSON] = [{"role": "assistant", "content": text}] if text.strip() else []
    for call_id, name, arguments in calls:
        call = {"call_id": call_id, "name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        items.append({"type": "function_call", **call})
    return items


# Requests: POST /v1/responses ---------------------------------------------------------------------

check_options, fit_request = shared.check_options, shared.fit_request
make_client, client_of_kind = openai_chat.make_client, openai_chat.client_of_kind
read_answer, retry_delay = shared.read_answer, shared.retry_delay


def write_definitions(tools: Iterable[Tool]) -> list[JSON]:
    return [one.to_openai_responses() for one in tools]


def write_request(model: str, instructions: str, messages: list[JSON], tools: list[JSON]) -> JSON:
    head = {"model": model, **if_any(instructions=instructions)}
    return {**head, "input": messages, **if_any(tools=tools)}


def send(client: Any, body: JSON, options: SendOptions) -> Any:
    return client.post("/responses", **as_json(body), cast_to=object, options=options)


def stream(client: Any, body: JSON, options: SendOptions) -> Any:
    create = client.responses.create
    return create(model=body["model"], input=[], stream=True, **extra_body(body, options))


def text_in(event: Any) -> str:
    kinds = ("response.output_text.delta", "response.refusal.delta")
    return get(event, "delta", "") if get(event, "type") in kinds else ""
