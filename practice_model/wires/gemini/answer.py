"""Gemini: generating content, in one piece or as a stream, counting tokens, and the list of models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from ...facts.models import GEMINI_LISTED, gemini
from ...request import Call, CallResult, ConversationTurn, Decision, Request, ToolChoice, ToolSpec
from ..api import BAD_JSON, Incoming, Refused, Reply, Route
from ..writing import (
    CALL_OVERHEAD,
    Written,
    canonical,
    count_json_tokens,
    count_tokens,
    event,
    make_id,
    signature,
    text_pieces,
    write,
)
from . import rules, shapes
from .schemas import answer_schema, answer_text, parameters
from .shapes import Content, GeminiPart, GenerateContentRequest, read

NAME = "gemini"
VERSIONS = ("v1beta", "v1", "v1alpha")
"""google-genai asks v1 or v1beta, by its major version; REST examples ask v1beta."""
STRICT_JSON = False
"""The service complains in the words of Google's open JSON parser ("Closing quote expected in string"), which
takes control characters in strings as they are. That the service does so too was not tried."""


# What the core asks for -------------------------------------------------------------------------

_METHODS = "generateContent|streamGenerateContent|countTokens"
# Under /v1, what follows a colon may also be part of an id: OpenAI's fine-tuned models have several.
_OWN_PATH = re.compile(
    rf"/v1(alpha|beta)(/.*)?|(?!/v1/)(/.*)?/models/[^/]+:\w+|/v1/models/[^/]+:({_METHODS})", re.DOTALL
)


def claims(path: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request is meant for this API, also where it has no such path.

    /v1/models is also OpenAI's and Anthropic's. To a path without a version the service is reported to answer
    404 without any text; here it says which paths there are.
    """
    if _OWN_PATH.fullmatch(path):
        return True
    if path == "/models" or path.startswith("/models/"):
        return "authorization" not in headers
    return "x-goog-api-key" in headers and (path.startswith("/v1/models") or not path.startswith("/v1/"))


def check_key(headers: Mapping[str, str]) -> None:
    """Do nothing yet: the key may be in the query, which `_check_key` sees."""


_NOT_A_KEY = re.compile(
    r"<.*>|.*\s.*|your[_-]?(gemini[_-]?|google[_-]?)?api[_-]?key|.*invalid.*", re.IGNORECASE
)


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


def error(refused: Refused, request_id: str) -> Reply:
    """Return an error in the shape of this API."""
    status = refused.kind if refused.kind.isupper() else STATUSES.get(refused.status)
    status = status or ("INTERNAL" if refused.status >= 500 else "INVALID_ARGUMENT")
    message = refused.message.replace(BAD_JSON, "Invalid JSON payload received. ")
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
    """Yield the chunks as one JSON array that is written bit by bit."""
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
        # A colon begins the name of a method: what there is not is no wrong use of this route.
        Route("GET", f"/{version}/models/{{model}}", _get_model, part="[^/:]+"),
    )
)


def _version(incoming: Incoming) -> str:
    return incoming.path.split("/")[1]


# 1. Validate ------------------------------------------------------------------------------------


def validate(incoming: Incoming, method: str) -> shapes.GenerateContentRequest:
    """Return the request as an object; raise Refused as the real service would."""
    _check_key(incoming)
    version = _version(incoming)
    request = read(shapes.GenerateContentRequest, incoming.data, version)
    request.model = incoming.params["model"]
    rules.check_model(request.model, version, method)
    rules.check(request)
    return request


# 2. To the neutral request ----------------------------------------------------------------------


def to_request(shape: shapes.GenerateContentRequest) -> Request:
    """Return the request without a trace of the wire format."""
    config = shape.config
    calling = shape.calling
    allowed = calling.allowed_function_names or [function.name for function in shape.declarations]
    strict = calling.mode in ("ANY", "VALIDATED")
    return Request(
        model=shape.model,
        turns=_turns(shape.contents),
        system=_text(shape.system_instruction.parts) if shape.system_instruction else "",
        tools=tuple(
            ToolSpec(function.name, function.description, parameters(function), strict)
            for function in shape.declarations
            if function.name in allowed
        ),
        tool_choice=_tool_choice(calling),
        max_tokens=config.max_output_tokens,
        stop_sequences=tuple(stop for stop in config.stop_sequences if stop),
        output_schema=answer_schema(config),
        thinking=thinks(shape),
    )


