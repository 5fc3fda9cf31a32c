"""OpenAI Responses: creating a response, plain and streamed, and the responses that are kept.

The shape of a request is in openai_responses_shapes.py, the rules of the protocol in
openai_responses_rules.py, the way to the neutral turns in openai_responses_turns.py, the way back in
openai_responses_answer.py and openai_responses_stream.py, what is kept in openai_store.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..request import Request, Turn
from . import Incoming, Refused, Reply, Route, openai_wire
from . import openai_models as models
from . import openai_responses_rules as rules
from . import openai_responses_shapes as shapes
from . import openai_tools as tools
from . import openai_writing as writing
from .openai_responses_answer import conversation_id, from_decision, queued
from .openai_responses_conversation import Asked, resolved
from .openai_responses_stream import stream
from .openai_responses_turns import kept_item, read_item, text_of, turn, with_calls
from .openai_rules import check
from .openai_shapes import read, refused
from .openai_store import Kept, store_of
from .openai_turns import merged

NAME = "openai_responses"
_REAL_ID = re.compile(r"(resp|conv)_[0-9a-f]{48,64}")


# What the core asks for ---------------------------------------------------------------------------


def claims(path: str, headers: Mapping[str, str]) -> bool:
    """Whether a request is meant for this API."""
    return path.startswith("/v1/responses")


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
    return openai_wire.reply(200, queued(response) if shape.background else response, incoming.request_id)


def _count_tokens(incoming: Incoming) -> Reply:
    data = incoming.data
    if isinstance(data, dict):
        data = {"model": "gpt-5.4-mini", **{name: data[name] for name in data if name != "personality"}}
    request = to_request(validate(incoming, data))
    body = {"object": "response.input_tokens", "input_tokens": writing.count_input(request)}
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


# 1. Validate --------------------------------------------------------------------------------------


def validate(incoming: Incoming, data: Any) -> Asked:
    """The request, with what came before it; raises Refused as the real service would refuse it."""
    request = read(shapes.ResponsesRequest, data)
    models.check(request.model)
    asked = Asked(request, store_of(incoming), items=_items(request.input))
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
    check(rules.RULES, asked)
    return asked


def _made_elsewhere(an_id: str) -> bool:
    """Whether an id is one that the real service gave.

    What was said there is not known here. The request is answered all the same, without it, so that a
    recorded conversation can be sent again.
    """
    return bool(_REAL_ID.fullmatch(an_id)) and not writing.is_ours(an_id)


def _items(given: str | list[Any] | None) -> list[Any]:
    if isinstance(given, str):
        return [shapes.Message(type="message", role="user", content=given)] if given else []
    return list(given or [])


def _check_conversation(conversation: str | None) -> None:
    """Conversations are not kept here: one that the real service made is taken as empty."""
    if not _made_elsewhere(conversation or ""):
        message = (
            f"Conversation with id '{(conversation or '')[:100]}' not found. "
            "(The practice model has no conversations; go on with previous_response_id.)"
        )
        raise Refused(404, "invalid_request_error", message)


# 2. To the neutral request ------------------------------------------------------------------------


def to_request(asked: Asked) -> Request:
    """The request without a trace of the wire format."""
    shape = asked.request
    items = [*(read_item(item) for item in asked.before), *with_calls(asked)]
    system = [shape.instructions] if shape.instructions else []
    while items and isinstance(items[0], shapes.Message) and items[0].role in ("system", "developer"):
        system.append(text_of(items.pop(0).content))
    choice = rules.choice(shape)
    turns = (turn(item) for item in items)
    return Request(
        model=shape.model,
        turns=merged(one for one in turns if one) or (Turn("user"),),
        system="\n\n".join(system),
        tools=tools.specs(rules.functions(shape), choice),
        tool_choice=tools.neutral(choice, shape.parallel_tool_calls),
        max_tokens=shape.max_output_tokens,
        output_schema=_output_schema(shape),
        thinking=models.reasons(shape.model, rules.effort(shape)),
    )


def _output_schema(shape: shapes.ResponsesRequest) -> dict[str, Any] | None:
    wanted = shape.text.format if shape.text else None
    kind = getattr(wanted, "type", "text")
    if kind == "json_schema":
        return wanted.json_schema
    return {"type": "object"} if kind == "json_object" else None


# 3. From the decision: openai_responses_answer.py, and as events openai_responses_stream.py -----------------
