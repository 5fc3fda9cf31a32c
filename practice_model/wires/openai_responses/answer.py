"""OpenAI Responses: creating a response, plain and streamed, and the responses that are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...facts.models import gpt
from ...request import ConversationTurn, Decision, Request, merged
from ..api import Incoming, Refused, Reply, Route
from ..openai import answer as openai_wire
from ..openai.answer import (
    count_input,
    created,
    finish,
    hex_id,
    is_ours,
    output_schema,
    resolved_id,
    seed_of,
    tool_choice,
    tools,
)
from ..openai.rules import check_model, reasons
from ..openai.shapes import read, refused
from ..writing import Written, cut_at_random, event, signature, text_pieces
from . import rules, shapes
from .history import (
    ContinuedRequest,
    Kept,
    kept_item,
    read_item,
    resolved,
    store_of,
    text_of,
    turn,
    with_calls,
)

NAME = "openai_responses"


# What the core asks for -------------------------------------------------------------------------


def claims(path: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is meant for this API."""
    return path.startswith("/v1/responses")


STRICT_JSON = openai_wire.STRICT_JSON
check_key = openai_wire.check_key
error = openai_wire.error
request_id = openai_wire.request_id


def _create(incoming: Incoming) -> Reply:
    asked = validate(incoming, incoming.data)
    shape = asked.request
    request = to_request(asked)
    response = from_decision(incoming.decide(request), request, shape, incoming.data)
    if shape.store is not False or shape.background:
        items = enumerate(resolved(asked, item) for item in asked.items)
        given = tuple(kept_item(item, response["id"], n) for n, item in items)
        asked.store.put(response, (*asked.before, *given), len(asked.before))
    if shape.stream:
        return openai_wire.stream_reply(stream(response), incoming.request_id)
    return openai_wire.reply(
        200, not_yet(response, "queued") if shape.background else response, incoming.request_id
    )


def _count_tokens(incoming: Incoming) -> Reply:
    data = incoming.data
    if isinstance(data, dict):
        data = {"model": "gpt-5.4-mini", **{name: data[name] for name in data if name != "personality"}}
    request = to_request(validate(incoming, data))
    body = {"object": "response.input_tokens", "input_tokens": count_input(request)}
    return openai_wire.reply(200, body, incoming.request_id)


def _get(incoming: Incoming) -> Reply:
    kept = _kept(incoming)
    if incoming.query.get("stream") == "true":
        return openai_wire.stream_reply(stream(kept.response), incoming.request_id)
    return openai_wire.reply(200, kept.response, incoming.request_id)


def _delete(incoming: Incoming) -> Reply:
    kept = _kept(incoming)
    store_of(incoming).delete(kept.response["id"])
    body = {"id": kept.response["id"], "object": "response", "deleted": True}
    return openai_wire.reply(200, body, incoming.request_id)


def _input_items(incoming: Incoming) -> Reply:
    items = list(_kept(incoming).items)
    if incoming.query.get("order", "desc") == "desc":
        items.reverse()
    ids = [item["id"] for item in items]
    after = incoming.query.get("after")
    start = ids.index(after) + 1 if after in ids else 0
    limit = incoming.query.get("limit", "20")
    limit = min(max(int(limit), 1), 100) if limit.isdecimal() and limit.isascii() and len(limit) < 9 else 20
    page = items[start : start + limit]
    body = {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
        "has_more": start + limit < len(items),
    }
    return openai_wire.reply(200, body, incoming.request_id)


def _kept(incoming: Incoming) -> Kept:
    response_id = incoming.params["response_id"]
    kept = store_of(incoming).get(response_id)
    if kept is None:
        raise refused(f"Response with id '{response_id[:100]}' not found.", None, None, 404)
    return kept


ROUTES = (
    Route("POST", "/v1/responses", _create),
    Route("POST", "/v1/responses/input_tokens", _count_tokens),
    Route("GET", "/v1/responses/{response_id}", _get),
    Route("DELETE", "/v1/responses/{response_id}", _delete),
    Route("GET", "/v1/responses/{response_id}/input_items", _input_items),
)


# 1. Validate ------------------------------------------------------------------------------------


def validate(incoming: Incoming, data: Any) -> ContinuedRequest:
    """Return the request, with what came before it; raise Refused as the real service would."""
    request = read(shapes.ResponsesRequest, data)
    check_model(request.model)
    asked = ContinuedRequest(request, store_of(incoming), items=_items(request.input))
    previous = request.previous_response_id
    if previous:
        kept = asked.store.get(previous)
        asked.before = kept.history() if kept else ()
        asked.elsewhere = kept is None
        if kept is None and not _made_elsewhere(previous):
            message = f"Previous response with id '{previous[:100]}' not found."
            raise refused(message, "previous_response_id", "previous_response_not_found")
    if request.conversation:
        asked.elsewhere = True
        _check_conversation(conversation_id(request))
    rules.REQUEST_RULES.check(request)
    rules.ITEM_RULES.check(asked)
    return asked


