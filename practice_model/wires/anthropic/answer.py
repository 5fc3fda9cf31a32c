"""Anthropic Messages: creating a message, plain and streamed, counting its tokens, and the list of models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...facts.models import CLAUDE_LISTED, claude
from ...request import Call, CallResult, ConversationTurn, Decision, Request, ToolChoice, ToolSpec, merged
from ..api import Incoming, Refused, Reply, Route
from ..writing import (
    CALL_OVERHEAD,
    Written,
    canonical,
    count_json_tokens,
    count_tokens,
    cut_at_random,
    event,
    make_id,
    signature,
    text_pieces,
    write,
)
from . import rules, shapes

NAME = "anthropic"
VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
STRICT_JSON = True


# What the core asks for -------------------------------------------------------------------------


def claims(path: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is meant for this API."""
    return path.startswith("/v1/messages") or "anthropic-version" in headers


def check_key(headers: Mapping[str, str]) -> None:
    """Refuse a request without a key. Any key will do: there is nothing here to protect."""
    bearer = headers.get("authorization", "").removeprefix("Bearer").strip()
    if not (bearer or headers.get("x-api-key", "").strip()):
        raise Refused(401, "authentication_error", "x-api-key header is required (here, any text will do)")


def request_id(*parts: str) -> str:
    return make_id("req_01", *parts)


def error(refused: Refused, request_id: str) -> Reply:
    """Return an error in the shape of this API."""
    # The service reads JSON with another parser, which a report of 2026-07 quotes on a raw control character.
    message = refused.message.replace(
        "Invalid control character at:", "unexpected control character in string:"
    )
    inner: dict[str, Any] = {"type": refused.kind, "message": message}
    if refused.details:
        inner["details"] = refused.details
    body = {"type": "error", "error": inner, "request_id": request_id}
    return _reply(refused.status, body, request_id, refused.headers)


def _reply(status: int, body: Any, request_id: str, more: Mapping[str, str] | None = None) -> Reply:
    headers = {"content-type": "application/json", "request-id": request_id, **(more or {})}
    return Reply(status, headers, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))


def _create(incoming: Incoming) -> Reply:
    shape = validate(incoming, shapes.MessagesRequest)
    request = to_request(shape, incoming.data)
    message, raw = from_decision(incoming.decide(request), request, shape, incoming.data)
    if shape.stream:
        headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        return Reply(200, {**headers, "request-id": incoming.request_id}, stream(message, raw))
    return _reply(200, message, incoming.request_id)


def _count_tokens(incoming: Incoming) -> Reply:
    shape = validate(incoming, shapes.CountRequest)
    return _reply(200, {"input_tokens": count_input(shape)}, incoming.request_id)


def _list_models(incoming: Incoming) -> Reply:
    _check_version(incoming.headers)
    ids = list(CLAUDE_LISTED)
    try:
        limit = min(max(int(incoming.query.get("limit", "20")), 1), 1000)
        start = ids.index(incoming.query["after_id"]) + 1 if "after_id" in incoming.query else 0
        end = ids.index(incoming.query["before_id"]) if "before_id" in incoming.query else None
    except ValueError:
        message = "limit should be a whole number; after_id and before_id should be ids of models"
        raise Refused(400, "invalid_request_error", message) from None
    first = start if end is None else max(end - limit, 0)
    page = ids[first : first + limit if end is None else end]
    body = {
        "data": [_described(model) for model in page],
        "has_more": first > 0 if end is not None else first + limit < len(ids),
        "first_id": page[0] if page else None,
        "last_id": page[-1] if page else None,
    }
    return _reply(200, body, incoming.request_id)


def _described(model: str) -> dict[str, Any]:
    """Return a model as GET /v1/models/{id} shows it."""
    family = claude(model)
    parts = [part for part in model.split("-") if not re.fullmatch(r"\d{8}", part)]
    words = " ".join(part.capitalize() for part in parts if not part.isdigit())
    version = ".".join(part for part in parts if part.isdigit())
    return {
        "type": "model",
        "id": model,
        "display_name": f"{words} {version}".strip(),
        "created_at": "1970-01-01T00:00:00Z",  # the real service's value where the date is not known
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": parts[1] if model.startswith("claude-") else None,
        "max_input_tokens": family.max_input,
        "max_tokens": family.max_output,
        "capabilities": None,
    }


