"""Gemini: generating content, in one piece or as a stream, counting tokens, and the list of models."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...facts.models import GEMINI_LISTED, gemini
from ...request import Decision, Request
from ..api import Incoming, Refused, Reply, Route
from ..writing import Written, canonical, event, make_id, text_pieces, write
from . import rules, shapes
from .reading import read
from .shapes import GenerateContentRequest
from .turns import count_input, from_the_brain, neutral, thinks

# From what the model wrote to a Gemini response, in one piece or in chunks ----------------------------


FALLBACK_THOUGHT = "I read what is asked and see which of the functions fits it."
FINISH_REASONS = {"limit": "MAX_TOKENS", "refusal": "SAFETY", "malformed": "MALFORMED_FUNCTION_CALL"}
"""Every other way to end is STOP: a call is not told apart from a text here."""


def whole_response(written: Written, shape: GenerateContentRequest, seed: str) -> dict[str, Any]:
    """A GenerateContentResponse."""
    body: dict[str, Any] = {}
    if written.stop == "filtered":
        body["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
    else:
        body["candidates"] = [_candidate(written, shape, seed)]
    body["usageMetadata"] = _usage(written, shape)
    body["modelVersion"] = shape.model
    body["responseId"] = make_id("", "response", seed)
    return body


def _candidate(written: Written, shape: GenerateContentRequest, seed: str) -> dict[str, Any]:
    # Calls come whole or not at all: one that is cut off is not shown, and one that is no JSON is an error.
    unreadable = written.stop != "limit" and any(call.raw for call in written.calls)
    stop = "malformed" if unreadable else written.stop
    parts = [] if unreadable else _parts(written, shape, seed)
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"} if parts else {"role": "model"}}
    candidate["finishReason"] = FINISH_REASONS.get(stop, "STOP")
    if gemini(shape.model).thinks:  # what older models lack
        candidate["index"] = 0
        if stop == "calls":
            candidate["finishMessage"] = "Model generated function call(s)."
        elif stop == "malformed":
            candidate["finishMessage"] = "Malformed function call."
    return candidate


def _parts(written: Written, shape: GenerateContentRequest, seed: str) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    thinking = shape.config.thinking_config
    if written.thinking and thinking and thinking.include_thoughts:
        parts.append({"text": written.thinking, "thought": True})
    if written.text:
        parts.append({"text": from_the_brain(written.text, shape.config)})
    calls = [call for call in written.calls if not call.raw]
    for n, call in enumerate(calls):
        inner: dict[str, Any] = {"name": call.name, "args": call.arguments}
        if gemini(shape.model).is_3_or_newer:
            inner["id"] = make_id("", "call", seed, n, call.name, length=8).lower()
        parts.append({"functionCall": inner})
    if _signs(shape):
        signed = next((part for part in parts if "functionCall" in part), parts[-1] if parts else {})
        if not signed.get("thought"):
            signed["thoughtSignature"] = _signature(seed, written)
    return parts


def _signs(shape: GenerateContentRequest) -> bool:
    """Whether the answer carries a thought signature: on one part, the first call or else the last text."""
    return gemini(shape.model).is_3_or_newer or (thinks(shape) and bool(shape.declarations))


def _signature(seed: str, written: Written) -> str:
    """An opaque text that belongs to an answer, as the real signature does."""
    digest = hashlib.sha512(f"{seed}\x1f{written.thinking}".encode("utf-8", "surrogatepass")).digest()
    return base64.b64encode(digest).decode("ascii")


def _usage(written: Written, shape: GenerateContentRequest) -> dict[str, Any]:
    counts = count_input(shape)
    prompt = sum(counts.values())
    usage = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": written.output_tokens - written.thinking_tokens,
        "totalTokenCount": prompt + written.output_tokens,
        "promptTokensDetails": [{"modality": kind, "tokenCount": count} for kind, count in counts.items()],
    }
    if written.thinking_tokens:
        usage["thoughtsTokenCount"] = written.thinking_tokens
    return usage


# In chunks ----------------------------------------------------------------------------------------


def response_chunks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A finished response in chunks: text in pieces, each call whole.

    Why it ended, and the usage, are in the last. Each chunk is a response of its own, with the same id.
    """
    if not body.get("candidates"):
        yield body
        return
    whole = body["candidates"][0]
    pieces = [piece for part in whole["content"].get("parts", []) for piece in _pieces(part)]
    prompt = body["usageMetadata"]["promptTokenCount"]
    details = body["usageMetadata"]["promptTokensDetails"]
    begun = {"promptTokenCount": prompt, "totalTokenCount": prompt, "promptTokensDetails": details}
    for piece in pieces[:-1]:
        candidate: dict[str, Any] = {"content": {"parts": [piece], "role": "model"}}
        if "index" in whole:
            candidate["index"] = whole["index"]
        yield {**body, "candidates": [candidate], "usageMetadata": begun}
    yield {**body, "candidates": [{**whole, "content": {**whole["content"], **_last(pieces)}}]}


def _last(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    return {"parts": pieces[-1:]} if pieces else {}


def _pieces(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part as several parts: its text in pieces, its signature on the last of them."""
    if not part.get("text"):
        yield part
        return
    signature = {name: value for name, value in part.items() if name == "thoughtSignature"}
    others = {name: value for name, value in part.items() if name not in ("text", "thoughtSignature")}
    texts = list(text_pieces(part["text"]))
    for n, text in enumerate(texts):
        yield {"text": text, **others, **(signature if n == len(texts) - 1 else {})}


# Gemini: generating content, in one piece or as a stream, counting tokens, and the list of models -----
# The shape of a request is in gemini_shapes.py, and how JSON is read into it in gemini_reading.py; the rules
# of the protocol are in gemini_rules.py, what is known of the models in facts/models.py, the way to the
# neutral request in gemini_turns.py, the way back in gemini_answer.py.


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
    rules.check_model(incoming.params["model"], version, "countTokens")
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
    body: dict[str, Any] = {"models": [_described(model) for model in GEMINI_LISTED[first:last]]}
    if last < len(GEMINI_LISTED):
        body["nextPageToken"] = str(last)
    return _reply(200, body)


def _described(model: str) -> dict[str, Any]:
    """Return a model as GET /v1beta/models/{id} shows it."""
    family = gemini(model)
    words = " ".join(part.capitalize() for part in model.split("-"))
    return {
        "name": f"models/{model}",
        "version": "001",
        "displayName": words,
        "description": f"{words}, as the practice model plays it",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": family.max_output,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "maxTemperature": 2,
        "thinking": family.thinks,
    }


def _get_model(incoming: Incoming) -> Reply:
    _check_key(incoming)
    rules.check_model(incoming.params["model"], _version(incoming), "generateContent")
    return _reply(200, _described(incoming.params["model"]))


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
    rules.check_model(request.model, version, method)
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
    return whole_response(write(decision, request, FALLBACK_THOUGHT), shape, seed)


def stream(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The finished response in chunks."""
    return response_chunks(response)
