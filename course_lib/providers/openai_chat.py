"""OpenAI Chat Completions: calls stand in `tool_calls`, with their arguments as JSON text; results are
messages of the role `tool`. Many other servers speak this format, not all of them exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from practice_model.facts.services import OPENAI

from ..tools import Tool, ToolCall, ToolResult
from . import shared
from .mistakes import check_response, explained, results_of
from .shared import (
    ENDED_EARLY,
    JSON,
    Call,
    SendOptions,
    as_json,
    checked_client,
    dump,
    extra_body,
    get,
    if_any,
    items_in,
    joined_pieces,
    parse_arguments,
    result_text,
    sendable_arguments,
    token_count,
)

NAME, LABEL = "openai", "OpenAI Chat"
MODEL_IDS = OPENAI.model_ids
SDK = "openai"
VARIABLES = OPENAI.variables
STRICT = "openai"
RESPONSE_FIELDS = ("choices", "message", "tool_calls")
FIELDS = (*RESPONSE_FIELDS, "content", "refusal")
LISTS = {"choices": "a chat completion", "tool_calls": "a message of Chat Completions"}
METHOD = "client.chat.completions.create(...)"
UNIQUE_IDS = False
HISTORY_FIELD = "messages"
SYSTEM_FIELDS: tuple[str, ...] = ()  # the first messages of the history, by their role
STOP_FIELDS, RESULT_FIELD = ("finish_reason",), "content"
INPUT_TOKENS = ("usage", "prompt_tokens")
CONNECTION_ERRORS = ("APIConnectionError",)
SERVICE_ERROR_TYPES, SERVICE_ERROR_CODES = ("server_error",), ("rate_limit_exceeded",)

STOP_REASONS = {
    "stop": "end",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "max_tokens",
    "content_filter": "refusal",
}
# The last call was not finished when the model was stopped for one of these.
CUT_OFF = ("length", "content_filter")
# What OpenAI's own service takes back. Other servers send more, and some ask for it: Gemini's a signature
# (https://ai.google.dev/gemini-api/docs/thought-signatures, extra_content of a call), DeepSeek's the
# reasoning_content of a message with calls (https://api-docs.deepseek.com/guides/thinking_mode).
_MESSAGE = ("role", "content", "refusal", "tool_calls")
_CALL = ("id", "type", "function", "custom")
_FUNCTION = ("name", "arguments")
# And what comes with an answer, and means nothing, or is refused, in a request.
_ONLY_ANSWERED = ("annotations", "audio", "function_call", "parsed", "parsed_arguments", "index")

# Responses ----------------------------------------------------------------------------------------


@explained
def read_calls(response: Any) -> list[ToolCall]:
    """The tool calls of a completion, of its choice, or of the choice's message, in order.

    Only a completion or a choice tells that the last call was cut off; a message does not say it.
    """
    check_response(response, "openai_chat")
    choice = _choice(response)
    found = get(_message(choice), "tool_calls", [])
    early = get(choice, ENDED_EARLY, False)
    calls = []
    for call in found:
        # A custom tool takes text: it is named elsewhere, and its input is no JSON.
        custom = get(call, "custom")
        function = get(call, "function", {}) if custom is None else custom
        written = get(function, "arguments")
        arguments = parse_arguments(written) if custom is None else get(custom, "input", "")
        cut_off = call is found[-1] and (early or get(choice, "finish_reason") in CUT_OFF)
        # Pieces of several calls may come by turns: one that has no arguments yet looks like one without.
        cut_off = cut_off or (early and custom is None and not written)
        calls.append(ToolCall(str(get(call, "id", "")), get(function, "name", ""), arguments, cut_off))
    return calls


def read_text(response: Any) -> str:
    """Return the text of a completion, or its refusal; some servers answer in parts."""
    message = _message(_choice(response))
    content = get(message, "content", "")
    if not isinstance(content, str):
        content = "".join(get(part, "text", "") for part in content)
    return content or get(message, "refusal", "")


def read_stop_reason(response: Any) -> str:
    choice = _choice(response)
    message, given = _message(choice), get(choice, "finish_reason")
    reason = STOP_REASONS.get(given, "other")
    if given is None and not get(choice, ENDED_EARLY, False):
        if read_text(response) or get(message, "tool_calls"):
            reason = "end"  # some servers do not say it
    return "refusal" if get(message, "refusal", "") and reason == "end" else reason


def read_usage(response: Any) -> tuple[int, int]:
    usage = get(response, "usage", {})
    return token_count(get(usage, "prompt_tokens")), token_count(get(usage, "completion_tokens"))


@explained
def write_turn(response: Any) -> list[dict[str, Any]]:
    """The assistant's message for the history. Content is null where there are only calls, never "None".

    What only some servers send, such as `reasoning_content`, goes back as it came.
    """
    check_response(response, "openai_chat")
    message = _message(_choice(response))
    turn: dict[str, Any] = {"role": "assistant", "content": get(message, "content")}
    if message is not response or get(message, "choices") is None:  # else there is no message in it
        turn |= _others(message, _MESSAGE)
    if turn["content"] is None and not get(message, "tool_calls"):
        turn["content"] = ""  # null is taken only beside calls
    if calls := get(message, "tool_calls"):
        turn["tool_calls"] = [_call(call) for call in calls]
    if refusal := get(message, "refusal"):
        turn["refusal"] = refusal
    return [turn]


def write_results(results: Iterable[ToolResult]) -> list[dict[str, Any]]:
    """One message of the role `tool` for each result. There is no flag for errors, so the text says it."""
    return [
        {"role": "tool", "tool_call_id": result.tool_call_id, "content": result_text(result, mark_error=True)}
        for result in results_of(results)
    ]


@explained
def merge_stream(events: Iterable[Any]) -> dict[str, Any]:
    """The completion that the chunks of a stream add up to, also where a server bends the format.

    A chunk without choices carries usage. `index` tells the calls apart; where it is missing, a new id begins
    a new call, and without ids a name with arguments after whole ones. A name that comes again with each
    chunk, or longer each time, is kept once. A stream that breaks off before it says why the model stopped
    gives what was there, marked as such.
    """
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[tuple[int, int], dict[str, Any]] = {}
    found: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": None}]}
    for event in events:
        chunk = get(event, "chunk", event)  # the SDK's stream helper wraps each chunk in an event
        if usage := get(chunk, "usage"):
            found["usage"] = dump(usage)
        for choice in get(chunk, "choices", []):
            if get(choice, "index", 0) != 0:
                continue
            found["choices"][0]["finish_reason"] = get(
                choice, "finish_reason", found["choices"][0]["finish_reason"]
            )
            delta = get(choice, "delta", {})
            for name in ("content", "refusal"):
                if piece := text_of(get(delta, name, "")):
                    message[name] = (message.get(name) or "") + piece
            for name, piece in _others(delta, _MESSAGE).items():
                message[name] = joined_pieces(message.get(name), piece)
            pieces = get(delta, "tool_calls", [])
            for place, piece in enumerate(pieces):
                _add(calls, piece, place if len(pieces) > 1 else None)
    if calls:
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"], **call["in_function"]},
                **call["others"],
            }
            for _, call in sorted(calls.items(), key=lambda item: item[0][0])
        ]
    if not found["choices"][0]["finish_reason"]:
        found["choices"][0][ENDED_EARLY] = True
    return found


def text_of(content: Any) -> str:
    """Content as text: some servers write it in parts, of which some hold no text."""
    if isinstance(content, list | tuple):
        return "".join(text_of(get(part, "text", "")) for part in content)
    return content if isinstance(content, str) else ""


def _add(calls: dict[tuple[int, int], dict[str, Any]], piece: Any, place: int | None) -> None:
    """Add a piece to its call, which is told by (index, how many calls had that index before)."""
    call_id, function = str(get(piece, "id", "")), get(piece, "function", {})
    name, arguments = get(function, "name", ""), get(function, "arguments", "")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    index = get(piece, "index", place)
    same = [key for key in calls if index is None or key[0] == index]
    key = same[-1] if same else (len(calls) if index is None else index, 0)
    call = calls.get(key)
    if call and _begins_another(call, call_id, name, arguments):
        # Some servers give every call the index 0, or none.
        key = (len(calls), 0) if index is None else (index, key[1] + 1)
    call = calls.setdefault(key, {"id": "", "name": "", "arguments": "", "in_function": {}, "others": {}})
    call["id"] = call["id"] or call_id
    if call["name"] and name.startswith(call["name"]):
        call["name"] = name
    else:
        call["name"] += name
    call["arguments"] += arguments
    call["in_function"] |= _others(function, _FUNCTION)
    call["others"] |= _others(piece, _CALL)


def _begins_another(call: dict[str, Any], call_id: str, name: str, arguments: str) -> bool:
    """Return whether a piece belongs to a new call: by its id, or without ids by a name after whole
    arguments.

    Where the name is the same, more arguments must come with it: some servers write it into each piece.
    """
    if call_id and call["id"]:
        return call_id != call["id"]
    if not (name and call["name"] and call["arguments"] and (name != call["name"] or arguments.strip())):
        return False
    return isinstance(parse_arguments(call["arguments"]), dict)


def _others(value: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields that are none of those which OpenAI's own service has."""
    fields = dump(value) if isinstance(value, dict) or hasattr(value, "model_dump") else {}
    return {
        name: found
        for name, found in fields.items()
        if found is not None and name not in known and name not in _ONLY_ANSWERED
    }