def _get_model(incoming: Incoming) -> Reply:
    _check_version(incoming.headers)
    rules.check_model(incoming.params["model_id"])
    return _reply(200, _described(incoming.params["model_id"]), incoming.request_id)


ROUTES = (
    Route("POST", "/v1/messages", _create),
    Route("POST", "/v1/messages/count_tokens", _count_tokens),
    Route("GET", "/v1/models", _list_models),
    Route("GET", "/v1/models/{model_id}", _get_model),
)


# 1. Validate ------------------------------------------------------------------------------------


def validate(incoming: Incoming, shape: type[shapes.CountRequest]) -> Any:
    """Return the request as an object of the given shape; raise Refused as the real service would."""
    version = _check_version(incoming.headers)
    data = incoming.data
    if isinstance(data, dict):
        _refuse_what_is_not_here(data)
        if incoming.query.get("beta") == "true" or "anthropic-beta" in incoming.headers:
            data = {name: value for name, value in data.items() if name not in shapes.BETA_FIELDS}
    if shape is shapes.MessagesRequest and version < "2026-10-21":
        shape = shapes.SamplingRequest
    request = shapes.read(shape, data)
    rules.check_model(request.model)
    rules.RULES.check(request)
    return request


def _check_version(headers: Mapping[str, str]) -> str:
    version = headers.get("anthropic-version", "")
    if not version:
        raise Refused(400, "invalid_request_error", "anthropic-version: header is required")
    if version not in VERSIONS:
        raise Refused(
            400, "invalid_request_error", f'anthropic-version: "{version[:40]}" is not a valid version'
        )
    return version


def _refuse_what_is_not_here(data: dict[str, Any]) -> None:
    """Refuse what the real service has and the practice model has not."""
    if data.get("thread") is not None:
        message = (
            "thread: the practice model keeps nothing between two requests. Send the whole history each "
            "time; `tool_runner` does so with thread=False."
        )
        # The SDK's tool runner reads these details, and goes on without a thread.
        details = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}
        raise Refused(400, "invalid_request_error", message, details)


# 2. To the neutral request ----------------------------------------------------------------------


def to_request(shape: shapes.MessagesRequest, data: Mapping[str, Any]) -> Request:
    """Return the request without a trace of the wire format."""
    config = shape.output_config
    beta_format = data.get("output_format")
    schema = config.format.json_schema if config and config.format else None
    if schema is None and isinstance(beta_format, dict):
        schema = beta_format.get("schema")
    turns = merged(_turn(message) for message in shape.messages)
    return Request(
        model=shape.model,
        turns=turns,
        system=text_of(shape.system or ""),
        tools=tuple(
            ToolSpec(tool.name, tool.description or "", tool.input_schema.model_dump(), bool(tool.strict))
            for tool in offered(shape)
        ),
        tool_choice=_tool_choice(shape.tool_choice),
        max_tokens=shape.max_tokens,
        stop_sequences=tuple(shape.stop_sequences or ()),
        output_schema=schema if isinstance(schema, dict) else None,
        thinking=_thinks(shape, bool(turns[-1].results)),
    )


def _thinks(shape: shapes.MessagesRequest, after_results: bool) -> bool:
    """Return whether the answer begins with thinking.

    A real model that thinks by itself decides so for each request. This one does where it is asked to and,
    unasked, at a high effort. A model that is forced to call a tool does not think.
    """
    if shape.tool_choice is not None and shape.tool_choice.type in ("any", "tool"):
        return False
    if shape.thinking is None:
        effort = shape.output_config and shape.output_config.effort
        return claude(shape.model).thinks_unasked and effort in ("high", "xhigh", "max")
    return shape.thinking.type in ("enabled", "adaptive") or (
        shape.thinking.type == "between_tools" and after_results
    )


def _shows_thinking(shape: shapes.MessagesRequest) -> bool:
    """Return whether the text of the thoughts comes too, or their signature alone."""
    if shape.thinking is not None and shape.thinking.type == "between_tools":
        return True
    display = getattr(shape.thinking, "display", None)
    return display == "summarized" if display else claude(shape.model).shows_thinking


