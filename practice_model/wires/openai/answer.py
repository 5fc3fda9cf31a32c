"""What both OpenAI APIs answer alike: key, errors, models; tools; calls, ids, times, token counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...facts.models import GPT_SNAPSHOTS
from ...facts.services import SLOPPY
from ...request import Call, Decision, Request, ToolChoice, ToolSpec
from ..api import BAD_JSON, Incoming, Refused, Reply
from ..writing import CALL_OVERHEAD, Written, canonical, count_json_tokens, count_tokens, make_id, write
from .rules import check_model
from .shapes import NO_PARAMETERS, OpenAIRequest

# What the core asks for -------------------------------------------------------------------------

_TYPES = {"api_error": "server_error", "overloaded_error": "server_error"}


def is_for_openai(headers: Mapping[str, str]) -> bool:
    """Return whether the headers are an OpenAI client's: a Bearer token, and no other service's."""
    others = ("anthropic-version", "x-api-key", "x-goog-api-key", "x-goog-api-client")
    return "authorization" in headers and not any(name in headers for name in others)


def check_key(headers: Mapping[str, str]) -> None:
    """Refuse a request without a key. Any key will do: there is nothing here to protect."""
    scheme, _, key = headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer" and key.strip():
        return
    if scheme and scheme.lower() != "bearer":
        message = (
            f"Incorrect API key provided: {scheme[:4]}***. You can find your API key at "
            "https://platform.openai.com/account/api-keys. (write it as `Authorization: Bearer KEY`)"
        )
        raise Refused(401, "invalid_request_error", message, {"code": "invalid_api_key"})
    message = (
        "You didn't provide an API key. You need to provide your API key in an Authorization header using "
        "Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from "
        "https://platform.openai.com/account/api-keys. (here, any text will do)"
    )
    raise Refused(401, "invalid_request_error", message, {"code": "invalid_api_key"})


def request_id(*parts: str) -> str:
    return make_id("req_", *parts, length=32)


STRICT_JSON = True
"""Reports of 2024-09 and 2024-11 have a tab and other control characters in strings refused."""
_NO_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
    "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you "
    "have trouble figuring out how to fix this, please contact us through our help center at "
    "help.openai.com.)"
)


def error(refused: Refused, request_id: str) -> Reply:
    """Return an error in the shape of these APIs."""
    kind = _TYPES.get(refused.kind, refused.kind)
    if refused.kind in ("not_found_error", "request_too_large", "authentication_error"):
        kind = "invalid_request_error"
    details = refused.details
    message = refused.message
    if message.startswith(BAD_JSON):
        message = f"{_NO_JSON} ({message.removeprefix(BAD_JSON)})"
    inner = {
        "message": message,
        "type": kind,
        "param": details.get("param"),
        "code": details.get("code"),
    }
    return reply(refused.status, {"error": inner}, request_id, refused.headers)


def reply(status: int, body: Any, request_id: str, more: Mapping[str, str] | None = None) -> Reply:
    headers = {"content-type": "application/json", "x-request-id": request_id, **(more or {})}
    return Reply(status, headers, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))


def stream_reply(events: Iterator[bytes], request_id: str) -> Reply:
    headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-request-id": request_id,
    }
    return Reply(200, headers, events)


def list_models(incoming: Incoming) -> Reply:
    data = [_described(model) for model in GPT_SNAPSHOTS]
    return reply(200, {"object": "list", "data": data}, incoming.request_id)


def get_model(incoming: Incoming) -> Reply:
    check_model(incoming.params["model_id"])
    return reply(200, _described(incoming.params["model_id"]), incoming.request_id)


def _described(model: str) -> dict[str, Any]:
    """Return a model as GET /v1/models/{id} shows it."""
    owner = "practice" if model == SLOPPY else "system"
    return {"id": model, "object": "model", "created": 1_700_000_000, "owned_by": owner}


def resolved_id(model: str) -> str:
    """Return the dated id that an answer names: gpt-4o is gpt-4o-2024-08-06."""
    date = GPT_SNAPSHOTS.get(model)
    return f"{model}-{date}" if date else model


# To the neutral request -------------------------------------------------------------------------

MEDIA = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "file": "document",
    "input_file": "document",
}
"""Kinds of content that the practice model cannot look at."""


def tools(shape: OpenAIRequest) -> tuple[ToolSpec, ...]:
    """Return the functions as the neutral request has them, without those that the choice does not allow."""
    choice = shape.choice
    return tuple(
        ToolSpec(one.name, one.description, one.parameters or NO_PARAMETERS, one.strict)
        for one in shape.offered
        if not choice.only or one.name in choice.names
    )


def tool_choice(shape: OpenAIRequest) -> ToolChoice:
    """Return the tool choice as the neutral request has it."""
    choice = shape.choice
    mode = {"required": "any", "named": "tool"}.get(choice.mode, choice.mode)
    name = choice.names[0] if choice.mode == "named" else ""
    return ToolChoice(mode, name, shape.parallel_tool_calls is not False)


def output_schema(shape: OpenAIRequest) -> dict[str, Any] | None:
    """Return the schema of a structured answer; None where any text will do."""
    wanted = shape.answer_format
    return {"type": "object"} if wanted.type == "json_object" else wanted.schema


def arguments(text: str) -> dict[str, Any]:
    """Return the arguments of an earlier call; none where the text is not a JSON object."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# From the decision ------------------------------------------------------------------------------

