"""Gemini: generating content, in one piece or as a stream, counting tokens, and the list of models.

The shape of a request is in gemini_shapes.py, and how JSON is read into it in gemini_reading.py; the rules
of the protocol are in gemini_rules.py, what is known of the models in gemini_models.py, the way to the
neutral request in gemini_turns.py, the way back in gemini_answer.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..ids import canonical, make_id
from ..request import Decision, Request
from ..streaming import event
from ..writing import write
from . import Incoming, Refused, Reply, Route
from . import gemini_answer as answer
from . import gemini_models as models
from . import gemini_rules as rules
from . import gemini_shapes as shapes
from .gemini_counting import count_input
from .gemini_reading import read
from .gemini_turns import neutral

NAME = "gemini"
VERSIONS = ("v1beta", "v1", "v1alpha")
"""google-genai asks v1 or v1beta, by its major version; REST examples ask v1beta."""

_METHOD = re.compile(r"/v1/models/[^/]+:(generateContent|streamGenerateContent|countTokens)")
_NOT_A_KEY = re.compile(
    r"<.*>|.*\s.*|your[_-]?(gemini[_-]?|google[_-]?)?api[_-]?key|.*invalid.*", re.IGNORECASE
)

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    408: "DEADLINE_EXCEEDED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


# What the core asks for ---------------------------------------------------------------------------


def claims(path: str, headers: Mapping[str, str]) -> bool:
    """Whether a request is meant for this API; /v1/models is also OpenAI's and Anthropic's."""
    if path.startswith(("/v1beta/", "/v1alpha/")) or _METHOD.fullmatch(path):
        return True
    return path.startswith("/v1/models") and "x-goog-api-key" in headers


def check_key(headers: Mapping[str, str]) -> None:
    """Nothing yet: the key may be in the query, which `_check_key` sees."""


def _check_key(incoming: Incoming) -> None:
    """Refuse a request without a key, and one with a placeholder. Any other will do: nothing is protected."""
    bearer = incoming.headers.get("authorization", "").removeprefix("Bearer")
    key = incoming.headers.get("x-goog-api-key", "") or incoming.query.get("key", "") or bearer
    if not key.strip():
        raise Refused(
            403,
            "PERMISSION_DENIED",
            "Method doesn't allow unregistered callers (callers without established identity). Please use "
            "API Key or other form of API consumer identity to call this API. (here, any text will do)",
        )
    if _NOT_A_KEY.fullmatch(key.strip()):
        message = "API key not valid. Please pass a valid API key."
        details = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": {"service": "generativelanguage.googleapis.com"},
            },
            {
                "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
                "locale": "en-US",
                "message": message,
            },
        ]
        raise Refused(400, "INVALID_ARGUMENT", message, {"details": details})


def request_id(*parts: str) -> str:
    return make_id("", *parts)


def error(refused: Refused, request_id: str) -> Reply:
    """An error in the shape of this API."""
    status = refused.kind if refused.kind.isupper() else STATUSES.get(refused.status)
    status = status or ("INTERNAL" if refused.status >= 500 else "INVALID_ARGUMENT")
    message = refused.message.replace("The request body is not valid JSON:", "Invalid JSON payload received.")
    inner: dict[str, Any] = {"code": refused.status, "message": message, "status": status}
    if refused.details.get("details"):
        inner["details"] = refused.details["details"]
    # Without alt=sse a stream is a JSON array, and so is the error that comes instead of one.
    body = [{"error": inner}] if refused.details.get("in_array") else {"error": inner}
    return _reply(refused.status, body, refused.headers)


def _reply(status: int, body: Any, more: Mapping[str, str] | None = None) -> Reply:
    headers = {"content-type": "application/json; charset=UTF-8", **(more or {})}
    return Reply(status, headers, json.dumps(body, ensure_ascii=False, indent=2).encode("utf-8", "replace"))


def _generate(incoming: Incoming) -> Reply:
    return _reply(200, _answered(incoming, "generateContent"))


def _stream(incoming: Incoming) -> Reply:
    if incoming.query.get("alt") == "sse":
        chunks = stream(_answered(incoming, "streamGenerateContent"))
        return Reply(200, {"content-type": "text/event-stream"}, (event(chunk) for chunk in chunks))
    try:
        chunks = stream(_answered(incoming, "streamGenerateContent"))
    except Refused as refused:
        refused.details["in_array"] = True
        raise
    return Reply(200, {"content-type": "application/json; charset=UTF-8"}, _array(chunks))


def _array(chunks: Iterator[Any]) -> Iterator[bytes]:
    """The chunks as one JSON array that is written bit by bit."""
    start = "["
    for chunk in chunks:
        yield (start + json.dumps(chunk, ensure_ascii=False, indent=2)).encode("utf-8", "replace")
        start = ",\r\n"
    yield b"]"


def _answered(incoming: Incoming, method: str) -> dict[str, Any]:
    shape = validate(incoming, method)
    request = to_request(shape)
    return from_decision(incoming.decide(request), request, shape, incoming.data)


def _count_tokens(incoming: Incoming) -> Reply:
    _check_key(incoming)
    version = _version(incoming)
    models.check(incoming.params["model"], version, "countTokens")
    asked = read(shapes.CountTokensRequest, incoming.data, version)
    whole = asked.generate_content_request
    shape = whole or shapes.GenerateContentRequest.model_construct(contents=asked.contents)
    rules.check_fields(shape, "CountTokensRequest" + (".generate_content_request" if whole else ""))
    counts = count_input(shape)
    details = [{"modality": kind, "tokenCount": count} for kind, count in counts.items()]
    return _reply(200, {"totalTokens": sum(counts.values()), "promptTokensDetails": details})


def _list_models(incoming: Incoming) -> Reply:
    _check_key(incoming)
    size, start = incoming.query.get("pageSize") or "50", incoming.query.get("pageToken") or "0"
    if not re.fullmatch(r"\d{1,9}", size):
        raise Refused(400, "INVALID_ARGUMENT", f"Invalid value at 'page_size' (TYPE_INT32), \"{size[:50]}\"")
    if not re.fullmatch(r"\d{1,9}", start):
        raise Refused(400, "INVALID_ARGUMENT", "page_token is invalid.")
    first, last = int(start), int(start) + min(max(int(size), 1), 1000)
    body: dict[str, Any] = {"models": [models.describe(model) for model in models.LISTED[first:last]]}
    if last < len(models.LISTED):
        body["nextPageToken"] = str(last)
    return _reply(200, body)


def _get_model(incoming: Incoming) -> Reply:
    _check_key(incoming)
    models.check(incoming.params["model"], _version(incoming), "generateContent")
    return _reply(200, models.describe(incoming.params["model"]))


ROUTES = tuple(
    route
    for version in VERSIONS
    for route in (
        Route("POST", f"/{version}/models/{{model}}:generateContent", _generate),
        Route("POST", f"/{version}/models/{{model}}:streamGenerateContent", _stream),
        Route("POST", f"/{version}/models/{{model}}:countTokens", _count_tokens),
        Route("GET", f"/{version}/models", _list_models),
        Route("GET", f"/{version}/models/{{model}}", _get_model),
    )
)


def _version(incoming: Incoming) -> str:
    return incoming.path.split("/")[1]


# 1. Validate --------------------------------------------------------------------------------------


def validate(incoming: Incoming, method: str) -> shapes.GenerateContentRequest:
    """The request as an object; raises Refused as the real service would refuse it."""
    _check_key(incoming)
    version = _version(incoming)
    request = read(shapes.GenerateContentRequest, incoming.data, version)
    request.model = incoming.params["model"]
    models.check(request.model, version, method)
    rules.check(request)
    return request


# 2. To the neutral request ------------------------------------------------------------------------


def to_request(shape: shapes.GenerateContentRequest) -> Request:
    """The request without a trace of the wire format."""
    return neutral(shape)


# 3. From the decision -----------------------------------------------------------------------------


def from_decision(
    decision: Decision, request: Request, shape: shapes.GenerateContentRequest, data: Mapping[str, Any]
) -> dict[str, Any]:
    """The decision as a response: thoughts where asked for, then text or calls, as far as the limits allow.

    Beside calls there is no text: the real service sends none, and some clients take a text for the end.
    """
    seed = canonical([shape.model, data])
    if decision.calls:
        decision = replace(decision, text="")
    return answer.response(write(decision, request, answer.FALLBACK_THOUGHT), shape, seed)


def stream(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The finished response in chunks."""
    return answer.chunks(response)