def _turn(message: shapes.AnthropicMessage) -> ConversationTurn:
    blocks = message.blocks()
    return ConversationTurn(
        message.role,
        "\n".join(block.text for block in blocks if block.type == "text"),
        tuple(Call(block.name, block.input, block.id) for block in blocks if block.type == "tool_use"),
        tuple(
            CallResult(block.tool_use_id, text_of(block.content or ""), bool(block.is_error))
            for block in blocks
            if block.type == "tool_result"
        ),
        tuple(block.type for block in blocks if block.type in ("image", "document", "search_result")),
    )


def text_of(content: str | list[Any]) -> str:
    """Return the text of a string or of blocks; other blocks leave a short note."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text if block.type == "text" else f"[{block.type}]" for block in content)


def offered(shape: shapes.CountRequest) -> list[shapes.AnthropicTool]:
    """Return the tools that the model sees: a deferred one only once the history refers to it, or a result
    names it."""
    loaded = {tool.name for tool in shape.tools or [] if not getattr(tool, "defer_loading", False)}
    for message in shape.messages:
        for block in message.blocks():
            if block.type == "tool_result":
                parts = block.content if isinstance(block.content, list) else []
                loaded.update(part.tool_name for part in parts if part.type == "tool_reference")
                loaded.update(re.findall(r"[\w-]+", text_of(block.content or "")))
            elif block.type in ("tool_addition", "tool_removal"):
                reference = getattr(block, "tool", None)
                name = reference.get("name") if isinstance(reference, dict) else None
                (loaded.add if block.type == "tool_addition" else loaded.discard)(name)
    return [
        tool for tool in shape.tools or [] if isinstance(tool, shapes.AnthropicTool) and tool.name in loaded
    ]


def _tool_choice(choice: Any) -> ToolChoice:
    if choice is None:
        return ToolChoice()
    return ToolChoice(
        choice.type, getattr(choice, "name", ""), not getattr(choice, "disable_parallel_tool_use", False)
    )


# 3. From the decision ---------------------------------------------------------------------------

FALLBACK_THOUGHT = "I read what is asked and see which of the tools fits it."

STOP_REASONS = {
    "end": "end_turn",
    "calls": "tool_use",
    "limit": "max_tokens",
    "sequence": "stop_sequence",
    "refusal": "refusal",
    "filtered": "refusal",
    "pause": "pause_turn",
}


def from_decision(
    decision: Decision, request: Request, shape: shapes.MessagesRequest, data: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the decision as a message: thinking, text and the calls, as far as the limits allow.

    With it comes, by the id of a call, what a stream sends as its arguments where that is not their JSON.
    """
    seed = canonical({name: value for name, value in data.items() if name != "stream"})
    written = write(decision, request, FALLBACK_THOUGHT)
    content: list[dict[str, Any]] = []
    raw: dict[str, str] = {}
    if written.thinking:
        thinking = {"type": "thinking", "thinking": written.thinking if _shows_thinking(shape) else ""}
        content.append({**thinking, "signature": signature(seed, written.thinking)})
    if written.text.strip():  # a blank block could not be sent back
        content.append({"type": "text", "text": written.text})
    for n, call in enumerate(written.calls):
        call_id = make_id("toolu_01", seed, n, call.name)
        block = {"type": "tool_use", "id": call_id, "name": call.name, "input": call.arguments}
        content.append({**block, "caller": {"type": "direct"}})
        raw[call_id] = call.raw
    if written.stop == "pause":
        content.append(_paused_search(seed, request))
    message = {
        "id": make_id("msg_01", seed),
        "type": "message",
        "role": "assistant",
        "model": shape.model,
        "content": content,
        "stop_reason": STOP_REASONS[written.stop],
        "stop_sequence": written.stop_sequence,
        "stop_details": _refusal(written) if STOP_REASONS[written.stop] == "refusal" else None,
        "usage": _usage(count_input(shape), written),
    }
    return message, {call_id: text for call_id, text in raw.items() if text}