def thinks(shape: shapes.GenerateContentRequest) -> bool:
    """Return whether the model thinks first: most do by themselves, the smallest when asked to."""
    if not gemini(shape.model).thinks:
        return False
    thinking = shape.thinking
    if thinking.thinking_budget is not None:
        return thinking.thinking_budget != 0
    if thinking.thinking_level is not None:
        return thinking.thinking_level != "MINIMAL"
    return thinking.include_thoughts or "lite" not in shape.model


def _tool_choice(calling: shapes.FunctionCallingConfig) -> ToolChoice:
    names = calling.allowed_function_names
    if calling.mode == "NONE":
        return ToolChoice("none")
    if calling.mode == "ANY":
        return ToolChoice("tool", names[0]) if len(names) == 1 else ToolChoice("any")
    return ToolChoice()


def _turns(contents: list[shapes.Content]) -> tuple[ConversationTurn, ...]:
    """Return the history; contents in a row from the same side are one turn."""
    found: list[ConversationTurn] = []
    calls: tuple[Call, ...] = ()
    for of_model, group in groupby(contents, key=lambda content: content.role == "model"):
        parts = [part for content in group for part in content.parts]
        made = _calls(parts, len(found))
        found.append(_turn("assistant" if of_model else "user", parts, made, calls))
        calls = made
    return tuple(found)


def _turn(
    role: str, parts: list[GeminiPart], made: tuple[Call, ...], before: tuple[Call, ...]
) -> ConversationTurn:
    responses = [part.function_response for part in parts if part.function_response is not None]
    files = [*parts, *(file for response in responses for file in response.parts)]
    kinds = tuple(modality(file).lower() for file in files if modality(file))
    return ConversationTurn(role, _text(parts), made, _results(responses, before), kinds)


def _text(parts: list[shapes.GeminiPart]) -> str:
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _calls(parts: list[GeminiPart], number: int) -> tuple[Call, ...]:
    """Return the calls of a turn. Older models give them no id, so they get one here."""
    calls = [part.function_call for part in parts if part.function_call is not None]
    ids = [call.id for call in calls]
    unique = all(ids) and len(set(ids)) == len(ids)
    return tuple(
        Call(call.name, call.args or {}, call.id if unique else f"call_{number}_{n}")
        for n, call in enumerate(calls)
    )


def _results(responses: list[shapes.FunctionResponse], calls: tuple[Call, ...]) -> tuple[CallResult, ...]:
    """Return the responses as results: each belongs to the call of its id, else its name, else its place."""
    open_calls = list(calls)
    found = []
    for response in responses:
        call = (
            next((call for call in open_calls if response.id and call.id == response.id), None)
            or next((call for call in open_calls if call.name == response.name), None)
            or next(iter(open_calls), None)
        )
        if call is not None:
            open_calls.remove(call)
        content, is_error = _payload(response.response or {})
        found.append(CallResult(call.id if call else response.id, content, is_error))
    return tuple(found)


ENVELOPES = ("output", "result", "return_value", "content")
"""Keys that say only "this is what the function gave back"."""


def _payload(response: dict[str, Any]) -> tuple[str, bool]:
    """Return what a function gave back, as text, and whether it says that it failed."""
    if response.get("error") and not any(name in response for name in ("output", "result")):
        return _written(response["error"] if len(response) == 1 else response), True
    if len(response) == 1 and next(iter(response)) in ENVELOPES:
        return _written(next(iter(response.values()))), False
    return _written(response), False


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# 3. From the decision ---------------------------------------------------------------------------

FALLBACK_THOUGHT = "I read what is asked and see which of the functions fits it."