def _choice(response: Any) -> Any:
    """Return the first choice of a completion; anything else is its own."""
    choices = get(response, "choices")
    return choices[0] if choices else response


def _message(choice: Any) -> Any:
    """Return the message of a choice; a message is its own."""
    return get(choice, "message", choice)


def _call(call: Any) -> dict[str, Any]:
    """Return a call as the service takes it back. Arguments that were no JSON object become "{}": nothing ran
    with it."""
    call_id, others = str(get(call, "id", "")), _others(call, _CALL)
    if (custom := get(call, "custom")) is not None:
        written = {"name": get(custom, "name", ""), "input": get(custom, "input", "")}
        return {"id": call_id, "type": "custom", "custom": written, **others}
    function = get(call, "function", {})
    text, name = sendable_arguments(get(function, "arguments")), get(function, "name", "")
    written = {"name": name, "arguments": text, **_others(function, _FUNCTION)}
    return {"id": call_id, "type": "function", "function": written, **others}


# A history ----------------------------------------------------------------------------------------


def call_ids(messages: list[Any]) -> list[str | None]:
    return [call["id"] for call in items_in(messages, "tool_calls", "assistant")]


def set_call_ids(messages: list[JSON], ids: list[str]) -> None:
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    for call, call_id in zip(calls, ids, strict=False):
        call["id"] = call_id