FALLBACK_THOUGHT = "I read what is asked and see which of the tools fits it."


def finish(decision: Decision, request: Request, seed: str) -> Written:
    """Write a decision down. Where there are calls there is no text, as these models mostly do it.

    Each call gets its id, and in `raw` the text of its arguments as it goes over the wire.
    """
    if decision.calls:
        decision = replace(decision, text="")
    written = write(decision, request, FALLBACK_THOUGHT)
    written.calls = tuple(
        Call(
            call.name,
            call.arguments,
            make_id("call_", seed, n, call.name, length=24),
            call.raw or json_text(call.arguments),
        )
        for n, call in enumerate(written.calls)
    )
    return written


def json_text(value: Any) -> str:
    """Return compact JSON, letters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def seed_of(data: Mapping[str, Any]) -> str:
    """Return what ids and times are made of: the request, alike whether streamed or not."""
    return canonical(
        {name: value for name, value in data.items() if name not in ("stream", "stream_options")}
    )


EPOCH = 1_767_225_600
"""The first second of 2026: answers are dated within the year after it, by what was asked."""


def created(seed: str) -> int:
    """Return the time of an answer: a function of the request, not of the clock."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    return EPOCH + int.from_bytes(digest[:4], "big") % (365 * 24 * 3600)


_DIGITS, _CHECK_DIGITS = 42, 8


def hex_id(prefix: str, *parts: Any) -> str:
    """Return an id as the Responses API gives them; its last digits show that it is one of ours."""
    text = "\x1f".join(str(part) for part in parts)
    digits = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return prefix + digits + _check(digits)


def is_ours(an_id: str) -> bool:
    """Return whether an id was made by `hex_id`."""
    digits = an_id.rpartition("_")[2]
    return digits[_DIGITS:] == _check(digits[:_DIGITS])


def _check(digits: str) -> str:
    return hashlib.sha256(digits.encode("utf-8", "surrogatepass")).hexdigest()[:_CHECK_DIGITS]


# Token counts: an estimate, the same every time -------------------------------------------------

MEDIA_TOKENS = 1000


def count_input(request: Request) -> int:
    """Return an estimate of the tokens that the request has."""
    total = 3 + count_tokens(request.system)
    for turn in request.turns:
        total += 4 + count_tokens(turn.text) + MEDIA_TOKENS * len(turn.media)
        for call in turn.calls:
            total += CALL_OVERHEAD + count_tokens(call.name) + count_json_tokens(call.arguments)
        total += sum(CALL_OVERHEAD + count_tokens(result.content) for result in turn.results)
    for tool in request.tools:
        total += 8 + count_json_tokens([tool.name, tool.description, tool.schema])
    return total