FINISH_REASONS = {"limit": "MAX_TOKENS", "refusal": "SAFETY", "malformed": "MALFORMED_FUNCTION_CALL"}
"""Every other way to end is STOP, for calls as for a text."""


def from_decision(
    decision: Decision, request: Request, shape: shapes.GenerateContentRequest, data: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the decision as a response: thoughts where asked for, then text or calls, within the limits.

    Beside calls there is no text: the real service sends none, and some clients take a text for the end.
    """
    seed = canonical([shape.model, data])
    if decision.calls:
        decision = replace(decision, text="")
    written = write(decision, request, FALLBACK_THOUGHT)
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
    if written.thinking and shape.thinking.include_thoughts:
        parts.append({"text": written.thinking, "thought": True})
    if written.text:
        parts.append({"text": answer_text(written.text, shape.config)})
    calls = [call for call in written.calls if not call.raw]
    for n, call in enumerate(calls):
        inner: dict[str, Any] = {"name": call.name, "args": call.arguments}
        if gemini(shape.model).is_3_or_newer:
            inner["id"] = make_id("", "call", seed, n, call.name, length=8).lower()
        parts.append({"functionCall": inner})
    if _signs(shape):
        signed = next((part for part in parts if "functionCall" in part), parts[-1] if parts else {})
        if not signed.get("thought"):
            signed["thoughtSignature"] = signature(seed, written.thinking)
    return parts


def _signs(shape: GenerateContentRequest) -> bool:
    """Return whether the answer carries a thought signature: on the first call or else the last text."""
    return gemini(shape.model).is_3_or_newer or (thinks(shape) and bool(shape.declarations))


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


# As a stream ------------------------------------------------------------------------------------


def stream(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a finished response in chunks: text in pieces, each call whole.

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
    """Yield a part as several parts: its text in pieces, its signature on the last of them."""
    if not part.get("text"):
        yield part
        return
    signature = {name: value for name, value in part.items() if name == "thoughtSignature"}
    others = {name: value for name, value in part.items() if name not in ("text", "thoughtSignature")}
    texts = list(text_pieces(part["text"]))
    for n, text in enumerate(texts):
        yield {"text": text, **others, **(signature if n == len(texts) - 1 else {})}


# Token counts: an estimate, the same every time -------------------------------------------------

MEDIA_TOKENS = {"IMAGE": 258, "DOCUMENT": 258, "AUDIO": 320, "VIDEO": 2630}


def count_input(request: GenerateContentRequest) -> dict[str, int]:
    """Return the tokens of a request by kind of content: {"TEXT": 52, "IMAGE": 258}."""
    counts = {"TEXT": 0}
    contents = [request.system_instruction] if request.system_instruction else []
    for content in [*contents, *request.contents]:
        _count_content(content, counts)
    for function in request.declarations:
        counts["TEXT"] += 8 + count_json_tokens([function.name, function.description, parameters(function)])
    return counts


def _count_content(content: Content, counts: dict[str, int]) -> None:
    for part in content.parts:
        for media in [part, *(part.function_response.parts if part.function_response else [])]:
            kind = modality(media)
            if kind:
                counts[kind] = counts.get(kind, 0) + MEDIA_TOKENS[kind]
        counts["TEXT"] += _count_part(part)


def _count_part(part: GeminiPart) -> int:
    if part.text is not None:
        return count_tokens(part.text)
    if part.function_call is not None:
        call = part.function_call
        return CALL_OVERHEAD + count_tokens(call.name) + count_json_tokens(call.args or {})
    if part.function_response is not None:
        response = part.function_response
        return CALL_OVERHEAD + count_tokens(response.name) + count_json_tokens(response.response or {})
    return 0


def modality(part: Any) -> str:
    """Return IMAGE, DOCUMENT, AUDIO or VIDEO for a part that is a file; else nothing."""
    blob = part.inline_data or part.file_data
    if blob is None:
        return ""
    kind = blob.mime_type.partition("/")[0].upper()
    return kind if kind in ("IMAGE", "AUDIO", "VIDEO") else "DOCUMENT"
