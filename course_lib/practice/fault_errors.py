"""The errors that a service answers with when it is the service that fails: one table per API.

Kinds, codes, messages and headers are in each service's manner. An API module makes the body of them with
its own `error()`: `Refused.kind` is the type (Gemini: the status word), `Refused.details` holds what else
its body has ("code" and "param" for OpenAI, the list of "details" for Gemini).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .apis import Refused
from .streaming import event

__all__ = ["ERRORS", "family", "refused", "stream_error"]


@dataclass(frozen=True)
class Error:
    """One row: how one API reports one kind of failure."""

    status: int
    kind: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


_ANTHROPIC_LIMITS = {
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": "2026-01-01T00:01:00Z",
    "anthropic-ratelimit-tokens-limit": "60000",
    "anthropic-ratelimit-tokens-remaining": "60000",
    "anthropic-ratelimit-tokens-reset": "2026-01-01T00:00:00Z",
    "anthropic-ratelimit-input-tokens-limit": "50000",
    "anthropic-ratelimit-input-tokens-remaining": "50000",
    "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:00Z",
    "anthropic-ratelimit-output-tokens-limit": "10000",
    "anthropic-ratelimit-output-tokens-remaining": "10000",
    "anthropic-ratelimit-output-tokens-reset": "2026-01-01T00:00:00Z",
}
_OPENAI_LIMITS = {
    "x-ratelimit-limit-requests": "3",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "20s",
    "x-ratelimit-limit-tokens": "60000",
    "x-ratelimit-remaining-tokens": "60000",
    "x-ratelimit-reset-tokens": "0s",
}

ANTHROPIC = {
    "rate_limit": Error(
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 50 requests per minute. For details, "
        "refer to the rate limits page of the documentation; the response headers show your current usage. "
        "Please try again later.",
        headers=_ANTHROPIC_LIMITS,
    ),
    "quota": Error(
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. "
        "Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    "overloaded": Error(529, "overloaded_error", "Overloaded"),
    "server_error": Error(500, "api_error", "Internal server error"),
    "unavailable": Error(503, "api_error", "Service unavailable"),
}
OPENAI = {
    "rate_limit": Error(
        429,
        "requests",
        "Rate limit reached for {model} in organization org-practice on requests per min (RPM): Limit 3, "
        "Used 3, Requested 1. Please try again in 20s. Your account page shows your rate limits.",
        {"param": None, "code": "rate_limit_exceeded"},
        _OPENAI_LIMITS,
    ),
    "quota": Error(
        429,
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
        {"param": None, "code": "insufficient_quota"},
    ),
    "overloaded": Error(
        503,
        "server_error",
        "That model is currently overloaded with other requests. You can retry your request.",
        {"param": None, "code": None},
    ),
    "server_error": Error(
        500,
        "server_error",
        "The server had an error while processing your request. Sorry about that!",
        {"param": None, "code": None},
    ),
    "unavailable": Error(
        503,
        "server_error",
        "The server is temporarily unable to handle your request. Please try again later.",
        {"param": None, "code": None},
    ),
}
GEMINI = {
    "rate_limit": Error(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details. "
        "Quota exceeded for metric: generate_content_requests, limit: 5, model: {model}",
        {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "{seconds}s"}]},
    ),
    "quota": Error(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
    "overloaded": Error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "server_error": Error(500, "INTERNAL", "An internal error has occurred. Please retry."),
    "unavailable": Error(503, "UNAVAILABLE", "The service is currently unavailable."),
}
ERRORS = {"anthropic": ANTHROPIC, "openai": OPENAI, "gemini": GEMINI}
"""By family of APIs: both of OpenAI's report alike."""


def family(api: str) -> str:
    """ "openai" for openai_chat and openai_responses, "anthropic", "gemini"."""
    return next((name for name in ERRORS if api.startswith(name)), "anthropic")


def refused(name: str, api: str, model: str, retry_after: float) -> Refused:
    """The named failure as this API reports it.

    429 and 5xx are tried again by the SDKs on their own. `retry-after-ms`, which they read first, tells them
    for how long to wait before: without it a lesson would stand still for seconds.
    """
    row = ERRORS[family(api)][name]
    headers = dict(row.headers)
    if row.status >= 429:
        milliseconds = max(1, round(retry_after * 1000))
        headers |= {"retry-after": str(round(retry_after)), "retry-after-ms": str(milliseconds)}
    if name == "quota" and row.status == 429:
        headers["x-should-retry"] = "false"  # waiting does not fill an empty purse
    details = json.loads(json.dumps(dict(row.details)).replace("{seconds}", f"{retry_after:g}"))
    return Refused(row.status, row.kind, row.message.replace("{model}", model), details, headers)


def stream_error(api: str, error_body: Any, place: int) -> bytes:
    """An error in a stream after `place` events, as an event; `error_body` is what the API's error() has."""
    name = ""
    if family(api) == "anthropic":
        name, error_body = "error", {key: error_body[key] for key in ("type", "error") if key in error_body}
    elif api == "openai_responses":
        error = error_body.get("error", {})
        fields = {key: error.get(key) for key in ("code", "message", "param")}
        name, error_body = "error", {"type": "error", "sequence_number": place, **fields}
    return event(error_body, name)