def known_fields(messages: list[JSON]) -> list[JSON]:
    """Return messages with what OpenAI's own service knows of them: for another server than their own."""
    return [_known_message(message) for message in messages]


def _known_message(message: JSON) -> JSON:
    kept = {name: message[name] for name in _MESSAGE if name in message}
    if isinstance(message.get("tool_calls"), list):
        kept["tool_calls"] = [_known_call(call) for call in message["tool_calls"]]
    return kept


def _known_call(call: Any) -> Any:
    if not isinstance(call, dict):
        return call
    kept = {name: call[name] for name in _CALL if name in call}
    if isinstance(call.get("function"), dict):
        kept["function"] = {name: call["function"][name] for name in _FUNCTION if name in call["function"]}
    return kept


def own_messages(messages: list[JSON]) -> list[JSON]:
    """Return the messages of a turn without those that say nothing."""
    return [
        message
        for message in messages
        if message.get("content") or message.get("tool_calls") or message.get("refusal")
    ]


def write_user(text: str) -> list[JSON]:
    return [{"role": "user", "content": text}]


def write_assistant(text: str, calls: list[Call]) -> list[JSON]:
    message: JSON = {"role": "assistant", "content": text if text.strip() else None}
    if calls:
        message["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
            }
            for call_id, name, arguments in calls
        ]
    return [message] if calls or text.strip() else []


def finish_messages(messages: list[JSON]) -> list[JSON]:
    """Return messages in which the user does not speak twice in a row, which some servers refuse."""
    found: list[JSON] = []
    for message in messages:
        if found and message["role"] == "user" == found[-1]["role"]:
            found[-1] = {"role": "user", "content": f"{found[-1]['content']}\n\n{message['content']}"}
        else:
            found.append(message)
    return found


# Requests: POST /v1/chat/completions --------------------------------------------------------------

check_options, fit_request = shared.check_options, shared.fit_request
client_of_kind = checked_client
read_answer, retry_delay = shared.read_answer, shared.retry_delay


def write_definitions(tools: Iterable[Tool]) -> list[JSON]:
    return [one.to_openai() for one in tools]


def write_request(model: str, instructions: str, messages: list[JSON], tools: list[JSON]) -> JSON:
    first = [{"role": "system", "content": instructions}] if instructions else []
    return {"model": model, "messages": [*first, *messages], **if_any(tools=tools)}


def make_client(asynchronous: bool) -> Any:
    import openai

    return (openai.AsyncOpenAI if asynchronous else openai.OpenAI)(max_retries=0)


def send(client: Any, body: JSON, options: SendOptions) -> Any:
    return client.post("/chat/completions", **as_json(body), cast_to=object, options=options)


def stream(client: Any, body: JSON, options: SendOptions) -> Any:
    body = {"stream_options": {"include_usage": True}, **body}
    create = client.chat.completions.create
    return create(model=body["model"], messages=[], stream=True, **extra_body(body, options))


def text_in(event: Any) -> str:
    choices = get(event, "choices", [])
    delta = get(choices[0], "delta", {}) if choices else {}
    return text_of(get(delta, "content", "")) or text_of(get(delta, "refusal", ""))