def _paused_search(seed: str, request: Request) -> dict[str, Any]:
    """Return a search by the service that is still under way: what a paused turn ends with."""
    words = next((turn.text for turn in reversed(request.turns) if turn.role == "user" and turn.text), "")
    block = {"type": "server_tool_use", "id": make_id("srvtoolu_01", seed), "name": "web_search"}
    return {**block, "input": {"query": " ".join(words.split())[:100]}, "caller": {"type": "direct"}}


def _refusal(written: Written) -> dict[str, Any]:
    return {"type": "refusal", "category": None, "explanation": written.refusal or None}


def _usage(input_tokens: int, written: Written) -> dict[str, Any]:
    return {
        "input_tokens": input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": written.output_tokens,
        "output_tokens_details": {"thinking_tokens": written.thinking_tokens},
        "service_tier": "standard",
        "inference_geo": "not_available",
    }


# As a stream ------------------------------------------------------------------------------------

Block = dict[str, Any]


def stream(message: Mapping[str, Any], written: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Yield the events of a finished message.

        message_start, ping
        for each block: content_block_start, content_block_delta …, content_block_stop
        message_delta (why it stopped, and the usage), message_stop

    Args:
        message: the answer as it goes out in one piece.
        written: by the id of a call, the text of its arguments where that is not simply their JSON: cut off
            at the limit, or wrong on purpose.
    """
    for data in _events(message, written or {}):
        yield event(data, data["type"])


def _events(message: Mapping[str, Any], written: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    begun = {**message, "content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None}
    # The first event counts what has been written so far: next to nothing.
    begun["usage"] = {**message["usage"], "output_tokens": min(1, message["usage"]["output_tokens"])}
    begun["usage"].pop("output_tokens_details", None)
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block, written):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    usage = {name: message["usage"][name] for name in _FINAL_USAGE}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


_FINAL_USAGE = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
)
"""Cumulative: each replaces what message_start said."""


def _empty(block: Block) -> Block:
    """Return the block as it starts: without what its deltas will bring."""
    if block["type"] == "text":
        return {**block, "text": ""}
    if block["type"] == "thinking":
        return {**block, "thinking": "", "signature": ""}
    return {**block, "input": {}}


def _deltas(block: Block, written: Mapping[str, str]) -> Iterator[Block]:
    if block["type"] == "text":
        for piece in text_pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "thinking":
        for piece in text_pieces(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    else:
        # The first piece of an input is empty. For a tool without arguments it is the only one: not even
        # the braces are sent.
        yield {"type": "input_json_delta", "partial_json": ""}
        for piece in _input_pieces(block, written):
            yield {"type": "input_json_delta", "partial_json": piece}


def _input_pieces(block: Block, written: Mapping[str, str]) -> Iterator[str]:
    text = written.get(block["id"], "")
    if text:
        half = len(text) // 2
        yield from filter(None, (text[:half], text[half:]))
    elif block["input"]:
        yield from cut_at_random(json.dumps(block["input"]), block["id"])


# Token counts: an estimate, the same every time -------------------------------------------------

TOOLS_OVERHEAD = 480  # what the service itself says to the model about tools, as soon as there are any

MEDIA_TOKENS = 1500


def count_input(shape: shapes.CountRequest) -> int:
    """Return an estimate of the tokens that the request has."""
    total = 3 + count_tokens(text_of(shape.system or ""))
    for message in shape.messages:
        total += 4 + sum(_count_block(block) for block in message.blocks())
    visible = offered(shape)
    for tool in visible:
        total += 8 + count_json_tokens([tool.name, tool.description or "", tool.input_schema.model_dump()])
    return total + (TOOLS_OVERHEAD if visible else 0)


def _count_block(block: Any) -> int:
    if block.type == "text":
        return count_tokens(block.text)
    if block.type == "tool_use":
        return CALL_OVERHEAD + count_tokens(block.name) + count_json_tokens(block.input)
    if block.type == "tool_result":
        parts = block.content if isinstance(block.content, list) else []
        media = sum(MEDIA_TOKENS for part in parts if part.type in ("image", "document"))
        return CALL_OVERHEAD + media + count_tokens(text_of(block.content or ""))
    if block.type == "thinking":
        return count_tokens(block.thinking)
    return MEDIA_TOKENS if block.type in ("image", "document") else 10
