"""OpenAI Chat Completions: creating a completion, plain and streamed, and the list of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...request import Call, CallResult, ConversationTurn, Decision, Request, merged
from ..api import Incoming, Reply, Route
from ..openai import answer as openai_wire
from ..openai.answer import (
    MEDIA,
    arguments,
    count_input,
    created,
    finish,
    output_schema,
    resolved_id,
    seed_of,
    tool_choice,
    tools,
)
from ..openai.rules import check_model, reasons
from ..openai.shapes import read, refused
from ..writing import Written, cut_at_random, event, make_id, text_pieces
from . import rules, shapes

NAME = "openai_chat"


# What the core asks for ---------------------------------------------------------------------------


def claims(path: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is meant for this API, or for paths of OpenAI that nobody has here."""
    if path.startswith("/v1/responses"):
        return False
    return path.startswith("/v1/chat/") or openai_wire.is_for_openai(headers)


STRICT_JSON = openai_wire.STRICT_JSON
check_key = openai_wire.check_key
error = openai_wire.error
request_id = openai_wire.request_id


def _create(incoming: Incoming) -> Reply:
    shape = validate(incoming)
    request = to_request(shape)
    completion = from_decision(incoming.decide(request), request, shape, incoming.data)
    if shape.stream:
        return openai_wire.stream_reply(stream(completion, shape), incoming.request_id)
    return openai_wire.reply(200, completion, incoming.request_id)


ROUTES = (
    Route("POST", "/v1/chat/completions", _create),
    Route("GET", "/v1/models", openai_wire.list_models),
    Route("GET", "/v1/models/{model_id}", openai_wire.get_model),
)


# 1. Validate --------------------------------------------------------------------------------------


def validate(incoming: Incoming) -> shapes.ChatRequest:
    """Return the request as an object; raise Refused as the real service would."""
    data = incoming.data
    if isinstance(data, dict):
        if data.get("model") is None:
            raise refused("you must provide a model parameter", None)
        unknown = [name for name in data if name not in shapes.ChatRequest.model_fields]
        if unknown:
            raise refused(f"Unrecognized request argument supplied: {unknown[0][:100]}", None)
    request = read(shapes.ChatRequest, data)
    check_model(request.model)
    rules.RULES.check(request)
    return request


# 2. To the neutral request ------------------------------------------------------------------------


def to_request(shape: shapes.ChatRequest) -> Request:
    """Return the request without a trace of the wire format."""
    messages = list(shape.messages)
    system = []
    while messages and isinstance(messages[0], shapes.Instructions):
        system.append(_text(messages.pop(0).content))
    stop = [shape.stop] if isinstance(shape.stop, str) else shape.stop or []
    return Request(
        model=shape.model,
        turns=merged(_turn(message) for message in messages) or (ConversationTurn("user"),),
        system="\n\n".join(system),
        tools=tools(shape),
        tool_choice=tool_choice(shape),
        max_tokens=shape.max_completion_tokens or shape.max_tokens,
        stop_sequences=tuple(text for text in stop if text),
        output_schema=output_schema(shape),
        thinking=reasons(shape),
    )


def _turn(message: Any) -> ConversationTurn:
    if isinstance(message, shapes.ToolMessage):
        return ConversationTurn("user", results=(CallResult(message.tool_call_id, _text(message.content)),))
    if isinstance(message, shapes.AssistantMessage):
        calls = [call for call in message.tool_calls or [] if isinstance(call, shapes.ChatFunctionCall)]
        return ConversationTurn(
            "assistant",
            _text(message.content or message.refusal or ""),
            tuple(Call(one.function.name, arguments(one.function.arguments), one.id) for one in calls),
        )
    if isinstance(message, shapes.FunctionMessage):
        return ConversationTurn("user", message.content or "")
    role = "system" if isinstance(message, shapes.Instructions) else "user"
    parts = message.content if isinstance(message.content, list) else []
    media = tuple(MEDIA[part.type] for part in parts if part.type in MEDIA)
    return ConversationTurn(role, _text(message.content), media=media)


def _text(content: str | list[Any]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(getattr(part, part.type) for part in content if part.type in ("text", "refusal"))


# 3. From the decision --------------------------------------------------------------------------------

FINISH_REASONS = {"calls": "tool_calls", "limit": "length", "filtered": "content_filter"}
"""Everything else is "stop"."""


def from_decision(
    decision: Decision, request: Request, shape: shapes.ChatRequest, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the decision as a completion: text, or calls, as far as the limits allow."""
    seed = seed_of(data)
    answers = [finish(decision, request, f"{seed}{n or ''}") for n in range(shape.n or 1)]
    return {
        "id": make_id("chatcmpl-", seed, length=29),
        "object": "chat.completion",
        "created": created(seed),
        "model": resolved_id(shape.model),
        "choices": [
            {
                "index": n,
                "message": _message(answer),
                "logprobs": None,
                "finish_reason": FINISH_REASONS.get(answer.stop, "stop"),
            }
            for n, answer in enumerate(answers)
        ],
        "usage": _usage(count_input(request), answers),
        "service_tier": "default",
        "system_fingerprint": None,
    }


def _message(answer: Written) -> dict[str, Any]:
    silent = answer.calls or answer.refusal
    message: dict[str, Any] = {"role": "assistant", "content": None if silent else answer.text}
    if answer.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.raw}}
            for call in answer.calls
        ]
    return {**message, "refusal": answer.refusal or None, "annotations": []}


def _usage(input_tokens: int, answers: list[Written]) -> dict[str, Any]:
    output_tokens = sum(answer.output_tokens for answer in answers)
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": sum(answer.thinking_tokens for answer in answers),
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


# As a stream --------------------------------------------------------------------------------------


def stream(completion: dict[str, Any], shape: shapes.ChatRequest) -> Iterator[bytes]:
    """Yield the finished completion as an event stream."""
    with_usage = bool(shape.stream_options and shape.stream_options.include_usage)
    head = {
        name: completion[name] for name in ("id", "created", "model", "service_tier", "system_fingerprint")
    }
    head["object"] = "chat.completion.chunk"
    if with_usage:
        head["usage"] = None
    for choice in completion["choices"]:
        for delta, reason in _deltas(choice, completion["id"]):
            piece = {"index": choice["index"], "delta": delta, "logprobs": None, "finish_reason": reason}
            yield event({**head, "choices": [piece]})
    if with_usage:
        yield event({**head, "choices": [], "usage": completion["usage"]})
    yield event("[DONE]")


def _deltas(choice: dict[str, Any], seed: str) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Yield the pieces of one choice: who speaks, then the text or the calls, then why it ends."""
    message = choice["message"]
    calls = message.get("tool_calls", [])
    yield {"role": "assistant", "content": None if calls else "", "refusal": None}, None
    for piece in text_pieces(message["content"] or ""):
        yield {"content": piece}, None
    for piece in text_pieces(message["refusal"] or ""):
        yield {"refusal": piece}, None
    for n, call in enumerate(calls):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": n, "id": call["id"], "type": "function", "function": function}]}, None
        for piece in cut_at_random(call["function"]["arguments"], f"{seed}{n}"):
            yield {"tool_calls": [{"index": n, "function": {"arguments": piece}}]}, None
    yield {}, choice["finish_reason"]