def _items(given: str | list[Any] | None) -> list[Any]:
    if isinstance(given, str):
        return [shapes.ResponsesMessage(type="message", role="user", content=given)] if given else []
    return list(given or [])


_REAL_ID = re.compile(r"(resp|conv)_[0-9a-f]{48,64}")


def _made_elsewhere(an_id: str) -> bool:
    """Return whether an id is one that the real service gave.

    What was said there is not known here. The request is answered all the same, without it, so that a
    recorded conversation can be sent again.
    """
    return bool(_REAL_ID.fullmatch(an_id)) and not is_ours(an_id)


def _check_conversation(conversation: str | None) -> None:
    """Take a conversation that the real service made as empty, and refuse any other: none is kept here."""
    if not _made_elsewhere(conversation or ""):
        message = (
            f"Conversation with id '{(conversation or '')[:100]}' not found. "
            "(The practice model has no conversations; go on with previous_response_id.)"
        )
        raise Refused(404, "invalid_request_error", message)


def conversation_id(shape: shapes.ResponsesRequest) -> str | None:
    given = shape.conversation
    return given.id if isinstance(given, shapes.Conversation) else given


# 2. To the neutral request ----------------------------------------------------------------------


def to_request(asked: ContinuedRequest) -> Request:
    """Return the request without a trace of the wire format."""
    shape = asked.request
    items = [*(read_item(item) for item in asked.before), *with_calls(asked)]
    system = [shape.instructions] if shape.instructions else []
    while (
        items and isinstance(items[0], shapes.ResponsesMessage) and items[0].role in ("system", "developer")
    ):
        system.append(text_of(items.pop(0).content))
    turns = (turn(item) for item in items)
    return Request(
        model=shape.model,
        turns=merged(one for one in turns if one) or (ConversationTurn("user"),),
        system="\n\n".join(system),
        tools=tools(shape),
        tool_choice=tool_choice(shape),
        max_tokens=shape.max_output_tokens,
        output_schema=output_schema(shape),
        thinking=reasons(shape),
    )


# 3. From the decision ---------------------------------------------------------------------------


