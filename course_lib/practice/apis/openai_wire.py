"""What the core asks of the two OpenAI APIs and what they answer alike: the key, errors, models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..ids import make_id
from . import Incoming, Refused, Reply
from . import openai_models as models

_TYPES = {"api_error": "server_error", "overloaded_error": "server_error"}

__all__ = [
    "check_key",
    "error",
    "get_model",
    "is_for_openai",
    "list_models",
    "reply",
    "request_id",
    "stream_reply",
]


def is_for_openai(headers: Mapping[str, str]) -> bool:
    """Whether the headers are those of an OpenAI client: a Bearer token, and no other service's."""
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


def error(refused: Refused, request_id: str) -> Reply:
    """An error in the shape of these APIs."""
    kind = _TYPES.get(refused.kind, refused.kind)
    if refused.kind in ("not_found_error", "request_too_large", "authentication_error"):
        kind = "invalid_request_error"
    details = refused.details
    inner = {
        "message": refused.message,
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
    data = [models.describe(model) for model in models.SNAPSHOTS]
    return reply(200, {"object": "list", "data": data}, incoming.request_id)


def get_model(incoming: Incoming) -> Reply:
    models.check(incoming.params["model_id"])
    return reply(200, models.describe(incoming.params["model_id"]), incoming.request_id)