def from_decision(
    decision: Decision, request: Request, shape: shapes.ResponsesRequest, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the decision as a response: reasoning, then a message or calls, within the limits."""
    seed = seed_of(data)
    answer = finish(decision, request, seed)
    reason = {"limit": "max_output_tokens", "filtered": "content_filter"}.get(answer.stop)
    time = created(seed)
    input_tokens = count_input(request)
    response = {
        "id": hex_id("resp_", seed),
        "object": "response",
        "created_at": time,
        "status": "incomplete" if reason else "completed",
        "background": bool(shape.background),
        "completed_at": None if reason else time + 1,
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        **_echo(shape),
        "output": _output(answer, shape, seed, "incomplete" if reason else "completed"),
        "usage": {
            "input_tokens": input_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": answer.thinking_tokens},
            "total_tokens": input_tokens + answer.output_tokens,
        },
    }
    if shape.conversation:
        response["conversation"] = {"id": conversation_id(shape)}
    return response


def _output(answer: Written, shape: shapes.ResponsesRequest, seed: str, status: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.thinking:
        items.append(_reasoning(answer, shape, seed))
    if answer.text or answer.refusal or not (answer.calls or answer.stop in ("limit", "filtered")):
        text = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        part = {"type": "refusal", "refusal": answer.refusal} if answer.refusal else text
        message = {"id": hex_id("msg_", seed), "type": "message", "role": "assistant"}
        items.append({**message, "status": status, "content": [part]})
    last = len(answer.calls) - 1
    for n, call in enumerate(answer.calls):
        item = {"id": hex_id("fc_", seed, n), "type": "function_call", "call_id": call.id}
        one = {"name": call.name, "arguments": call.raw}
        items.append({**item, **one, "status": status if n == last else "completed"})
    return items


def _reasoning(answer: Written, shape: shapes.ResponsesRequest, seed: str) -> dict[str, Any]:
    config = shape.reasoning
    summarised = config and (config.summary or config.generate_summary)
    summary = [{"type": "summary_text", "text": answer.thinking}] if summarised else []
    item = {"id": hex_id("rs_", seed), "type": "reasoning", "summary": summary, "content": []}
    if "reasoning.encrypted_content" in (shape.include or []):
        text = signature(seed, answer.thinking).replace("+", "-").replace("/", "_")
        item["encrypted_content"] = f"gAAAAA{text}"
    return item


def _echo(shape: shapes.ResponsesRequest) -> dict[str, Any]:
    """Return what a response repeats of its request, with what holds where the request is silent."""
    text = shape.text
    form = text.format.model_dump(by_alias=True) if text and text.format else {"type": "text"}
    if form["type"] == "json_schema":
        form["strict"] = bool(form["strict"])
    effort = shape.effort or gpt(shape.model).default_effort
    summary = shape.reasoning and (shape.reasoning.summary or shape.reasoning.generate_summary)
    return {
        "instructions": shape.instructions,
        "max_output_tokens": shape.max_output_tokens,
        "max_tool_calls": shape.max_tool_calls,
        "metadata": shape.metadata or {},
        "model": resolved_id(shape.model),
        "moderation": None,
        "parallel_tool_calls": shape.parallel_tool_calls is not False,
        "previous_response_id": shape.previous_response_id,
        "prompt_cache_key": shape.prompt_cache_key,
        "prompt_cache_retention": shape.prompt_cache_retention,
        "reasoning": {
            "effort": effort,
            "summary": summary or None,
            "generate_summary": None,
            "context": "current_turn",
            "mode": "standard",
        },
        "safety_identifier": shape.safety_identifier,
        "service_tier": "default",
        "store": shape.store is not False,
        "temperature": 1.0 if shape.temperature is None else shape.temperature,
        "text": {"format": form, "verbosity": (text and text.verbosity) or "medium"},
        "tool_choice": _plain(shape.tool_choice) or "auto",
        "tools": [_echo_tool(tool) for tool in shape.tools or []],
        "top_logprobs": 0,
        "top_p": 1.0 if shape.top_p is None else shape.top_p,
        "truncation": shape.truncation or "disabled",
        "user": shape.user,
    }


def _echo_tool(tool: Any) -> dict[str, Any]:
    if not isinstance(tool, shapes.ResponsesFunctionTool):
        return tool.model_dump()
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": tool.is_strict,
        "output_schema": tool.output_schema,
    }


def _plain(value: Any) -> Any:
    return value.model_dump(by_alias=True) if hasattr(value, "model_dump") else value


def not_yet(response: dict[str, Any], status: str) -> dict[str, Any]:
    """Return the response before it is done: a stream begins with it, and `background` is answered so."""
    return {
        **response,
        "status": status,
        "completed_at": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
    }


# As a stream ------------------------------------------------------------------------------------

Event = tuple[str, dict[str, Any]]


def stream(response: dict[str, Any]) -> Iterator[bytes]:
    """Yield created, in progress, each item of the output from added to done, and how it ended."""
    for number, (kind, data) in enumerate(_all(response)):
        yield event({"type": kind, "sequence_number": number, **data}, kind)


def _all(response: dict[str, Any]) -> Iterator[Event]:
    begun = not_yet(response, "in_progress")
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for index, item in enumerate(response["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        yield "response.output_item.added", {"output_index": index, "item": _empty(item)}
        yield from _PARTS[item["type"]](item, at)
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield f"response.{response['status']}", {"response": response}


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    """Return the item before anything of it has been written."""
    if item["type"] == "message":
        return {**item, "status": "in_progress", "content": []}
    if item["type"] == "function_call":
        return {**item, "status": "in_progress", "arguments": ""}
    return {**item, "summary": []}


def _message(item: dict[str, Any], at: dict[str, Any]) -> Iterator[Event]:
    for index, part in enumerate(item["content"]):
        here = {**at, "content_index": index}
        field = "text" if part["type"] == "output_text" else "refusal"
        name = f"response.{part['type']}"
        more = {"logprobs": []} if field == "text" else {}
        yield "response.content_part.added", {**here, "part": {**part, field: ""}}
        for piece in text_pieces(part[field]):
            yield f"{name}.delta", {**here, "delta": piece, **more}
        yield f"{name}.done", {**here, field: part[field], **more}
        yield "response.content_part.done", {**here, "part": part}


def _function_call(item: dict[str, Any], at: dict[str, Any]) -> Iterator[Event]:
    for piece in cut_at_random(item["arguments"], item["id"]):
        yield "response.function_call_arguments.delta", {**at, "delta": piece}
    done = {**at, "name": item["name"], "arguments": item["arguments"]}
    yield "response.function_call_arguments.done", done


def _reasoning_events(item: dict[str, Any], at: dict[str, Any]) -> Iterator[Event]:
    for index, part in enumerate(item["summary"]):
        here = {**at, "summary_index": index}
        yield "response.reasoning_summary_part.added", {**here, "part": {**part, "text": ""}}
        for piece in text_pieces(part["text"]):
            yield "response.reasoning_summary_text.delta", {**here, "delta": piece}
        yield "response.reasoning_summary_text.done", {**here, "text": part["text"]}
        yield "response.reasoning_summary_part.done", {**here, "part": part}


_PARTS = {"message": _message, "function_call": _function_call, "reasoning": _reasoning_events}
